"""One Spark session for all tests, and the segments that brokers wrote with what Java read from them."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tarfile
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ARCHIVE = Path(__file__).parents[1] / "data" / "segments.tar.xz"
TIMESTAMP_TYPES = {"NoTimestampType": -1, "CreateTime": 0, "LogAppendTime": 1}


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
        if os.environ.get("CI"):
            pytest.fail(reason)
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


@pytest.fixture(scope="session")
def segments(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of sets, each a broker's directory of topic-partition directories."""
    directory = tmp_path_factory.mktemp("segments")
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(directory, filter="data")
    return directory / "segments"


def expected_rows(directory: Path, control: bool = False) -> list[Row]:
    """What Java read from the segments of a topic-partition directory, as rows."""
    topic, _, partition = directory.name.rpartition("-")
    rows = []
    for line in (directory / "expected.jsonl").read_text().splitlines():
        record = json.loads(line)
        if not record["file"].endswith(".log") or (record["isControl"] and not control):
            continue  # __cluster_metadata has checkpoints beside its segments
        rows.append(
            Row(
                topic,
                int(partition),
                record["offset"],
                record["timestamp"] * 1000,
                TIMESTAMP_TYPES[record["timestampType"]],
                _bytes(record["key"]),
                _bytes(record["value"]),
                tuple((key, _bytes(value)) for key, value in record["headers"]),
            )
        )
    return rows


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


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else b64decode(text)
