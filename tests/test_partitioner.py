"""Kafka's default partitioner, against its own test vectors, two other clients, and Java's producer."""

from __future__ import annotations

import random
from types import ModuleType
from typing import Any

import pyarrow as pa
import pytest

from tests.broker.java import Java, NewRecord
from tests.broker.kraft import Broker

#: From Kafka's own UtilsTest: what the Java producer has computed ever since.
VECTORS = {
    b"21": -973932308,
    b"foobar": -790332482,
    b"a-little-bit-long-string": -985981536,
    b"a-little-bit-longer-string": -1486304829,
    b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971,
    b"abc": 479470107,
}


def keys(count: int = 300) -> list[bytes]:
    """Keys of all small lengths, and many with bytes of 128 and above."""
    rng = random.Random(7)
    some = [bytes([byte]) * length for byte in (0x00, 0x7F, 0x80, 0xFF) for length in range(10)]
    return some + [rng.randbytes(length) for length in (*range(21), *(rng.randrange(300) for _ in range(count)))]


@pytest.mark.parametrize(("key", "expected"), VECTORS.items())
def test_kafkas_own_vectors(kw: ModuleType, key: bytes, expected: int) -> None:
    assert kw.murmur2(key) == expected
    assert kw.murmur2(bytearray(key)) == kw.murmur2(memoryview(key)) == expected


def test_peers(kw: ModuleType) -> None:
    aiokafka = pytest.importorskip("aiokafka.partitioner")
    kafka_python = pytest.importorskip("kafka.partitioner.default")
    for peer in (aiokafka, kafka_python):
        assert [kw.murmur2(key) & 0x7FFFFFFF for key in keys()] == [peer.murmur2(key) & 0x7FFFFFFF for key in keys()]


def test_twins_agree(both: tuple[ModuleType, ModuleType]) -> None:
    compiled, pure = both
    assert [compiled.murmur2(key) for key in keys()] == [pure.murmur2(key) for key in keys()]


def test_not_bytes(kw: ModuleType) -> None:
    with pytest.raises(TypeError):
        kw.murmur2("text")
    with pytest.raises(BufferError):
        kw.murmur2(memoryview(b"abcdef")[::2])


def test_java_puts_them_there(kw: ModuleType, broker: Broker, java: Java) -> None:
    topic = f"partitioner-{kw.BACKEND}"
    java.create_topic(broker.bootstrap, topic, partitions=7)
    some = keys(100)
    positions = java.produce(broker.bootstrap, topic, [NewRecord(key, b"v") for key in some])
    assert kw.key_partitions(pa.array(some), 7).to_pylist() == [position.partition for position in positions]


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary(), pa.string(), pa.large_string()])
@pytest.mark.parametrize("partitions", [1, 3, 1000, 2**31 - 1])
def test_columns(kw: ModuleType, kind: Any, partitions: int) -> None:
    some = [None if number % 5 == 0 else b"%d" % (number * 7919) for number in range(100)]
    column = pa.array(some).cast(kind)
    expected = [None if key is None else (kw.murmur2(key) & 0x7FFFFFFF) % partitions for key in some]
    found = kw.key_partitions(column, partitions)
    assert found.type == pa.int32()
    assert found.to_pylist() == expected
    assert kw.key_partitions(column.slice(13, 50), partitions).to_pylist() == expected[13:63]
    assert kw.key_partitions(column.slice(13, 0), partitions).to_pylist() == []
    assert kw.key_partitions(pa.nulls(3, kind), partitions).to_pylist() == [None] * 3


def test_columns_that_are_refused(kw: ModuleType) -> None:
    with pytest.raises(kw.EncodeError, match="int64"):
        kw.key_partitions(pa.array([1]), 3)
    for partitions in (0, -1, 2**31):
        with pytest.raises(ValueError, match="partitions"):
            kw.key_partitions(pa.array([b"a"]), partitions)


def test_hostile_columns(kw: ModuleType) -> None:
    from kafkawire._twins import partitioner

    def offsets(*numbers: int) -> Any:
        return pa.array(numbers, pa.int32()).buffers()[1]

    with pytest.raises(ValueError, match="outside of the data"):
        partitioner.key_partitions(None, offsets(0, 9), b"abc", 0, 1, 3)
    with pytest.raises(ValueError, match="outside of the data"):
        partitioner.key_partitions(None, offsets(2, 1), b"abc", 0, 1, 3)
    with pytest.raises(ValueError, match="fewer than the rows"):
        partitioner.key_partitions(None, memoryview(offsets(0, 1))[:8], b"abc", 0, 2, 3)
    with pytest.raises(ValueError, match="bitmap"):
        partitioner.key_partitions(b"", offsets(0, 1), b"abc", 0, 1, 3)
