"""df.write.format("kafkawire") into a real broker; what is there afterwards, Kafka's own consumer says."""

from __future__ import annotations

import itertools
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("pyspark.sql.datasource")

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from kafkawire.spark import register, write_kafka
from tests.broker.java import ConsumedRecord, Java, NewRecord
from tests.broker.kraft import Broker

Write = Callable[..., None]
_numbers = itertools.count()


@pytest.fixture
def topic(broker: Broker, java: Java) -> str:
    """A topic of three partitions for this test alone."""
    name = f"written-{next(_numbers)}"
    java.create_topic(broker.bootstrap, name, partitions=3)
    return name


@pytest.fixture
def write(spark: SparkSession, broker: Broker) -> Write:
    register(spark)

    def run(df: DataFrame, mode: str = "append", **options: str) -> None:
        writer = df.write.format("kafkawire").mode(mode).option("kafka.bootstrap.servers", broker.bootstrap)
        writer.options(**options).save()

    return run


def by_partition(records: list[ConsumedRecord]) -> dict[int, list[ConsumedRecord]]:
    partitions = sorted({one.partition for one in records})
    return {number: [one for one in records if one.partition == number] for number in partitions}


@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_every_codec(spark: SparkSession, broker: Broker, java: Java, write: Write, topic: str, codec: str) -> None:
    df = spark.range(0, 3000, 1, 3).select(
        F.concat(F.lit("key-"), F.col("id") % 50).alias("key"),
        F.concat(F.lit("value-"), F.col("id")).cast("binary").alias("value"),
    )
    before = time.time() * 1000
    write(df, topic=topic, **{"kafka.compression.type": codec, "kafka.batch.size": "4000"})
    records = java.consume(broker.bootstrap, topic)
    assert Counter((one.key, one.value) for one in records) == Counter(
        (b"key-%d" % (number % 50), b"value-%d" % number) for number in range(3000)
    )
    assert all(before - 1000 <= one.timestamp <= time.time() * 1000 for one in records)
    assert {one.timestamp_type for one in records} == {"CreateTime"}
    # Rows of one task and one partition keep their order.
    for mine in by_partition(records).values():
        numbers = [int((one.value or b"").removeprefix(b"value-")) for one in mine]
        for task in range(3):
            of_task = [number for number in numbers if number // 1000 == task]
            assert of_task == sorted(of_task)
    segment = java.read_segment(broker.log_directory / f"{topic}-0" / "00000000000000000000.log")
    assert {batch.compression for batch in segment.batches} == {codec}
    assert all(batch.producer_id >= 0 and batch.base_sequence >= 0 for batch in segment.batches)
    assert len(segment.batches) > 3


def test_keys_go_where_java_puts_them(
    spark: SparkSession, broker: Broker, java: Java, write: Write, topic: str
) -> None:
    keys = [bytes([number % 256]) * (number % 23) for number in range(400)]
    write(spark.createDataFrame([(key, b"v") for key in keys], "key binary, value binary"), topic=topic)
    java.create_topic(broker.bootstrap, f"{topic}-java", partitions=3)
    java.produce(broker.bootstrap, f"{topic}-java", [NewRecord(key, b"v") for key in keys])
    ours = Counter((one.partition, one.key) for one in java.consume(broker.bootstrap, topic))
    assert ours == Counter((one.partition, one.key) for one in java.consume(broker.bootstrap, f"{topic}-java"))


def test_all_columns(spark: SparkSession, broker: Broker, java: Java, write: Write, topic: str) -> None:
    rows: list[tuple[Any, ...]] = [
        ("a", b"1", 2, [("h", b"x"), ("h", None), ("", b"")], "ignored"),
        ("a", None, 0, None, "ignored"),  # a tombstone
        (None, b"", 1, [], "ignored"),
        ("", b"empty key", None, None, "ignored"),
    ]
    schema = "key string, value binary, partition int, headers array<struct<key:string,value:binary>>, other string"
    write(spark.createDataFrame(rows, schema).coalesce(1), topic=topic)
    records = by_partition(java.consume(broker.bootstrap, topic))
    found = {number: [(one.key, one.value, one.headers) for one in mine] for number, mine in records.items()}
    assert (b"a", b"1", (("h", b"x"), ("h", None), ("", b""))) in found[2]
    assert (b"a", None, ()) in found[0]
    assert (None, b"", ()) in found[1]
    expected = {2: 1, 0: 1, 1: 1}
    expected[275646681 % 3] = expected[275646681 % 3] + 1  # murmur2 of nothing, without its sign
    assert {number: len(mine) for number, mine in found.items()} == expected


def test_topics_of_a_column(spark: SparkSession, broker: Broker, java: Java, write: Write, topic: str) -> None:
    others = [f"{topic}-b", f"{topic}-c"]
    java.create_topic(broker.bootstrap, others[0], partitions=2)  # the other is created by the first record
    names = [topic, *others]
    df = spark.range(0, 999, 1, 2).select(
        F.element_at(F.array(*map(F.lit, names)), (F.col("id") % 3 + 1).cast("int")).alias("topic"),
        F.col("id").cast("string").alias("value"),
        F.col("id").cast("string").alias("key"),
    )
    write(df)
    for number, name in enumerate(names):
        records = java.consume(broker.bootstrap, name)
        assert sorted(int(one.value or b"") for one in records) == list(range(number, 999, 3))
    write(df, topic=topic)  # the option wins
    assert len(java.consume(broker.bootstrap, topic)) == 333 + 999


def test_rows_without_a_key(spark: SparkSession, broker: Broker, java: Java, write: Write, topic: str) -> None:
    df = spark.range(0, 6000, 1, 2).select(F.concat(F.lit("x" * 90), F.col("id")).alias("value"))
    write(df, topic=topic, **{"kafka.batch.size": "4000"})
    records = by_partition(java.consume(broker.bootstrap, topic))
    assert sum(map(len, records.values())) == 6000
    assert set(records) == {0, 1, 2}
    # In runs, not one by one: about 140 runs, of which each has a third of a chance to go on where it was.
    for mine in records.values():
        values = sorted(int((one.value or b"")[90:]) for one in mine)
        assert sum(after != before + 1 for before, after in itertools.pairwise(values)) < 200


def test_keys_ignored(spark: SparkSession, broker: Broker, java: Java, write: Write, topic: str) -> None:
    df = spark.range(0, 6000, 1, 1).select(F.lit("same").alias("key"), F.lit("x" * 90).alias("value"))
    write(df, topic=topic, **{"kafka.partitioner.ignore.keys": "true", "kafka.batch.size": "4000"})
    assert {one.partition for one in java.consume(broker.bootstrap, topic)} == {0, 1, 2}


@pytest.mark.parametrize("transactional", ["false", "true"])
def test_nothing_to_write(
    spark: SparkSession, broker: Broker, java: Java, write: Write, topic: str, transactional: str
) -> None:
    write(spark.range(0).selectExpr("'a' value"), topic=topic, transactional=transactional)
    assert java.consume(broker.bootstrap, topic) == []


def test_timestamps(spark: SparkSession, broker: Broker, java: Java, write: Write, topic: str) -> None:
    df = spark.sql("select 'a' value, timestamp_millis(1700000000123) timestamp union all select 'b', null").coalesce(1)
    before = int(time.time() * 1000)
    write(df, topic=topic)  # Spark's sink does not look at the column
    assert all(one.timestamp >= before for one in java.consume(broker.bootstrap, topic))
    write(df, topic=f"{topic}-with", includeTimestamp="true")
    times = {one.value: one.timestamp for one in java.consume(broker.bootstrap, f"{topic}-with")}
    assert times[b"a"] == 1_700_000_000_123
    assert times[b"b"] >= before


@pytest.mark.parametrize("acks", ["0", "1", "all"])
def test_acks(spark: SparkSession, broker: Broker, java: Java, write: Write, topic: str, acks: str) -> None:
    df = spark.range(100).selectExpr("cast(id as string) value")
    write(df, topic=topic, **{"kafka.acks": acks, "kafka.enable.idempotence": "false"})
    assert len(java.consume(broker.bootstrap, topic)) == 100
    for number in range(3):
        segment = java.read_segment(broker.log_directory / f"{topic}-{number}" / "00000000000000000000.log")
        assert all(batch.producer_id == -1 for batch in segment.batches)


def test_batches_that_are_too_large_are_divided(
    spark: SparkSession, broker: Broker, java: Java, write: Write, topic: str
) -> None:
    name = f"{topic}-small"
    java.create_topic(broker.bootstrap, name, partitions=3, configs={"max.message.bytes": "20000"})
    df = spark.range(0, 5000, 1, 2).selectExpr("cast(id as string) key", "repeat('x', 100) value")
    write(df, topic=name)
    records = java.consume(broker.bootstrap, name)
    assert Counter(int(one.key or b"") for one in records) == Counter(range(5000))
    for mine in by_partition(records).values():
        for task in (range(2500), range(2500, 5000)):
            numbers = [number for one in mine if (number := int(one.key or b"")) in task]
            assert numbers == sorted(numbers)


def failing(write: Write, df: DataFrame, **options: str) -> str:
    with pytest.raises(Exception) as caught:
        write(df, **options)
    return str(caught.value)


def test_a_record_that_is_too_large(spark: SparkSession, broker: Broker, java: Java, write: Write, topic: str) -> None:
    java.create_topic(broker.bootstrap, f"{topic}-small", configs={"max.message.bytes": "1000"})
    df = spark.sql("select repeat('x', 2000) value")
    text = failing(write, df, topic=f"{topic}-small")
    said = r"a record is too large: its batch has 20\d\d bytes, more than the topic allows \(max.message.bytes"
    assert re.search(said, text)
    assert "MESSAGE_TOO_LARGE" in text
    assert f"({topic}-small-0, broker {broker.bootstrap} (node 1))" in text
    text = failing(write, df, topic=topic, **{"kafka.max.request.size": "1000"})
    assert "more than kafka.max.request.size, 1000" in text and f"({topic}-" in text


@pytest.mark.parametrize(
    ("query", "options", "text"),
    [
        ("select 'v' value, cast(null as string) topic", {}, "the column topic is null in 1 of 1 rows"),
        ("select 'v' value, 99 partition", {"topic": "TOPIC"}, "the column partition has 99; the topic TOPIC has 3"),
        ("select 'v' value, -1 partition", {"topic": "TOPIC"}, "the column partition has -1; the topic TOPIC has 3"),
        ("select 'v' value", {"topic": "not a name"}, "(17): The topic's name is illegal"),
        ("select 'v' value", {"topic": "no-such", "kafka.allow.auto.create.topics": "false"}, "(no-such)"),
        ("select 'v' value", {}, "without a column topic the option topic is needed"),
        ("select 1 value", {"topic": "TOPIC"}, "the column value has the type int"),
        ("select 'v' value", {"topic": "TOPIC", "topik": "x"}, "topik: there is no such option; did you mean topic?"),
        ("select 'v' value", {"topic": "TOPIC", "kafka.key.serializer": "x"}, "kafka.key.serializer: keys are"),
    ],
)
def test_errors(
    spark: SparkSession, write: Write, topic: str, query: str, options: dict[str, str], text: str
) -> None:
    given = {name: value.replace("TOPIC", topic) for name, value in options.items()}
    assert text.replace("TOPIC", topic) in failing(write, spark.sql(query), **given)


def test_nobody_listens(spark: SparkSession, write: Write) -> None:
    df = spark.sql("select 'v' value")
    options = {"kafka.bootstrap.servers": "127.0.0.1:1", "kafka.default.api.timeout.ms": "500", "topic": "t"}
    text = failing(write, df, **options)
    assert "127.0.0.1:1" in text and "refused" in text.lower()


def test_modes(spark: SparkSession, write: Write, topic: str) -> None:
    df = spark.sql("select 'v' value")
    assert "a topic cannot be overwritten" in failing(write, df, mode="overwrite", topic=topic)
    # Spark itself lets no Python data source have these.
    for mode in ("ignore", "errorifexists"):
        assert "UNSUPPORTED_DATA_SOURCE_SAVE_MODE" in failing(write, df, mode=mode, topic=topic)


@pytest.mark.parametrize("transactional", [False, True])
def test_over_map_in_arrow(spark: SparkSession, broker: Broker, java: Java, topic: str, transactional: bool) -> None:
    df = spark.range(0, 500, 1, 3).selectExpr("cast(id as string) key", "cast(id as string) value", "id other")
    options = {"kafka.bootstrap.servers": broker.bootstrap, "topic": topic, "transactional": transactional}
    assert write_kafka(df, options) == 500  # type: ignore[arg-type]
    records = java.consume(broker.bootstrap, topic, isolation_level="read_committed")
    assert sorted(int(one.value or b"") for one in records) == list(range(500))
    assert write_kafka(df.limit(0), options) == 0  # type: ignore[arg-type]


@pytest.fixture(autouse=True, scope="module")
def few_tasks(spark: SparkSession) -> Iterator[None]:
    """Small batches, so that a task has several."""
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "400")
    yield
    spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")
