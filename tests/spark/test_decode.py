"""kafkawire.spark.decode over mapInArrow, on files that Spark read itself."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pyspark")

from pyspark.sql import SparkSession

import kafkawire as kw
from kafkawire.spark import OptionError, decode, register, spark_schema
from kafkawire.spark.schema import COLUMNS
from tests.samples import unpacked
from tests.spark.conftest import expected_rows, rows

TOPICS = Path(__file__).parents[2] / "examples" / "demo" / "topics"
FIRST = "00000000000000000000.log"


def test_binary_files(spark: SparkSession, segments: Path) -> None:
    directory = segments / "v2-kafka-4.3.1" / "v2-segments-0"
    files = spark.read.format("binaryFile").load(f"{directory}/*.log")
    records = decode(files, "content", include_headers=True, bytes_per_batch=100_000)
    assert records.schema == spark_schema(COLUMNS)
    assert rows(records) == expected_rows(directory)


def test_kept_columns_and_column_order(spark: SparkSession) -> None:
    files = spark.read.format("binaryFile").load(f"{TOPICS}/v2-none-0/*.log")
    records = decode(files, "content", columns=["offset", "TOPIC"], keep=["length", "path"])
    assert records.columns == ["length", "path", "offset", "topic"]
    found = records.orderBy("offset").collect()
    assert len(found) == 357
    assert found[0].path.endswith(f"v2-none-0/{FIRST}")
    assert {(row.length, row.topic) for row in found} == {(45550, "v2-none"), (92, "v2-none")}


def test_any_binary_column(spark: SparkSession) -> None:
    data = (TOPICS / "v1-gzip-0" / FIRST).read_bytes()
    df = spark.createDataFrame([(1, bytearray(data)), (2, None), (3, bytearray(data[:500]))], "id int, body binary")
    records = decode(df, "body", keep=["id"])
    assert records.schema.fieldNames() == ["id", *spark_schema().fieldNames()]
    counts = {row["id"]: row["count"] for row in records.groupBy("id").count().collect()}
    assert counts[1] == 225
    assert 2 not in counts
    assert records.where("topic is not null or partition is not null").count() == 0


def test_options_reach_the_reader(spark: SparkSession) -> None:
    data = bytearray((TOPICS / "v2-none-0" / FIRST).read_bytes())
    data[data.index(b"null-key")] ^= 1
    df = spark.createDataFrame([(data,)], "body binary")
    with pytest.raises(Exception, match="column body: the checksum stored is"):
        decode(df, "body").count()
    assert 0 < decode(df, "body", skip_corrupt=True).count() < 356
    assert decode(df, "body", check_crc=False).count() == 356


def test_a_batch_that_decompresses_to_too_much(spark: SparkSession) -> None:
    data = bytearray((TOPICS / "v2-zstd-0" / FIRST).read_bytes())
    df = spark.createDataFrame([(data,)], "body binary")
    with pytest.raises(Exception, match=r"LimitError: column body: .*\b1000\b"):
        decode(df, "body", max_decompressed_bytes=1000).count()
    with pytest.raises(Exception, match="LimitError"):
        source = spark.read.format("kafkawire").option("maxDecompressedBytes", "1k")
        source.load(str(TOPICS / "v2-zstd-0")).count()
    assert decode(df, "body", max_decompressed_bytes=10 << 20).count() > 0


@pytest.mark.parametrize("name", ["segs-1", "nested-2", "magic0-1"])
def test_files_from_before_0_8(spark: SparkSession, name: str) -> None:
    directory = unpacked("kafka07") / "segments-0.7.2" / name
    messages = [(one.start, one.value) for one in kw.log.AncientLog(directory).messages()]
    files = spark.read.format("binaryFile").load(f"{directory}/*.kafka")
    found = decode(files, "content")
    assert sorted((row.offset, bytes(row.value)) for row in found.collect()) == sorted(messages)
    topic, _, partition = name.rpartition("-")
    assert [tuple(row) for row in found.select("topic", "partition").distinct().collect()] == [(topic, int(partition))]

    # Without the path it has to be said, and offsets are counted from the first byte.
    first = min(directory.iterdir())
    one = decode(files.where(files.path.endswith(first.name)).select("content"), "content", format="v07")
    with kw.log.open_segment(first) as segment:
        assert sorted((row.offset, bytes(row.value)) for row in one.collect()) == sorted(
            (message.start, message.value) for message in segment.messages()
        )


def test_errors(spark: SparkSession) -> None:
    df = spark.createDataFrame([(1, bytearray(b""), 2)], "id int, body binary, offset bigint")
    with pytest.raises(OptionError, match="content: the DataFrame has no such column; it has id, body, offset"):
        decode(df, "content")
    with pytest.raises(OptionError, match="id: a column of int, binary is needed"):
        decode(df, "id")
    with pytest.raises(OptionError, match="keep: offset would be there twice"):
        decode(df, "body", keep=["offset"])
    with pytest.raises(OptionError, match="there is no column when"):
        decode(df, "body", columns=["when"])
    with pytest.raises(OptionError, match="format: 'v09' is neither auto nor v07"):
        decode(df, "body", columns=["value"], format="v09")  # type: ignore[arg-type]
    assert decode(df, "body", columns=["value"], keep=["offset"]).count() == 0


def test_register_says_what_to_do_instead_where_there_are_no_data_sources(spark: SparkSession) -> None:
    if hasattr(spark, "dataSource"):
        register(spark)
    else:
        with pytest.raises(RuntimeError, match=r"PySpark 3.* has no Python data sources.*kafkawire\.spark\.decode"):
            register(spark)
