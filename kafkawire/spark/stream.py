"""A stream of topics: offsets that Spark keeps in its checkpoint, tasks that read what lies between two of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition

from kafkawire.client import TopicPartition
from kafkawire.spark.clients import borrowed
from kafkawire.spark.consume import read_range
from kafkawire.spark.live_options import LiveOptions
from kafkawire.spark.planning import OffsetRange, Offsets, Planner, divide


def to_json(offsets: Mapping[TopicPartition, int]) -> dict[str, dict[str, int]]:
    """Offsets as Spark's own Kafka source writes them into checkpoints; equal ones make equal text."""
    found: dict[str, dict[str, int]] = {}
    for at in sorted(offsets):
        found.setdefault(at.topic, {})[str(at.partition)] = offsets[at]
    return found


def from_json(found: Mapping[str, Mapping[str, int]]) -> Offsets:
    """The same back."""
    return {TopicPartition(topic, int(one)): offset for topic, ones in found.items() for one, offset in ones.items()}


def live_stream_reader(options: LiveOptions) -> DataSourceStreamReader:
    """The reader for this version of PySpark."""
    return LiveStreamReader(options)


class LiveStreamReader(DataSourceStreamReader):
    """What PySpark asks of a stream; in one process on the driver, but for ``read``."""

    def __init__(self, options: LiveOptions) -> None:
        self.options = options

    def initialOffset(self) -> dict[str, Any]:
        with borrowed(self.options.config) as client:
            planner = Planner(client, self.options)
            return to_json(planner.starting(planner.partitions()))

    def latestOffset(self, start: dict[str, Any] | None = None, limit: object = None) -> dict[str, Any]:
        with borrowed(self.options.config) as client:
            planner = Planner(client, self.options)
            return to_json(planner.latest(planner.partitions(), from_json(start or {})))

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        starts, ends = from_json(start), from_json(end)
        ranges = [OffsetRange(*at, starts[at], ends[at]) for at in ends if at in starts]
        return [InputPartition(part) for part in divide(ranges, self.options)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        return read_range(partition.value, self.options)
