"""The shape of rows: Spark's types and Arrow's fit each other, and decoded columns fit them."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

pytest.importorskip("pyspark")

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema

from kafkawire.spark.schema import COLUMNS, SparkRows, arrow_schema, slices, spark_schema


def test_arrow_schema_is_the_one_that_spark_compares_with() -> None:
    # Later versions want the time zone said; to the others it is UTC.
    zone: dict[str, Any] = {"timezone": "UTC"} if "timezone" in inspect.signature(to_arrow_schema).parameters else {}
    assert to_arrow_schema(spark_schema(COLUMNS), **zone).equals(arrow_schema(COLUMNS))


def test_types_of_sparks_own_source() -> None:
    assert spark_schema().simpleString() == (
        "struct<key:binary,value:binary,topic:string,partition:int,offset:bigint,timestamp:timestamp,timestampType:int>"
    )
    assert spark_schema(["headers"]).simpleString() == "struct<headers:array<struct<key:string,value:binary>>>"
    assert all(field.nullable for field in spark_schema(COLUMNS))


def decoded(timestamps: list[int | None]) -> pa.RecordBatch:
    rows = len(timestamps)
    return pa.RecordBatch.from_pydict(
        {
            "offset": pa.array(range(rows), pa.int64()),
            "timestamp": pa.array(timestamps, pa.timestamp("ms", tz="UTC")),
            "timestamp_type": pa.array([-1 if at is None else 0 for at in timestamps], pa.int32()),
            "value": pa.array([b"v"] * rows, pa.binary()),
        }
    )


def test_rows() -> None:
    rows = SparkRows(["topic", "value", "partition", "timestamp", "timestampType", "offset"], "t", 7)
    batch = rows.convert(decoded([1_700_000_000_123, None, -5]))
    assert batch.schema.equals(rows.schema)
    assert batch.column("timestamp").cast(pa.int64()).to_pylist() == [1_700_000_000_123_000, -1000, -5000]
    assert batch.column("timestampType").to_pylist() == [0, -1, 0]
    assert batch.column("topic").to_pylist() == ["t"] * 3
    assert batch.column("partition").to_pylist() == [7] * 3


def test_constants_fit_batches_of_any_size() -> None:
    rows = SparkRows(["topic", "partition"], "t", 7)
    for count in (3, 1, 5, 0):
        assert rows.convert(decoded([0] * count)).to_pylist() == [{"topic": "t", "partition": 7}] * count


def test_unknown_topic_is_null() -> None:
    assert SparkRows(["topic", "partition"], None, None).convert(decoded([0])).to_pylist() == [
        {"topic": None, "partition": None}
    ]


def test_a_timestamp_too_large_for_microseconds_is_said() -> None:
    with pytest.raises(ValueError, match="too large for Spark's microseconds"):
        SparkRows(["timestamp"], "t", 0).convert(decoded([1 << 60]))


@pytest.mark.parametrize("max_bytes", [1, 40, 1 << 20])
def test_slices_cover_everything_once(max_bytes: int) -> None:
    batch = decoded(list(range(100)))
    parts = list(slices(batch, max_bytes))
    assert pa.Table.from_batches(parts) == pa.Table.from_batches([batch])
    assert all(part.num_rows == 1 or part.nbytes <= max_bytes + 8 for part in parts)
