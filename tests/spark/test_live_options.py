"""The options of live reads as values: defaults, spelling, and that every wrong one is named, secrets never shown."""

from __future__ import annotations

import json
import pickle
import traceback
from typing import Any

import pytest

pytest.importorskip("pyspark")

from kafkawire.client import TopicPartition
from kafkawire.spark.given import OptionError
from kafkawire.spark.live_options import Bound, LiveOptions, is_live, parse_live_options
from kafkawire.spark.options import ReadOptions

GIVEN = {"kafka.bootstrap.servers": "h:1", "subscribe": "t"}


def parse(streaming: bool = False, **options: str | None) -> LiveOptions:
    """GIVEN and these; ``kafka_client_id`` is kafka.client.id, None leaves one out."""
    named = {name.replace("_", ".") if name.startswith("kafka_") else name: value for name, value in options.items()}
    given: dict[str, Any] = {name: value for name, value in {**GIVEN, **named}.items() if value is not None}
    return parse_live_options(given, streaming=streaming)


def test_defaults() -> None:
    options = parse()
    assert options.subscription.topics == ("t",) and options.subscription.pattern is None
    assert (options.starting, options.ending) == (Bound(moment="earliest"), Bound(moment="latest"))
    assert options.fail_on_data_loss and options.timestamp_strategy == "error"
    assert (options.poll_timeout_ms, options.offset_retries, options.offset_retry_interval_ms) == (120_000, 3, 10)
    assert options.min_partitions is options.max_records_per_partition is None
    assert options.read == ReadOptions()
    assert (options.group, options.pushdown, options.threads) == (None, False, 1)
    assert options.config.bootstrap_servers == ("h:1",)
    assert (options.config.client_id, options.config.max_partition_fetch_bytes) == ("kafkawire-spark", 8 << 20)
    assert parse(streaming=True).starting == Bound(moment="latest")
    assert parse(streaming=True).max_trigger_delay_ms == 900_000


def test_case_and_space_do_not_matter() -> None:
    upper = {name.upper(): value for name, value in {**GIVEN, "startingOffsets": " LATEST ", "threads": " 2 "}.items()}
    options = parse_live_options(upper, streaming=True)
    assert options.starting == Bound(moment="latest") and options.threads == 2


def test_kafkas_own_options() -> None:
    options = parse(kafka_client_id="me", kafka_max_partition_fetch_bytes="9", kafka_isolation_level="READ_COMMITTED")
    assert (options.config.client_id, options.config.max_partition_fetch_bytes) == ("me", 9)
    assert options.config.isolation_level == "read_committed"
    assert parse(kafka_group_id="g").config == parse().config  # nobody joins a group
    with pytest.raises(OptionError, match=r"kafka\.fetch\.min\.bytes is not a whole number"):
        parse(kafka_fetch_min_bytes="few")
    with pytest.warns(UserWarning, match=r"unknown options are ignored: new\.option"):
        parse(kafka_new_option="1")


@pytest.mark.parametrize(
    ("options", "is_it"),
    [
        ({"subscribe": "t"}, True),
        ({"ASSIGN": "{}"}, True),
        ({"subscribePATTERN": "t"}, True),
        ({"kafka.bootstrap.servers": "h:1"}, True),
        ({"path": "d", "kafka.bootstrap.servers": "h:1"}, False),
        ({"paths": '["d"]'}, False),
        ({}, False),
    ],
)
def test_live_or_files(options: dict[str, str], is_it: bool) -> None:
    assert is_live(options) is is_it


def test_subscriptions() -> None:
    assert parse(subscribe=" b ,a,,b").subscription.topics == ("b", "a")
    pattern = parse(subscribe=None, subscribePattern=" a.+ ").subscription.pattern
    assert pattern is not None and pattern.pattern == "a.+"
    assigned = parse(subscribe=None, assign='{"t": [2, 0, 2], "s": [1]}').subscription.partitions
    assert assigned == (TopicPartition("t", 2), TopicPartition("t", 0), TopicPartition("s", 1))


@pytest.mark.parametrize("text", ["", "{}", '{"t": []}', '{"t": 0}', '{"t": [-1]}', '{"t": [true]}', "[0]", "t", "1"])
def test_assigned_to_nothing(text: str) -> None:
    with pytest.raises(OptionError, match="assign: "):
        parse(subscribe=None, assign=text)


OFFSETS = json.dumps({"t": {"0": 23, "1": -2}, "s": {"7": 0}})


@pytest.mark.parametrize("side", ["starting", "ending"])
def test_bounds(side: str) -> None:
    def bound(**options: str) -> Bound:
        found: Bound = getattr(parse(**{f"{side}{name}": value for name, value in options.items()}), side)
        return found

    zero, one = TopicPartition("t", 0), TopicPartition("t", 1)
    assert bound(Offsets='{"t": {"0": 5, "1": 7}}') == Bound(offsets={zero: 5, one: 7})
    times = '{"t": {"0": 5, "1": 9999999999999}}'
    expected = Bound(timestamps={zero: 5, one: 9999999999999})
    assert bound(OffsetsByTimestamp=times) == expected
    assert bound(OffsetsByTimestamp=times, Offsets='{"t": {"0": 1}}') == expected
    assert bound(Timestamp="12", OffsetsByTimestamp=times, Offsets="{}") == Bound(timestamp=12)


def test_latest_and_earliest_as_numbers() -> None:
    options = parse(startingOffsets='{"t": {"0": -2}}', endingOffsets='{"t": {"0": -1}}')
    assert options.starting.offsets == {TopicPartition("t", 0): -2}
    assert options.ending.offsets == {TopicPartition("t", 0): -1}
    assert parse(streaming=True, startingOffsets='{"t": {"0": -1}}').starting.offsets == {TopicPartition("t", 0): -1}


@pytest.mark.parametrize(
    "text",
    [
        '{"t": {"0": -3}}',
        '{"t": {"-1": 3}}',
        '{"t": {"x": 3}}',
        '{"t": {"0": "3"}}',
        '{"t": {"0": 1.5}}',
        '{"t": {"0": null}}',
        '{"t": {"0": true}}',
        '{"t": {"0": 9223372036854775808}}',
        '{"t": [0]}',
        '"t"',
        "{",
        "",
        "[" * 100_000,
    ],
)
@pytest.mark.parametrize("name", ["startingOffsets", "endingOffsets", "startingOffsetsByTimestamp"])
def test_wrong_bounds(name: str, text: str) -> None:
    with pytest.raises(OptionError, match=f"^{name}: "):
        parse(**{name: text})


@pytest.mark.parametrize("name", ["endingOffsets", "endingTimestamp", "endingOffsetsByTimestamp"])
def test_a_stream_has_no_end(name: str) -> None:
    value = {"endingOffsets": "latest", "endingTimestamp": "1"}.get(name, "{}")
    with pytest.raises(OptionError, match=f"{name}: a stream has no end"):
        parse(streaming=True, **{name: value})


@pytest.mark.parametrize(
    ("text", "expected"),
    [("900000", 900_000), ("15m", 900_000), ("1 hour", 3_600_000), ("2min", 120_000), ("30 Seconds", 30_000),
     ("1d", 86_400_000), ("5ms", 5), ("5000us", 5)],
)  # fmt: skip
def test_durations(text: str, expected: int) -> None:
    assert parse(streaming=True, maxTriggerDelay=text).max_trigger_delay_ms == expected


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("maxTriggerDelay", "soon"), ("maxTriggerDelay", "-1s"), ("maxTriggerDelay", "1 fortnight"),
        ("threads", "0"), ("threads", "1.5"), ("kafkaConsumer.pollTimeoutMs", "0"), ("fetchOffset.numRetries", "-1"),
        ("minPartitions", "0"), ("maxRecordsPerPartition", "-1"), ("maxOffsetsPerTrigger", ""), ("pushdown", "1"),
        ("startingTimestamp", "-1"), ("rowsPerBatch", "0"), ("includeHeaders", ""), ("mode", "PERMISSIVE"),
        ("columns", "keys"), ("topic", "t"), ("splitBytes", "1"),
    ],
)  # fmt: skip
def test_wrong_values_are_named(name: str, value: str) -> None:
    with pytest.raises(OptionError, match=name):
        parse(**{name: value})


def test_committing_offsets() -> None:
    assert parse(streaming=True, commitOffsets="true", kafka_group_id="g").group == "g"
    assert parse(streaming=True, kafka_group_id="g").group is None
    with pytest.raises(OptionError, match=r"kafka\.group\.id has to be given"):
        parse(streaming=True, commitOffsets="true")
    with pytest.raises(OptionError, match="for streams only"):
        parse(commitOffsets="true", kafka_group_id="g")


SECRETS = {
    "kafka.sasl.jaas.config": 'x required username="u" password="hunter2";',
    "kafka.sasl.password": "hunter2",
    "kafka.sasl.oauth.token": "hunter2",
    "kafka.ssl.keystore.password": "hunter2",
    "kafka.ssl.truststore.password": "hunter2",
    "kafka.ssl.key.password": "hunter2",
    "kafka.ssl.keystore.key": "hunter2",
    "kafka.ssl.keystore.certificate.chain": "hunter2",
    "kafka.ssl.truststore.certificates": "hunter2",
}


def test_no_secret_is_shown() -> None:
    options = parse_live_options({**GIVEN, **SECRETS}, streaming=False)
    assert "hunter2" not in repr(options) + str(options)
    assert options.config.sasl_password == "hunter2"  # it is there
    copy = pickle.loads(pickle.dumps(options))
    assert copy == options and "hunter2" not in repr(copy)


@pytest.mark.parametrize(
    "wrong",
    [{"no.such.option": "1"}, {"kafka.security.protocol": "hunter2"}, {"kafka.request.timeout.ms": "hunter2"},
     {"kafka.bootstrap.servers": ""}, {"kafka.bootstrap.servers": "no port"}, {"kafka.isolation.level": "hunter2"},
     {"kafka.enable.auto.commit": "hunter2"}],
)  # fmt: skip
def test_no_secret_in_errors(wrong: dict[str, str]) -> None:
    with pytest.raises(OptionError) as caught:
        parse_live_options({**GIVEN, **SECRETS, **wrong}, streaming=False)
    assert "hunter2" not in "".join(traceback.format_exception(caught.value))
