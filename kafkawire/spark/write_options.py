"""The options of a write, checked, and the columns that it takes. Names and meanings are those of Spark's own sink.

Column names are exact, as in Spark's sink; other columns are ignored.

===========  ======================================================  ==================================================
column       type                                                    meaning
===========  ======================================================  ==================================================
value        string or binary                                        needed; null is a tombstone
key          string or binary                                        null without the column
topic        string                                                  needed, and never null, without the option topic
partition    int                                                     null: Kafka's default partitioner chooses
headers      array<struct<key: string, value: binary>>               null is no headers
timestamp    timestamp                                               only with includeTimestamp; else, and where null,
                                                                     the time of writing
===========  ======================================================  ==================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pyspark.sql.types import StructType

from kafkawire.client import ClientConfig
from kafkawire.spark.given import Given, OptionError

_BYTES = ("string", "binary")
_TYPES: dict[str, tuple[str, ...]] = {
    "value": _BYTES,
    "key": _BYTES,
    "topic": ("string",),
    "partition": ("int",),
    "headers": ("array<struct<key:string,value:binary>>",),
    "timestamp": ("timestamp", "timestamp_ntz"),
}

_OPTIONS = ("topic", "transactional", "transactionalIdPrefix", "includeTimestamp")
#: What Spark's sink is given and does not look at: options of its own source, in a dict that both share, and Spark's.
_IGNORED = (
    "includeHeaders", "assign", "subscribe", "subscribePattern", "startingTimestamp", "startingOffsetsByTimestamp",
    "startingOffsets", "endingTimestamp", "endingOffsetsByTimestamp", "endingOffsets", "failOnDataLoss",
    "startingOffsetsByTimestampStrategy", "kafkaConsumer.pollTimeoutMs", "fetchOffset.numRetries",
    "fetchOffset.retryIntervalMs", "maxOffsetsPerTrigger", "minOffsetsPerTrigger", "maxTriggerDelay", "minPartitions",
    "maxRecordsPerPartition", "groupIdPrefix", "checkpointLocation", "queryName", "outputMode", "path",
)  # fmt: skip

_REFUSED = {
    "key.serializer": "keys are written as they are; make binary or string of them with DataFrame operations",
    "value.serializer": "values are written as they are; make binary or string of them with DataFrame operations",
    "partitioner.class": "Java classes cannot run here; compute the column partition with DataFrame operations",
    "interceptor.classes": "Java classes cannot run here; change the rows with DataFrame operations",
    "transactional.id": "tasks have ids of their own; the option transactional=true writes in transactions",
}

#: The longest that a broker allows unless transaction.max.timeout.ms says else: a task's transaction stays open until
#: the last task of the job has ended.
_TRANSACTION_TIMEOUT = "900000"


@dataclass(frozen=True)
class WriteOptions:
    """How rows become records. ``topic``: of all rows, instead of the column's. ``transactional_id_prefix``: what the
    transactional ids (and, of streams, the groups that hold how far they have come) begin with."""

    config: ClientConfig
    topic: str | None = None
    transactional: bool = False
    transactional_id_prefix: str = "kafkawire"
    include_timestamp: bool = False


def parse_write_options(options: Mapping[str, str]) -> WriteOptions:
    """The options of ``df.write.format("kafkawire")``; raises :class:`OptionError`."""
    given = Given(options)
    given.refuse_unknown((*_OPTIONS, *(name for name in _IGNORED if name in given)))
    transactional = given.boolean("transactional", False)
    defaults = {"transaction.timeout.ms": _TRANSACTION_TIMEOUT} if transactional else {}
    config = given.client_config(_REFUSED, defaults)
    if transactional and not config.enable_idempotence:
        raise OptionError("transactional: true needs kafka.acks=all, kafka.enable.idempotence=true and retries")
    topic = given.text("topic")
    if topic == "":
        raise OptionError("topic: the name is empty")
    return WriteOptions(
        # One partitioner and one builder for all: what is None there is settled here.
        config=replace(config, batch_size=config.batch_size or None),
        topic=topic,
        transactional=transactional,
        transactional_id_prefix=given.text("transactionalIdPrefix") or WriteOptions.transactional_id_prefix,
        include_timestamp=given.boolean("includeTimestamp", False),
    )


def check_columns(schema: StructType, options: WriteOptions) -> None:
    """Raise :class:`OptionError` where a column that is needed is missing, or one has a type that it cannot have."""
    types = {field.name: field.dataType.simpleString() for field in schema.fields}
    if "value" not in types:
        raise OptionError(f"the column value is needed; there are {', '.join(types) or 'none'}")
    if options.topic is None and "topic" not in types:
        raise OptionError("without a column topic the option topic is needed")
    if options.include_timestamp and "timestamp" not in types:
        raise OptionError("includeTimestamp: there is no column timestamp")
    for name in written_columns(schema.names, options):
        if types[name] not in _TYPES[name]:
            raise OptionError(f"the column {name} has the type {types[name]}; it must be {' or '.join(_TYPES[name])}")


def written_columns(names: list[str], options: WriteOptions) -> list[str]:
    """Which of these columns are looked at."""
    ignored = set()
    if options.topic is not None:
        ignored.add("topic")
    if not options.include_timestamp:
        ignored.add("timestamp")
    return [name for name in names if name in _TYPES and name not in ignored]
