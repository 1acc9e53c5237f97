"""How the other Python clients do the same jobs: aiokafka (its compiled records) and kafka-python.

Every reader checks CRCs. ``touch`` is the for loop that all readers of objects share, kafkawire included, so that a
competitor cannot win by making its fields lazily.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from bench.datasets import CODEC_NUMBERS, Encoded, Row


def touch(records: Iterable[Any]) -> None:
    """Read every field of every record, as a consumer's loop would."""
    for record in records:
        _ = record.offset
        _ = record.timestamp
        _ = record.timestamp_type
        _ = record.key
        _ = record.value
        _ = record.headers


# --- aiokafka --------------------------------------------------------------------------------------------------------


def require_compiled_aiokafka() -> None:
    """RuntimeError unless aiokafka runs its compiled record code: its pure code would make anybody look good."""
    from aiokafka.record.default_records import DefaultRecordBatch

    if not DefaultRecordBatch.__module__.startswith("aiokafka.record._crecords"):
        raise RuntimeError("aiokafka runs without its compiled records here; install a wheel of it")


def aiokafka_loop(encoded: Encoded) -> None:
    """Every field of every record, in a for loop."""
    from aiokafka.record.memory_records import MemoryRecords

    records = MemoryRecords(encoded.data)
    while records.has_next():
        batch = records.next_batch()
        if not batch.validate_crc():
            raise ValueError("CRC")
        touch(batch)


def aiokafka_list(encoded: Encoded) -> None:
    """A list of records a batch, dropped at once."""
    from aiokafka.record.memory_records import MemoryRecords

    records = MemoryRecords(encoded.data)
    while records.has_next():
        batch = records.next_batch()
        if not batch.validate_crc():
            raise ValueError("CRC")
        list(batch)


def aiokafka_rows(data: bytes) -> list[tuple[Any, ...]]:
    """(offset, timestamp, key, value, headers) of every record: the bench's own check of what it measures."""
    from aiokafka.record.memory_records import MemoryRecords

    found, records = [], MemoryRecords(data)
    while records.has_next():
        found += [(r.offset, r.timestamp, r.key, r.value, list(r.headers)) for r in records.next_batch()]
    return found


def aiokafka_encode(rows: Sequence[Row], codec: str, batch_size: int) -> list[bytes]:
    """Batches of at most ``batch_size`` bytes, built record by record, with aiokafka's own choice of level."""
    from aiokafka.record.default_records import DefaultRecordBatchBuilder

    number, built, filled = CODEC_NUMBERS[codec], [], 0
    builder = DefaultRecordBatchBuilder(2, number, 0, -1, -1, -1, batch_size)
    for timestamp, key, value, headers in rows:
        if builder.append(filled, timestamp, key, value, headers) is None:
            built.append(builder.build())
            builder, filled = DefaultRecordBatchBuilder(2, number, 0, -1, -1, -1, batch_size), 0
            builder.append(filled, timestamp, key, value, headers)
        filled += 1
    built.append(builder.build())
    return built


# --- kafka-python ----------------------------------------------------------------------------------------------------


def kafka_python_loop(encoded: Encoded) -> None:
    """Every field of every record, in a for loop."""
    from kafka.record.memory_records import MemoryRecords

    records = MemoryRecords(encoded.data)
    while records.has_next():
        batch = records.next_batch()
        if not batch.validate_crc():
            raise ValueError("CRC")
        touch(batch)


def kafka_python_encode(rows: Sequence[Row], codec: str, batch_size: int) -> list[bytes]:
    """Batches of at most ``batch_size`` bytes, built record by record, with kafka-python's own choice of level."""
    from kafka.record.default_records import DefaultRecordBatchBuilder

    number, built, filled = CODEC_NUMBERS[codec], [], 0
    builder = DefaultRecordBatchBuilder(2, number, 0, -1, -1, -1, batch_size)
    for timestamp, key, value, headers in rows:
        if builder.append(filled, timestamp, key, value, headers) is None:
            built.append(builder.build())
            builder, filled = DefaultRecordBatchBuilder(2, number, 0, -1, -1, -1, batch_size), 0
            builder.append(filled, timestamp, key, value, headers)
        filled += 1
    built.append(builder.build())
    return built
