"""What a write is given: options and columns. Nothing is written here."""

from __future__ import annotations

import pickle

import pytest

pytest.importorskip("pyspark")

from pyspark.sql import SparkSession
from pyspark.sql.types import StructType  # whose fromDDL needs a session

from kafkawire.spark import OptionError
from kafkawire.spark.write_options import WriteOptions, check_columns, parse_write_options, written_columns

SERVERS = {"kafka.bootstrap.servers": "a:9092"}


def parsed(**options: str) -> WriteOptions:
    return parse_write_options({**SERVERS, **options})


def test_defaults_are_kafkas() -> None:
    options = parsed()
    assert (options.topic, options.transactional, options.include_timestamp) == (None, False, False)
    config = options.config
    assert (config.acks, config.compression_type, config.enable_idempotence) == (-1, "none", True)
    assert (config.batch_size, config.transaction_timeout_ms) == (None, 60_000)


def test_values() -> None:
    options = parse_write_options({
        "KAFKA.Bootstrap.Servers": "a:9092,b:9092", "Topic": " orders ", "TRANSACTIONAL": "True",
        "transactionalIdPrefix": "team-a", "kafka.compression.type": "lz4", "kafka.batch.size": "100000",
    })  # fmt: skip
    assert (options.topic, options.transactional, options.transactional_id_prefix) == ("orders", True, "team-a")
    config = options.config
    assert config.bootstrap_servers == ("a:9092", "b:9092")
    assert (config.compression_type, config.batch_size, config.transaction_timeout_ms) == ("lz4", 100_000, 900_000)
    shorter = parsed(transactional="true", **{"kafka.transaction.timeout.ms": "5000"})
    assert shorter.config.transaction_timeout_ms == 5000
    assert parsed(**{"kafka.acks": "1"}).config.enable_idempotence is False


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"topc": "t"}, "topc: there is no such option; did you mean topic?"),
        ({"transacional": "true"}, "did you mean transactional?"),
        ({"topic": " "}, "topic: the name is empty"),
        ({"transactional": "yes"}, "transactional: 'yes' is neither true nor false"),
        ({"transactional": "true", "kafka.acks": "1"}, "transactional: true needs kafka.acks=all"),
        ({"kafka.key.serializer": "x"}, "kafka.key.serializer: keys are written as they are"),
        ({"kafka.value.serializer": "x"}, "kafka.value.serializer: values are written as they are"),
        ({"kafka.partitioner.class": "x"}, "kafka.partitioner.class: Java classes cannot run here"),
        ({"kafka.interceptor.classes": "x"}, "kafka.interceptor.classes: Java classes cannot run here"),
        ({"kafka.transactional.id": "x"}, "transactional=true"),
        ({"kafka.compression.type": "brotli"}, "kafka.compression.type"),
        ({"kafka.acks": "2"}, "kafka.acks"),
    ],
)
def test_refused(options: dict[str, str], text: str) -> None:
    with pytest.raises(OptionError) as error:
        parsed(**options)
    assert text in str(error.value)


def test_servers_are_needed() -> None:
    with pytest.raises(OptionError, match=r"kafka\.bootstrap\.servers"):
        parse_write_options({"topic": "t"})


def test_options_of_reads_and_of_streams_are_no_business_of_ours() -> None:
    parsed(subscribe="a", startingOffsets="earliest", failOnDataLoss="false", checkpointLocation="/c", queryName="q")


def test_secrets_stay_secret() -> None:
    options = parsed(**{"kafka.sasl.password": "hunter2", "kafka.sasl.username": "me"})
    assert "hunter2" not in repr(options)
    assert pickle.loads(pickle.dumps(options)) == options


ALL = "key string, value binary, topic string, partition int, headers array<struct<key:string,value:binary>>, more date"


def test_columns(spark: SparkSession) -> None:
    options = parsed()
    schema = StructType.fromDDL(ALL)
    check_columns(schema, options)
    assert written_columns(schema.names, options) == ["key", "value", "topic", "partition", "headers"]
    assert written_columns(schema.names, parsed(topic="t")) == ["key", "value", "partition", "headers"]
    check_columns(StructType.fromDDL("value string, topic int, timestamp long"), parsed(topic="t"))  # are not looked at


@pytest.mark.parametrize(
    ("columns", "options", "text"),
    [
        ("key string, topic string", {}, "the column value is needed; there are key, topic"),
        ("Value string", {"topic": "t"}, "the column value is needed"),
        ("value string", {}, "without a column topic the option topic is needed"),
        ("value int", {"topic": "t"}, "the column value has the type int; it must be string or binary"),
        ("value string, key long", {"topic": "t"}, "the column key has the type bigint; it must be string or binary"),
        ("value string, topic binary", {}, "the column topic has the type binary; it must be string"),
        ("value string, partition long", {"topic": "t"}, "the column partition has the type bigint; it must be int"),
        ("value string, headers map<string,binary>", {"topic": "t"}, "the column headers has the type map"),
        ("value string, headers array<struct<k:string,value:binary>>", {"topic": "t"}, "the column headers has the"),
        ("value string", {"topic": "t", "includeTimestamp": "true"}, "there is no column timestamp"),
        ("value string, timestamp long", {"topic": "t", "includeTimestamp": "true"}, "the column timestamp has"),
    ],
)
def test_columns_that_are_refused(spark: SparkSession, columns: str, options: dict[str, str], text: str) -> None:
    with pytest.raises(OptionError) as error:
        check_columns(StructType.fromDDL(columns), parsed(**options))
    assert text in str(error.value)
