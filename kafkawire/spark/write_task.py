"""One task of a write, from its rows to what the driver has to know."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
from pyspark import TaskContext

from kafkawire.client import Client, ClientError, CommittedOffset, DeadlineError, IdempotentProducer
from kafkawire.errors import WireError
from kafkawire.spark.clients import borrowed
from kafkawire.spark.record_writer import RecordWriter
from kafkawire.spark.transactions import OpenTransaction, abort_others, job_prefix
from kafkawire.spark.write_options import WriteOptions

#: Names of Spark's local properties that a stream's tasks have.
_QUERY, _BATCH = "sql.streaming.queryId", "streaming.sql.batchId"


@dataclass(frozen=True)
class Written:
    """What a task has done: ``rows`` written, and its transaction where it has opened one. ``job``: what its
    transactional id has behind the prefix."""

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
        query, number = (_context().getLocalProperty(name) for name in (_QUERY, _BATCH))
        if query is None or number is None:
            raise RuntimeError(f"transactional: Spark does not say which micro-batch this is ({_QUERY}, {_BATCH})")
        return cls(query, int(number))


def write_batch(batches: Iterator[pa.RecordBatch], options: WriteOptions, job: str) -> Written:
    """Write the rows of a task of a batch job. ``job``: a name that no other job has."""
    with borrowed(options.config) as client:
        if not options.transactional:
            producer = client.idempotent_producer() if options.config.enable_idempotence else None
            return Written(_write(client, batches, options, producer).rows)
        task = _context()
        # A number that no other attempt of any task has.
        name = f"{job_prefix(options, job)}{task.partitionId()}-{task.taskAttemptId()}"
        return _write_in_transaction(client, batches, options, client.idempotent_producer(name), name, job, None)


def write_stream(batches: Iterator[pa.RecordBatch], options: WriteOptions) -> Written:
    """Write the rows of a task of a micro-batch.

    In transactions the number of the micro-batch is committed with its records, as the offset of a group of the task's
    own: a task that is run again after its records were committed writes nothing. Transactional ids are used again by
    the next micro-batch, because brokers remember each for a week.
    """
    if not options.transactional:
        return write_batch(batches, options, "")
    batch = StreamBatch.of_this_task()
    task = _context()
    group = f"{job_prefix(options, batch.query)}{task.partitionId()}"
    with borrowed(options.config) as client:
        name = f"{group}-{task.attemptNumber()}"
        producer = client.idempotent_producer(name)  # ends what this attempt's namesake has left open
        if batch.number in _committed(client, options, group):
            for _ in batches:  # a worker is only used again when it has read its input
                pass
            return Written(0, batch.query)
        marker = (group, batch.number)
        return _write_in_transaction(client, batches, options, producer, name, batch.query, marker)


def _committed(client: Client, options: WriteOptions, group: str) -> set[int]:
    """The numbers of the micro-batches that the group has, once no open transaction can change them."""
    try:
        offsets = client.fetch_offsets(group, require_stable=True)
    except DeadlineError:
        # A driver has died, and with it an attempt that was not a task's first.
        abort_others(options, f"{group}-")
        offsets = client.fetch_offsets(group, require_stable=True)
    return {committed.offset for committed in offsets.values() if committed is not None}


def _write_in_transaction(
    client: Client,
    batches: Iterator[pa.RecordBatch],
    options: WriteOptions,
    producer: IdempotentProducer,
    name: str,
    job: str,
    marker: tuple[str, int] | None,
) -> Written:
    """Leaves the transaction open, for the driver to commit. ``marker``: a group, and the offset that it gets."""
    producer.begin()
    try:
        writer = _write(client, batches, options, producer)
        if not writer.partitions:
            return Written(0, job)
        at = min(writer.partitions)
        if marker is not None:
            # Any partition will do, as long as it exists.
            producer.send_offsets(marker[0], {at: CommittedOffset(marker[1])})
    except Exception:
        with contextlib.suppress(ClientError, WireError):
            producer.abort()
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


def _context() -> TaskContext:
    context = TaskContext.get()
    if context is None:
        raise RuntimeError("transactional: this does not run in a task of Spark")
    return context
