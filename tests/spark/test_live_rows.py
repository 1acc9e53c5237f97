"""Rows of live topics: every one, exactly, as Spark's own Kafka source gives it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("pyspark.sql.datasource")

from kafkawire.client import Client, TopicPartition
from tests.broker.fixtures import made_or_skipped
from tests.broker.java import Java, NewRecord
from tests.broker.kraft import Broker
from tests.spark.live import T0, batch, batches, create, delete_records, eventually, fill, offsets, reader
from tests.spark.peer import OURS, THEIRS, Peer

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")


@pytest.fixture(scope="module")
def client(broker: Broker) -> Iterator[Client]:
    with Client({"bootstrap.servers": broker.bootstrap}) as made:
        yield made


def test_shapes_of_records(peer: Peer, client: Client, java: Java) -> None:
    """Keys, values and headers that are null, empty, repeated; tombstones; timestamps from 0 on."""
    topic = create(client, "live-shapes", 2)
    records = [
        NewRecord(b"key", b"value", (("h", b"1"),), T0, 0),
        NewRecord(None, b"no key", (), T0 + 1, 0),
        NewRecord(b"tombstone", None, (("h", None), ("h", b""), ("h", b"2"), ("", b"no name")), T0 + 2, 0),
        NewRecord(None, None, (), 0, 0),
        NewRecord(b"", b"", (("unicode \u00e4\u20ac\U0001f600", b"\x00\xff"),), T0 - 5, 0),
        NewRecord(bytes(range(256)), "\u00fc".encode() * 40_000, (), T0 + 3, 0),
    ]
    java.produce(peer.bootstrap, topic, records)
    found = peer.same(subscribe=topic)
    assert [(row.key, row.value) for row in found] == [(one.key, one.value) for one in records]
    assert [row.headers for row in found] == [one.headers or None for one in records]
    assert [row.timestamp for row in found] == [(one.timestamp or 0) * 1000 for one in records]


def test_codecs(peer: Peer, client: Client, java: Java) -> None:
    """Each codec of the Java producer in a partition of its own, behind it ours; one partition stays empty."""
    topic = create(client, "live-codecs", len(CODECS) + 1)
    for partition, codec in enumerate(CODECS):
        records = [
            NewRecord(b"%d" % number, b"java %d" % number * 9, (("n", codec.encode()),), T0, partition)
            for number in range(40)
        ]
        java.produce(peer.bootstrap, topic, records, compression=codec, properties={"batch.size": "1000"})
        ours = batch([b"kafkawire %d" % number for number in range(30)], compression=codec)
        client.produce({TopicPartition(topic, partition): ours})
    found = peer.same(subscribe=topic)
    assert [(row.partition, row.offset) for row in found] == [
        (partition, offset) for partition in range(len(CODECS)) for offset in range(70)
    ]
    no_headers = peer.load(OURS, subscribe=topic)
    assert no_headers.columns == peer.load(THEIRS, subscribe=topic).columns
    assert no_headers.count() == 70 * len(CODECS)


def test_log_append_time(peer: Peer, client: Client, java: Java) -> None:
    topic = create(client, "live-append-time", message_timestamp_type="LogAppendTime")
    java.produce(peer.bootstrap, topic, [NewRecord(None, b"%d" % number, (), T0) for number in range(5)])
    client.produce({TopicPartition(topic, 0): batch([b"a", b"b"], compression="lz4")})
    found = peer.same(subscribe=topic)
    assert {row.timestamp_type for row in found} == {1} and len(found) == 7
    assert min(row.timestamp for row in found) > T0 * 1000


def test_timestamps_without_a_date(peer: Peer, client: Client) -> None:
    """None at all is -1 ms to both; one that microseconds cannot hold fails both, and we say how to go on."""
    topic = create(client, "live-no-time", message_timestamp_after_max_ms=str(2**63 - 1))
    at = TopicPartition(topic, 0)
    client.produce({at: batch([b"none", b"the next"], timestamp=-1)})
    found = peer.same(subscribe=topic)
    assert [row.timestamp for row in found] == [-1000, 999_000]
    client.produce({at: batch([b"far"], timestamp=1 << 62)})
    ours, theirs = peer.refusal(OURS, subscribe=topic), peer.refusal(THEIRS, subscribe=topic)
    assert "too large for Spark's microseconds" in ours and "option columns" in ours
    assert "overflow" in theirs
    assert peer.load(OURS, subscribe=topic, columns="value,offset").count() == 3


@pytest.fixture(scope="module")
def transactions(client: Client, broker: Broker, java: Java) -> str:
    """Two producers whose transactions interleave, one of Java that aborts, and one that stays open behind it all."""
    topic = create(client, "live-transactions", 2)
    at = TopicPartition(topic, 0)
    first, second = (client.idempotent_producer(f"live-{name}") for name in ("a", "b"))

    def write(producer: object, *values: bytes) -> None:
        producer.produce({at: batch(values, **producer.settings(*at))})  # type: ignore[attr-defined]

    for number, (end_first, end_second) in enumerate([("commit", "abort"), ("abort", "commit"), ("abort", "abort")]):
        first.begin()
        second.begin()
        for turn in range(3):
            write(first, b"first %d %d %s" % (number, turn, end_first.encode()), b"more")
            write(second, b"second %d %d %s" % (number, turn, end_second.encode()))
            client.produce({at: batch([b"outside"])})
        getattr(first, end_first)()
        getattr(second, end_second)()
    sent = [NewRecord(None, b"java", (), T0, 0), NewRecord(None, b"java", (), T0, 1)]
    java.produce(broker.bootstrap, topic, sent, transactional_id="live-c", transaction="abort", compression="zstd")
    client.produce({at: batch([b"before the open one"])})
    first.begin()
    write(first, b"open")
    client.produce({at: batch([b"behind the open one"]), TopicPartition(topic, 1): batch([b"free"])})
    return topic


@pytest.mark.parametrize("fetch_bytes", [1, 200, 8 << 20])
def test_transactions(peer: Peer, transactions: str, fetch_bytes: int) -> None:
    """Also where each batch is a response of its own, so that a transaction spans many."""
    small: dict[str, Any] = {"kafka_max_partition_fetch_bytes": fetch_bytes, "subscribe": transactions}
    found = peer.same_each(
        {
            "uncommitted": small,
            "committed": {**small, "kafka_isolation_level": "read_committed"},
            "cut": {
                **small,
                "kafka_isolation_level": "read_committed",
                "minPartitions": 9,
                "startingOffsets": f'{{"{transactions}": {{"0": 5, "1": -2}}}}',
            },
        }
    )
    committed = [row.value for row in found["committed"] if row.value is not None]
    assert [value for value in committed if b"abort" in value or value in (b"java", b"open")] == []
    assert committed.count(b"outside") == 9 and committed[-2:] == [b"before the open one", b"free"]
    uncommitted = [row.value for row in found["uncommitted"]]
    assert {b"open", b"behind the open one", b"java"} <= set(uncommitted)
    assert sum(b"abort" in (value or b"") for value in uncommitted) == 12


def test_transactions_through_spark(peer: Peer, transactions: str) -> None:
    found = peer.same(subscribe=transactions, kafka_isolation_level="read_committed", minPartitions=5)
    assert len(found) > 0


def test_control_records_on_request(broker: Broker, transactions: str) -> None:
    """Only here, Spark's source never shows them: every offset of the log is a row then."""
    given = {"subscribe": transactions, "includeControl": True, "columns": "offset,key,partition"}
    everything = reader(broker.bootstrap, **given)
    where = [(row["partition"], row["offset"]) for part in batches(everything) for row in part.to_pylist()]
    plan = [part.value for part in everything.partitions()]
    assert where == [(part.partition, offset) for part in plan for offset in range(part.start, part.end)]
    # With read_committed the records of aborted transactions are left out, their markers are not.
    committed = offsets(reader(broker.bootstrap, kafka_isolation_level="read_committed", **given))
    without = offsets(reader(broker.bootstrap, kafka_isolation_level="read_committed", subscribe=transactions))
    assert set(without) < set(committed) and len(committed) - len(without) == 8


@pytest.fixture
def cleaning_broker() -> Iterator[Broker]:
    """A broker of its own, whose cleaner has nothing else to do, and does not pause for 15 seconds."""
    with made_or_skipped(lambda: Broker(properties={"log.cleaner.backoff.ms": "200"})) as started:
        yield started


def test_compacted_topic(peer: Peer, cleaning_broker: Broker) -> None:
    """Gaps between records and between batches, ranges that start and end in gaps."""
    with Client({"bootstrap.servers": cleaning_broker.bootstrap}) as client:
        compare_compacted(Peer(peer.spark, cleaning_broker.bootstrap), client)


def compare_compacted(peer: Peer, client: Client) -> None:
    topic = create(
        client, "live-compacted", cleanup_policy="compact", segment_ms="1000", min_cleanable_dirty_ratio="0.01"
    )
    at = TopicPartition(topic, 0)
    turns = 0

    def write(key: bytes, *values: bytes | None) -> None:
        nonlocal turns  # each begins a new segment: only closed ones are cleaned
        turns += 1
        client.produce({at: batch(values, T0 + turns * 10_000, key, compression="lz4")})

    for turn in range(4):
        for key in range(10) if turn < 3 else range(4):
            write(b"%d" % key, b"first", b"second", None if key == 3 else b"last %d" % turn)

    def ends(offset: int) -> str:
        return f'{{"{topic}": {{"0": {offset}}}}}'

    def compacted() -> bool:
        write(b"tick", b"tick")
        return len(offsets(reader(peer.bootstrap, subscribe=topic, endingOffsets=ends(102)))) == 10

    assert eventually(compacted, 90)
    there = offsets(reader(peer.bootstrap, subscribe=topic, endingOffsets=ends(102)))
    gap = next(low + 1 for low, high in itertools.pairwise(there) if high - low > 2)
    given = {"subscribe": topic, "endingOffsets": ends(102)}
    found = peer.same_each(
        {
            "all": given,
            "parts": {**given, "minPartitions": 11},
            "gap": {"subscribe": topic, "startingOffsets": ends(gap), "endingOffsets": ends(gap + 1)},
        }
    )
    assert [row.offset for row in found["all"]] == there
    assert found["parts"] == found["all"] and found["gap"] == []


def test_deleted_records(peer: Peer, client: Client) -> None:
    """The log starts later than 0, in the middle of a batch."""
    topic = create(client, "live-deleted")
    client.produce({TopicPartition(topic, 0): batch([b"%d" % number for number in range(20)], compression="gzip")})
    fill(client, topic, 5)
    delete_records(client, topic, 7)
    found = peer.same(subscribe=topic)
    assert [row.offset for row in found] == list(range(7, 25))


def test_records_larger_than_a_fetch(peer: Peer, client: Client) -> None:
    topic = create(client, "live-large", max_message_bytes="4000000")
    large = [b"a" * 1_000_000, b"b", b"c" * 1_500_000]
    for value in large:
        client.produce({TopicPartition(topic, 0): batch([value])})
    found = peer.same(subscribe=topic, kafka_max_partition_fetch_bytes=1024, kafka_fetch_max_bytes=2048)
    assert [row.value for row in found] == large


def test_batches_stay_within_their_bounds(client: Client, broker: Broker) -> None:
    topic = create(client, "live-batches")
    at = TopicPartition(topic, 0)
    for _ in range(20):
        client.produce({at: batch([b"x" * 1000] * 50, compression="lz4")})
    whole = list(batches(reader(broker.bootstrap, subscribe=topic)))
    assert sum(one.num_rows for one in whole) == 1000
    rows = list(batches(reader(broker.bootstrap, subscribe=topic, rowsPerBatch=7)))
    assert max(one.num_rows for one in rows) == 7 and len(rows) >= 1000 // 7
    small = list(batches(reader(broker.bootstrap, subscribe=topic, bytesPerBatch="10k")))
    assert max(one.nbytes for one in small) <= 10 << 10
    side_by_side = batches(reader(broker.bootstrap, subscribe=topic, threads=3, kafka_max_partition_fetch_bytes=4000))
    assert [row for one in side_by_side for row in one.to_pylist()] == [row for one in whole for row in one.to_pylist()]
    for few in (rows, small):
        assert [row for one in few for row in one.to_pylist()] == [row for one in whole for row in one.to_pylist()]


def test_chosen_columns(peer: Peer, transactions: str) -> None:
    df = peer.load(OURS, subscribe=transactions, columns="offset, VALUE,topic")
    assert df.columns == ["offset", "value", "topic"]
    theirs = peer.load(THEIRS, subscribe=transactions).select("offset", "value", "topic")
    assert sorted(map(tuple, df.collect())) == sorted(map(tuple, theirs.collect()))
    assert peer.load(OURS, subscribe=transactions, columns="topic").count() == theirs.count()


def test_many_topics(peer: Peer, client: Client) -> None:
    names = [create(client, f"live-many-{number}", 2) for number in range(4)]
    other = create(client, "live-many")
    for number, name in enumerate([*names, other]):
        client.produce({TopicPartition(name, 0): batch([b"%d" % number] * (number + 1))})
    assigned = f'{{"{names[0]}": [1, 0], "{names[3]}": [0]}}'
    start = f'{{"{names[0]}": {{"0": -2, "1": 0}}, "{names[3]}": {{"0": 2}}}}'
    assert len(peer.same(subscribe=f"{names[0]},{other}")) == 6
    found = peer.same_each(
        {
            "several": {"subscribe": f" {names[1]}, {names[2]},,{names[1]} "},
            "pattern": {"subscribePattern": "live-many-[0-2]"},  # all of a name, not a part of it
            "prefix": {"subscribePattern": "live-many.*"},
            "nothing": {"subscribePattern": "no-such-topic-.+"},
            "assigned": {"assign": assigned},
            "start": {"assign": assigned, "startingOffsets": start},
        }
    )
    assert {name: len(rows) for name, rows in found.items()} == {
        "several": 5, "pattern": 6, "prefix": 15, "nothing": 0, "assigned": 5, "start": 3,
    }  # fmt: skip
