"""A batch read of live topics."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, InputPartition

from kafkawire.spark.clients import borrowed
from kafkawire.spark.consume import read_range
from kafkawire.spark.live_options import LiveOptions
from kafkawire.spark.planning import OffsetRange, Planner


class LiveReader(DataSourceReader):
    """A batch read of topics: its offsets are settled when it is planned, a task reads a range of them."""

    def __init__(self, options: LiveOptions) -> None:
        self.options = options

    def partitions(self) -> list[InputPartition]:
        with borrowed(self.options.config) as client:
            return [InputPartition(part) for part in Planner(client, self.options).ranges()]

    def read(self, partition: InputPartition | None) -> Iterator[pa.RecordBatch]:
        part: OffsetRange | None = partition.value if partition else None
        return read_range(part, self.options) if part else iter(())
