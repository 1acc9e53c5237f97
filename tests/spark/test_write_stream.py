"""df.writeStream.format("kafkawire"): nothing is lost; in transactions nothing is there twice either."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("pyspark.sql.datasource")

from pyspark.sql import DataFrame, SparkSession

from kafkawire.spark import register
from tests.broker.java import Java
from tests.broker.kraft import Broker

_numbers = itertools.count()


@pytest.fixture
def topic(broker: Broker, java: Java, spark: SparkSession) -> str:
    register(spark)
    name = f"streamed-{next(_numbers)}"
    java.create_topic(broker.bootstrap, name, partitions=3)
    return name


def run(df: DataFrame, broker: Broker, topic: str, checkpoint: Path, mode: str = "append", **options: str) -> None:
    """What there is, to its end."""
    writer = df.writeStream.format("kafkawire").outputMode(mode).option("kafka.bootstrap.servers", broker.bootstrap)
    writer = writer.option("topic", topic).option("checkpointLocation", str(checkpoint)).options(**options)
    query = writer.trigger(availableNow=True).start()
    try:
        assert query.awaitTermination(120)
    finally:
        query.stop()


def lines(spark: SparkSession, folder: Path) -> DataFrame:
    return spark.readStream.format("text").option("maxFilesPerTrigger", "1").load(str(folder))


def add(folder: Path, number: int) -> list[bytes]:
    """One more file of a hundred lines."""
    folder.mkdir(exist_ok=True)
    texts = [f"{number}-{line}" for line in range(100)]
    (folder / f"{number}.txt").write_text("\n".join(texts))
    return [text.encode() for text in texts]


def values(java: Java, broker: Broker, topic: str) -> Counter[bytes | None]:
    return Counter(one.value for one in java.consume(broker.bootstrap, topic, isolation_level="read_committed"))


@pytest.mark.parametrize("transactional", ["false", "true"])
def test_a_stream_that_is_started_again(
    spark: SparkSession, broker: Broker, java: Java, topic: str, tmp_path: Path, transactional: str
) -> None:
    folder, checkpoint = tmp_path / "in", tmp_path / "checkpoint"
    expected = add(folder, 0) + add(folder, 1)
    run(lines(spark, folder), broker, topic, checkpoint, transactional=transactional)
    assert values(java, broker, topic) == Counter(expected)
    expected += add(folder, 2)
    run(lines(spark, folder), broker, topic, checkpoint, transactional=transactional)
    assert values(java, broker, topic) == Counter(expected)

    # As if the driver had died when Kafka had the last micro-batch and Spark had not noted it: it is repeated.
    last = max((checkpoint / "commits").glob("[0-9]*"), key=lambda path: int(path.name))
    last.unlink()
    last.with_name(f".{last.name}.crc").unlink(missing_ok=True)
    again = expected[-100:]
    expected += add(folder, 3)
    run(lines(spark, folder), broker, topic, checkpoint, transactional=transactional)
    found = values(java, broker, topic)
    assert found == Counter(expected if transactional == "true" else expected + again)


def test_output_modes(spark: SparkSession, broker: Broker, java: Java, topic: str, tmp_path: Path) -> None:
    add(tmp_path / "in", 0)
    df = lines(spark, tmp_path / "in").groupBy("value").count().selectExpr("value key", "cast(count as string) value")
    run(df, broker, topic, tmp_path / "checkpoint", "complete")
    assert values(java, broker, topic) == Counter({b"1": 100})
    # Spark itself lets no Python data source have this mode.
    with pytest.raises(Exception, match="kafkawire does not support Update mode"):
        run(df, broker, topic, tmp_path / "checkpoint2", "update")


def test_errors_stop_the_query(spark: SparkSession, broker: Broker, topic: str, tmp_path: Path) -> None:
    add(tmp_path / "in", 0)
    df = lines(spark, tmp_path / "in").selectExpr("value", "99 partition")
    with pytest.raises(Exception, match=f"the column partition has 99; the topic {topic} has 3"):
        run(df, broker, topic, tmp_path / "checkpoint")
    with pytest.raises(Exception, match="the column value is needed"):
        run(df.drop("value"), broker, topic, tmp_path / "checkpoint2")
