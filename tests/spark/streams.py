"""Topics with numbered records, and readers of their streams, for the tests of streams."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from typing import Any

from kafkawire.client import Client, NewTopic, TopicPartition
from kafkawire.messages import CreatePartitionsRequest, DeleteRecordsRequest
from kafkawire.spark.live_options import parse_live_options
from kafkawire.spark.stream import LiveStreamReader
from tests.broker.kraft import Broker
from tests.client.records import batch

#: Whether this PySpark gives starts and limits to latestOffset, and says what AvailableNow is: since 4.2.
LIMITS = find_spec("pyspark.sql.streaming.datasource") is not None

_numbers = itertools.count()


class Topic:
    """A topic of one test: each partition's records have the values b"0", b"1", ..., their offsets."""

    def __init__(self, client: Client, partitions: int = 1, name: str = "", **config: str) -> None:
        self.client = client
        self.name = name or f"stream-{next(_numbers)}"
        self.ends = [0] * partitions
        client.create_topics([NewTopic(self.name, partitions, 1, configs=config)])

    def __getitem__(self, partition: int) -> TopicPartition:
        return TopicPartition(self.name, partition)

    def add(self, *counts: int) -> None:
        """So many more records in partition 0, 1, ..."""
        records = {}
        for partition, count in enumerate(counts):
            end = self.ends[partition]
            if count:
                values = [b"%d" % offset for offset in range(end, end + count)]
                records[self[partition]] = batch(values, timestamp=1_700_000_000_000 + end)
            self.ends[partition] = end + count
        self.client.produce(records)

    def grow(self, partitions: int) -> None:
        """More partitions."""
        topic = CreatePartitionsRequest.Topic(name=self.name, count=partitions, assignments=None)
        response = self.client.call(CreatePartitionsRequest(topics=[topic], timeout_ms=30_000), controller=True)
        assert response is not None
        assert [one.error_code for one in response.results] == [0]
        self.ends += [0] * (partitions - len(self.ends))
        wait_until(lambda: len(self.client.metadata([self.name]).topics[self.name].partitions) == partitions)

    def delete_records(self, partition: int, before: int) -> None:
        """Delete the records before an offset, as retention does."""
        kind = DeleteRecordsRequest.Topic
        part = kind.Partition(partition_index=partition, offset=before)
        request = DeleteRecordsRequest(topics=[kind(name=self.name, partitions=[part])], timeout_ms=30_000)
        response = self.client.call(request)
        assert response is not None
        assert [one.error_code for topic in response.topics for one in topic.partitions] == [0]

    def offsets(self, *offsets: int) -> dict[str, dict[str, int]]:
        """As Spark writes them."""
        return {self.name: {str(partition): offset for partition, offset in enumerate(offsets)}}

    def everything(self) -> list[tuple[int, int]]:
        """Partition and offset of all records."""
        return [(partition, offset) for partition, end in enumerate(self.ends) for offset in range(end)]


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for what happens in a moment; fails after minutes."""
    limit = time.monotonic() + 240
    while not condition():
        assert time.monotonic() < limit, "waited for minutes in vain"
        time.sleep(0.02)


def stream_reader(broker: Broker, **options: object) -> LiveStreamReader:
    """A reader as Spark makes it."""
    given = {"kafka.bootstrap.servers": broker.bootstrap, **{name: str(value) for name, value in options.items()}}
    return LiveStreamReader(parse_live_options(given, streaming=True))


def read_batch(reader: LiveStreamReader, start: Any, end: Any) -> list[tuple[int, int]]:
    """Partition and offset of the records of a batch."""
    return sorted(_pairs(batch for part in reader.partitions(start, end) for batch in reader.read(part)))


def _pairs(batches: Iterable[Any]) -> Iterator[tuple[int, int]]:
    for one in batches:
        yield from zip(one.column("partition").to_pylist(), one.column("offset").to_pylist(), strict=True)
