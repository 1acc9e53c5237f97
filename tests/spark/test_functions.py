"""kafkawire.spark.read_kafka against a broker: the rows, when offsets are settled, and what plans show."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspark")

from pyspark.sql import SparkSession

from kafkawire.client import ClientError
from kafkawire.spark import COLUMNS, OptionError, read_kafka, spark_schema
from kafkawire.spark.given import texts
from tests.broker.kraft import Broker
from tests.spark.conftest import rows
from tests.spark.topics import fill, numbered


def test_rows_of_some_topics(spark: SparkSession, broker: Broker) -> None:
    messages = numbered(300)
    first = fill(broker.bootstrap, "function-a", {0: [messages[:100], messages[100:]], 1: [], 2: [messages[:7]]})
    second = fill(broker.bootstrap, "function-b", {0: [[(0, None, None), (5, b"", b"")]]})
    options = {"kafka.bootstrap.servers": broker.bootstrap, "subscribe": "function-a, function-b"}
    records = read_kafka(spark, options, includeHeaders=True)
    assert records.schema == spark_schema(COLUMNS)
    assert rows(records) == first + second
    assert records.rdd.getNumPartitions() == 3
    assert read_kafka(spark, options).schema == spark_schema()

    small = read_kafka(spark, options, includeHeaders=True, minPartitions=8, rowsPerBatch=9)
    assert small.rdd.getNumPartitions() == 8
    assert rows(small) == first + second


def test_offsets_are_those_of_the_call(spark: SparkSession, broker: Broker) -> None:
    wanted = {"kafka.bootstrap.servers": broker.bootstrap, "subscribePattern": "function-later-.*"}
    assert read_kafka(spark, wanted).count() == 0
    fill(broker.bootstrap, "function-later-0", {0: [numbered(10)]})
    before = read_kafka(spark, wanted)
    fill(broker.bootstrap, "function-later-1", {0: [numbered(5)]})
    assert before.count() == 10
    assert read_kafka(spark, wanted).count() == 15
    some = read_kafka(
        spark, {"kafka.bootstrap.servers": broker.bootstrap}, subscribe="function-later-0", columns="offset",
        startingOffsets={"function-later-0": {"0": 3}}, endingOffsets={"function-later-0": {"0": 6}},
    )  # fmt: skip
    assert [row.offset for row in some.collect()] == [3, 4, 5]


def test_a_topic_without_records_gives_no_rows(spark: SparkSession, broker: Broker) -> None:
    fill(broker.bootstrap, "function-empty", {0: [], 1: []})
    records = read_kafka(spark, {"kafka.bootstrap.servers": broker.bootstrap}, subscribe="function-empty")
    assert records.schema == spark_schema()
    assert records.collect() == []


def test_plans_show_no_secrets(spark: SparkSession, secure_broker: Broker, capsys: pytest.CaptureFixture[str]) -> None:
    fill(secure_broker.bootstrap, "function-secret", {0: [numbered(3)]})
    properties = secure_broker.client_properties("SASL_PLAINTEXT")
    assert "password" in properties["sasl.jaas.config"]
    password = properties["sasl.jaas.config"].split('password="')[1].split('"')[0]
    options = {f"kafka.{name}": value for name, value in properties.items()}
    options["kafka.bootstrap.servers"] = secure_broker.address("SASL_PLAINTEXT")
    records = read_kafka(spark, options, subscribe="function-secret")
    assert records.count() == 3
    records.explain("extended")
    plan = capsys.readouterr().out
    assert "read_kafka" in plan
    assert password not in plan


def test_errors(spark: SparkSession, broker: Broker) -> None:
    servers = {"kafka.bootstrap.servers": broker.bootstrap}
    with pytest.raises(OptionError, match="subscribe: exactly one of"):
        read_kafka(spark, servers)
    with pytest.raises(OptionError, match="pushdown: only"):
        read_kafka(spark, servers, subscribe="a", pushdown=True)
    with pytest.raises(OptionError, match="Subscribe: this option is given twice"):
        read_kafka(spark, {**servers, "subscribe": "a"}, Subscribe="b")
    with pytest.raises(ClientError, match="function-missing"):
        read_kafka(spark, servers, subscribe="function-missing")


def test_values_of_options_may_be_pythons() -> None:
    given = {"includeHeaders": True, "threads": 2, "kafka.client.id": None, "startingOffsets": {"a": {"0": -2}}}
    assert texts(given, {"checkCrc": False, "subscribe": "a"}) == {
        "includeHeaders": "true",
        "threads": "2",
        "startingOffsets": '{"a": {"0": -2}}',
        "checkCrc": "false",
        "subscribe": "a",
    }
