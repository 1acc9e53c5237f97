"""One Spark session for all tests, and what Java read from the segments as rows of Spark's Kafka schema."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.broker.fixtures import made_or_skipped, must_run
from tests.broker.kraft import Broker
from tests.broker.maven import spark_kafka_jars
from tests.broker.process import ToolMissingError
from tests.samples import segment_files

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tests.spark.peer import Peer


class Row(NamedTuple):
    """A row of Spark's Kafka schema; the timestamp in microseconds since the epoch."""

    topic: str
    partition: int
    offset: int
    timestamp: int
    timestamp_type: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...] | None


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        reason = "Spark needs Java 17 or later: make test installs it, or says how"
        if must_run():
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")

    from pyspark.sql import SparkSession

    jars: list[Path] = []
    if _has_peer():
        with suppress(ToolMissingError):  # the tests that compare say so themselves
            jars = spark_kafka_jars()
    builder = SparkSession.builder.appName("tests").master("local[2]")
    builder = builder.config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.log.level", "OFF").config("spark.sql.session.timeZone", "UTC")
    builder = builder.config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
    builder = builder.config("spark.jars", ",".join(map(str, jars)))
    session = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    yield session
    session.stop()


def _has_peer() -> bool:
    """Whether this PySpark is the one whose own Kafka source is published."""
    import pyspark

    return pyspark.__version__.startswith("4.2.")


@pytest.fixture(scope="session")
def peer(spark: SparkSession, broker: Broker) -> Peer:
    """The same read by Spark's own Kafka source and by kafkawire."""
    from tests.spark.peer import Peer

    if not _has_peer():
        pytest.skip("Spark's own Kafka source is published for PySpark 4.2.0")
    made_or_skipped(spark_kafka_jars)
    return Peer(spark, broker.bootstrap)


def expected_rows(directory: Path, control: bool = False) -> list[Row]:
    """What Java read from the segments of a topic-partition directory, as rows."""
    topic, _, partition = directory.name.rpartition("-")
    return [
        Row(
            topic,
            int(partition),
            record["offset"],
            -1000 if record["timestamp"] is None else record["timestamp"] * 1000,
            record["timestamp_type"],
            record["key"],
            record["value"],
            record["headers"] or None,
        )
        for file in segment_files().values()
        if file.path.parent == directory and file.path.suffix == ".log"
        for record in file.records
        if control or not record["is_control"]
    ]


def rows(df: DataFrame) -> list[Row]:
    """All rows of a DataFrame with headers, by topic, partition and offset."""
    return [row for (row,) in tagged_rows(df)]


def tagged_rows(df: DataFrame, *tags: str) -> list[tuple[Any, ...]]:
    """The same, each behind its values of the columns ``tags``."""
    from pyspark.sql import functions as F

    # Whole numbers instead of datetimes: exact, and in no time zone.
    found = [
        (
            *(row[tag] for tag in tags),
            Row(
                row.topic,
                row.partition,
                row.offset,
                row.timestamp,
                row.timestampType,
                _plain(row.key),
                _plain(row.value),
                None if row.headers is None else tuple((header.key, _plain(header.value)) for header in row.headers),
            ),
        )
        for row in df.withColumn("timestamp", F.unix_micros("timestamp")).collect()
    ]
    return sorted(found, key=lambda one: one[-1][:3])


def _plain(data: bytearray | bytes | None) -> bytes | None:
    return None if data is None else bytes(data)
