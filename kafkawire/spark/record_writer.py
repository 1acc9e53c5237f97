"""From Arrow batches to record batches of Kafka, written: what one task does."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

import kafkawire as kw
from kafkawire.client import Client, IdempotentProducer, TopicPartition
from kafkawire.spark.partitioning import Partitioner
from kafkawire.spark.sending import Sender, following
from kafkawire.spark.write_options import WriteOptions, written_columns

#: Bytes at which a batch counts as full, before compression, unless kafka.batch.size says else. Kafka's own default of
#: 16 KiB is for records that come one by one; this one stays below the brokers' default for max.message.bytes.
BATCH_SIZE = 1_000_000
#: Bytes of rows in batches that are not full yet; then all of them are sent (Kafka's default for buffer.memory).
OPEN_BYTES = 32 * 1024 * 1024

_SMALLEST_BATCH = 1024


@dataclass
class _Open:
    """The batches of one partition: the builder, its batch size, its first sequence number and its rows so far."""

    builder: kw.RecordBatchBuilder
    batch_size: int
    sequence: int
    rows: int = 0


class RecordWriter:
    """Writes rows; for one task. ``producer``: idempotent or transactional (and then in a transaction), or None.

    ``write`` raises ValueError for rows that cannot be written, and, as ``finish``, ClientError for what the brokers
    refuse; ``stop`` has to follow then.
    """

    def __init__(self, client: Client, options: WriteOptions, producer: IdempotentProducer | None) -> None:
        self.rows = 0
        self._options = options
        self._producer = producer
        self._partitioner = Partitioner(client, options)
        self._open: dict[TopicPartition, _Open] = {}
        self._open_bytes = 0
        self._batch_sizes: dict[str, int] = {}
        self._sender = Sender(client, options, producer)
        self.partitions: set[TopicPartition] = set()

    def write(self, batch: pa.RecordBatch) -> None:
        """Write rows with the columns that write_options names; others are ignored."""
        if not batch.num_rows:
            return
        rows = batch.select(written_columns(batch.schema.names, self._options))
        if "timestamp" in rows.schema.names:
            rows = _with_every_timestamp(rows)
        for at, mine in self._partitioner.divide(rows):
            self._append(at, mine)
        self.rows += batch.num_rows
        if self._open_bytes > OPEN_BYTES:
            self._flush()

    def finish(self) -> None:
        """Write what is left, and wait until all is written."""
        self._flush()
        self._sender.finish()

    def stop(self) -> bool:
        """After an error: write nothing more. Whether the client is free again."""
        return self._sender.stop()

    def _append(self, at: TopicPartition, rows: pa.RecordBatch) -> None:
        opened = self._open.get(at)
        if opened is None:
            self.partitions.add(at)
            first = 0 if self._producer is None else self._producer.settings(*at)["base_sequence"]
            opened = self._open[at] = self._begin(at, first)
        opened.rows += rows.num_rows
        self._open_bytes += rows.nbytes
        full = 0
        for data in opened.builder.extend(rows):
            self._open_bytes = max(self._open_bytes - opened.batch_size, 0)
            self._sender.put(at, data)
            full = len(data)
        refused = self._sender.refused.get(at.topic)
        if full and refused and full > refused // 2:
            smaller = max(opened.batch_size * refused // (2 * full), _SMALLEST_BATCH)
            self._batch_sizes[at.topic] = min(smaller, self._batch_sizes.get(at.topic, smaller))
        if opened.batch_size > self._batch_sizes.get(at.topic, opened.batch_size):
            self._close(at, opened)
            self._open[at] = self._begin(at, following(opened.sequence, opened.rows))

    def _begin(self, at: TopicPartition, sequence: int) -> _Open:
        config = self._options.config
        size = self._batch_sizes.get(at.topic) or config.batch_size or BATCH_SIZE
        settings: dict[str, Any] = {}
        if self._producer is not None:
            settings = {**self._producer.settings(*at), "base_sequence": sequence}
        builder = kw.RecordBatchBuilder(
            2, config.compression_type, level=config.compression_level, batch_size=size, **settings
        )
        return _Open(builder, size, sequence)

    def _flush(self) -> None:
        for at, opened in self._open.items():
            self._close(at, opened)
        self._open_bytes = 0

    def _close(self, at: TopicPartition, opened: _Open) -> None:
        if data := opened.builder.build():
            self._sender.put(at, data)


def _with_every_timestamp(rows: pa.RecordBatch) -> pa.RecordBatch:
    """The rows, with the present time where the timestamp is null."""
    index = rows.schema.get_field_index("timestamp")
    given = rows.column(index)
    if not given.null_count:
        return rows
    now = pa.scalar(int(time.time() * 1000), pa.int64()).cast(pa.timestamp("ms")).cast(given.type)
    filled: Any = pc.fill_null(given, now)
    return rows.set_column(index, "timestamp", filled)
