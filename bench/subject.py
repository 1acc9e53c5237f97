"""How kafkawire does the jobs, through the public functions that anybody would call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import kafkawire as kw
from bench.datasets import Encoded, Row
from bench.peers import touch


def columns(encoded: Encoded) -> Any:
    """The whole set to Arrow columns."""
    return kw.read_columns(encoded.data).to_arrow()


def objects_loop(encoded: Encoded) -> None:
    """Every field of every record, in a for loop."""
    for batch in kw.read_batches(encoded.data):
        touch(batch)


def objects_list(encoded: Encoded) -> None:
    """A list of records a batch, dropped at once."""
    for batch in kw.read_batches(encoded.data):
        batch.records()


def rows(data: bytes) -> list[tuple[Any, ...]]:
    """(offset, timestamp, key, value, headers) of every record: the bench's own check of what it measures."""
    return [(r.offset, r.timestamp, r.key, r.value, list(r.headers)) for batch in kw.read_batches(data) for r in batch]


def encode_objects(rows: Sequence[Row], codec: str, batch_size: int) -> list[bytes]:
    """Batches of at most ``batch_size`` bytes, built record by record."""
    built, builder = [], kw.RecordBatchBuilder(compression=codec, batch_size=batch_size)
    for timestamp, key, value, headers in rows:
        if not builder.append(key=key, value=value, headers=headers, timestamp=timestamp):
            built.append(builder.build())
            builder.append(key=key, value=value, headers=headers, timestamp=timestamp)
    built.append(builder.build())
    return built


def columns_to_write(encoded: Encoded) -> Any:
    """What ``encode_columns`` takes: the set's fields as a producer has them, without offsets."""
    return columns(encoded).select(["timestamp", "key", "value", "headers"])


def encode_columns(table: Any, codec: str, batch_size: int) -> bytes:
    """Batches of at most ``batch_size`` bytes from Arrow columns."""
    return kw.write_columns(table, compression=codec, batch_size=batch_size)
