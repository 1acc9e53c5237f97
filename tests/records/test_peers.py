"""Cross reading: aiokafka and kafka-python read what kafkawire writes, and kafkawire what they write."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import aiokafka.record.default_records as aiokafka_v2  # type: ignore[import-untyped]
import aiokafka.record.legacy_records as aiokafka_legacy  # type: ignore[import-untyped]
import aiokafka.record.memory_records as aiokafka_memory  # type: ignore[import-untyped]
import kafka.record.memory_records as kafka_memory  # type: ignore[import-untyped]
import pytest

from tests.records.makers import CODECS, FEW, KINDS, Made, build

#: aiokafka reads the timestamp -1 of magic 1 as None.
READ = [record if record.timestamp != -1 else record._replace(timestamp=1) for record in FEW]
#: aiokafka has no lz4 with magic 0, the one with the wrong checksum; kafka-python has.
aiokafka_kinds = [kind for kind in KINDS if kind != (0, "lz4")]
Reader = Callable[[bytes], list[tuple[Any, ...]]]


def as_read(record: Any) -> tuple[Any, ...]:
    headers = tuple((key, None if value is None else bytes(value)) for key, value in record.headers)
    key, value = (None if part is None else bytes(part) for part in (record.key, record.value))
    return record.offset, record.timestamp, record.timestamp_type, key, value, headers


def by_aiokafka(data: bytes) -> list[tuple[Any, ...]]:
    records, found = aiokafka_memory.MemoryRecords(data), []
    while records.has_next():
        batch = records.next_batch()
        assert batch.validate_crc()
        found += [as_read(record) for record in batch]
    return found


def by_kafka_python(data: bytes) -> list[tuple[Any, ...]]:
    records, found = kafka_memory.MemoryRecords(data), []
    while records.has_next():
        batch = records.next_batch()
        assert batch.validate_crc()
        found += [as_read(record) for record in batch]
    return found


READERS = [
    *((by_aiokafka, *kind) for kind in aiokafka_kinds), *((by_kafka_python, *kind) for kind in KINDS)
]


@pytest.mark.parametrize(("read", "magic", "codec"), READERS)
def test_they_read_what_we_write(kw: ModuleType, magic: int, codec: str, read: Reader) -> None:
    found = read(build(kw, READ, magic, codec))
    wanted = [record.read_back(magic) for record in READ]
    if magic == 0:  # None is their timestamp_type of magic 0
        wanted = [(*record[:2], None, *record[3:]) for record in wanted]
    assert found == wanted


def v2_builder(codec: str) -> Any:
    return aiokafka_v2.DefaultRecordBatchBuilder(
        magic=2, compression_type=CODECS.index(codec), is_transactional=1, producer_id=7, producer_epoch=3,
        base_sequence=11, batch_size=1 << 20,
    )


@pytest.mark.parametrize(("magic", "codec"), aiokafka_kinds)
def test_we_read_what_aiokafka_writes(kw: ModuleType, magic: int, codec: str) -> None:
    if magic == 2:
        builder = v2_builder(codec)
        for record in READ:
            assert builder.append(record.offset, record.timestamp, record.key, record.value, list(record.headers))
    else:
        builder = aiokafka_legacy.LegacyRecordBatchBuilder(magic, CODECS.index(codec), 1 << 20)
        for record in READ:
            assert builder.append(record.offset, record.timestamp, record.key, record.value)
    check(kw, bytes(builder.build()), magic, codec, transactional=True)


@pytest.mark.parametrize(("magic", "codec"), KINDS)
def test_we_read_what_kafka_python_writes(kw: ModuleType, magic: int, codec: str) -> None:
    builder = kafka_memory.MemoryRecordsBuilder(magic, CODECS.index(codec), 1 << 20)
    for at, record in enumerate(READ):
        arguments = {"headers": list(record.headers)} if magic == 2 else {}
        assert builder.append(record.timestamp, record.key, record.value, **arguments)
        assert at == builder._next_offset - 1
    builder.close()
    data = bytes(builder.buffer())
    wanted = [Made(at, *record[1:]) for at, record in enumerate(READ)]
    check(kw, data, magic, codec, wanted=wanted)


def check(
    kw: ModuleType, data: bytes, magic: int, codec: str, *, wanted: list[Made] = READ, transactional: bool = False
) -> None:
    batches = list(kw.read_batches(data))
    if magic == 2:
        (batch,) = batches
        assert batch.compression == codec
        if transactional:
            assert (batch.producer_id, batch.producer_epoch, batch.base_sequence) == (7, 3, 11)
            assert batch.is_transactional
    assert [as_read(record) for batch in batches for record in batch] == [record.read_back(magic) for record in wanted]
    assert kw.read_columns(data, columns=["value"]).to_arrow().column(0).to_pylist() == [
        record.value for record in wanted
    ]
