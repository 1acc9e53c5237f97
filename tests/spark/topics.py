"""Topics of a test's own, filled batch by batch, and the rows that reading them has to give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import kafkawire as kw
from kafkawire.client import Client, NewTopic, TopicPartition
from tests.spark.conftest import Row

#: (timestamp in milliseconds, key, value); the header "trace" repeats the key.
Message = tuple[int, bytes | None, bytes | None]


def fill(bootstrap: str, topic: str, partitions: Mapping[int, Sequence[Sequence[Message]]]) -> list[Row]:
    """Create a topic, and produce each partition's batches in their order; gives its rows in order."""
    rows: list[Row] = []
    with Client({"bootstrap.servers": bootstrap}) as client:
        client.create_topics([NewTopic(topic, len(partitions))])
        for partition, batches in partitions.items():
            at = TopicPartition(topic, partition)
            client.list_offsets({at: "latest"})  # waits for the leader
            if batches:
                client.produce({at: b"".join(map(_batch, batches))})
            messages = [message for batch in batches for message in batch]
            rows += [
                Row(topic, partition, offset, timestamp * 1000, 0, key, value, (("trace", key),))
                for offset, (timestamp, key, value) in enumerate(messages)
            ]
    return rows


def numbered(count: int, start: int = 1_700_000_000_000, size: int = 20) -> list[Message]:
    """Messages a millisecond apart, with ``size`` bytes of value."""
    return [(start + number, b"key-%d" % number, (b"%d " % number * size)[:size]) for number in range(count)]


def _batch(messages: Sequence[Message]) -> bytes:
    builder = kw.RecordBatchBuilder(compression="lz4")
    for timestamp, key, value in messages:
        builder.append(key=key, value=value, headers=[("trace", key)], timestamp=timestamp)
    return builder.build()
