"""The main jobs on whichever PySpark is installed, against a real broker; short, so that it can run on many versions.

Not collected by itself: ``python -m pytest tests/spark/matrix.py``, which ``make matrix`` does for each version.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyspark
import pytest
from pyspark.sql import DataFrame, SparkSession

import kafkawire as kw
from kafkawire.spark import decode, read_kafka, register, spark_schema, split_schema_id, write_kafka
from kafkawire.spark.schema import COLUMNS
from tests.broker.kraft import Broker
from tests.spark.conftest import Row, rows
from tests.spark.topics import fill, numbered

VERSION = tuple(int(part) for part in pyspark.__version__.split(".")[:2])

data_sources = pytest.mark.skipif(VERSION < (4, 0), reason="Python data sources came with PySpark 4.0")
filters = pytest.mark.skipif(VERSION < (4, 1), reason="filters for Python data sources came with PySpark 4.1")


@pytest.fixture(scope="module")
def expected(broker: Broker) -> list[Row]:
    """The rows of the topics matrix-a and matrix-b."""
    messages = numbered(2000)
    first = fill(broker.bootstrap, "matrix-a", {0: [messages[:1200], messages[1200:]], 1: [messages[:7]], 2: []})
    return first + fill(broker.bootstrap, "matrix-b", {0: [[(-1, None, None), (5, b"", b"")]]})


@pytest.fixture
def options(broker: Broker, expected: list[Row]) -> dict[str, str]:
    return {
        "kafka.bootstrap.servers": broker.bootstrap,
        "subscribe": "matrix-a,matrix-b",
        "includeHeaders": "true",
        "startingOffsets": "earliest",
    }


def test_kernels_are_compiled() -> None:
    assert kw.BACKEND == "compiled"


def test_read_kafka(spark: SparkSession, options: dict[str, str], expected: list[Row]) -> None:
    records = read_kafka(spark, options, minPartitions=6, rowsPerBatch=500)
    assert records.schema == spark_schema(COLUMNS)
    assert rows(records) == expected
    assert read_kafka(spark, options, columns="offset,topic").groupBy("topic").count().count() == 2


def test_decode(spark: SparkSession) -> None:
    data = kw.write_columns(pa.table({"value": [b"a", None, b"c"]}), compression="zstd")
    records = decode(spark.createDataFrame([(1, bytearray(data))], "id int, body binary"), "body", keep=["id"])
    assert [(row.id, row.offset, row.value) for row in records.sort("offset").collect()] == [
        (1, 0, b"a"),
        (1, 1, None),
        (1, 2, b"c"),
    ]


def test_split_schema_id(spark: SparkSession, options: dict[str, str]) -> None:
    records = spark.createDataFrame(
        [(bytearray(b"\0\0\0\0\x07payload"), [])], "value binary, headers array<struct<key string, value binary>>"
    )
    found = records.select(split_schema_id("value", "headers").alias("v")).select("v.schema_id", "v.payload").collect()
    assert [tuple(row) for row in found] == [(7, b"payload")]


@pytest.mark.skipif(VERSION >= (4, 0), reason="PySpark 4.0 and later have data sources")
def test_register_says_what_to_do_instead(spark: SparkSession) -> None:
    with pytest.raises(RuntimeError, match="read_kafka"):
        register(spark)


def load(spark: SparkSession, options: dict[str, str], **more: str) -> DataFrame:
    # Nobody registers it: PySpark finds the module pyspark_kafkawire by itself.
    return spark.read.format("kafkawire").options(**options, **more).load()


@data_sources
def test_batch(spark: SparkSession, options: dict[str, str], expected: list[Row]) -> None:
    assert load(spark, options).schema == spark_schema(COLUMNS)
    assert rows(load(spark, options, rowsPerBatch="500")) == expected
    assert load(spark, {**options, "subscribe": "matrix-b", "startingOffsets": '{"matrix-b": {"0": 2}}'}).count() == 0


@data_sources
def test_stream(spark: SparkSession, options: dict[str, str], expected: list[Row], tmp_path: Path) -> None:
    for written in (0, len(expected)):  # what the checkpoint has is not read again
        stream = spark.readStream.format("kafkawire").options(**options).load()
        writer = stream.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "checkpoint"))
        query = writer.trigger(availableNow=True).start(str(tmp_path / "rows"))
        try:
            assert query.awaitTermination(120), "the query did not end"
        finally:
            query.stop()
        assert query.exception() is None
        assert sum(progress["numInputRows"] for progress in query.recentProgress) == len(expected) - written
    assert rows(spark.read.parquet(str(tmp_path / "rows"))) == expected


@filters
def test_pushdown(spark: SparkSession, options: dict[str, str], expected: list[Row]) -> None:
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    found = load(spark, options, pushdown="true").where("topic = 'matrix-a' and partition = 1 and offset >= 5")
    assert rows(found) == [
        row for row in expected if row.topic == "matrix-a" and row.partition == 1 and row.offset >= 5
    ]
    assert found.rdd.getNumPartitions() == 1
    spark.conf.unset("spark.sql.python.filterPushdown.enabled")


@data_sources
@pytest.mark.skipif(VERSION >= (4, 1), reason="PySpark 4.1 and later have filters")
def test_pushdown_is_refused(spark: SparkSession, options: dict[str, str]) -> None:
    with pytest.raises(Exception, match=r"pushdown: PySpark 4\.0"):
        load(spark, options, pushdown="true").count()


def written(spark: SparkSession) -> DataFrame:
    return spark.range(300).selectExpr("cast(id as string) as key", "cast(id * 7 as string) as value")


def check_written(spark: SparkSession, broker: Broker, topic: str) -> None:
    servers = {"kafka.bootstrap.servers": broker.bootstrap}
    found = read_kafka(spark, servers, subscribe=topic).selectExpr("cast(key as string)", "cast(value as string)")
    assert sorted(map(tuple, found.collect())) == sorted(map(tuple, written(spark).collect()))


@data_sources
def test_write(spark: SparkSession, broker: Broker) -> None:
    fill(broker.bootstrap, "matrix-written", {0: [], 1: []})
    writer = written(spark).write.format("kafkawire").option("kafka.bootstrap.servers", broker.bootstrap)
    writer.option("topic", "matrix-written").mode("append").save()
    check_written(spark, broker, "matrix-written")


def test_write_kafka(spark: SparkSession, broker: Broker) -> None:
    fill(broker.bootstrap, "matrix-write-kafka", {0: [], 1: []})
    options = {"kafka.bootstrap.servers": broker.bootstrap, "topic": "matrix-write-kafka"}
    write_kafka(written(spark), options)
    check_written(spark, broker, "matrix-write-kafka")
