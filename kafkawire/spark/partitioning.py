"""Which partition each row goes to, as Kafka's own producer decides it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

import kafkawire as kw
from kafkawire.client import Client, TopicPartition
from kafkawire.spark.write_options import WriteOptions

#: About as many bytes of rows without a key go to one partition before another one's turn comes; kafka.batch.size
#: where that is given, as in Kafka's producer.
STICKY_BYTES = 64 * 1024

#: Processes that were forked from one another would draw the same numbers from a shared generator.
_random = random.SystemRandom()


class Partitioner:
    """Divides rows among topics and partitions; for one task.

    A row's partition is that of its column ``partition``; without one that of its key (murmur2); without a key, or with
    partitioner.ignore.keys, rows go to one partition after the other, chosen at random among those with a leader.
    """

    def __init__(self, client: Client, options: WriteOptions) -> None:
        self._client = client
        self._options = options
        self._sticky_bytes = options.config.batch_size or STICKY_BYTES
        self._sticky: dict[str, tuple[int, float]] = {}  # partition, bytes that it may still get

    def divide(self, batch: pa.RecordBatch) -> Iterator[tuple[TopicPartition, pa.RecordBatch]]:
        """The rows of each partition, in their order, as columns that RecordBatchBuilder takes."""
        for topic, rows in self._by_topic(batch):
            count = self._count(topic)
            fields = rows.select([name for name in rows.schema.names if name not in ("topic", "partition")])
            for partition, mine in _grouped(fields, self._chosen(topic, rows, count)):
                if partition is not None:
                    yield TopicPartition(topic, partition), mine
                    continue
                for sticky, run in self._runs(topic, mine):
                    yield TopicPartition(topic, sticky), run

    def _by_topic(self, batch: pa.RecordBatch) -> Iterator[tuple[str, pa.RecordBatch]]:
        if self._options.topic is not None:
            yield self._options.topic, batch
            return
        topics = batch.column("topic")
        if topics.null_count:
            raise ValueError(
                f"the column topic is null in {topics.null_count} of {len(topics)} rows; "
                "the option topic sets one topic for all rows"
            )
        encoded = topics.dictionary_encode()
        for number, rows in _grouped(batch, encoded.indices):
            yield encoded.dictionary[number].as_py(), rows

    def _count(self, topic: str) -> int:
        known = self._client.topic(topic, create=self._options.config.allow_auto_create_topics)
        return len(known.partitions)

    def _chosen(self, topic: str, rows: pa.RecordBatch, count: int) -> pa.Array[Any]:
        """The partition of each row by its column or its key; null where neither says."""
        names = rows.schema.names
        chosen: pa.Array[Any] = pa.nulls(rows.num_rows, pa.int32())
        if "key" in names and not self._options.config.partitioner_ignore_keys:
            chosen = kw.key_partitions(rows.column("key"), count)
        if "partition" in names:
            given = rows.column("partition")
            for bound in _bounds(given):
                if bound is not None and not 0 <= bound < count:
                    raise ValueError(f"the column partition has {bound}; the topic {topic} has {count} partitions")
            chosen = pc.coalesce(given, chosen)
        return chosen

    def _runs(self, topic: str, rows: pa.RecordBatch) -> Iterator[tuple[int, pa.RecordBatch]]:
        row_bytes = max(rows.nbytes / rows.num_rows, 1.0)
        partition, left = self._sticky.get(topic, (0, 0.0))
        start = 0
        while start < rows.num_rows:
            if left <= 0:
                partition, left = self._another(topic), self._sticky_bytes
            size = min(int(left / row_bytes) + 1, rows.num_rows - start)
            yield partition, rows.slice(start, size)
            start += size
            left -= size * row_bytes
        self._sticky[topic] = partition, left

    def _another(self, topic: str) -> int:
        partitions = self._client.topic(topic).partitions
        available: Sequence[int] = [number for number, one in partitions.items() if one.leader >= 0]
        return _random.choice(available or list(partitions))


def _grouped(batch: pa.RecordBatch, numbers: pa.Array[Any]) -> Iterator[tuple[Any, pa.RecordBatch]]:
    """The rows of each number (or null), in their order."""
    least, most = _bounds(numbers)
    if numbers.null_count in (0, len(numbers)) and least == most:
        yield least, batch
        return
    order = pc.sort_indices(numbers)  # stable
    runs = pc.run_end_encode(numbers.take(order))  # type: ignore[attr-defined]
    rows = batch.take(order)
    start = 0
    for number, end in zip(runs.values.to_pylist(), runs.run_ends.to_pylist(), strict=True):
        yield number, rows.slice(start, end - start)
        start = end


def _bounds(numbers: pa.Array[Any]) -> tuple[int | None, int | None]:
    bounds: Any = pc.min_max(numbers)
    return bounds["min"].as_py(), bounds["max"].as_py()
