"""What a writer of many batches needs of the client, against a real broker."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest

import kafkawire as kw
from kafkawire.client import Client, NewTopic, PartitionError, RefusedError, TopicPartition
from tests.broker.kraft import Broker
from tests.client.records import batch, values_from


@pytest.fixture
def client(broker: Broker) -> Iterator[Client]:
    with Client({"bootstrap.servers": broker.bootstrap}) as made:
        yield made


@pytest.mark.parametrize("compression", ["none", "lz4"])
def test_batches_with_offsets_of_a_segment(client: Client, compression: str) -> None:
    """Brokers refuse compressed batches whose offsets do not begin at 0; those of a segment file do not."""
    values = [b"%d" % number for number in range(1000)]
    data = kw.write_columns(pa.table({"value": values}), compression, batch_size=1000)
    bases = [one.base_offset for one in kw.read_batches(data)]
    assert len(bases) > 3 and bases[-1] > 0
    at = TopicPartition(f"segment-offsets-{compression}", 0)
    client.create_topics([NewTopic(at.topic)])
    assert [one.base_offset for one in client.produce({at: data})[at]] == bases
    assert values_from(client, at) == values


def test_a_producer_goes_on_after_a_batch_that_is_too_large(client: Client) -> None:
    client.create_topics([NewTopic("too-large", 2, configs={"max.message.bytes": "1000"})])
    producer = client.idempotent_producer()
    small, large = TopicPartition("too-large", 0), TopicPartition("too-large", 1)
    two = batch([b"x" * 600] * 2, **producer.settings(*large))
    first = {small: batch([b"a"], **producer.settings(*small)), large: two}
    with pytest.raises(PartitionError, match="MESSAGE_TOO_LARGE") as caught:
        producer.produce(first)
    assert (caught.value.topic, caught.value.partition) == large
    left = {at: data for at, data in first.items() if at not in caught.value.completed and at != large}
    for _ in range(2):
        producer.produce({**left, large: batch([b"x" * 600], **producer.settings(*large))})
        left = {}
    producer.produce({small: batch([b"b"], **producer.settings(*small))})
    assert values_from(client, small) == [b"a", b"b"]
    assert values_from(client, large) == [b"x" * 600] * 2


def test_topic(client: Client) -> None:
    with pytest.raises(RefusedError, match="no such topic"):
        client.topic("nowhere")
    assert len(client.topic("made-by-asking", create=True).partitions) == 1
    client.create_topics([NewTopic("of-three", 3)])
    assert sorted(client.topic("of-three").partitions) == [0, 1, 2]
    assert client.topic("of-three") is client.topic("of-three")


def test_list_transactions(client: Client) -> None:
    client.create_topics([NewTopic("listed")])
    producer = client.idempotent_producer("listed-id")
    producer.begin()
    producer.produce({TopicPartition("listed", 0): batch([b"a"], **producer.settings("listed", 0))})

    def state(*states: str) -> list[str]:
        return [one.state for one in client.list_transactions(states) if one.transactional_id == "listed-id"]

    assert state() == state("Ongoing") == ["Ongoing"]
    assert state("Empty") == []
    producer.abort()
    assert state("Ongoing") == []
