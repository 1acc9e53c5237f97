"""A query's own filters narrow what a batch read fetches: partitions by name and number, ranges by offset and time.

With the option ``pushdown``, on PySpark 4.1 and later, which offers filters to readers where the configuration
``spark.sql.python.filterPushdown.enabled`` is true (where it is not, Spark refuses such a reader and says so). Spark
applies every filter again: narrowing leaves out records that no filter lets through, and need not leave out all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

from pyspark.sql.datasource import (
    EqualNullSafe,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    InputPartition,
    LessThan,
    LessThanOrEqual,
    Not,
    StringContains,
    StringEndsWith,
    StringStartsWith,
)

from kafkawire.client import Client, PartitionError
from kafkawire.errors import UnsupportedError
from kafkawire.spark.clients import borrowed
from kafkawire.spark.live import LiveReader
from kafkawire.spark.live_options import LiveOptions
from kafkawire.spark.planning import OffsetRange, Planner

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


class PushdownReader(LiveReader):
    """A batch read of topics that knows the query's filters before it is planned."""

    def __init__(self, options: LiveOptions) -> None:
        super().__init__(options)
        self.filters: tuple[Filter, ...] = ()

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:
        self.filters = tuple(filters)
        return filters

    def partitions(self) -> list[InputPartition]:
        with borrowed(self.options.config) as client:
            ranges = Planner(client, self.options).ranges(lambda whole: narrowed(whole, self.filters, client))
            return [InputPartition(part) for part in ranges]


def narrowed(ranges: Iterable[OffsetRange], filters: Collection[Filter], client: Client) -> list[OffsetRange]:
    """What is left of these ranges where every filter has to hold; asks for offsets by time at the most.

    Nothing is left out by an upper bound of the timestamp: a record after it may have an earlier one.
    """
    left = [
        one
        for one in ranges
        if all(_may_hold(one.topic, at) is not False for at in _of(filters, "topic"))
        and all(_may_hold(one.partition, at) is not False for at in _of(filters, "partition"))
    ]
    offsets = _of(filters, "offset")
    left = [part for one in left if (part := _clipped(one, offsets)).size > 0]
    since = _since(_of(filters, "timestamp"))
    # Negative times have other meanings in the request for offsets, such as the latest.
    return _from_time(left, since, client) if since > 0 and left else left


def _of(filters: Collection[Filter], column: str) -> list[Filter]:
    return [one for one in filters if _column(one) == (column,)]


def _column(one: Filter) -> tuple[str, ...]:
    if isinstance(one, Not):
        return _column(one.child)
    found: tuple[str, ...] = getattr(one, "attribute", ())
    return found


def _may_hold(value: Any, one: Filter) -> bool | None:
    """Whether a filter holds for a value of its column; None where that cannot be told."""
    if isinstance(one, Not):
        child = _may_hold(value, one.child)
        return None if child is None else not child
    wanted: Any = getattr(one, "value", None)
    if isinstance(one, In):
        values = [other for other in wanted or () if other is not None]
        if any(type(other) is not type(value) for other in values):
            return None
        # Among others null makes "not in" unknown, which lets no row through, as little as false does.
        return value in values
    if type(wanted) is not type(value):
        return None
    if isinstance(one, (EqualTo, EqualNullSafe)):
        return bool(value == wanted)
    if isinstance(one, GreaterThan):
        return bool(value > wanted)
    if isinstance(one, GreaterThanOrEqual):
        return bool(value >= wanted)
    if isinstance(one, LessThan):
        return bool(value < wanted)
    if isinstance(one, LessThanOrEqual):
        return bool(value <= wanted)
    if isinstance(one, StringStartsWith):
        return bool(value.startswith(wanted))
    if isinstance(one, StringEndsWith):
        return bool(value.endswith(wanted))
    if isinstance(one, StringContains):
        return wanted in value
    return None


def _clipped(whole: OffsetRange, filters: Iterable[Filter]) -> OffsetRange:
    """The range without the offsets at its ends for which one of these filters does not hold."""
    low, high = whole.start, whole.end
    for one in filters:
        wanted = [value for value in _values(one) if isinstance(value, int)]
        if not wanted or len(wanted) != len(_values(one)):
            continue
        if isinstance(one, (EqualTo, EqualNullSafe, In)):
            inside = [value for value in wanted if low <= value < high]
            low, high = max(low, min(inside, default=high)), min(high, max(inside, default=low) + 1)
        elif isinstance(one, (GreaterThan, GreaterThanOrEqual)):
            low = max(low, wanted[0] + isinstance(one, GreaterThan))
        elif isinstance(one, (LessThan, LessThanOrEqual)):
            high = min(high, wanted[0] + isinstance(one, LessThanOrEqual))
    return replace(whole, start=low, end=high)


def _since(filters: Iterable[Filter]) -> int:
    """The milliseconds since the epoch before which one of these filters does not hold; 0 where there is no bound."""
    since = 0
    for one in filters:
        wanted = [value for value in _values(one) if isinstance(value, datetime) and value.tzinfo is not None]
        if not wanted or len(wanted) != len(_values(one)):
            continue
        first = (min(wanted) - _EPOCH) // timedelta(microseconds=1)
        if isinstance(one, (EqualTo, EqualNullSafe, In, GreaterThanOrEqual)):
            since = max(since, -(-first // 1000))
        elif isinstance(one, GreaterThan):
            since = max(since, first // 1000 + 1)
    return since


def _values(one: Filter) -> tuple[Any, ...]:
    """The values that a filter compares with; of a list those that are not null, which equals nothing."""
    if isinstance(one, In):
        return tuple(value for value in one.value if value is not None)
    return (getattr(one, "value", None),)


def _from_time(ranges: Sequence[OffsetRange], since: int, client: Client) -> list[OffsetRange]:
    """From the first record at or after this time on: those before it have earlier timestamps, in whatever order.

    The ends of the ranges have to be known before: where no such record is there, none was written since.
    """
    try:
        found = client.list_offsets({one.at: since for one in ranges})
    except (PartitionError, UnsupportedError):  # brokers before 0.10.1, and topics of their formats, have no such index
        return list(ranges)
    firsts = {at: first.offset for at, first in found.items() if first is not None}
    return [
        replace(one, start=max(one.start, firsts[one.at]))
        for one in ranges
        if one.at in firsts and firsts[one.at] < one.end
    ]
