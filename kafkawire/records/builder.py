"""Records and Arrow columns to batches: the policy of writing (what is compressed how, what goes into the header)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from kafkawire import _twins
from kafkawire.errors import EncodeError, UnsupportedError
from kafkawire.records.compression import codec_by_name, compress

if TYPE_CHECKING:
    import pyarrow as pa

    from kafkawire._writer_py import BatchWriter
else:
    BatchWriter = _twins.writer.BatchWriter

#: Bytes at which a batch counts as full, before compression: that of Kafka's own producer.
DEFAULT_BATCH_SIZE = 16 * 1024
MAX_BATCH_SIZE = 0x7FFFFFFF

#: The columns that write_columns takes.
FIELDS = ("key", "value", "headers", "timestamp", "offset")

_INT16 = (-0x8000, 0x7FFF)
_INT32 = (-0x80000000, 0x7FFFFFFF)
_INT64 = (-0x8000000000000000, 0x7FFFFFFFFFFFFFFF)


def _check(name: str, value: int, bounds: tuple[int, int]) -> int:
    if not isinstance(value, int):
        raise TypeError(f"{name} is an int, not {type(value).__name__}")
    if not bounds[0] <= value <= bounds[1]:
        raise EncodeError(f"{name} {value} is out of range", expected=f"{bounds[0]} to {bounds[1]}")
    return value


class RecordBatchBuilder(BatchWriter):
    """Builds one batch after the other: ``append`` records until it says False, ``build`` the bytes, go on.

    ``magic``: 2, or 1 and 0 for message sets. ``compression``: "none", "gzip", "snappy", "lz4" or "zstd" (magic 2
    only), ``level``: that codec's, None for Kafka's default. ``batch_size``: bytes before compression at which
    ``append`` says False; the first record is taken whatever its size. ``base_offset``: of the first record; a producer
    sends 0. ``producer_id``, ``producer_epoch``, ``base_sequence``: of an idempotent producer, the sequence goes on
    from batch to batch; ``partition_leader_epoch``: -1 from a producer. ``is_transactional``, ``is_control``:
    attributes. ``log_append_time``: milliseconds since the epoch; where given, the batch has LogAppendTime and that
    time.

    Raises UnsupportedError for a magic or a compression that does not exist, EncodeError for values out of range.
    """

    def __init__(
        self,
        magic: int = 2,
        compression: str = "none",
        *,
        level: int | None = None,
        batch_size: int = MAX_BATCH_SIZE,
        base_offset: int = 0,
        producer_id: int = -1,
        producer_epoch: int = -1,
        base_sequence: int = -1,
        partition_leader_epoch: int = -1,
        is_transactional: bool = False,
        is_control: bool = False,
        log_append_time: int | None = None,
    ) -> None:
        if magic not in (0, 1, 2):
            raise UnsupportedError(f"magic {magic}", expected="0, 1 or 2")
        codec = codec_by_name(compression, magic, level)
        if magic < 2 and (is_transactional or is_control or producer_id != -1):
            raise EncodeError(f"a message of magic {magic} has no producer and no control bit", expected="magic 2")
        if magic == 0 and log_append_time is not None:
            raise EncodeError("a message of magic 0 has no timestamp", expected="magic 1 or 2")
        attributes = (
            codec.id
            | (0x08 if log_append_time is not None else 0)
            | (0x10 if is_transactional else 0)
            | (0x20 if is_control else 0)
        )
        super().__init__(
            magic,
            attributes,
            partial(compress, codec.id, magic, level=level) if codec.id else None,
            _check("batch_size", batch_size, (1, MAX_BATCH_SIZE)),
            _check("base_offset", base_offset, (0, _INT64[1])),
            _check("producer_id", producer_id, _INT64),
            _check("producer_epoch", producer_epoch, _INT16),
            _check("base_sequence", base_sequence, (-1, _INT32[1])),
            _check("partition_leader_epoch", partition_leader_epoch, _INT32),
            0 if log_append_time is None else _check("log_append_time", log_append_time, _INT64),
        )

    def build(self) -> bytes:
        """The bytes of the batch (of magic 0 and 1: the messages), b"" where nothing was appended; then starts anew."""
        return self.take()

    def extend(self, table: pa.Table | pa.RecordBatch) -> Iterator[bytes]:
        """Append rows of Arrow columns, those that write_columns takes. Gives the bytes of each batch that becomes full
        on the way; what does not fill one waits for the next rows, or for ``build``. Errors as in write_columns."""
        _check_fields(self, table)
        return _full_batches(self, table)


def write_columns(
    table: pa.Table | pa.RecordBatch,
    compression: str = "none",
    *,
    batch_size: int = DEFAULT_BATCH_SIZE,
    **settings: Any,
) -> bytes:
    """Arrow columns to batches, one behind the other, as a segment file has them.

    ``table``: columns key and value (binary or string), headers (list<struct<key: string, value: binary>>), timestamp
    (a timestamp, or milliseconds since the epoch; now if absent) and offset (rising; counted from ``base_offset`` if
    absent), of which any may be absent; other columns are refused. ``settings``: those of RecordBatchBuilder.

    Raises EncodeError for columns of other names and types, nulls in timestamp or offset, headers without a key.
    """
    writer = _writer_for(table, compression, batch_size, settings)
    for rows, columns in _kernel_columns(table):
        writer.append_columns(rows, *columns)
    return writer.build()


def write_batches(
    table: pa.Table | pa.RecordBatch,
    compression: str = "none",
    *,
    batch_size: int = DEFAULT_BATCH_SIZE,
    **settings: Any,
) -> Iterator[bytes]:
    """The same batches as write_columns makes, one by one, in little memory."""
    writer = _writer_for(table, compression, batch_size, settings)
    return _write_batches(writer, table)


def _write_batches(writer: RecordBatchBuilder, table: pa.Table | pa.RecordBatch) -> Iterator[bytes]:
    yield from _full_batches(writer, table)
    if last := writer.build():
        yield last


def _full_batches(writer: RecordBatchBuilder, table: pa.Table | pa.RecordBatch) -> Iterator[bytes]:
    for rows, columns in _kernel_columns(table):
        row = 0
        while (row := writer.append_columns(rows, *columns, row, True)) < rows:
            yield writer.build()


def _writer_for(
    table: pa.Table | pa.RecordBatch, compression: str, batch_size: int, settings: dict[str, Any]
) -> RecordBatchBuilder:
    """A builder for these columns, which are refused if it has no place for one."""
    writer = RecordBatchBuilder(compression=compression, batch_size=batch_size, **settings)
    _check_fields(writer, table)
    return writer


def _check_fields(writer: RecordBatchBuilder, table: pa.Table | pa.RecordBatch) -> None:
    names = table.schema.names
    unknown = [name for name in names if name not in FIELDS]
    if unknown:
        raise EncodeError(f"no such field of a record: {', '.join(unknown)}", expected=", ".join(FIELDS))
    if len(set(names)) < len(names):
        raise EncodeError(f"two columns of one name: {', '.join(names)}", expected="one of each")
    if writer.magic < 2 and "headers" in names:
        raise EncodeError(f"a message of magic {writer.magic} has no headers", expected="magic 2")
    if writer.magic == 0 and "timestamp" in names:
        raise EncodeError("a message of magic 0 has no timestamp", expected="magic 1 or 2")


def _kernel_columns(table: pa.Table | pa.RecordBatch) -> Iterator[tuple[int, tuple[Any, Any, Any, Any, Any]]]:
    """Piece by piece (rows, the kernel's offset, timestamp, key, value and headers), None for what is absent."""
    from kafkawire.arrow import binary_buffers, header_buffers, number_buffers

    kernel = _twins.writer
    for batch in table.to_batches() if hasattr(table, "to_batches") else [table]:
        rows = batch.num_rows
        given = dict(zip(batch.schema.names, batch.columns, strict=True))
        offset, timestamp = (
            kernel.NumberColumn(*number_buffers(given[name], name), rows) if name in given else None
            for name in ("offset", "timestamp")
        )
        key, value = (
            kernel.BytesColumn(*binary_buffers(given[name], name), rows) if name in given else None
            for name in ("key", "value")
        )
        headers = None
        if "headers" in given:
            validity, offsets, first, names, contents, entries = header_buffers(given["headers"])
            headers = kernel.ListColumn(
                validity, offsets, first, rows, kernel.BytesColumn(*names, entries),
                kernel.BytesColumn(*contents, entries), entries,
            )
        yield rows, (offset, timestamp, key, value, headers)
