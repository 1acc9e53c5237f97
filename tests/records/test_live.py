"""Real brokers and Kafka's own Java classes judge what kafkawire writes, and write what it reads."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import aiokafka  # type: ignore[import-untyped]
import pytest

from tests.broker.java import Java, NewRecord, Position
from tests.broker.kraft import Broker
from tests.broker.metadata import wait_for_leader
from tests.broker.zookeeper import MAGIC_0, MAGIC_1, OldBroker

Headers = tuple[tuple[str, bytes | None], ...]
#: (key, value, headers, timestamp in ms since the epoch)
RECORDS: list[tuple[bytes | None, bytes | None, Headers, int]] = [
    (b"key", b"value", (("twice", b"1"), ("twice", b"2"), ("null", None), ("empty", b"")), 1_700_000_000_000),
    (None, b"", (), 1_700_000_000_001),
    (b"", None, (("ключ", "значение".encode()),), 1_700_000_000_000),
    *((b"k%d" % i, b"v" * i, (), 1_700_000_000_100 + i) for i in range(300)),
]
PLAIN: list[tuple[bytes | None, bytes | None, Headers, int]] = [(k, v, (), t) for k, v, _, t in RECORDS]
NAMES = {0: "CreateTime", 1: "LogAppendTime", -1: "NoTimestampType"}


def _string(text: str) -> bytes:
    return struct.pack(">h", len(text)) + text.encode()


def produce(port: int, topic: str, records: bytes, version: int) -> int:
    """Send one Produce request, acks -1, and return the offset that the broker gave; an error code fails the test."""
    transactional = struct.pack(">h", -1) if version >= 3 else b""
    body = transactional + struct.pack(">hii", -1, 10_000, 1) + _string(topic)
    body += struct.pack(">iii", 1, 0, len(records)) + records
    request = struct.pack(">hhi", 0, version, 1) + _string("test") + body
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(struct.pack(">i", len(request)) + request)
        stream = connection.makefile("rb")
        (size,) = struct.unpack(">i", stream.read(4))
        answer = stream.read(size)
    at = 4 + 4 + 2 + len(topic) + 4
    _, code, offset = struct.unpack_from(">ihq", answer, at)
    assert code == 0, f"the broker answered error code {code}"
    return int(offset)


def build(kw: ModuleType, magic: int, compression: str, records: list[Any], **settings: Any) -> bytes:
    builder = kw.RecordBatchBuilder(magic, compression, **settings)
    for key, value, headers, timestamp in records:
        assert builder.append(key, value, headers, timestamp if magic else None)
    return bytes(builder.build())


@pytest.mark.parametrize("compression", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_a_broker_takes_what_we_write(kw: ModuleType, broker: Broker, java: Java, compression: str) -> None:
    topic = f"ours-{kw.BACKEND}-{compression}"
    java.create_topic(broker.bootstrap, topic)
    assert produce(broker.port, topic, build(kw, 2, compression, RECORDS), 7) == 0
    table = kw.read_columns(build(kw, 2, "none", RECORDS), columns=["key", "value", "headers", "timestamp"]).to_arrow()
    assert produce(broker.port, topic, kw.write_columns(table, compression, batch_size=1 << 20), 7) == len(RECORDS)

    expected = [(k, v, h, t) for k, v, h, t in RECORDS + RECORDS]
    consumed = java.consume(broker.bootstrap, topic)
    assert [(r.key, r.value, r.headers, r.timestamp) for r in consumed] == expected
    assert [r.offset for r in consumed] == list(range(len(expected)))
    assert asyncio.run(_consume_with_aiokafka(broker.bootstrap, topic, len(expected))) == expected

    # And what the broker stored, we read, as it does itself.
    segment = broker.log_directory / f"{topic}-0" / "00000000000000000000.log"
    batches = list(kw.read_batches(segment.read_bytes()))
    judged = java.read_segment(segment).batches
    assert [(b.crc, b.compression, b.record_count) for b in batches] == [
        (b.crc, b.compression.lower(), b.count_or_null) for b in judged
    ]
    assert [(r.key, r.value, r.headers, r.timestamp) for b in batches for r in b] == expected


async def _consume_with_aiokafka(bootstrap: str, topic: str, count: int) -> list[Any]:
    consumer = aiokafka.AIOKafkaConsumer(topic, bootstrap_servers=bootstrap, auto_offset_reset="earliest")
    await consumer.start()
    try:
        records = [await asyncio.wait_for(consumer.getone(), 20) for _ in range(count)]
    finally:
        await consumer.stop()
    return [(r.key, r.value, tuple(r.headers), r.timestamp) for r in records]


@pytest.mark.parametrize("compression", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_we_read_what_java_writes(kw: ModuleType, broker: Broker, java: Java, compression: str) -> None:
    topic = f"theirs-{kw.BACKEND}-{compression}"
    new = [NewRecord(k, v, h, timestamp=t, partition=0) for k, v, h, t in RECORDS]
    positions = java.produce(broker.bootstrap, topic, new, compression=compression)
    assert positions[0] == Position(0, 0, RECORDS[0][3])
    data = (broker.log_directory / f"{topic}-0" / "00000000000000000000.log").read_bytes()
    assert {b.compression for b in kw.read_batches(data)} == {compression}
    read = [record for batch in kw.read_batches(data) for record in batch]
    assert [(r.key, r.value, r.headers, r.timestamp) for r in read] == RECORDS
    columns = kw.read_columns(data).to_arrow()
    assert columns.column("value").to_pylist() == [v for _, v, _, _ in RECORDS]
    assert columns.column("offset").to_pylist() == list(range(len(RECORDS)))


@pytest.mark.parametrize(("version", "magic", "api"), [(MAGIC_0, 0, 0), (MAGIC_1, 0, 1), (MAGIC_1, 1, 2)])
def test_old_brokers_take_old_messages(
    kw: ModuleType, old_broker: Callable[[str], OldBroker], version: str, magic: int, api: int
) -> None:
    broker = old_broker(version)
    topic = f"ours-{kw.BACKEND}-{magic}"
    wait_for_leader([broker.port], topic)
    codecs = ["none", "gzip", "snappy", "lz4"]
    for turn, compression in enumerate(codecs):
        data = build(kw, magic, compression, PLAIN)
        assert produce(broker.port, topic, data, api) == turn * len(PLAIN)
    expected = PLAIN * len(codecs)

    data = (broker.log_directory / f"{topic}-0" / "00000000000000000000.log").read_bytes()
    records = [record for batch in kw.read_batches(data) for record in batch]
    assert [(r.key, r.value) for r in records] == [(k, v) for k, v, _, _ in expected]
    assert [r.offset for r in records] == list(range(len(expected)))
    if magic == 1:
        assert [r.timestamp for r in records] == [t for _, _, _, t in expected]
    # The console consumer of that time prints a line for a record; those with key and value can be told.
    seen = [pair for pair in broker.console_consume(topic, len(expected)) if pair[0].startswith("k") and pair[1]]
    printable = [(k.decode(), v.decode()) for k, v, _, _ in expected if k and v]
    assert [pair for pair in seen if pair[1].startswith("v")] == printable


@pytest.mark.parametrize("magic", [0, 1, 2])
@pytest.mark.parametrize("compression", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_java_reads_our_segment_files(kw: ModuleType, java: Java, tmp_path: Path, magic: int, compression: str) -> None:
    if magic < 2 and compression == "zstd":
        with pytest.raises(kw.UnsupportedError):
            kw.RecordBatchBuilder(magic, compression)
        return
    records = RECORDS if magic == 2 else PLAIN
    settings: dict[str, Any] = {"base_offset": 1000}
    if magic == 2:
        settings |= {"producer_id": 77, "producer_epoch": 3, "base_sequence": 5, "partition_leader_epoch": 9}
    data = build(kw, magic, compression, records, **settings)
    if magic:
        data += build(kw, magic, compression, records, base_offset=5000, log_append_time=1_800_000_000_000)
    if magic == 2:
        marker = kw.RecordBatchBuilder(
            is_control=True, is_transactional=True, producer_id=77, producer_epoch=3, base_offset=9000
        )
        marker.append(*kw.end_transaction_marker(True, 4), timestamp=1)
        data += marker.build()
    path = tmp_path / "00000000000000001000.log"
    path.write_bytes(data)
    file = java.read_segment(path)
    assert (file.complete, file.size) == (len(data), len(data))
    ours = list(kw.read_batches(data))
    assert len(ours) == len(file.batches)
    for mine, theirs in zip(ours, file.batches, strict=True):
        assert theirs.is_valid
        assert (mine.base_offset, mine.last_offset, mine.size, mine.crc) == (
            theirs.base_offset, theirs.last_offset, theirs.size_in_bytes, theirs.crc,
        )
        assert (mine.is_control, mine.is_transactional, mine.producer_id, mine.base_sequence) == (
            theirs.is_control, theirs.is_transactional, theirs.producer_id, theirs.base_sequence,
        )
        assert NAMES[mine.timestamp_type] == theirs.timestamp_type
        assert [(r.offset, r.key, r.value, r.headers, -1 if r.timestamp is None else r.timestamp) for r in mine] == [
            (r.offset, r.key, r.value, r.headers, r.timestamp) for r in theirs.records
        ]
