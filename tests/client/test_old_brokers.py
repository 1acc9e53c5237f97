"""Brokers of former years: what they lack is left out, what they have works."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import kafkawire as kw
from kafkawire.client import Client, CommittedOffset, NewTopic, TopicPartition
from kafkawire.errors import UnsupportedError
from tests.broker.zookeeper import OldBroker
from tests.client.records import batch, values_from

BEFORE_API_VERSIONS = {"0.8.2.2": "0.8.2", "0.9.0.1": "0.9.0"}


@pytest.mark.parametrize(
    ("version", "magic"), [("0.8.2.2", 0), ("0.9.0.1", 0), ("0.10.2.2", 1), ("0.11.0.3", 2), ("1.1.1", 2), ("2.8.2", 2)]
)
def test_operations(old_broker: Callable[[str], OldBroker], version: str, magic: int) -> None:
    broker = old_broker(version)
    at = TopicPartition("client-old", 0)
    properties: dict[str, object] = {"bootstrap.servers": broker.bootstrap}
    if version in BEFORE_API_VERSIONS:
        properties |= {"api.version.request": False, "broker.version.fallback": BEFORE_API_VERSIONS[version]}
    with Client(properties) as client:
        values = [b"value-%d" % number for number in range(50)]
        builder = kw.RecordBatchBuilder(magic=magic, compression="gzip")
        for value in values:
            builder.append(value=value) if magic == 0 else builder.append(value=value, timestamp=1_700_000_000_000)
        assert client.produce({at: builder.build()})[at][0].base_offset == 0
        assert values_from(client, at) == values
        assert client.list_offsets({at: "earliest"})[at].offset == 0  # type: ignore[union-attr]
        client.commit_offsets("old-group", {at: 7})
        assert client.fetch_offsets("old-group", [at]) == {at: CommittedOffset(7)}
        if magic == 2:
            producer = client.idempotent_producer("old-tx")
            producer.begin()
            producer.produce({at: batch([b"tx"], **producer.settings(*at))})
            producer.commit()
        if magic > 0:
            client.create_topics([NewTopic("made-in-old", 1, 1)])
            if version not in ("0.10.2.2", "0.11.0.3"):  # delete.topic.enable was off then
                client.delete_topics(["made-in-old"])
        else:
            with pytest.raises(UnsupportedError, match="CreateTopics"):
                client.create_topics([NewTopic("made-in-old", 1, 1)])
