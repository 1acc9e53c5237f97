"""Live topics for the tests of their reads: topics, the reader without Spark around it, what is left of threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import InputPartition

import kafkawire as kw
from kafkawire import messages
from kafkawire.client import Client, NewTopic, TopicPartition
from kafkawire.spark.live import LiveReader
from kafkawire.spark.live_options import LiveOptions, parse_live_options

T0 = 1_700_000_000_000


def spelled(options: Mapping[str, Any]) -> dict[str, str]:
    """Options as Spark hands them over; ``kafka_isolation_level`` is kafka.isolation.level, None is left out."""
    return {
        name.replace("_", ".") if name.startswith("kafka_") else name: _text(value)
        for name, value in options.items()
        if value is not None
    }


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def live_options(bootstrap: str, **options: object) -> LiveOptions:
    """``bootstrap`` unless the options have other servers."""
    return parse_live_options(spelled({"kafka_bootstrap_servers": bootstrap, **options}), streaming=False)


def reader(bootstrap: str, **options: object) -> LiveReader:
    """What Spark makes of such options, driver and executors in this process."""
    return LiveReader(live_options(bootstrap, **options))


def batches(reader: LiveReader, parts: Iterable[InputPartition] | None = None) -> Iterator[pa.RecordBatch]:
    for part in reader.partitions() if parts is None else parts:
        yield from reader.read(part)


def offsets(reader: LiveReader, parts: Iterable[InputPartition] | None = None) -> list[int]:
    return [offset for batch in batches(reader, parts) for offset in batch.column("offset").to_pylist()]


def create(client: Client, name: str, partitions: int = 1, replicas: int = 1, **configs: str) -> str:
    """A topic whose partitions have leaders; ``cleanup_policy`` is cleanup.policy."""
    topic = NewTopic(name, partitions, replicas, {key.replace("_", "."): to for key, to in configs.items()})
    client.create_topics([topic])
    client.list_offsets({TopicPartition(name, number): "latest" for number in range(partitions)})
    return name


def batch(values: Iterable[bytes | None], timestamp: int = T0, key: bytes | None = None, **settings: Any) -> bytes:
    """One batch of values, a second apart."""
    builder = kw.RecordBatchBuilder(**settings)
    for number, value in enumerate(values):
        if settings.get("magic") == 0:
            builder.append(key=key, value=value)
        else:
            builder.append(key=key, value=value, timestamp=timestamp + 1000 * number)
    return builder.build()


def fill(client: Client, topic: str, count: int, size: int = 100, partition: int = 0, **settings: Any) -> None:
    """``count`` batches of one record each, ``size`` bytes of value."""
    one = batch([b"x" * size], **settings)
    for start in range(0, count, 50):
        client.produce({TopicPartition(topic, partition): one * min(50, count - start)})


def delete_records(client: Client, topic: str, before: int, partition: int = 0) -> None:
    """Move the start of the log, as retention does."""
    row = messages.DeleteRecordsRequest.Topic
    where = row(name=topic, partitions=[row.Partition(partition_index=partition, offset=before)])
    response = client.call(messages.DeleteRecordsRequest(topics=[where], timeout_ms=10_000))
    assert isinstance(response, messages.DeleteRecordsResponse)
    assert [(one.low_watermark, one.error_code) for one in response.topics[0].partitions] == [(before, 0)]


def our_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("kafkawire")]


def eventually(true: Callable[[], bool], seconds: float = 30.0) -> bool:
    """Whether it becomes true in time."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True
