"""spark.read.format("kafkawire") on the segments of a 0.7.2 broker: what kafkawire.log reads, in Spark's shape."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pyspark.sql.datasource")

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import kafkawire as kw
from tests.samples import unpacked
from tests.spark.test_source import read

PARTITIONS = ["nested-2", "gzip-0", "snappy-1", "segs-0", "segs-1", "magic0-1", "emptyset-0"]


@pytest.fixture
def archive() -> Path:
    return unpacked("kafka07") / "segments-0.7.2"


@pytest.mark.parametrize("name", PARTITIONS)
def test_a_directory(spark: SparkSession, archive: Path, name: str) -> None:
    log = kw.log.AncientLog(archive / name)
    columns = "topic,partition,offset,key,value,timestampType,innerIndex"
    frame = read(spark, archive / name, columns=columns, splitBytes=1000)
    assert sorted(tuple(row) for row in frame.select("offset", "innerIndex", "value").collect()) == sorted(
        (message.start, message.inner_index, message.value) for message in log.messages()
    )
    others = frame.select("topic", "partition", "key", "timestampType").distinct().collect()
    assert [tuple(row) for row in others] == [(log.topic, log.partition, None, -1)][: len(others)]


def test_all_of_a_broker(spark: SparkSession, archive: Path) -> None:
    logs = [kw.log.AncientLog(path) for path in archive.iterdir()]
    frame = read(spark, archive)
    assert frame.columns == ["key", "value", "topic", "partition", "offset", "timestamp", "timestampType"]
    counted = frame.groupBy("topic", "partition").agg(F.count("*"), F.max("offset")).collect()
    assert {tuple(row) for row in counted} == {
        (log.topic, log.partition, len(messages), messages[-1].start)
        for log in logs if (messages := list(log.messages()))
    }
    assert frame.select(F.min("timestamp").cast("double")).first()[0] == -0.001


def test_from_an_offset(spark: SparkSession, archive: Path) -> None:
    offsets = {"startingOffsets": '{"segs": {"1": 2312}}', "endingOffsets": '{"segs": {"1": 6931}}'}
    frame = read(spark, archive / "segs-1", **offsets)
    wanted = [m.start for m in kw.log.AncientLog(archive / "segs-1").messages() if 2312 <= m.start < 6931]
    assert sorted(row[0] for row in frame.select("offset").collect()) == wanted
