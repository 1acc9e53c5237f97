"""One task of a write, from its rows to what the driver has to know."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
from pyspark import TaskContext

from kafkawire.client import Client, ClientError, CommittedOffset, IdempotentProducer
from kafkawire.errors import WireError
from kafkawire.spark.clients import borrowed
from kafkawire.spark.record_writer import RecordWriter
from kafkawire.spark.transactions import OpenTransaction, transactional_id
from kafkawire.spark.write_options import WriteOptions

#: Names of Spark's local properties that a stream's tasks have.
_QUERY, _BATCH = "sql.streaming.queryId", "streaming.sql.batchId"


@dataclass(frozen=True)
class Written:
    """What a task has done: ``rows`` written, and its transaction where it has opened one. ``job``: the middle of its
    transactional id."""

    rows: int
    job: str | None = None
    transaction: OpenTransaction | None = None


@dataclass(frozen=True)
class StreamBatch:
    """The micro-batch of a stream that a task belongs to. ``query`` stays the same for a checkpoint's life."""

    query: str
    number: int

    @classmethod
    def of_this_task(cls) -> StreamBatch:
        context = TaskContext.get()
        query, number = (context.getLocalProperty(name) if context else None for name in (_QUERY, _BATCH))
        if query is None or number is None:
            raise RuntimeError(f"transactional: Spark does not say which micro-batch this is ({_QUERY}, {_BATCH})")
        return cls(query, int(number))


def write_batch(batches: Iterator[pa.RecordBatch], options: WriteOptions, job: str) -> Written:
    """Write the rows of a task of a batch job. ``job``: a name that no other job has."""
    with borrowed(options.config) as client:
        if not options.transactional:
            producer = client.idempotent_producer() if options.config.enable_idempotence else None
            return Written(_write(client, batches, options, producer).rows)
        name = transactional_id(options, job, _task())
        return _write_in_transaction(client, batches, options, client.idempotent_producer(name), name, job, None)


def write_stream(batches: Iterator[pa.RecordBatch], options: WriteOptions) -> Written:
    """Write the rows of a task of a micro-batch.

    In transactions the number of the micro-batch is committed with its records, as the offset of a group that has the
    transactional id's name: a task that is run again after its records were committed writes nothing.
    """
    if not options.transactional:
        return write_batch(batches, options, "")
    batch = StreamBatch.of_this_task()
    with borrowed(options.config) as client:
        name = transactional_id(options, batch.query, _task())
        producer = client.idempotent_producer(name)  # ends what an earlier attempt has left open
        offsets = client.fetch_offsets(name, require_stable=True).values()
        if batch.number in {committed.offset for committed in offsets if committed is not None}:
            for _ in batches:  # a worker is only used again when it has read its input
                pass
            return Written(0, batch.query)
        return _write_in_transaction(client, batches, options, producer, name, batch.query, batch.number)


def _write_in_transaction(
    client: Client,
    batches: Iterator[pa.RecordBatch],
    options: WriteOptions,
    producer: IdempotentProducer,
    name: str,
    job: str,
    marker: int | None,
) -> Written:
    """Leaves the transaction open, for the driver to commit. ``marker``: an offset to be committed with it."""
    producer.begin()
    try:
        writer = _write(client, batches, options, producer)
        if not writer.partitions:
            return Written(0, job)
        at = min(writer.partitions)
        if marker is not None:
            # Any partition will do, as long as it exists.
            producer.send_offsets(name, {at: CommittedOffset(marker)})
    except Exception:
        with contextlib.suppress(ClientError, WireError):
            producer.abort()  # refused where another attempt of this task has the id now
        raise
    return Written(writer.rows, job, OpenTransaction(name, producer.id, at))


def _write(
    client: Client, batches: Iterator[pa.RecordBatch], options: WriteOptions, producer: IdempotentProducer | None
) -> RecordWriter:
    writer = RecordWriter(client, options, producer)
    try:
        for rows in batches:
            writer.write(rows)
        writer.finish()
    except BaseException:
        if not writer.stop():
            client.close()
        raise
    return writer


def _task() -> int:
    context = TaskContext.get()
    return context.partitionId() if context is not None else 0
