"""Topics as DataFrames by a function: over ``mapInArrow``, so also on PySpark 3.5, which has no Python data sources."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from kafkawire.spark.clients import borrowed
from kafkawire.spark.consume import read_range
from kafkawire.spark.given import OptionError, texts
from kafkawire.spark.live_options import LiveOptions, parse_live_options
from kafkawire.spark.planning import OffsetRange, Planner
from kafkawire.spark.schema import spark_schema


def read_kafka(spark: SparkSession, options: Mapping[str, Any] | None = None, **more: Any) -> DataFrame:
    """A batch read of topics, with the options, rows and schema of ``spark.read.format("kafkawire")``::

        read_kafka(spark, {"kafka.bootstrap.servers": "localhost:9092"}, subscribe="events", includeHeaders=True)

    ``options`` takes every name, ``more`` those without a dot. Values may be Python's: True, numbers, and dicts where
    an option is JSON; None is an option that is not given.

    The offsets are settled here, when the function is called, and every action on the DataFrame reads the same ones;
    the data source asks for them when a query is planned. It works on PySpark 3.5 and later, and takes less CPU than
    the data source. The options, passwords among them, travel inside of the pickled function and stand in no plan.

    Raises :class:`OptionError`, :class:`kafkawire.client.ClientError` where the brokers cannot be asked; tasks raise
    what :func:`kafkawire.spark.consume.read_range` raises.
    """
    live = parse_live_options(texts(options, more), streaming=False)
    if live.pushdown:
        raise OptionError("pushdown: only spark.read.format('kafkawire') has it; a function sees no filters")
    schema = spark_schema(live.read.columns)
    with borrowed(live.config) as client:
        ranges = Planner(client, live).ranges()
    if not ranges:
        return spark.createDataFrame([], schema)
    # As many rows as tasks, one in each: its number says which range the task reads.
    return spark.range(0, len(ranges), 1, len(ranges)).mapInArrow(_reader(ranges, live), schema)


def _reader(
    ranges: Sequence[OffsetRange], options: LiveOptions
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def read_kafka(numbers: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in numbers:
            for row in batch.to_pylist():
                yield from read_range(ranges[row["id"]], options)

    return read_kafka
