"""Bytes to batches, and a batch to records: the object side of reading.

A RecordBatch is lazy: its header is read when it is made, its records when they are asked for. For magic 0 and 1 a
batch is one outer message, which holds others if it is compressed. Sources: the protocol guide's sections on message
sets and record batches; KIP-31 and KIP-32 (magic 1), KIP-98 (magic 2).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from kafkawire import _twins
from kafkawire.errors import ChecksumError, WireError
from kafkawire.records.compression import CODEC_NAMES, decompress
from kafkawire.records.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from kafkawire._codec_py import Header
    from kafkawire._codec_py import Record as Record
else:
    Record = _twins.codec.Record

_CODEC = 0x07
_LOG_APPEND_TIME = 0x08
_TRANSACTIONAL = 0x10
_CONTROL = 0x20
_DELETE_HORIZON = 0x40

#: ``timestamp_type`` of records and batches, as Kafka numbers them.
NO_TIMESTAMP_TYPE, CREATE_TIME, LOG_APPEND_TIME = -1, 0, 1


class RecordBatch:
    """One batch of records: iterate over it, or take ``records()`` as a list.

    Reading records raises CorruptError where the bytes contradict the header, LimitError where decompressing passes the
    limit, and MissingLibraryError where the codec's library is not installed.
    """

    __slots__ = ("_check_crc", "_data", "_header", "_inner", "_limits")

    def __init__(self, data: memoryview, header: Header, check_crc: bool, limits: Limits) -> None:
        self._data = data
        self._header = header
        self._check_crc = check_crc
        self._limits = limits
        self._inner: list[Record] | None = None

    # ---- the header ----

    @property
    def position(self) -> int:
        """Where the batch starts in the data that it was read from, in bytes."""
        return self._header[0]

    @property
    def size(self) -> int:
        """All of the batch, in bytes, with its offset and length fields."""
        return self._header[1]

    @property
    def magic(self) -> int:
        """The format: 0, 1 or 2."""
        return self._header[2]

    @property
    def crc(self) -> int:
        """The checksum as stored: CRC-32C for magic 2, CRC-32 before."""
        return self._header[3]

    @property
    def attributes(self) -> int:
        """The attributes as stored, all bits."""
        return self._header[4]

    @property
    def base_offset(self) -> int:
        """The offset of the first record; of a compressed message v0 or v1 only its inside tells (it is read then)."""
        return self._messages()[0].offset if self._is_wrapper else self._header[5]

    @property
    def last_offset(self) -> int:
        """The offset of the last record, kept where compaction has removed that record."""
        return self._messages()[-1].offset if self._is_wrapper else self._header[6]

    @property
    def header_last_offset(self) -> int:
        """last_offset as the header has it; that of a compressed message v1 from a producer may be 0 (see KIP-31)."""
        return self._header[6]

    @property
    def record_count(self) -> int:
        """How many records there are: declared by magic 2, counted before."""
        return len(self._messages()) if self._is_wrapper else self._header[7]

    @property
    def compression(self) -> str:
        """"none", "gzip", "snappy", "lz4" or "zstd"."""
        return CODEC_NAMES[self._header[4] & _CODEC]

    @property
    def timestamp_type(self) -> int:
        """0 CreateTime, 1 LogAppendTime, -1 for magic 0."""
        return NO_TIMESTAMP_TYPE if self.magic == 0 else int(self._header[4] & _LOG_APPEND_TIME != 0)

    @property
    def first_timestamp(self) -> int:
        """Milliseconds since the epoch of the first record; -1 for none. With a delete horizon, that (see there)."""
        return self._header[8]

    @property
    def max_timestamp(self) -> int:
        """Milliseconds since the epoch, the largest of the records', or when the batch was appended (LogAppendTime)."""
        return self._header[9]

    @property
    def delete_horizon(self) -> int | None:
        """Milliseconds since the epoch after which tombstones and markers go (KIP-534), None where not set."""
        return self._header[8] if self.magic == 2 and self._header[4] & _DELETE_HORIZON else None

    @property
    def is_transactional(self) -> bool:
        """Whether the batch is part of a transaction."""
        return self.magic == 2 and self._header[4] & _TRANSACTIONAL != 0

    @property
    def is_control(self) -> bool:
        """Whether the records are control records (markers of transactions, of Raft), which are no user data."""
        return self.magic == 2 and self._header[4] & _CONTROL != 0

    @property
    def producer_id(self) -> int:
        """The idempotent producer's id, -1 for none."""
        return self._header[10]

    @property
    def producer_epoch(self) -> int:
        """The idempotent producer's epoch, -1 for none."""
        return self._header[11]

    @property
    def base_sequence(self) -> int:
        """The first record's sequence number, -1 for none."""
        return self._header[12]

    @property
    def partition_leader_epoch(self) -> int:
        """The epoch of the leader that appended the batch, -1 for none."""
        return self._header[13]

    # ---- the records ----

    @property
    def _is_wrapper(self) -> bool:
        return self._header[2] < 2 and self._header[4] & _CODEC != 0

    def _decompress(self, start: int, end: int) -> Any:
        header = self._header
        try:
            return decompress(header[4] & _CODEC, header[2], self._data[start:end], self._limits)
        except WireError as error:
            error.position = header[0]
            error.offset = header[5]
            raise

    def _messages(self) -> list[Record]:
        """The records of a message v0 or v1, read once."""
        if self._inner is None:
            position, size, record = _twins.codec.read_message_fields(self._data, self._header)
            if record is not None:
                self._inner = [record]
            else:
                inner = self._decompress(position, position + size)
                self._inner = _twins.codec.read_inner_messages(inner, self._header, self._check_crc)
        return self._inner

    def __iter__(self) -> Iterator[Record]:
        header = self._header
        if header[2] < 2:
            return iter(self._messages())
        end = header[0] + header[1]
        if header[4] & _CODEC:
            data = self._decompress(header[14], end)
            return _twins.codec.RecordIterator(data, 0, memoryview(data).nbytes, header, True)
        return _twins.codec.RecordIterator(self._data, header[14], end, header, False)

    def records(self) -> list[Record]:
        """All records as one list; cheaper than a loop where a list is wanted anyway."""
        header = self._header
        if header[2] < 2:
            return list(self._messages())
        end = header[0] + header[1]
        if header[4] & _CODEC:
            data = self._decompress(header[14], end)
            return _twins.codec.read_records(data, 0, memoryview(data).nbytes, header, True)
        return _twins.codec.read_records(self._data, header[14], end, header, False)

    def raw(self) -> memoryview:
        """The bytes of the whole batch, as a view of the data that it was read from."""
        return self._data[self.position : self.position + self.size]

    def __repr__(self) -> str:
        kind = " control" if self.is_control else " transactional" if self.is_transactional else ""
        return (
            f"<RecordBatch magic {self.magic} at {self.position}, {self.size} bytes, offset {self._header[5]}, "
            f"{self.compression}{kind}>"
        )


class BatchSlice(NamedTuple):
    """Where one batch lies in the data: its position and size in bytes, and its magic."""

    position: int
    size: int
    magic: int


class Split(NamedTuple):
    """How a buffer divides into batches; nothing is decoded and nothing copied.

    ``complete``: bytes up to the end of the last whole batch. ``missing``: how many bytes the partial batch behind it
    lacks: 0 where there is none, None where it is cut so early that its length is not there.
    """

    batches: list[BatchSlice]
    complete: int
    missing: int | None


def split(data: Any, position: int = 0) -> Split:
    """Divide ``data`` (bytes or any buffer of bytes) into batches of any magic, from ``position`` on.

    A partial batch at the end is normal (a fetch response ends where its size limit fell) and never an error. Raises
    CorruptError for a length that cannot be, UnsupportedError for a magic that does not exist.
    """
    batches, complete, missing = _twins.codec.split(memoryview(data).cast("B"), min(max(position, 0), sys.maxsize))
    return Split([BatchSlice(*batch) for batch in batches], complete, missing)


def read_batches(
    data: Any, check_crc: bool = True, limits: Limits = DEFAULT_LIMITS, *, position: int = 0,
    on_corrupt: str = "raise", skipped: list[int] | None = None,
) -> Iterator[RecordBatch]:
    """The batches in ``data`` (bytes or any buffer of bytes), any mix of magics; stops at a partial one at the end.

    ``on_corrupt``: "raise" a ChecksumError where a checksum does not match, or "skip" that batch; the positions of
    skipped batches are appended to ``skipped``. Raises CorruptError and UnsupportedError as split does.
    """
    if on_corrupt not in ("raise", "skip"):
        raise ValueError(f"on_corrupt is 'raise' or 'skip', not {on_corrupt!r}")
    position = min(max(position, -1), sys.maxsize)
    return _read_batches(memoryview(data).cast("B"), check_crc, limits, position, on_corrupt == "skip", skipped)


def _read_batches(
    view: memoryview, check_crc: bool, limits: Limits, position: int, skip: bool, skipped: list[int] | None
) -> Iterator[RecordBatch]:
    read_header = _twins.codec.read_header
    while True:
        try:
            header = read_header(view, position, check_crc)
        except ChecksumError:
            if not skip:
                raise
            if skipped is not None:
                skipped.append(position)
            # The frame alone: of a batch whose checksum is wrong nothing else in the header is believed, or looked at.
            missing = _twins.codec.split(view[: position + 17], position)[2]
            assert missing is not None
            position += 17 + missing
            continue
        if header is None:
            return
        yield RecordBatch(view, header, check_crc, limits)
        position += header[1]
