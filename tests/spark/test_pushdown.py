"""The option pushdown: filters of a query narrow what is fetched, and the rows stay those of the query without it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Any

import pytest

pytest.importorskip("pyspark.sql.worker.data_source_pushdown_filters")  # PySpark 4.1 and later

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import (
    EqualNullSafe,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNotNull,
    LessThan,
    LessThanOrEqual,
    Not,
    StringContains,
    StringEndsWith,
    StringStartsWith,
)

from kafkawire.client import Client, PartitionError
from kafkawire.errors import UnsupportedError
from kafkawire.spark.clients import borrowed
from kafkawire.spark.live_options import parse_live_options
from kafkawire.spark.planning import OffsetRange
from kafkawire.spark.pushdown import PushdownReader, narrowed
from tests.broker.kraft import Broker
from tests.spark.conftest import rows
from tests.spark.topics import fill, numbered

START = 1_700_000_000_000


@pytest.fixture(scope="module")
def topics(broker: Broker) -> str:
    """Two topics; "pushdown-times" has timestamps out of order, in batches and among them."""
    messages = numbered(100, START)
    fill(broker.bootstrap, "pushdown-plain", {0: [messages[:50], messages[50:]], 1: [messages], 2: []})
    times = [50, 10, 20, 90, 30, 40, 80, 5, 60, 70]
    batches = [[(START + time, b"k", b"%d" % number)] for number, time in enumerate(times)]
    fill(
        broker.bootstrap,
        "pushdown-times",
        {0: batches, 1: [[one for (one,) in batches]], 2: [[(START - 1, None, b"old")]]},
    )
    return "pushdown-plain,pushdown-times"


@pytest.fixture(scope="module")
def everything(spark: SparkSession, broker: Broker, topics: str) -> Iterator[DataFrame]:
    """All rows without pushdown, kept by Spark."""
    cached = read(spark, broker, topics).cache()
    yield cached
    cached.unpersist()


@pytest.fixture
def pushing(spark: SparkSession) -> Iterator[SparkSession]:
    name = "spark.sql.python.filterPushdown.enabled"
    before = spark.conf.get(name)
    spark.conf.set(name, "true")
    yield spark
    spark.conf.set(name, before)


def read(spark: SparkSession, broker: Broker, topics: str, **options: Any) -> DataFrame:
    options = {"kafka.bootstrap.servers": broker.bootstrap, "subscribe": topics, "includeHeaders": True, **options}
    return spark.read.format("kafkawire").options(**options).load()


def at(milliseconds: float) -> str:
    """SQL of a timestamp, milliseconds after START."""
    return f"timestamp_micros({START * 1000 + int(milliseconds * 1000)})"


@pytest.mark.parametrize(
    ("where", "tasks"),
    [
        ("true", 5),
        ("topic = 'pushdown-plain'", 2),
        ("topic in ('pushdown-plain', 'other')", 2),
        ("topic like '%-times' and partition <> 1", 2),
        ("topic like 'push%' and topic like '%own-t%'", 3),
        ("partition = 0", 2),
        ("partition > 0 and partition <= 1", 2),
        ("not partition in (0, 1)", 1),
        ("partition = 7", 0),
        ("offset = 3", 4),
        ("offset >= 50 and offset < 60 and partition = 1", 1),
        ("offset in (99, 12)", 2),
        ("offset > 99", 0),
        (f"timestamp >= {at(0)}", 4),
        (f"timestamp > {at(80)} and topic = 'pushdown-times'", 2),
        (f"timestamp >= {at(89.5)} and topic = 'pushdown-times'", 2),
        (f"timestamp > {at(90)} and topic = 'pushdown-times'", 0),
        (f"timestamp = {at(5)} and topic = 'pushdown-times'", 2),
        (f"timestamp in ({at(30)}, {at(60)})", 4),
        (f"timestamp < {at(20)}", 5),
        ("timestamp > timestamp'1960-01-01' and value is not null", 5),
        ("partition = 0 or offset = 4", 5),
        ("key is null", 5),
    ],
)
def test_rows_are_those_without_it(
    pushing: SparkSession, broker: Broker, topics: str, everything: DataFrame, where: str, tasks: int
) -> None:
    found = read(pushing, broker, topics, pushdown=True).where(where)
    assert rows(found) == rows(everything.where(where))
    # A plan without tasks is one that reads nothing.
    assert found.rdd.getNumPartitions() == max(tasks, 1)


def test_fewer_offsets_are_read(broker: Broker, topics: str) -> None:
    options = parse_live_options(
        {"kafka.bootstrap.servers": broker.bootstrap, "subscribe": topics, "pushdown": "true"}, streaming=False
    )

    def ranges(*filters: Filter) -> list[str]:
        reader = PushdownReader(options)
        assert list(reader.pushFilters(list(filters))) == list(filters)  # Spark applies them all again
        return [str(part.value).removeprefix("pushdown-") for part in reader.partitions()]

    def time(milliseconds: int) -> datetime:
        return datetime.fromtimestamp((START + milliseconds) / 1000, timezone.utc)

    everything = ["plain-0 from offset 0 to 100", "plain-1 from offset 0 to 100", "times-0 from offset 0 to 10"]
    everything += ["times-1 from offset 0 to 10", "times-2 from offset 0 to 1"]
    assert ranges() == ranges(IsNotNull(("offset",)), EqualTo(("value",), b"x")) == everything
    assert ranges(GreaterThan(("offset",), 97), EqualTo(("partition",), 1)) == ["plain-1 from offset 98 to 100"]
    times = StringEndsWith(("topic",), "times")
    # The first record at or after 60 ms is the fourth, 90; behind it there are earlier ones.
    assert ranges(times, GreaterThanOrEqual(("timestamp",), time(60))) == [
        "times-0 from offset 3 to 10",
        "times-1 from offset 3 to 10",
    ]
    assert ranges(times, EqualTo(("timestamp",), time(0)), LessThan(("offset",), 8)) == [
        "times-0 from offset 0 to 8",
        "times-1 from offset 0 to 8",
    ]
    assert ranges(times, LessThan(("timestamp",), time(20))) == everything[2:]
    with borrowed(options.config) as client:
        found = narrowed([OffsetRange("pushdown-times", 0, 5, 9)], [GreaterThan(("timestamp",), time(40))], client)
        assert found == [OffsetRange("pushdown-times", 0, 5, 9)]  # starts behind it anyway


@pytest.mark.parametrize(
    "one",
    [
        EqualTo(("topic",), "b"),
        EqualNullSafe(("topic",), "b"),
        In(("topic",), ("b", None)),
        Not(EqualTo(("topic",), "a")),
        Not(In(("partition",), (0,))),
        StringStartsWith(("topic",), "b"),
        StringContains(("topic",), "b"),
        GreaterThanOrEqual(("partition",), 1),
        LessThan(("partition",), 0),
        LessThanOrEqual(("offset",), 9),
        In(("offset",), (3, 20)),
        EqualNullSafe(("offset",), 20),
    ],
)
def test_filters_that_leave_a_range_out(one: Filter) -> None:
    assert narrowed([OffsetRange("a", 0, 10, 20)], [one], _no_client()) == []


@pytest.mark.parametrize(
    "one",
    [
        EqualTo(("topic",), 7),
        EqualTo(("partition",), "0"),
        EqualTo(("topic",), None),
        Not(EqualTo(("topic",), None)),
        Not(In(("topic",), (1,))),
        In(("partition",), ("x", 3)),
        In(("offset",), (None, "x")),
        GreaterThan(("offset",), "20"),
        Not(EqualTo(("offset",), 12)),
        EqualTo(("headers", "topic"), "b"),
        GreaterThan(("timestamp",), "2050-01-01"),
        GreaterThan(("timestamp",), datetime(1960, 1, 1, tzinfo=timezone.utc)),
        GreaterThan(("timestamp",), datetime(2050, 1, 1)),
        Not(LessThan(("timestamp",), datetime(2050, 1, 1, tzinfo=timezone.utc))),
    ],
)
def test_filters_that_are_left_to_spark(one: Filter) -> None:
    whole = [OffsetRange("a", 0, 10, 20)]
    assert narrowed(whole, [one], _no_client()) == whole


def _no_client() -> Client:
    """One that asks nobody: it would fail."""
    return Client({"bootstrap.servers": "127.0.0.1:1"})


@pytest.mark.parametrize("error", [UnsupportedError("version 0"), PartitionError("the format of its messages")])
def test_brokers_that_cannot_look_for_times(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def refuse(client: Client, moments: object) -> None:
        raise error

    monkeypatch.setattr(Client, "list_offsets", refuse)
    whole = [OffsetRange("a", 0, 10, 20)]
    since = GreaterThan(("timestamp",), datetime(2020, 1, 1, tzinfo=timezone.utc))
    assert narrowed(whole, [since], _no_client()) == whole


def test_spark_has_to_be_told_too(spark: SparkSession, broker: Broker, topics: str) -> None:
    assert spark.conf.get("spark.sql.python.filterPushdown.enabled") == "false"
    with pytest.raises(Exception, match=r"spark\.sql\.python\.filterPushdown\.enabled"):
        read(spark, broker, topics, pushdown=True).where("partition = 0").count()
