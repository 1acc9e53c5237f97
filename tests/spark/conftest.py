"""One Spark session for all tests, and what Java read from the segments as rows of Spark's Kafka schema."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.broker.fixtures import must_run
from tests.samples import segment_files

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class Row(NamedTuple):
    """A row of Spark's Kafka schema; the timestamp in microseconds since the epoch."""

    topic: str
    partition: int
    offset: int
    timestamp: int
    timestamp_type: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]


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

    builder = SparkSession.builder.appName("tests").master("local[2]")
    builder = builder.config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.log.level", "OFF").config("spark.sql.session.timeZone", "UTC")
    builder = builder.config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
    session = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    yield session
    session.stop()


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
            record["headers"],
        )
        for file in segment_files().values()
        if file.path.parent == directory and file.path.suffix == ".log"
        for record in file.records
        if control or not record["is_control"]
    ]


def rows(df: DataFrame) -> list[Row]:
    """All rows of a DataFrame with headers, by topic, partition and offset."""
    from pyspark.sql import functions as F

    # Whole numbers instead of datetimes: exact, and in no time zone.
    found = [
        Row(
            row.topic,
            row.partition,
            row.offset,
            row.timestamp,
            row.timestampType,
            _plain(row.key),
            _plain(row.value),
            tuple((header.key, _plain(header.value)) for header in row.headers),
        )
        for row in df.withColumn("timestamp", F.unix_micros("timestamp")).collect()
    ]
    return sorted(found, key=lambda row: row[:3])


def _plain(data: bytearray | bytes | None) -> bytes | None:
    return None if data is None else bytes(data)
