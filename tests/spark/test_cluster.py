"""Batch reads on a standalone Spark cluster: executors in processes of their own, which may be killed."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")

from pyspark.sql import SparkSession

from tests.broker.kraft import Broker, Cluster
from tests.spark.conftest import Row
from tests.spark.standalone import StandaloneCluster
from tests.spark.topics import fill, numbered

JOB = Path(__file__).with_name("cluster_job.py")


@pytest.fixture(scope="module")
def standalone(spark: SparkSession) -> Iterator[StandaloneCluster]:
    # The session is asked for only because it knows whether there is a Java.
    with StandaloneCluster() as cluster:
        yield cluster


def fill_some(bootstrap: str, topic: str) -> list[tuple[Any, ...]]:
    messages = numbered(1000, size=200)
    return checksums(
        fill(bootstrap, topic, {0: [messages[:600], messages[600:]], 1: [messages[:500]], 2: [messages[:1]]})
    )


def checksums(rows: list[Row]) -> list[tuple[Any, ...]]:
    return [(row.topic, row.partition, row.offset, zlib.crc32(row.value or b"")) for row in rows]


def without_directories(found: list[list[Any]]) -> list[tuple[Any, ...]]:
    return sorted(tuple(row[:-1]) for row in found)


def workers(cluster: StandaloneCluster, found: list[list[Any]]) -> set[str]:
    """The workers whose executors gave these rows."""
    directories = {row[-1] for row in found}
    names = {
        name for name in cluster.WORKERS for one in directories if one.startswith(str(cluster.work_directory(name)))
    }
    assert all(any(one.startswith(str(cluster.work_directory(name))) for name in names) for one in directories)
    return names


def options(bootstrap: str, topic: str) -> dict[str, str]:
    return {"kafka.bootstrap.servers": bootstrap, "subscribe": topic, "maxRecordsPerPartition": "200"}


def test_reading_from_one_broker_and_from_three(
    standalone: StandaloneCluster, broker: Broker, cluster: Cluster
) -> None:
    one = fill_some(broker.bootstrap, "spark-cluster")
    three = fill_some(cluster.bootstrap, "spark-cluster")
    reads = [
        options(broker.bootstrap, "spark-cluster"),
        {**options(broker.bootstrap, "spark-cluster"), "function": True},
        options(cluster.bootstrap, "spark-cluster"),
    ]
    with standalone.submit(JOB, reads) as job:
        found = job.result()
    assert [without_directories(rows) for rows in found] == [one, one, three]
    assert workers(standalone, [row for rows in found for row in rows]) == set(standalone.WORKERS)


def test_a_worker_that_is_killed(standalone: StandaloneCluster, broker: Broker) -> None:
    expected = fill_some(broker.bootstrap, "spark-cluster-killed")
    first, second = standalone.WORKERS
    read = options(broker.bootstrap, "spark-cluster-killed")
    with standalone.submit(JOB, [read], stall=str(standalone.work_directory(first))) as job:
        job.wait_for("stalled")  # a task of the first worker has fetched rows
        standalone.kill(first)
        (found,) = job.result()
        assert not (job.directory / "survived").exists()
    standalone.start_worker(first)
    assert without_directories(found) == expected
    assert second in workers(standalone, found)
