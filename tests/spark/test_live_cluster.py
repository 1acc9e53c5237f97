"""Live reads of a cluster: leaders that die in the middle, and followers that are nearer."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pytest

pytest.importorskip("pyspark.sql.datasource")

from pyspark.sql import SparkSession

from kafkawire.client import Client, FetchedPartition, Fetcher, TopicPartition
from tests.broker.kraft import Cluster
from tests.spark.live import batches, create, eventually, fill, offsets, reader

COUNT = 60


@pytest.fixture
def client(cluster: Cluster) -> Iterator[Client]:
    with Client({"bootstrap.servers": cluster.bootstrap}) as made:
        yield made


def test_the_leader_dies_while_spark_reads(
    spark: SparkSession, cluster: Cluster, client: Client, tmp_path: Path
) -> None:
    """Every record once, in the order of its partition."""
    topic = create(client, "live-leader", 2, 3)
    for partition in (0, 1):
        fill(client, topic, COUNT, partition=partition)

    def pause(some: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in some:
            partition = batch.column("partition")[0].as_py()
            (tmp_path / f"begun-{partition}").touch()
            end = time.monotonic() + 90
            while not (tmp_path / "go-on").exists() and time.monotonic() < end:
                time.sleep(0.05)
            yield batch

    given = {
        "kafka.bootstrap.servers": cluster.bootstrap,
        "subscribe": topic,
        "kafka.max.partition.fetch.bytes": "1",  # a response for each record: most are fetched after the leader died
        "kafka.request.timeout.ms": "5000",
    }
    df = spark.read.format("kafkawire").options(**given).load()
    paused = df.mapInArrow(pause, df.schema).select("partition", "offset")
    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(lambda: [tuple(row) for row in paused.collect()])
        leader = _kill_the_leader(cluster, topic, tmp_path)
        assert job.result(180) == [(partition, offset) for partition in (0, 1) for offset in range(COUNT)]
    assert cluster.leader(topic, 0, other_than=leader) != leader


def _kill_the_leader(cluster: Cluster, topic: str, signs: Path) -> int:
    """Once both tasks have begun; then they may go on."""
    try:
        assert eventually(lambda: all((signs / f"begun-{number}").exists() for number in (0, 1)), 60)
        leader = cluster.leader(topic, 0)
        cluster.kill(leader)
        return leader
    finally:
        (signs / "go-on").touch()


def test_the_nearest_replica(cluster: Cluster, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """With kafka.client.rack a follower there gives the records, and when it dies, the leader does."""
    topic = create(client, "live-nearby", 1, 3)
    fill(client, topic, COUNT)
    leader = cluster.leader(topic)
    follower = next(node for node in cluster.NODES if node != leader)
    asked: list[int] = []
    real = Fetcher.fetch

    def noted(self: Fetcher, *arguments: object, **more: object) -> dict[TopicPartition, FetchedPartition]:
        found = real(self, *arguments, **more)  # type: ignore[arg-type]
        asked.extend(one.broker for one in found.values() if one.records)
        return found

    monkeypatch.setattr(Fetcher, "fetch", noted)
    given = {"subscribe": topic, "kafka_max_partition_fetch_bytes": 1, "kafka_request_timeout_ms": 5000}
    near = reader(cluster.bootstrap, kafka_client_rack=f"rack-{follower}", **given)

    def from_the_follower() -> bool:  # once it knows how far the replicas are
        asked.clear()
        assert offsets(near) == list(range(COUNT))
        return set(asked) == {follower}

    assert eventually(from_the_follower, 60)
    asked.clear()
    assert offsets(reader(cluster.bootstrap, **given)) == list(range(COUNT))
    assert set(asked) == {leader}
    asked.clear()
    running = batches(near)
    assert next(running).num_rows == 1
    cluster.kill(follower)
    assert sum(one.num_rows for one in running) == COUNT - 1
    assert asked[0] == follower and asked[-1] == leader
