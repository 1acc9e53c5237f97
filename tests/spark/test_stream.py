"""spark.readStream.format("kafkawire") with a real broker: checkpoints, restarts, limits, triggers."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark.sql.datasource")

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from kafkawire.client import Client
from kafkawire.spark import register
from tests.broker.kraft import Broker
from tests.spark.streams import LIMITS, Topic, wait_until


@pytest.fixture
def client(broker: Broker) -> Iterator[Client]:
    with Client({"bootstrap.servers": broker.bootstrap}) as opened:
        yield opened


class Sink:
    """An idempotent sink in this process: what came in each batch, the last time that it came.

    ``trouble(batch, written)`` is called before and after a batch was written.
    """

    def __init__(self, trouble: Callable[[int, bool], object] = lambda batch, written: None) -> None:
        self.batches: dict[int, list[tuple[int, int]]] = {}
        self.trouble = trouble

    def __call__(self, df: DataFrame, batch: int) -> None:
        self.trouble(batch, False)
        self.batches[batch] = sorted((row.partition, row.offset) for row in df.select("partition", "offset").collect())
        self.trouble(batch, True)

    @property
    def everything(self) -> list[tuple[int, int]]:
        return sorted(one for batch in self.batches.values() for one in batch)


def start(
    spark: SparkSession, bootstrap: str, sink: Sink, checkpoint: Path, trigger: dict[str, Any], **options: Any
) -> StreamingQuery:
    register(spark)
    stream = spark.readStream.format("kafkawire").option("kafka.bootstrap.servers", bootstrap).options(**options).load()
    writer = stream.writeStream.foreachBatch(sink).option("checkpointLocation", str(checkpoint))
    return writer.trigger(**trigger).start()


def run(spark: SparkSession, broker: Broker, sink: Sink, checkpoint: Path, **options: Any) -> list[dict[str, Any]]:
    """Read what is there; gives the progress of each batch."""
    if not LIMITS:  # without it these versions end after a batch that was to be done again
        spark.conf.set("spark.sql.streaming.triggerAvailableNowWrapper.enabled", "true")
    query = start(spark, broker.bootstrap, sink, checkpoint, {"availableNow": True}, **options)
    try:
        assert query.awaitTermination(120)
    finally:
        query.stop()
    return [json.loads(one.json) for one in query.recentProgress]


def _parsed(offsets: Any) -> Any:
    """Spark gives them as an object or as its text."""
    return json.loads(offsets) if isinstance(offsets, str) else offsets


def test_available_now_with_limits_and_a_restart(
    spark: SparkSession, broker: Broker, client: Client, tmp_path: Path
) -> None:
    topic = Topic(client, 2)
    topic.add(15, 5)
    there = topic.everything()
    # A producer goes on: nothing of it is read in this run.
    sink = Sink(lambda batch, written: written and topic.add(1, 1))
    options = {"subscribe": topic.name, "startingOffsets": "earliest", "maxOffsetsPerTrigger": 8}
    progress = run(spark, broker, sink, tmp_path, **options)
    assert sink.everything == there
    expected = [8, 8, 4] if LIMITS else [20]
    assert [len(sink.batches[batch]) for batch in sorted(sink.batches)] == expected
    assert [one["numInputRows"] for one in progress if one["numInputRows"]] == expected
    if LIMITS:
        source = progress[1]["sources"][0]
        assert _parsed(source["startOffset"]) == topic.offsets(6, 2)
        assert _parsed(source["endOffset"]) == topic.offsets(12, 4)
        assert _parsed(source["latestOffset"]) == topic.offsets(15, 5)  # from which Spark's users see the lag
    written = (tmp_path / "offsets" / str(max(sink.batches))).read_text().splitlines()[-1]
    assert json.loads(written) == topic.offsets(15, 5)

    # The next run goes on there; it finds a new partition.
    topic.grow(3)
    topic.add(0, 0, 4)
    following = Sink()
    run(spark, broker, following, tmp_path, **options)
    assert sorted(there + following.everything) == topic.everything()
    assert min(following.batches) == max(sink.batches) + 1


def test_a_batch_that_failed_is_the_same_again(
    spark: SparkSession, broker: Broker, client: Client, tmp_path: Path
) -> None:
    topic = Topic(client, 2)
    topic.add(4, 2)
    sink = Sink()

    def fails_once(*when: object) -> Callable[[int, bool], None]:
        def trouble(batch: int, written: bool) -> None:
            if (batch, written) == when:
                topic.add(3, 3)
                raise RuntimeError("now the machine stops")

        return trouble

    options = {"subscribe": topic.name, "startingOffsets": "earliest", "maxOffsetsPerTrigger": 3}
    for when in [(0, False), (1, True)]:
        sink.trouble = fails_once(*when)
        with pytest.raises(Exception, match="the machine stops"):
            run(spark, broker, sink, tmp_path, **options)
    sink.trouble = lambda batch, written: None
    run(spark, broker, sink, tmp_path, **options)
    assert sink.everything == topic.everything()
    assert len(sink.batches) > 2


def test_a_broker_that_restarts_between_batches(
    spark: SparkSession, broker: Broker, client: Client, tmp_path: Path
) -> None:
    """And a pattern that finds a new topic, and a query that ends when it is told to."""
    topic = Topic(client)
    topic.add(2)
    sink = Sink()
    options = {"subscribePattern": f"{topic.name}(-more)?", "startingOffsets": "earliest"}
    query = start(spark, broker.bootstrap, sink, tmp_path, {"processingTime": "0 seconds"}, **options)
    try:
        wait_until(lambda: len(sink.everything) == 2)
        broker.kill()
        broker.start()
        topic.add(3)
        wait_until(lambda: len(sink.everything) == 5)
        more = Topic(client, 2, name=f"{topic.name}-more")
        more.add(0, 2)
        wait_until(lambda: len(sink.everything) == 7)
        assert query.exception() is None
    finally:
        query.stop()
    assert not query.isActive
    assert sink.everything == sorted(topic.everything() + more.everything())


def test_a_stop_while_no_broker_answers(spark: SparkSession, tmp_path: Path) -> None:
    asked = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(1)
                asked.set()
                stopped.wait(120)

        stopped = threading.Event()
        silent = threading.Thread(target=accept)
        silent.start()
        address = f"127.0.0.1:{server.getsockname()[1]}"
        query = start(spark, address, Sink(), tmp_path, {"processingTime": "0 seconds"}, subscribe="some")
        assert asked.wait(60)
        stopping = threading.Thread(target=query.stop)
        stopping.start()
        stopping.join(20)  # the client would wait longer
        hangs = stopping.is_alive()
        stopped.set()
        stopping.join()
        silent.join()
    assert not hangs
