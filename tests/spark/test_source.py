"""spark.read.format("kafkawire") on segments of real brokers, row for row what Java reads from them."""

from __future__ import annotations

import logging
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark.sql.datasource")

from pyspark.sql import DataFrame, SparkSession

import kafkawire as kw
from kafkawire.spark import OptionError, register, spark_schema
from kafkawire.spark.batches import RecordReader
from kafkawire.spark.options import ReadOptions
from kafkawire.spark.schema import COLUMNS
from tests.spark.conftest import expected_rows, rows

TOPICS = Path(__file__).parents[2] / "examples" / "demo" / "topics"
FIRST = "00000000000000000000.log"
SETS = ["v0-kafka-0.8.2", "v1-kafka-0.10", "mixed-kafka-0.11", "v2-kafka-4.3.1"]
INTERNAL = "__consumer_offsets", "__transaction_state", "__share_group_state", "__cluster_metadata"


def read(spark: SparkSession, path: Path | str, **options: Any) -> DataFrame:
    return spark.read.format("kafkawire").options(**options).load(str(path))


def message(error: pytest.ExceptionInfo[BaseException]) -> str:
    return str(error.value)


@pytest.mark.parametrize("name", SETS)
def test_every_record_is_what_java_read(spark: SparkSession, segments: Path, name: str) -> None:
    topics = [one for one in sorted((segments / name).iterdir()) if (one / "expected.jsonl").exists()]
    expected = sorted(
        (row for one in topics if not one.name.startswith("__") for row in expected_rows(one)), key=lambda row: row[:3]
    )
    found = rows(read(spark, segments / name, includeHeaders=True))
    assert len(found) == len(expected) > 0
    assert found == expected


@pytest.mark.parametrize("topic", INTERNAL)
def test_internal_topics(spark: SparkSession, segments: Path, topic: str) -> None:
    directories = [one for one in (segments / "v2-kafka-4.3.1").glob(f"{topic}-*") if expected_rows(one)]
    assert directories
    for directory in directories:
        assert rows(read(spark, directory, includeHeaders=True)) == expected_rows(directory)


def test_control_records_on_request(spark: SparkSession, segments: Path) -> None:
    directory = segments / "v2-kafka-4.3.1" / "v2-txn-zstd-0"
    with_control = rows(read(spark, directory, includeHeaders=True, includeControl=True))
    assert with_control == expected_rows(directory, control=True)
    assert len(with_control) > len(expected_rows(directory))


def test_found_by_name_without_registering(spark: SparkSession) -> None:
    # No test module registers before this: PySpark found pyspark_kafkawire by itself. Doing it again is harmless.
    assert read(spark, TOPICS / "v2-none-0").count() == 357
    register(spark)
    register(spark)
    assert read(spark, TOPICS / "v2-none-0").count() == 357


def test_schema(spark: SparkSession) -> None:
    assert read(spark, TOPICS).schema == spark_schema()
    assert read(spark, TOPICS, includeHeaders="true").schema == spark_schema(COLUMNS)
    some = read(spark, TOPICS / "v2-lz4-0", columns="offset, VALUE")
    assert some.schema == spark_schema(["offset", "value"])
    assert [row.offset for row in some.sort("offset").collect()] == list(range(357))


@pytest.mark.parametrize("column", COLUMNS)
def test_each_column_alone(spark: SparkSession, column: str) -> None:
    everything = read(spark, TOPICS / "v2-none-0", includeHeaders=True).select(column).collect()
    assert sorted(map(str, read(spark, TOPICS / "v2-none-0", columns=column).collect())) == sorted(map(str, everything))


def test_many_paths(spark: SparkSession) -> None:
    both = [str(TOPICS / "v2-none-0"), str(TOPICS / "v0-lz4-0" / FIRST)]
    assert spark.read.format("kafkawire").load(both).count() == 357 + 225
    assert read(spark, ",".join(both)).count() == 357 + 225
    assert read(spark, TOPICS / "v2-*-0" / "*.log").select("topic").distinct().count() == 7


@pytest.mark.parametrize("topic", ["v2-none-0", "mixed-v0-v1-v2-0", "v1-gzip-0"])
def test_splits_and_small_batches_give_the_same_rows(spark: SparkSession, topic: str) -> None:
    whole = read(spark, TOPICS / topic, includeHeaders=True)
    parts = read(spark, TOPICS / topic, includeHeaders=True, splitBytes=3000, rowsPerBatch=7, bytesPerBatch=1000)
    assert parts.rdd.getNumPartitions() > whole.rdd.getNumPartitions()
    assert rows(parts) == rows(whole)


def test_offsets(spark: SparkSession, segments: Path) -> None:
    directory = segments / "v2-kafka-4.3.1" / "v2-segments-0"
    bounds = {"startingOffsets": '{"v2-segments": {"0": 1205}}', "endingOffsets": 1330}
    some = read(spark, directory, includeHeaders=True, **bounds)
    assert rows(some) == [row for row in expected_rows(directory) if 1205 <= row.offset < 1330]
    assert read(spark, directory, startingOffsets=1_000_000).count() == 0
    assert read(spark, directory, endingOffsets=0).count() == 0
    # Inside of one compressed message v1, whose header has only its last offset.
    legacy = read(spark, TOPICS / "v1-gzip-0", columns="offset", startingOffsets=3, endingOffsets=5)
    assert [row.offset for row in legacy.sort("offset").collect()] == [3, 4]


def damaged(directory: Path, position: int) -> Path:
    """A copy of a topic with one byte changed."""
    target = directory / "v2-none-0"
    shutil.copytree(TOPICS / "v2-none-0", target)
    data = bytearray((target / FIRST).read_bytes())
    data[position] ^= 0x01
    (target / FIRST).write_bytes(data)
    return target


def test_a_corrupt_batch_is_named(spark: SparkSession, tmp_path: Path) -> None:
    second = kw.split((TOPICS / "v2-none-0" / FIRST).read_bytes()).batches[1]
    path = damaged(tmp_path, second.position + 70)
    with pytest.raises(Exception) as error:
        read(spark, path).collect()
    assert "ChecksumError" in message(error)
    assert f"{path / FIRST}: the checksum stored is" in message(error)
    assert f"position {second.position}, offset 14" in message(error)


def test_corrupt_batches_can_be_left_out(spark: SparkSession, tmp_path: Path) -> None:
    data = (TOPICS / "v2-none-0" / FIRST).read_bytes()
    first = kw.split(data).batches[0]
    lost = next(kw.read_batches(data)).record_count
    path = damaged(tmp_path, first.position + 100)
    assert read(spark, path, mode="DROPMALFORMED").count() == 357 - lost
    with pytest.raises(Exception, match="ChecksumError"):
        read(spark, path, mode="FAILFAST").count()


def test_corrupt_batches_are_counted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = damaged(tmp_path, 100) / FIRST
    reader = RecordReader(ReadOptions(skip_corrupt=True), str(path), "t", 0)
    with caplog.at_level(logging.WARNING, "kafkawire.spark"):
        list(reader.read(partial(kw.iter_columns, path.read_bytes())))
    assert caplog.messages == [f"{path}: 1 corrupt batches were left out, at the positions 0"]


def test_a_partial_batch_at_the_end_is_left_out(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "t-0").mkdir()
    data = (TOPICS / "v2-none-0" / FIRST).read_bytes()
    (tmp_path / "t-0" / FIRST).write_bytes(data + data[:40])
    (tmp_path / "t-1").mkdir()
    (tmp_path / "t-1" / FIRST).write_bytes(b"")
    assert read(spark, tmp_path).count() == 356


@pytest.mark.parametrize(
    ("path", "options", "text"),
    [
        ("/no/such/dir", {}, "FileNotFoundError: /no/such/dir: no such file or directory"),
        (TOPICS, {"colums": "key"}, "OptionError: colums: there is no such option; did you mean columns?"),
        (TOPICS, {"columns": "key,when"}, "OptionError: columns: there is no column when"),
        ("s3a://bucket/t-0", {}, "kafkawire.spark.decode"),
    ],
)
def test_errors_come_with_load(spark: SparkSession, path: Path | str, options: dict[str, str], text: str) -> None:
    with pytest.raises(Exception) as error:
        read(spark, path, **options)
    assert text in message(error)


def test_a_schema_of_ones_own_is_refused(spark: SparkSession) -> None:
    with pytest.raises(Exception) as error:
        spark.read.format("kafkawire").schema("key string, value binary").load(str(TOPICS)).count()
    assert OptionError.__name__ in message(error)
    assert "the schema of Kafka's records is fixed" in message(error)
