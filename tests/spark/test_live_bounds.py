"""The options of live reads: what Spark's own source reads with them we read, what it refuses we refuse."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("pyspark.sql.datasource")

from kafkawire.client import Client, TopicPartition
from tests.broker.kraft import Broker
from tests.spark.live import T0, batch, create, delete_records
from tests.spark.peer import OURS, THEIRS, Peer

#: Two partitions of 10 and 6 records a second apart, the second starting at offset 2; and one topic with an empty one.
FULL, EMPTY = "live-bounds", "live-bounds-empty"


@pytest.fixture(scope="module", autouse=True)
def topics(broker: Broker) -> Iterator[None]:
    with Client({"bootstrap.servers": broker.bootstrap}) as client:
        create(client, FULL, 2)
        create(client, EMPTY, 2)
        values = [b"%d" % number for number in range(10)]
        client.produce({TopicPartition(FULL, 0): batch(values), TopicPartition(EMPTY, 1): batch(values)})
        client.produce({TopicPartition(FULL, 1): batch(values[:4]) + batch(values[4:8], T0 + 4000)})
        delete_records(client, FULL, 2, partition=1)
    yield


def at(first: int, second: int, topic: str = FULL) -> str:
    return json.dumps({topic: {"0": first, "1": second}})


#: name: options, and how many rows of each partition that is.
READS: dict[str, tuple[dict[str, Any], tuple[int, int]]] = {
    "all": ({}, (10, 6)),
    "words": ({"startingOffsets": "earliest", "endingOffsets": "latest"}, (10, 6)),
    "words in any case": ({"STARTINGOFFSETS": " Earliest ", "endingoffsets": "LATEST"}, (10, 6)),
    "start": ({"startingOffsets": at(3, -2)}, (7, 6)),
    "end": ({"endingOffsets": at(7, -1)}, (7, 6)),
    "both": ({"startingOffsets": at(3, 4), "endingOffsets": at(7, 5)}, (4, 1)),
    "nothing between": ({"startingOffsets": at(3, 5), "endingOffsets": at(3, 5)}, (0, 0)),
    "from the end": ({"startingOffsets": at(10, 8)}, (0, 0)),
    "starting at": ({"startingTimestamp": T0 + 3000}, (7, 5)),
    "starting between": ({"startingTimestamp": T0 + 2500}, (7, 5)),
    "starting at 0": ({"startingTimestamp": 0}, (10, 6)),
    "starting at each": ({"startingOffsetsByTimestamp": at(T0 + 9000, T0)}, (1, 6)),
    "ending at": ({"endingTimestamp": T0 + 5000}, (5, 3)),
    "ending too late": ({"endingTimestamp": T0 + 8000}, (8, 6)),
    "ending at each": ({"endingOffsetsByTimestamp": at(T0 + 1, T0 + 1_000_000)}, (1, 6)),
    "ending before all": ({"endingTimestamp": 0}, (0, 0)),
    "span": ({"startingTimestamp": T0 + 2000, "endingTimestamp": T0 + 4000}, (2, 2)),
    "latest instead": ({"startingTimestamp": T0 + 8000, "startingOffsetsByTimestampStrategy": "latest"}, (2, 0)),
    "LATEST instead": (
        {"startingOffsetsByTimestamp": at(T0 + 60_000, T0), "startingOffsetsByTimestampStrategy": "LATEST"},
        (0, 6),
    ),
    "start: timestamp before all": (
        {
            "startingTimestamp": T0 + 5000,
            "startingOffsetsByTimestamp": at(T0, T0),
            "startingOffsets": at(1, 2),
        },
        (5, 3),
    ),
    "start: timestamps before offsets": (
        {"startingOffsetsByTimestamp": at(T0 + 5000, T0), "startingOffsets": at(1, 2)},
        (5, 6),
    ),
    "end: timestamp before all": (
        {"endingTimestamp": T0 + 5000, "endingOffsetsByTimestamp": at(T0, T0), "endingOffsets": at(1, 2)},
        (5, 3),
    ),
    "end: timestamps before offsets": (
        {"endingOffsetsByTimestamp": at(T0 + 5000, T0), "endingOffsets": at(10, 8)},
        (5, 0),
    ),
    "gone, and that is right": ({"startingOffsets": at(0, 0), "failOnDataLoss": False}, (10, 6)),
    "one partition": ({"subscribe": None, "assign": json.dumps({FULL: [1]})}, (0, 6)),
    "one partition, offsets": (
        {"subscribe": None, "assign": json.dumps({FULL: [1]}), "startingOffsets": json.dumps({FULL: {"1": 4}})},
        (0, 4),
    ),
    "group": ({"kafka_group_id": "live-bounds", "groupIdPrefix": "ignored"}, (10, 6)),
    "prefix": ({"groupIdPrefix": "live"}, (10, 6)),
    "of streams": ({"maxOffsetsPerTrigger": 1, "minOffsetsPerTrigger": 1, "maxTriggerDelay": "1s"}, (10, 6)),
    "patience": (
        {"kafkaConsumer.pollTimeoutMs": 20_000, "fetchOffset.numRetries": 1, "fetchOffset.retryIntervalMs": 1},
        (10, 6),
    ),
    "client": ({"kafka_client_id": "me", "kafka_fetch_max_wait_ms": 50, "kafka_request_timeout_ms": 20000}, (10, 6)),
}


def test_reads(peer: Peer) -> None:
    found = peer.same_each({name: {"subscribe": FULL, **options} for name, (options, _) in READS.items()})
    counts = {name: tuple(sum(row.partition == one for row in rows) for one in (0, 1)) for name, rows in found.items()}
    assert counts == {name: expected for name, (_, expected) in READS.items()}


def test_an_empty_partition(peer: Peer) -> None:
    given = {"subscribe": EMPTY, "startingTimestamp": T0}
    found = peer.same_each(
        {
            "all": {"subscribe": EMPTY},
            "to the end": {**given, "startingOffsetsByTimestampStrategy": "latest"},
            "both": {"subscribe": f"{EMPTY},{FULL}"},
        }
    )
    assert [len(rows) for rows in found.values()] == [10, 10, 26]
    ours, _ = peer.same_refusal(**given)
    assert f"{EMPTY}-0 has no record at or after {T0} ms" in ours and "Strategy=latest" in ours


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"minPartitions": 1},
        {"minPartitions": 5},
        {"minPartitions": 7},
        {"minPartitions": 40},
        {"maxRecordsPerPartition": 3, "startingOffsets": at(0, 2), "endingOffsets": at(10, 8)},
        {"maxRecordsPerPartition": 1, "startingOffsets": at(8, 7), "endingOffsets": at(10, 8)},
        {"maxRecordsPerPartition": 100},
        {"minPartitions": 5, "maxRecordsPerPartition": 4},
        {"minPartitions": 9, "maxRecordsPerPartition": 4},
        {"minPartitions": 3, "startingOffsets": at(10, 2)},
    ],
    ids=lambda options: " ".join(f"{name}={value}" for name, value in options.items()),
)
def test_as_many_tasks(peer: Peer, options: dict[str, Any]) -> None:
    ours, theirs = (peer.load(source, subscribe=FULL, **options) for source in (OURS, THEIRS))
    assert ours.rdd.getNumPartitions() == theirs.rdd.getNumPartitions()


def test_more_tasks_than_sparks_source(peer: Peer) -> None:
    """That one looks at the bounds before it knows their numbers: from -2 to -1 is small enough for any limit."""
    counts = [
        peer.load(source, subscribe=FULL, maxRecordsPerPartition=3).rdd.getNumPartitions() for source in (OURS, THEIRS)
    ]
    assert counts == [6, 2]


#: name: options that both refuse, and what kafkawire says.
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no servers": ({"kafka_bootstrap_servers": None}, "kafka.bootstrap.servers: this option has to be given"),
    "auto.offset.reset": ({"kafka_auto_offset_reset": "earliest"}, "startingOffsets"),
    "key.deserializer": ({"kafka_key_deserializer": "X"}, "bytes"),
    "value.deserializer": ({"kafka_value_deserializer": "X"}, "bytes"),
    "enable.auto.commit": ({"kafka_enable_auto_commit": "true"}, "enable.auto.commit: not supported"),
    "interceptor.classes": ({"kafka_interceptor_classes": "X"}, "interceptor.classes: not supported"),
    "start latest": ({"startingOffsets": "latest"}, "cannot start at the latest"),
    "start -1": ({"startingOffsets": at(0, -1)}, "cannot start at the latest"),
    "end earliest": ({"endingOffsets": "earliest"}, "cannot end at the earliest"),
    "end -2": ({"endingOffsets": at(-2, 0)}, "cannot end at the earliest"),
    "start not complete": ({"startingOffsets": json.dumps({FULL: {"0": 1}})}, f"there are: {FULL}-0, {FULL}-1"),
    "start of another": ({"startingOffsets": at(0, 0, EMPTY)}, "all partitions have to be there"),
    "end not complete": ({"endingOffsets": json.dumps({FULL: {"0": 1}})}, "all partitions have to be there"),
    "timestamps not complete": ({"startingOffsetsByTimestamp": json.dumps({FULL: {"0": 1}})}, "all partitions"),
    "end timestamps not complete": ({"endingOffsetsByTimestamp": json.dumps({FULL: {"0": 1}})}, "all partitions"),
    "start behind end": ({"startingOffsets": at(5, 4), "endingOffsets": at(4, 5)}, "from offset 5 to 4"),
    "start behind the end": ({"startingOffsets": at(11, 8)}, "from offset 11 to 10"),
    "times the wrong way": ({"startingTimestamp": T0 + 4000, "endingTimestamp": T0}, "from offset 4 to 0"),
    "end before the log starts": ({"endingOffsets": at(5, 1), "failOnDataLoss": False}, "from offset 2 to 1"),
    "no JSON": ({"startingOffsets": "{"}, "is not JSON like"),
    "a word": ({"startingOffsets": "first"}, "is not JSON like"),
    "JSON of something": ({"endingOffsets": '["t"]'}, "is not JSON like"),
    "no time": ({"startingTimestamp": "yesterday"}, "not a whole number"),
    "no times": ({"startingOffsetsByTimestamp": "yesterday"}, "is not JSON like"),
    "no strategy": ({"startingTimestamp": T0, "startingOffsetsByTimestampStrategy": "first"}, "neither error nor"),
    "nothing so late": ({"startingTimestamp": T0 + 8000}, "no record at or after"),
    "no subscription": ({"subscribe": None}, "exactly one of assign, subscribe, subscribePattern"),
    "two subscriptions": ({"subscribePattern": "a.*"}, "subscribe, subscribePattern: exactly one"),
    "no topics": ({"subscribe": " , "}, "no topics in"),
    "empty pattern": ({"subscribe": None, "subscribePattern": " "}, "the pattern is empty"),
    "no pattern": ({"subscribe": None, "subscribePattern": "["}, "no regular expression"),
    "assign a name": ({"subscribe": None, "assign": FULL}, "is not JSON like"),
    "no such topic": ({"subscribe": "no-such-topic"}, "UNKNOWN_TOPIC_OR_PARTITION"),
    "one of them is not there": ({"subscribe": f"{FULL},no-such-topic"}, "no-such-topic"),
    "no partitions": ({"minPartitions": 0}, "minPartitions: '0' is not a whole number of 1 or more"),
    "no number": ({"minPartitions": "many"}, "minPartitions: 'many' is not a whole number"),
    "no records": ({"maxRecordsPerPartition": 0}, "maxRecordsPerPartition: '0'"),
    "neither": ({"failOnDataLoss": "maybe"}, "neither true nor false"),
    "more at least than at most": ({"minOffsetsPerTrigger": 2, "maxOffsetsPerTrigger": 1}, "minOffsetsPerTrigger: 2"),
    "gone": ({"startingOffsets": at(0, 0)}, "the offsets 0 to 1 are gone, the log starts at 2 now"),
    "never there": (
        {"endingOffsets": at(10, 9), "kafkaConsumer.pollTimeoutMs": 1500},
        "no record at offset 8 or after it came within 1.5 seconds",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(peer: Peer, name: str) -> None:
    options, said = REFUSED[name]
    ours, _ = peer.same_refusal(**{"subscribe": FULL, **options})
    assert said in ours


def test_a_schema(peer: Peer) -> None:
    for source in (OURS, THEIRS):
        given = {"kafka.bootstrap.servers": peer.bootstrap, "subscribe": FULL}
        with pytest.raises(Exception, match=r"(?i)schema"):
            peer.spark.read.format(source).schema("value string").options(**given).load().collect()


#: What we refuse and Spark's source does not, and why.
STRICTER: dict[str, tuple[dict[str, Any], str]] = {
    # A misspelt option would change what is read, and nobody would know.
    "no such option": ({"startingOffset": "earliest"}, "did you mean startingOffsets?"),
}


@pytest.mark.parametrize("name", STRICTER)
def test_refused_by_us_only(peer: Peer, name: str) -> None:
    options, said = STRICTER[name]
    given = {"subscribe": FULL, **options}
    assert peer.load(THEIRS, **given).count() == 16
    assert said in peer.refusal(OURS, **given)
