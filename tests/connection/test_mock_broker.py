"""Other people's clients talk to a server made of ServerConnection: they list topics and fetch."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import aiokafka  # type: ignore[import-untyped]
import kafka  # type: ignore[import-untyped]
import pytest

import kafkawire as kw
from kafkawire.client import Client, TopicPartition
from tests.broker.java import Java
from tests.connection.mock_broker import TOPIC, MockBroker

VALUES = [b"value-%d" % number for number in range(30)]


@pytest.fixture
def mock() -> Iterator[MockBroker]:
    builder = kw.RecordBatchBuilder(compression="zstd")
    records = b""
    for number, value in enumerate(VALUES, 1):
        builder.append(key=b"key", value=value, timestamp=1_700_000_000_000, offset=number - 1)
        if number % 10 == 0:
            records += builder.build()
    with MockBroker(records) as started:
        yield started
    assert not started.faults


def test_our_own_client(mock: MockBroker) -> None:
    with Client({"bootstrap.servers": mock.bootstrap}) as client:
        assert list(client.metadata().topics) == [TOPIC]
        fetched = client.fetch({TopicPartition(TOPIC, 0): 10})[TopicPartition(TOPIC, 0)]
    assert [record.value for batch in kw.read_batches(fetched.records) for record in batch] == VALUES[10:]


def test_aiokafka(mock: MockBroker) -> None:
    async def consume() -> list[bytes]:
        consumer = aiokafka.AIOKafkaConsumer(bootstrap_servers=mock.bootstrap, auto_offset_reset="earliest")
        await consumer.start()
        try:
            assert await consumer.topics() == {TOPIC}
            consumer.assign([aiokafka.TopicPartition(TOPIC, 0)])
            return [(await asyncio.wait_for(consumer.getone(), 20)).value for _ in VALUES]
        finally:
            await consumer.stop()

    assert asyncio.run(consume()) == VALUES


def test_kafka_python(mock: MockBroker) -> None:
    consumer = kafka.KafkaConsumer(
        bootstrap_servers=mock.bootstrap, auto_offset_reset="earliest", consumer_timeout_ms=20_000
    )
    try:
        assert consumer.topics() == {TOPIC}
        consumer.assign([kafka.TopicPartition(TOPIC, 0)])
        assert [next(consumer).value for _ in VALUES] == VALUES
    finally:
        consumer.close()


def test_java(mock: MockBroker, java: Java) -> None:
    consumed = java.consume(mock.bootstrap, TOPIC)
    assert [record.value for record in consumed] == VALUES
    assert {name for name, _ in mock.seen} == {
        "ApiVersionsRequest",
        "MetadataRequest",
        "ListOffsetsRequest",
        "FetchRequest",
    }


@pytest.mark.parametrize("client", ["aiokafka", "java"])
def test_old_versions_only(mock: MockBroker, request: pytest.FixtureRequest, client: str) -> None:
    """They fall back with us: ApiVersions v0 answers what it does not know."""
    mock.versions |= {18: (0, 2), 1: (4, 11), 3: (1, 8), 2: (1, 5)}
    if client == "java":
        consumed = request.getfixturevalue("java").consume(mock.bootstrap, TOPIC)
        assert [record.value for record in consumed] == VALUES
    else:
        test_aiokafka(mock)
    asked = {version for name, version in mock.seen if name == "ApiVersionsRequest"}
    assert min(asked) <= 2
    assert {version for name, version in mock.seen if name == "FetchRequest"} <= set(range(4, 12))
