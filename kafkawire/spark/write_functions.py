"""Writing to Kafka over ``mapInArrow``: for PySpark 3.5, which has no Python data sources."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame

from kafkawire.client import ProducerId, TopicPartition
from kafkawire.spark.given import texts
from kafkawire.spark.transactions import OpenTransaction, abort_all, commit_all
from kafkawire.spark.write_options import WriteOptions, check_columns, parse_write_options, written_columns
from kafkawire.spark.write_task import Written, write_batch

_REPORT = "rows bigint, transactional_id string, producer_id bigint, producer_epoch int, topic string, partition int"
_ARROW_REPORT_TYPES: dict[str, pa.DataType] = {
    "rows": pa.int64(),
    "transactional_id": pa.string(),
    "producer_id": pa.int64(),
    "producer_epoch": pa.int32(),
    "topic": pa.string(),
    "partition": pa.int32(),
}
_ARROW_REPORT = pa.schema(_ARROW_REPORT_TYPES)


def write_kafka(df: DataFrame, options: Mapping[str, Any] | None = None, **more: Any) -> int:
    """Write the rows of a DataFrame to Kafka now, and return how many there were.

    ``options`` (``more``: those without a dot), and the columns: those of ``df.write.format("kafkawire")``, see
    :mod:`kafkawire.spark.write_options`; values may be Python's, as of :func:`kafkawire.spark.read_kafka`.
    It means the same: each record is written once, but for those of a task that fails half-way and is run again; with
    ``transactional`` all become visible at the end, or none. In a stream, use it inside of ``foreachBatch``; a batch
    that is repeated after a crash is then written again.

    Raises OptionError before anything runs, whatever Spark raises for a job that fails, and ClientError where the
    transactions cannot be committed.
    """
    given = parse_write_options(texts(options, more))
    check_columns(df.schema, given)
    rows = df.select(*written_columns(df.columns, given))
    job = uuid.uuid4().hex
    try:
        reports = rows.mapInArrow(_task(given, job), _REPORT).collect()
    except BaseException:
        if given.transactional:
            abort_all(given, [], job)
        raise
    transactions = [
        OpenTransaction(
            one.transactional_id,
            ProducerId(one.producer_id, one.producer_epoch),
            TopicPartition(one.topic, one.partition),
        )
        for one in reports
        if one.transactional_id is not None
    ]
    if given.transactional:
        commit_all(given, transactions, job)
    return sum(one.rows for one in reports)


def _task(options: WriteOptions, job: str) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield _report(write_batch(batches, options, job))

    return write


def _report(written: Written) -> pa.RecordBatch:
    one = written.transaction
    values = (
        (None,) * 5
        if one is None
        else (one.transactional_id, one.producer.producer_id, one.producer.producer_epoch, *one.partition)
    )
    rows = zip((written.rows, *values), _ARROW_REPORT, strict=True)
    return pa.RecordBatch.from_arrays([pa.array([value], field.type) for value, field in rows], schema=_ARROW_REPORT)
