"""The options of reading live topics: those of Spark's own Kafka source, with its meanings, defaults and refusals,
and our own. What Spark passes as text becomes one typed, immutable value.

Source: Spark's "Structured Streaming + Kafka Integration Guide".
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from kafkawire.client import ClientConfig, TopicPartition
from kafkawire.spark.given import KAFKA, Given, OptionError
from kafkawire.spark.options import READ_OPTIONS, ReadOptions, parse_read_options

Side: TypeAlias = Literal["starting", "ending"]

EARLIEST, LATEST = -2, -1  # in the JSON of offsets

_SUBSCRIPTIONS = ("assign", "subscribe", "subscribePattern")
LIVE_OPTIONS = (
    *_SUBSCRIPTIONS,
    "startingTimestamp",
    "startingOffsetsByTimestamp",
    "startingOffsets",
    "startingOffsetsByTimestampStrategy",
    "endingTimestamp",
    "endingOffsetsByTimestamp",
    "endingOffsets",
    "failOnDataLoss",
    "kafkaConsumer.pollTimeoutMs",
    "fetchOffset.numRetries",
    "fetchOffset.retryIntervalMs",
    "maxOffsetsPerTrigger",
    "minOffsetsPerTrigger",
    "maxTriggerDelay",
    "minPartitions",
    "maxRecordsPerPartition",
    "groupIdPrefix",
    "commitOffsets",
    "pushdown",
    "threads",
    *READ_OPTIONS,
)

_REFUSED = {
    "auto.offset.reset": "not supported; say where to start with the option startingOffsets",
    "key.deserializer": "not supported; keys are given as bytes, cast or decode the column",
    "value.deserializer": "not supported; values are given as bytes, cast or decode the column",
    "enable.auto.commit": "not supported; offsets are in Spark's checkpoint, commitOffsets=true also tells Kafka",
    "interceptor.classes": "not supported; Java's interceptors may break the query",
}
#: Larger than Kafka's own: a response becomes an Arrow batch, and the next is fetched while this one is decoded.
_DEFAULTS = {"client.id": "kafkawire-spark", "max.partition.fetch.bytes": str(8 << 20)}


@dataclass(frozen=True)
class Bound:
    """Where to start or end; one of these is set.

    ``moment``: for all partitions. ``offsets``: of every partition, -2 earliest, -1 latest. ``timestamp`` (milliseconds
    since the epoch): the first record at or after it, in all partitions; ``timestamps``: in each, of every partition.
    """

    moment: Literal["earliest", "latest"] | None = None
    offsets: Mapping[TopicPartition, int] | None = None
    timestamp: int | None = None
    timestamps: Mapping[TopicPartition, int] | None = None


@dataclass(frozen=True)
class Subscription:
    """Which partitions to read: those named, all of some topics, or all of those whose name a pattern matches."""

    partitions: tuple[TopicPartition, ...] = ()
    topics: tuple[str, ...] = ()
    pattern: re.Pattern[str] | None = None


@dataclass(frozen=True)
class LiveOptions:
    """A read of live topics, checked. Times are milliseconds.

    ``timestamp_strategy``: what a start after the last record means, an error or the end. ``group``: the consumer group
    to which a stream commits what it has read, None for none. ``threads``: how many responses a task decodes at once.
    """

    config: ClientConfig
    read: ReadOptions
    subscription: Subscription
    starting: Bound
    ending: Bound
    timestamp_strategy: Literal["error", "latest"] = "error"
    fail_on_data_loss: bool = True
    poll_timeout_ms: int = 120_000
    offset_retries: int = 3
    offset_retry_interval_ms: int = 10
    min_partitions: int | None = None
    max_records_per_partition: int | None = None
    max_offsets_per_trigger: int | None = None
    min_offsets_per_trigger: int | None = None
    max_trigger_delay_ms: int = 900_000
    group: str | None = None
    pushdown: bool = False
    threads: int = 1


def is_live(options: Mapping[str, str]) -> bool:
    """Whether these options are about topics, and not about files."""
    names = {name.lower() for name in options}
    return "path" not in names and "paths" not in names and any(
        name.startswith(KAFKA) or name in {known.lower() for known in _SUBSCRIPTIONS} for name in names
    )


def parse_live_options(options: Mapping[str, str], *, streaming: bool) -> LiveOptions:
    """The options of ``spark.read`` or ``spark.readStream`` (``streaming``); raises :class:`OptionError`."""
    given = Given(options)
    given.refuse_unknown(LIVE_OPTIONS)
    subscription = _subscription(given)
    starting = _bound(given, "starting", "latest" if streaming else "earliest")
    ending = _bound(given, "ending", "latest")
    if streaming:
        for name in ("endingTimestamp", "endingOffsetsByTimestamp", "endingOffsets"):
            if name in given:
                raise OptionError(f"{name}: a stream has no end")
    else:
        _check_batch_bounds(starting, ending)
    min_trigger, max_trigger = (
        given.integer(name, least=1) for name in ("minOffsetsPerTrigger", "maxOffsetsPerTrigger")
    )
    if min_trigger is not None and max_trigger is not None and min_trigger > max_trigger:
        raise OptionError(f"minOffsetsPerTrigger: {min_trigger} is more than maxOffsetsPerTrigger, {max_trigger}")
    config = given.client_config(_REFUSED, _DEFAULTS, unused=("group.id",))
    return LiveOptions(
        config=config,
        read=parse_read_options(given),
        subscription=subscription,
        starting=starting,
        ending=ending,
        timestamp_strategy=_strategy(given),
        fail_on_data_loss=given.boolean("failOnDataLoss", True),
        poll_timeout_ms=_number(given, "kafkaConsumer.pollTimeoutMs", LiveOptions.poll_timeout_ms, least=1),
        offset_retries=_number(given, "fetchOffset.numRetries", LiveOptions.offset_retries, least=0),
        offset_retry_interval_ms=_number(
            given, "fetchOffset.retryIntervalMs", LiveOptions.offset_retry_interval_ms, least=0
        ),
        min_partitions=given.integer("minPartitions", least=1),
        max_records_per_partition=given.integer("maxRecordsPerPartition", least=1),
        max_offsets_per_trigger=max_trigger,
        min_offsets_per_trigger=min_trigger,
        max_trigger_delay_ms=_duration(given, "maxTriggerDelay", LiveOptions.max_trigger_delay_ms),
        group=_group(given, streaming),
        pushdown=given.boolean("pushdown", False),
        threads=_number(given, "threads", LiveOptions.threads, least=1),
    )


# ---- which partitions ----


def _subscription(given: Given) -> Subscription:
    chosen = [name for name in _SUBSCRIPTIONS if name in given]
    if len(chosen) != 1:
        raise OptionError(
            f"{', '.join(chosen) or 'subscribe'}: exactly one of {', '.join(_SUBSCRIPTIONS)} has to be given "
            "(or path, to read segment files)"
        )
    name = chosen[0]
    text = given.text(name) or ""
    if name == "assign":
        partitions = _assigned(text)
        if not partitions:
            raise OptionError(f"assign: no partitions in {text!r}")
        return Subscription(partitions=partitions)
    if name == "subscribe":
        topics = tuple(dict.fromkeys(topic.strip() for topic in text.split(",") if topic.strip()))
        if not topics:
            raise OptionError(f"subscribe: no topics in {text!r}")
        return Subscription(topics=topics)
    if not text:
        raise OptionError("subscribePattern: the pattern is empty")
    try:
        return Subscription(pattern=re.compile(text))
    except re.error as error:
        raise OptionError(f"subscribePattern: {text!r} is no regular expression: {error}") from None


def _assigned(text: str) -> tuple[TopicPartition, ...]:
    def read(parsed: Any) -> list[TopicPartition]:
        return [TopicPartition(topic, _partition(one)) for topic, partitions in parsed.items() for one in partitions]

    found = _json("assign", text, '{"topic": [0, 1]}', read)
    return tuple(dict.fromkeys(found))


# ---- from where to where ----


def _bound(given: Given, side: Side, default: Literal["earliest", "latest"]) -> Bound:
    """The most particular option of this side that is given, in Spark's order."""
    name = f"{side}Timestamp"
    if name in given:
        return Bound(timestamp=given.integer(name))
    name = f"{side}OffsetsByTimestamp"
    if name in given:
        timestamps = _by_partition(name, given.text(name) or "", '{"topic": {"0": 1700000000000}}', least=0)
        return Bound(timestamps=timestamps)
    name = f"{side}Offsets"
    text = given.text(name)
    if text is None:
        return Bound(moment=default)
    if text.lower() == "earliest":
        return Bound(moment="earliest")
    if text.lower() == "latest":
        return Bound(moment="latest")
    return Bound(offsets=_by_partition(name, text, '{"topic": {"0": 23, "1": -2}}', least=EARLIEST))


def _check_batch_bounds(starting: Bound, ending: Bound) -> None:
    if starting.moment == "latest" or (starting.offsets and LATEST in starting.offsets.values()):
        raise OptionError("startingOffsets: a batch read cannot start at the latest offset (-1)")
    if ending.moment == "earliest" or (ending.offsets and EARLIEST in ending.offsets.values()):
        raise OptionError("endingOffsets: a batch read cannot end at the earliest offset (-2)")


def _by_partition(name: str, text: str, example: str, *, least: int) -> dict[TopicPartition, int]:
    def read(parsed: Any) -> dict[TopicPartition, int]:
        return {
            TopicPartition(topic, _partition(partition)): _whole(value, least)
            for topic, partitions in parsed.items()
            for partition, value in partitions.items()
        }

    found: dict[TopicPartition, int] = _json(name, text, example, read)
    return found


def _json(name: str, text: str, example: str, read: Any) -> Any:
    try:
        return read(json.loads(text))
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise OptionError(f"{name}: {text!r} is not JSON like {example}") from None


def _partition(value: object) -> int:
    return _whole(int(value) if isinstance(value, str) else value, 0)


def _whole(value: object, least: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value < 1 << 63:
        raise ValueError(value)
    return value


# ---- the rest ----


def _number(given: Given, name: str, default: int, *, least: int) -> int:
    value = given.integer(name, default, least=least)
    return default if value is None else value


def _strategy(given: Given) -> Literal["error", "latest"]:
    text = (given.text("startingOffsetsByTimestampStrategy") or "error").lower()
    if text == "error":
        return "error"
    if text == "latest":
        return "latest"
    raise OptionError(f"startingOffsetsByTimestampStrategy: {text!r} is neither error nor latest")


_UNITS = {
    "us": 0.001, "microseconds": 0.001, "ms": 1, "": 1, "milliseconds": 1, "s": 1000, "seconds": 1000, "m": 60_000,
    "min": 60_000, "minutes": 60_000, "h": 3_600_000, "hours": 3_600_000, "d": 86_400_000, "days": 86_400_000,
}  # fmt: skip


def _duration(given: Given, name: str, default: int) -> int:
    """As Spark writes durations: 900000 (milliseconds), 900s, 15m, 1h."""
    text = given.text(name)
    if text is None:
        return default
    match = re.fullmatch(r"(\d{1,15})\s*([a-z]*)", text.lower())
    unit = match and (_UNITS.get(match[2]) or _UNITS.get(f"{match[2]}s"))
    if match is None or not unit:
        raise OptionError(f"{name}: {text!r} is not a duration, such as 30s, 15m or 1h")
    return int(int(match[1]) * unit)


def _group(given: Given, streaming: bool) -> str | None:
    if not given.boolean("commitOffsets", False):
        return None
    if not streaming:
        raise OptionError("commitOffsets: for streams only; Spark does not tell a batch source that its job succeeded")
    group = given.kafka_properties().get("group.id", "").strip()
    if not group:
        raise OptionError("commitOffsets: kafka.group.id has to be given too, the group to commit to")
    return group
