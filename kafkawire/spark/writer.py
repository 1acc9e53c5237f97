"""The writers of the data source "kafkawire", of PySpark 4.0 and later."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import datasource
from pyspark.sql.datasource import DataSourceArrowWriter, DataSourceStreamWriter, WriterCommitMessage
from pyspark.sql.types import StructType

from kafkawire.spark.given import OptionError
from kafkawire.spark.transactions import abort_all, commit_all, transactional_id
from kafkawire.spark.write_options import WriteOptions, check_columns, parse_write_options
from kafkawire.spark.write_task import Written, write_batch, write_stream

if TYPE_CHECKING:
    from pyspark.sql import Row

#: Whether Spark gives a stream's rows as Arrow batches, from 4.1 on.
ARROW_STREAMS = hasattr(datasource, "DataSourceStreamArrowWriter")
if TYPE_CHECKING or not ARROW_STREAMS:  # noqa: SIM108 - mypy needs a name
    _StreamWriter = DataSourceStreamWriter
else:
    _StreamWriter = datasource.DataSourceStreamArrowWriter

#: Rows that are made one Arrow batch where Spark gives them one by one (streams of 4.0).
_ROWS = 10_000


@dataclass(frozen=True)
class Message(WriterCommitMessage):
    """What a task tells the driver."""

    written: Written


class BatchWriter(DataSourceArrowWriter):
    """A batch job. Without transactions a record is there when its task has written it, twice where a task that had
    begun to write was run again; in transactions all are there when the job has ended, or none."""

    def __init__(self, options: WriteOptions) -> None:
        self.options = options
        self.job = uuid.uuid4().hex

    def write(self, iterator: Iterator[Any]) -> WriterCommitMessage:
        return Message(write_batch(iterator, self.options, self.job))

    def commit(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        if self.options.transactional:
            commit_all(self.options, _transactions(messages))

    def abort(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        if self.options.transactional:
            _abort(self.options, messages, self.job)


class StreamWriter(_StreamWriter):
    """A stream's micro-batches. Without transactions at least once; in transactions those of a batch become visible
    when the batch has ended, and a batch that is repeated after a crash is recognised, task by task."""

    def __init__(self, options: WriteOptions, schema: StructType) -> None:
        self.options = options
        self.schema = schema

    def write(self, iterator: Iterator[Any]) -> WriterCommitMessage:
        return Message(write_stream(iterator if ARROW_STREAMS else arrow_batches(iterator, self.schema), self.options))

    def commit(self, messages: Sequence[WriterCommitMessage | None], batchId: int) -> None:
        if self.options.transactional:
            commit_all(self.options, _transactions(messages))

    def abort(self, messages: Sequence[WriterCommitMessage | None], batchId: int) -> None:
        if self.options.transactional:
            jobs = [message.written.job for message in messages if isinstance(message, Message)]
            _abort(self.options, messages, jobs[0] if jobs else None)


def batch_writer(options: Mapping[str, str], schema: StructType, overwrite: bool) -> BatchWriter:
    """For ``df.write``. Raises :class:`OptionError`."""
    if overwrite:
        raise OptionError("mode: a topic cannot be overwritten; there is append")
    return BatchWriter(_checked(options, schema))


def stream_writer(options: Mapping[str, str], schema: StructType) -> StreamWriter:
    """For ``df.writeStream``, in any output mode. Raises :class:`OptionError`."""
    return StreamWriter(_checked(options, schema), schema)


def _checked(given: Mapping[str, str], schema: StructType) -> WriteOptions:
    options = parse_write_options(given)
    check_columns(schema, options)
    return options


def _transactions(messages: Sequence[WriterCommitMessage | None]) -> list[Any]:
    written = [message.written for message in messages if isinstance(message, Message)]
    return [one.transaction for one in written if one.transaction is not None]


def _abort(options: WriteOptions, messages: Sequence[WriterCommitMessage | None], job: str | None) -> None:
    """Spark has a place for every task of the job, with nothing in it where the task has not ended well."""
    silent = [task for task, message in enumerate(messages) if message is None]
    unknown = [transactional_id(options, job, task) for task in silent] if job is not None else []
    abort_all(options, _transactions(messages), unknown)


def arrow_batches(rows: Iterator[Row], schema: StructType) -> Iterator[pa.RecordBatch]:
    """Rows of Spark as Arrow batches."""
    from pyspark.sql.pandas.types import to_arrow_schema

    kind = to_arrow_schema(schema)
    while some := list(islice(rows, _ROWS)):
        columns = zip(*some, strict=True)
        arrays = [pa.array(column, field.type) for column, field in zip(columns, kind, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, schema=kind)
