"""Batches to produce, and what is read back of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import kafkawire as kw
from kafkawire.client import Client, Fetcher, TopicPartition


def batch(values: Iterable[bytes], timestamp: int = 1_700_000_000_000, **settings: Any) -> bytes:
    """One batch of values, a millisecond apart."""
    builder = kw.RecordBatchBuilder(**settings)
    for number, value in enumerate(values):
        builder.append(value=value, timestamp=timestamp + number)
    return builder.build()


def values_from(client: Client, at: TopicPartition, start: int = 0, **options: Any) -> list[bytes | None]:
    """All values of a partition from an offset to its end as it is now."""
    committed = options.get("isolation_level") == "read_committed"
    found = client.list_offsets({at: "latest"}, isolation_level=options.get("isolation_level"))[at]
    assert found is not None
    fetcher = client.fetcher(**options)
    values: list[bytes | None] = []
    while start < found.offset:
        start, more = next_values(fetcher, at, start, committed)
        values += more
    return values


def next_values(
    fetcher: Fetcher, at: TopicPartition, start: int, committed: bool = False
) -> tuple[int, list[bytes | None]]:
    """One fetch: the next offset, and the values up to it; of aborted transactions none if ``committed``."""
    fetched = fetcher.fetch({at: start}).get(at)
    values: list[bytes | None] = []
    if fetched is None:
        return start, values
    aborted = sorted(fetched.aborted_transactions, key=lambda one: one[1])
    gone: set[int] = set()
    for one in kw.read_batches(fetched.records):
        while aborted and aborted[0][1] <= one.last_offset:
            gone.add(aborted.pop(0)[0])
        if one.is_control:
            gone.discard(one.producer_id)
        elif not (committed and one.is_transactional and one.producer_id in gone):
            values += [record.value for record in one if record.offset >= start]
        start = max(start, one.last_offset + 1)
    return start, values
