"""Live reads when something goes wrong on the way: nothing lost without a word, nothing twice, nothing left behind.

Most of them run what Spark runs, reader and tasks, without Spark around it.
"""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

pytest.importorskip("pyspark.sql.datasource")

from pyspark.sql import SparkSession
from pyspark.sql.datasource import InputPartition

import kafkawire as kw
from kafkawire.client import Client, ClientError, DeadlineError, TopicPartition
from kafkawire.spark import clients
from kafkawire.spark.given import OptionError
from kafkawire.spark.planning import DataLossError, OffsetRange
from tests.broker.kraft import Broker
from tests.spark.conftest import rows
from tests.spark.live import batch, batches, create, delete_records, eventually, fill, offsets, our_threads, reader
from tests.spark.peer import OURS, THEIRS, Peer

#: So that each batch is a response of its own.
ONE = {"kafka_max_partition_fetch_bytes": 1}


@pytest.fixture(scope="module")
def client(broker: Broker) -> Iterator[Client]:
    with Client({"bootstrap.servers": broker.bootstrap}) as made:
        yield made


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    yield
    assert our_threads() == []
    clients.close_all()


# ---- records that go away ----


def test_deleted_between_plan_and_read(peer: Peer, client: Client) -> None:
    """As retention does it: both fail, and with failOnDataLoss=false both go on with what is there. "earliest" is what
    is there in any case."""
    topic = create(client, "trouble-retention")
    fill(client, topic, 30)
    fixed = {"startingOffsets": f'{{"{topic}": {{"0": 0}}}}', "endingOffsets": f'{{"{topic}": {{"0": 30}}}}'}
    strict, lenient, earliest = (
        {source: peer.load(source, subscribe=topic, **options) for source in (OURS, THEIRS)}
        for options in (fixed, {**fixed, "failOnDataLoss": False}, {})
    )
    # An RDD keeps the tasks that were planned when they were counted.
    reads = [df for found in (strict, lenient, earliest) for df in found.values()]
    assert [df.rdd.getNumPartitions() for df in reads] == [1] * 6
    delete_records(client, topic, 12)
    with pytest.raises(Exception, match="the offsets 0 to 11 are gone, the log starts at 12 now"):
        strict[OURS].rdd.count()
    with pytest.raises(Exception, match="failOnDataLoss"):
        strict[THEIRS].rdd.count()
    for reading in (lenient, earliest):
        found = {source: sorted(row.offset for row in df.rdd.collect()) for source, df in reading.items()}
        assert found[OURS] == found[THEIRS] == list(range(12, 30))


def test_deleted_while_reading(client: Client, broker: Broker, caplog: pytest.LogCaptureFixture) -> None:
    topic = create(client, "trouble-while")
    fill(client, topic, 60)
    strict = reader(broker.bootstrap, subscribe=topic, **ONE)
    lenient = reader(broker.bootstrap, subscribe=topic, failOnDataLoss=False, **ONE)
    with closing(batches(strict)) as first, closing(batches(lenient)) as second:  # type: ignore[type-var]
        assert next(first).column("offset").to_pylist() == next(second).column("offset").to_pylist() == [0]
        delete_records(client, topic, 40)
        with pytest.raises(DataLossError, match=r"trouble-while-0: .* the log starts at 40 now.*failOnDataLoss"):
            for _ in first:
                pass
        with caplog.at_level(logging.WARNING, logger="kafkawire"):
            rest = [offset for one in second for offset in one.column("offset").to_pylist()]
    # What was fetched ahead is there, then what the log has.
    ahead = [offset for offset in rest if offset < 40]
    assert ahead == list(range(1, len(ahead) + 1)) and len(ahead) < 10
    assert rest[len(ahead) :] == list(range(40, 60))
    assert [record.getMessage() for record in caplog.records if "are gone" in record.getMessage()]


def test_all_deleted(client: Client, broker: Broker) -> None:
    """The log starts behind the range."""
    topic = create(client, "trouble-all")
    fill(client, topic, 10)
    parts = [InputPartition(OffsetRange(topic, 0, 2, 5))]
    delete_records(client, topic, 8)
    assert offsets(reader(broker.bootstrap, subscribe=topic, failOnDataLoss=False), parts) == []
    with pytest.raises(DataLossError, match="the offsets 2 to 4 are gone, the log starts at 8"):
        offsets(reader(broker.bootstrap, subscribe=topic), parts)


def test_topic_deleted(client: Client, broker: Broker) -> None:
    topic = create(client, "trouble-topic")
    fill(client, topic, 30)
    impatient = {"subscribe": topic, "kafkaConsumer.pollTimeoutMs": 1500, **ONE}
    strict = reader(broker.bootstrap, **impatient)
    lenient = reader(broker.bootstrap, failOnDataLoss=False, **impatient)
    parts = strict.partitions()
    with closing(batches(strict, parts)) as running:  # type: ignore[type-var]
        next(running)
        client.delete_topics([topic])
        with pytest.raises(DataLossError, match="trouble-topic-0 is not there any more"):
            for _ in running:
                pass
    assert offsets(lenient, parts) == []
    with pytest.raises(ClientError, match="UNKNOWN_TOPIC_OR_PARTITION"):
        strict.partitions()


def test_a_shorter_log(client: Client, broker: Broker) -> None:
    """The topic was created anew after the plan was made: the offsets are no longer there."""
    topic = create(client, "trouble-shorter")
    fill(client, topic, 3)
    parts = [InputPartition(OffsetRange(topic, 0, 20, 30))]
    with pytest.raises(DataLossError, match="the log ends at 3, before the offset 20 that was there once"):
        offsets(reader(broker.bootstrap, subscribe=topic), parts)
    assert offsets(reader(broker.bootstrap, subscribe=topic, failOnDataLoss=False), parts) == []


# ---- records that are damaged ----


def damage(broker: Broker, topic: str, number: int, offset_in_batch: int, bits: int = 0xFF) -> int:
    """Flip bits of a byte in a batch of the broker's own file; gives the batch's first offset."""
    path = broker.log_directory / f"{topic}-0" / "00000000000000000000.log"
    where = kw.split(path.read_bytes()).batches[number]
    with path.open("r+b") as file:
        file.seek(where.position + offset_in_batch)
        old = file.read(1)[0]
        file.seek(-1, 1)
        file.write(bytes([old ^ bits]))
    return number * 3


#: Where in the batch, and which bits.
DAMAGES = {"checksum": (17, 0xFF), "attributes": (22, 0x07), "last offset": (24, 0x40), "records": (70, 0x01)}


@pytest.mark.parametrize("fetch_bytes", [1, 700, 1 << 20])
@pytest.mark.parametrize("place", DAMAGES)
def test_damaged_batches(client: Client, broker: Broker, place: str, fetch_bytes: int) -> None:
    topic = create(client, f"trouble-damage-{place.replace(' ', '-')}-{fetch_bytes}")
    for _ in range(8):
        client.produce({TopicPartition(topic, 0): batch([b"x" * 90] * 3)})
    # What a batch at the end of the log wrongly says of its end cannot be told from what it should say.
    numbers = (0, 3, 4) if place == "last offset" else (0, 3, 4, 7)
    gone = [damage(broker, topic, number, *DAMAGES[place]) for number in numbers]
    given: dict[str, Any] = {"subscribe": topic, "kafka_max_partition_fetch_bytes": fetch_bytes}
    with pytest.raises(kw.WireError, match=f"{topic}-0") as caught:
        offsets(reader(broker.bootstrap, **given))
    assert caught.value.position is not None
    left = [offset for offset in range(24) if offset // 3 * 3 not in gone]
    assert offsets(reader(broker.bootstrap, mode="DROPMALFORMED", **given)) == left


@pytest.mark.parametrize("fetch_bytes", [1, 1 << 20])
@pytest.mark.parametrize("mode", ["FAILFAST", "DROPMALFORMED"])
def test_a_damaged_first_offset(client: Client, broker: Broker, mode: str, fetch_bytes: int) -> None:
    """The one field that no checksum covers: its records must not fall out of the range without a word."""
    topic = create(client, f"trouble-offset-{mode.lower()}-{fetch_bytes}")
    fill(client, topic, 8)
    damage(broker, topic, 5, 6, 0x40)
    with pytest.raises(kw.CorruptError, match=f"{topic}-0"):
        offsets(reader(broker.bootstrap, subscribe=topic, mode=mode, kafka_max_partition_fetch_bytes=fetch_bytes))


def test_a_length_that_cannot_be(client: Client, broker: Broker) -> None:
    """Nothing behind it can be found: an error whatever the mode."""
    topic = create(client, "trouble-length")
    fill(client, topic, 3)
    found = reader(broker.bootstrap, subscribe=topic, mode="DROPMALFORMED")
    parts = found.partitions()
    damage(broker, topic, 1, 16, 0x04)  # magic
    with pytest.raises((kw.WireError, ClientError), match="trouble-length-0"):
        offsets(found, parts)


# ---- brokers that do not answer, and queries that end early ----


def test_nobody_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client tries for default.api.timeout.ms, and not so long for each of the retries."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        dead = f"127.0.0.1:{server.getsockname()[1]}"
    tries = []
    real = Client.metadata
    monkeypatch.setattr(Client, "metadata", lambda *given, **more: (tries.append(given), real(*given, **more))[1])
    given = {"subscribe": "t", "kafka_default_api_timeout_ms": 500, "fetchOffset.numRetries": 5}
    with pytest.raises(DeadlineError, match=dead):
        reader(dead, **given).partitions()
    assert len(tries) == 1
    late = reader(dead, **given, **{"kafkaConsumer.pollTimeoutMs": 500})
    with pytest.raises(DeadlineError):
        offsets(late, [InputPartition(OffsetRange("t", 0, 0, 9))])


def test_a_slow_taker_is_no_timeout(client: Client, broker: Broker) -> None:
    """The patience is for brokers: Spark may take as long as it likes with a batch."""
    topic = create(client, "trouble-slow")
    fill(client, topic, 8)
    found = batches(reader(broker.bootstrap, subscribe=topic, **ONE, **{"kafkaConsumer.pollTimeoutMs": 1500}))
    assert next(found).num_rows == 1
    time.sleep(2)
    assert sum(one.num_rows for one in found) == 7


@pytest.mark.parametrize("threads", [1, 3])
def test_ending_early(client: Client, broker: Broker, threads: int) -> None:
    """As a LIMIT does, while the next fetch waits at the broker for records to come."""
    topic = create(client, f"trouble-early-{threads}")
    fill(client, topic, 5)
    parts = [InputPartition(OffsetRange(topic, 0, 0, 1000))]  # the broker waits for the 6th record
    found = reader(broker.bootstrap, subscribe=topic, threads=threads, **ONE)
    running = batches(found, parts)
    taken = [next(running).num_rows for _ in range(1 if threads == 3 else 4)]
    assert set(taken) == {1}
    assert eventually(lambda: bool(our_threads()))
    running.close()  # type: ignore[attr-defined]
    assert our_threads() == []


def test_limit(spark: SparkSession, client: Client, broker: Broker) -> None:
    topic = create(client, "trouble-limit", 2)
    for partition in (0, 1):
        fill(client, topic, 100, partition=partition)
    given = {"kafka.bootstrap.servers": broker.bootstrap, "subscribe": topic, "kafka.max.partition.fetch.bytes": "1"}
    df = spark.read.format("kafkawire").options(**given, includeHeaders="true").load()
    assert len(rows(df.limit(3))) == 3
    assert len(df.take(150)) == 150
    assert df.count() == 200


def test_plans_that_cannot_be(client: Client, broker: Broker) -> None:
    topic = create(client, "trouble-plan")
    with pytest.raises(OptionError, match=r"assign: there is no partition 7 of 'trouble-plan'"):
        reader(broker.bootstrap, assign=f'{{"{topic}": [7]}}').partitions()
