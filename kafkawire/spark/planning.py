"""Which offsets a read of live topics means, and how they are divided among tasks; runs on the driver."""

from __future__ import annotations

import itertools
import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import kafkawire as kw
from kafkawire.client import Client, ClientError, DeadlineError, OffsetAndTimestamp, RefusedError, TopicPartition
from kafkawire.spark.given import OptionError
from kafkawire.spark.live_options import EARLIEST, LATEST, Bound, LiveOptions, Side

log = logging.getLogger(__name__)

Offsets: TypeAlias = dict[TopicPartition, int]
T = TypeVar("T")


class DataLossError(RuntimeError):
    """Records that were to be read are gone, and ``failOnDataLoss`` is true."""


class OffsetsChangedError(RuntimeError):
    """A broker gave a latest offset below one that is known to be there; trying again may help."""

    retriable = True


@dataclass(frozen=True)
class OffsetRange:
    """What one task reads: a partition's offsets from ``start`` to before ``end``.

    ``earliest``: that ``start`` is where the log began when this was planned, and means where it begins when read.
    """

    topic: str
    partition: int
    start: int
    end: int
    earliest: bool = False

    @property
    def at(self) -> TopicPartition:
        return TopicPartition(self.topic, self.partition)

    @property
    def size(self) -> int:
        """Offsets, of which compaction and transactions may have left fewer records."""
        return self.end - self.start

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition} from offset {self.start} to {self.end}"


def report_data_loss(options: LiveOptions, message: str) -> None:
    """Raise DataLossError, or with failOnDataLoss=false say so in the log."""
    if options.fail_on_data_loss:
        raise DataLossError(
            f"{message}. Some data may have been missed; set failOnDataLoss to false to go on without it"
        )
    log.warning("%s. Some data may have been missed", message)


class Planner:
    """Answers for one read where partitions start and end. Raises ClientError with its subclasses."""

    def __init__(self, client: Client, options: LiveOptions) -> None:
        self._client = client
        self._options = options

    def partitions(self) -> list[TopicPartition]:
        """The partitions that the read is about at this moment."""
        subscription = self._options.subscription
        if subscription.partitions:
            topics = {at.topic for at in subscription.partitions}
            there = set(self._retrying(lambda: self._of_topics(sorted(topics))))
            missing = [at for at in subscription.partitions if at not in there]
            if missing:
                raise OptionError(f"assign: there is no partition {missing[0].partition} of {missing[0].topic!r}")
            return sorted(subscription.partitions)
        if subscription.topics:
            return self._retrying(lambda: self._of_topics(subscription.topics))
        pattern = subscription.pattern
        assert pattern is not None
        # From one answer: a topic that goes between two of them would be an error.
        return sorted(
            TopicPartition(topic.name, partition)
            for topic in self._client.metadata().topics.values()
            if not topic.is_internal and not topic.error_code and pattern.fullmatch(topic.name)
            for partition in topic.partitions
        )

    def starting(self, partitions: Collection[TopicPartition]) -> Offsets:
        """Where each partition starts."""
        return self._resolve("starting", self._options.starting, partitions)

    def ending(self, partitions: Collection[TopicPartition]) -> Offsets:
        """Where each partition ends, exclusive."""
        return self._resolve("ending", self._options.ending, partitions)

    def earliest(self, partitions: Collection[TopicPartition]) -> Offsets:
        """The first offset that each partition still has."""
        return self._listed(dict.fromkeys(partitions, EARLIEST))

    def latest(self, partitions: Collection[TopicPartition], known: Mapping[TopicPartition, int]) -> Offsets:
        """The offset behind the last record of each partition (with read_committed: the last stable one).

        ``known``: offsets up to which records were already seen. A broker that was just elected may answer with less
        for a moment, which is asked again; if it stays, it is what has become of the partition.
        """

        def ask() -> Offsets:
            found = self._listed(dict.fromkeys(partitions, LATEST))
            for at, offset in found.items():
                if offset < known.get(at, 0):
                    raise OffsetsChangedError(f"{at.topic}-{at.partition} ends at {offset}, before {known[at]}")
            return found

        try:
            return self._retrying(ask)
        except OffsetsChangedError:
            return self._listed(dict.fromkeys(partitions, LATEST))

    def ranges(self, narrow: Callable[[list[OffsetRange]], list[OffsetRange]] | None = None) -> list[OffsetRange]:
        """The tasks of a batch read. ``narrow``: leaves out what is not wanted, before the rest is divided."""
        partitions = self.partitions()
        starts = self.starting(partitions)
        ends = self.ending(partitions)
        for at in partitions:
            if starts[at] > ends[at]:
                raise OptionError(
                    f"startingOffsets: {at.topic}-{at.partition} would be read from offset {starts[at]} to {ends[at]}"
                )
        bound = self._options.starting
        earliest = {at for at in partitions if bound.moment == "earliest" or (bound.offsets or {}).get(at) == EARLIEST}
        whole = [OffsetRange(*at, starts[at], ends[at], at in earliest) for at in partitions]
        return divide(narrow(whole) if narrow else whole, self._options)

    # ---- inside ----

    def _of_topics(self, names: Collection[str]) -> list[TopicPartition]:
        topics = self._client.metadata(list(names)).topics
        found: list[TopicPartition] = []
        for name in names:
            topic = topics.get(name)
            if topic is None or topic.error_code:
                cause = kw.messages.error_class(topic.error_code if topic else 3)()
                raise RefusedError("the topic cannot be read", topic=name) from cause
            found += [TopicPartition(name, partition) for partition in topic.partitions]
        return sorted(found)

    def _retrying(self, ask: Callable[[], T]) -> T:
        """fetchOffset.numRetries times more, of what may change soon: a topic that not all brokers know of yet. A
        client that gave up has tried for default.api.timeout.ms, and a password that is wrong stays so."""
        for left in reversed(range(self._options.offset_retries + 1)):
            try:
                return ask()
            except (ClientError, OffsetsChangedError) as error:
                passing = error.retriable or getattr(error.__cause__, "retriable", False)
                if not left or not passing or isinstance(error, DeadlineError):
                    raise
            time.sleep(max(self._options.offset_retry_interval_ms, 1) / 1000)
        raise AssertionError("unreachable")

    def _resolve(self, side: Side, bound: Bound, partitions: Collection[TopicPartition]) -> Offsets:
        if bound.moment is not None:
            return self._listed(dict.fromkeys(partitions, EARLIEST if bound.moment == "earliest" else LATEST))
        if bound.offsets is not None:
            _check_complete(f"{side}Offsets", bound.offsets, partitions)
            return self._listed(bound.offsets)
        if bound.timestamps is not None:
            _check_complete(f"{side}OffsetsByTimestamp", bound.timestamps, partitions)
            return self._by_time(side, bound.timestamps)
        assert bound.timestamp is not None
        return self._by_time(side, dict.fromkeys(partitions, bound.timestamp))

    def _listed(self, offsets: Mapping[TopicPartition, int]) -> Offsets:
        """The same with a number for EARLIEST and LATEST."""
        named = {at: "earliest" if offset == EARLIEST else "latest" for at, offset in offsets.items() if offset < 0}
        found = self._client.list_offsets(named) if named else {}  # type: ignore[arg-type]
        return {at: _offset(found[at]) if at in named else offset for at, offset in offsets.items()}

    def _by_time(self, side: Side, timestamps: Mapping[TopicPartition, int]) -> Offsets:
        found = self._client.list_offsets(timestamps) if timestamps else {}
        missing = [at for at, offset in found.items() if offset is None]
        if missing and side == "starting" and self._options.timestamp_strategy == "error":
            at = missing[0]
            raise OptionError(
                f"startingOffsetsByTimestamp: {at.topic}-{at.partition} has no record at or after {timestamps[at]} ms; "
                "startingOffsetsByTimestampStrategy=latest starts at its end then"
            )
        latest = self._listed(dict.fromkeys(missing, LATEST))
        return {at: latest[at] if offset is None else offset.offset for at, offset in found.items()}


def _offset(found: OffsetAndTimestamp | None) -> int:
    return 0 if found is None else found.offset


def _check_complete(name: str, given: Mapping[TopicPartition, int], partitions: Collection[TopicPartition]) -> None:
    if set(given) != set(partitions):
        raise OptionError(
            f"{name}: all partitions have to be there, and no others. Given: {_names(given)}; there are: "
            f"{_names(partitions)}" + ("; -1 is latest, -2 earliest" if name.endswith("Offsets") else "")
        )


def _names(partitions: Collection[TopicPartition]) -> str:
    return ", ".join(f"{at.topic}-{at.partition}" for at in sorted(partitions)) or "none"


def divide(ranges: Sequence[OffsetRange], options: LiveOptions) -> list[OffsetRange]:
    """The ranges that have something, cut as ``maxRecordsPerPartition`` and then ``minPartitions`` ask, as evenly as
    Spark's own source does."""
    pieces = [one for one in ranges if one.size > 0]
    most = options.max_records_per_partition
    if most is not None:
        pieces = [piece for one in pieces for piece in _cut(one, -(-one.size // most))]
    least = options.min_partitions
    if least is None or len(pieces) >= least:
        return pieces
    total = sum(one.size for one in pieces)
    whole = [one for one in pieces if _share(one, total, least) == 1]
    # Small ranges stay whole: the others share what is left of the tasks.
    rest = total - sum(one.size for one in whole)
    wanted = max(least - len(whole), 1)
    return [
        piece
        for one in pieces
        for piece in ([one] if one in whole else _cut(one, _share(one, rest, wanted)))
    ]  # fmt: skip


def _share(one: OffsetRange, total: int, parts: int) -> int:
    return max(int(one.size / total * parts + 0.5), 1)  # halves up, as Spark does; round() goes to even ones


def _cut(one: OffsetRange, parts: int) -> list[OffsetRange]:
    cuts = [one.start + one.size * index // parts for index in range(parts + 1)]
    return [
        OffsetRange(one.topic, one.partition, low, high, one.earliest and low == one.start)
        for low, high in itertools.pairwise(cuts)
        if high > low
    ]  # fmt: skip
