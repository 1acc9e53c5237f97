"""Writing batches in pure Python: records or Arrow columns to batches and messages. The twin of _writer."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterable
from functools import lru_cache
from struct import Struct
from typing import TYPE_CHECKING

from kafkawire._codec_py import HEADER_V2, INT64_MAX, LOG_APPEND_TIME
from kafkawire._varint_py import crc32, crc32c
from kafkawire.errors import EncodeError

if TYPE_CHECKING:
    from collections.abc import Buffer  # type: ignore[attr-defined, unused-ignore]

INT32_MAX = 0x7FFFFFFF

_HEADER = Struct(">qiibI")
_CRC_COVERED = Struct(">hiqqqhii")
_MESSAGE = Struct(">qiI")
_INT32 = Struct(">i")
_INT64 = Struct(">q")


class BytesColumn:
    """A nullable binary column of Arrow's layout: validity bitmap, 32-bit offsets, data, first row."""

    def __init__(self, validity: Buffer | None, offsets: Buffer, data: Buffer, first: int, rows: int) -> None:
        self._valid = None if validity is None else memoryview(validity).cast("B")
        self._at = memoryview(offsets).cast("B").cast("i")
        self._data = memoryview(data).cast("B")
        self._first = first
        if self._valid is not None and len(self._valid) * 8 < first + rows:
            raise ValueError("the validity bitmap is shorter than the column")
        if rows and len(self._at) < first + rows + 1:
            raise ValueError("the offsets are fewer than the rows")
        at = self._at
        if any(at[i] < 0 or at[i + 1] < at[i] or at[i + 1] > len(self._data) for i in range(first, first + rows)):
            raise ValueError("the offsets lie outside of the data")

    def __getitem__(self, row: int) -> bytes | None:
        row += self._first
        if self._valid is not None and not self._valid[row >> 3] >> (row & 7) & 1:
            return None
        start, end = self._at[row], self._at[row + 1]
        if not 0 <= start <= end <= len(self._data):
            raise _changed()
        return bytes(self._data[start:end])


class ListColumn:
    """The headers of each row: 32-bit offsets into the rows of two binary columns."""

    def __init__(
        self,
        validity: Buffer | None,
        offsets: Buffer,
        first: int,
        rows: int,
        keys: BytesColumn,
        values: BytesColumn,
        entries: int,
    ) -> None:
        self._valid = None if validity is None else memoryview(validity).cast("B")
        self._at = memoryview(offsets).cast("B").cast("i")
        self._first = first
        self._entries = entries
        self._keys = keys
        self._values = values
        if self._valid is not None and len(self._valid) * 8 < first + rows:
            raise ValueError("the validity bitmap is shorter than the column")
        if rows and len(self._at) < first + rows + 1:
            raise ValueError("the offsets are fewer than the rows")
        at = self._at
        if any(at[i] < 0 or at[i + 1] < at[i] or at[i + 1] > entries for i in range(first, first + rows)):
            raise ValueError("the offsets lie outside of the headers")

    def __getitem__(self, row: int) -> list[tuple[bytes, bytes | None]]:
        """(key with its length before it, value) of each header."""
        row += self._first
        if self._valid is not None and not self._valid[row >> 3] >> (row & 7) & 1:
            return []
        start, end = self._at[row], self._at[row + 1]
        if not 0 <= start <= end <= self._entries:
            raise _changed()
        keys = [self._keys[i] or b"" for i in range(start, end)]
        return [(_varint(len(key)) + key, self._values[start + i]) for i, key in enumerate(keys)]


class NumberColumn:
    """A column of int64 without nulls."""

    def __init__(self, data: Buffer, first: int, rows: int) -> None:
        values = memoryview(data).cast("B")
        if len(values) // 8 < first + rows:
            raise ValueError("the column is shorter than its rows")
        self.values = array("q", bytes(values[8 * first : 8 * (first + rows)]))


def _changed() -> EncodeError:
    """Offsets that were right, and are not any more: the memory is not ours."""
    return EncodeError("the columns changed while they were written", expected="nobody else to do that")


@lru_cache(4096)
def _varint(value: int) -> bytes:
    """``value`` as a zigzag varint; lengths, deltas and counts repeat from record to record."""
    value = (value << 1) ^ (value >> 63)
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


@lru_cache(4096)
def _record_start(timestamp_delta: int) -> bytes:
    """A record's attributes, which are none, and its timestamp."""
    return b"\0" + _varint(timestamp_delta)


class _Full(Exception):
    """The record does not fit into the open batch any more."""


class BatchWriter:
    """Records to batches of one magic, one after the other in one buffer; the mechanism under RecordBatchBuilder.

    ``attributes``: those of the batch, codec included. ``compress``: what the records of a batch go through when it is
    sealed, None for as they are. ``batch_size``: bytes at which a batch counts as full, before compression. Sequences
    go on from batch to batch from ``base_sequence``, and wrap; -1 is none. ``log_append_time``: written as the time of
    all records where ``attributes`` has that bit.
    """

    def __init__(
        self,
        magic: int,
        attributes: int,
        compress: Callable[[memoryview], bytes] | None,
        batch_size: int,
        base_offset: int,
        producer_id: int,
        producer_epoch: int,
        base_sequence: int,
        leader_epoch: int,
        log_append_time: int,
    ) -> None:
        self.magic = magic
        self.batch_size = batch_size
        self._attributes = attributes
        self._compress = compress
        self._next_offset = base_offset
        self._busy = False
        self._producer_id = producer_id
        self._producer_epoch = producer_epoch
        self._sequence = base_sequence
        self._leader_epoch = leader_epoch
        self._log_append_time = log_append_time
        self._sealed: list[bytes] = []
        # What the open batch's records are made of, joined only once; and its bytes.
        self._parts: list[bytes] = []
        self._size = 0
        self._count = 0
        self._first_offset = self._last_offset = 0
        self._base_timestamp = self._max_timestamp = 0

    @property
    def size_in_bytes(self) -> int:
        """Bytes written so far, those of the open batch before compression."""
        head = HEADER_V2 if self._count and self.magic == 2 else 0
        return sum(map(len, self._sealed)) + head + self._size

    @property
    def record_count(self) -> int:
        """Records in the open batch."""
        return self._count

    def _put(
        self,
        key: bytes | None,
        value: bytes | None,
        headers: list[tuple[bytes, bytes | None]],
        timestamp: int,
        offset: int,
    ) -> None:
        if offset < 0 or (self._count and offset <= self._last_offset):
            expected = f"more than {self._last_offset}" if self._count else "at least 0"
            raise EncodeError("a record's offset is out of order", offset=offset, expected=expected)
        first_offset = self._first_offset if self._count else offset
        base_timestamp = self._base_timestamp if self._count else timestamp
        if self.magic < 2:
            parts = [self._message(key, value, timestamp, offset, first_offset)]
            size, before = len(parts[0]), 0
        else:
            delta = timestamp - base_timestamp
            if not -INT64_MAX - 1 <= delta <= INT64_MAX:
                raise EncodeError(
                    "a record's timestamp is too far from the batch's first", offset=offset,
                    expected="64 bits between them",
                )
            parts = [b"", _record_start(delta), _varint(offset - first_offset)]
            if key is None:
                parts.append(b"\1")
            else:
                parts += _varint(len(key)), key
            if value is None:
                parts.append(b"\1")
            else:
                parts += _varint(len(value)), value
            if headers:
                parts.append(_varint(len(headers)))
                for key_piece, content in headers:
                    parts.append(key_piece)
                    parts += (b"\1",) if content is None else (_varint(len(content)), content)
            else:
                parts.append(b"\0")
            size = sum(map(len, parts))
            parts[0] = length = _varint(size)
            size += len(length)
            before = HEADER_V2
        if size > INT32_MAX - 1024:
            raise EncodeError("a record is too large for a batch", offset=offset, expected="less than 2 GiB")
        if before + self._size + size > self.batch_size and self._count:
            raise _Full
        if offset - first_offset > INT32_MAX or self._count == INT32_MAX:
            raise _Full
        if not self._count:
            self._first_offset = offset
            self._base_timestamp = self._max_timestamp = timestamp
        self._parts += parts
        self._size += size
        self._count += 1
        self._last_offset = offset
        if timestamp > self._max_timestamp:
            self._max_timestamp = timestamp

    def _message(
        self, key: bytes | None, value: bytes | None, timestamp: int, offset: int, first_offset: int
    ) -> bytes:
        covered = bytearray((self.magic, self._attributes & 0xF8))
        if self.magic == 1:
            covered += _INT64.pack(self._log_append_time if self._attributes & LOG_APPEND_TIME else timestamp)
        for piece in (key, value):
            covered += _INT32.pack(-1 if piece is None else len(piece))
            covered += piece or b""
        # Inside of a wrapper of magic 1 offsets are relative (KIP-31).
        relative = self.magic == 1 and self._attributes & 7
        head = _MESSAGE.pack(offset - first_offset if relative else offset, 4 + len(covered), crc32(covered))
        return head + bytes(covered)

    def _enter(self) -> None:
        """Refuse a second thread while the records are compressed: what it appends would be lost."""
        if self._busy:
            raise RuntimeError("another thread is writing with this builder")

    # ---- from objects ----

    def append(
        self,
        key: bytes | None = None,
        value: bytes | None = None,
        headers: Iterable[tuple[str, bytes | None]] = (),
        timestamp: int | None = None,
        offset: int | None = None,
    ) -> bool:
        """Add one record; False, and nothing added, where the batch is full.

        ``timestamp``: milliseconds since the epoch, now by default; magic 0 has none. ``offset``: that after the last
        by default. The first record of a batch is taken whatever its size. Raises EncodeError for offsets that do not
        rise, values out of range, and headers or a timestamp that the magic does not have; TypeError for other types.
        """
        if key is not None and type(key) is not bytes:
            key = _as_bytes(key, "key")
        if value is not None and type(value) is not bytes:
            value = _as_bytes(value, "value")
        if timestamp is None:
            timestamp = -1 if self.magic == 0 else int(time.time() * 1000)
        elif self.magic == 0:
            raise EncodeError("a message of magic 0 has no timestamp", expected="magic 1 or 2")
        elif type(timestamp) is not int or not -INT64_MAX <= timestamp <= INT64_MAX:
            _check_int64(timestamp, "timestamp")
        if offset is None:
            offset = self._next_offset
        else:
            _check_int64(offset, "offset")
        pieces: list[tuple[bytes, bytes | None]] = []
        if headers:
            if self.magic < 2:
                raise EncodeError(f"a message of magic {self.magic} has no headers", expected="magic 2")
            pieces = [_header_piece(header) for header in headers]
        self._enter()
        try:
            self._put(key, value, pieces, timestamp, offset)
        except _Full:
            return False
        self._next_offset = _following(offset)
        return True

    # ---- from columns ----

    def append_columns(
        self,
        rows: int,
        offsets: NumberColumn | None,
        timestamps: NumberColumn | None,
        keys: BytesColumn | None,
        values: BytesColumn | None,
        headers: ListColumn | None,
        row: int = 0,
        one_batch: bool = False,
    ) -> int:
        """Write the rows from ``row`` to ``rows``; a column that is None is absent. Returns the row behind the last.

        A batch that is full is sealed, and the next one begun; with ``one_batch`` writing stops there instead.
        """
        self._enter()
        now = -1 if self.magic == 0 else int(time.time() * 1000)
        while row < rows:
            offset = self._next_offset if offsets is None else offsets.values[row]
            try:
                self._put(
                    None if keys is None else keys[row],
                    None if values is None else values[row],
                    [] if headers is None else headers[row],
                    now if timestamps is None else timestamps.values[row],
                    offset,
                )
            except _Full:
                if one_batch:
                    break
                self.seal()
                continue
            self._next_offset = _following(offset)
            row += 1
        return row

    # ---- batches ----

    def seal(self) -> None:
        """Close the open batch: compress its records, fill in its header. The next record opens another."""
        self._enter()
        if not self._count:
            return
        if self._compress is not None:
            self._busy = True
            try:
                records = self._compress(memoryview(b"".join(self._parts)))
            finally:
                self._busy = False
            if len(records) > INT32_MAX - 1024:
                raise EncodeError("a batch of 2 GiB or more", expected="a smaller batch_size")
            self._parts, self._size = [records], len(records)
            if self.magic < 2:
                self._wrap()
        if self.magic == 2:
            self._fill_header()
            if self._sequence >= 0:
                self._sequence = (self._sequence + (self._last_offset - self._first_offset) + 1) & INT32_MAX
        self._sealed += self._parts
        self._parts = []
        self._size = self._count = 0

    def _batch_max_timestamp(self) -> int:
        return self._log_append_time if self._attributes & LOG_APPEND_TIME else self._max_timestamp

    def _fill_header(self) -> None:
        size = HEADER_V2 - 12 + self._size
        if size > INT32_MAX:
            raise EncodeError("a batch of 2 GiB or more", expected="a smaller batch_size")
        covered = _CRC_COVERED.pack(
            self._attributes, self._last_offset - self._first_offset, self._base_timestamp,
            self._batch_max_timestamp(), self._producer_id, self._producer_epoch, self._sequence, self._count,
        )
        covered = b"".join((covered, *self._parts))
        self._parts = [_HEADER.pack(self._first_offset, size, self._leader_epoch, 2, crc32c(covered)), covered]

    def _wrap(self) -> None:
        """Put the compressed messages of magic 0 or 1 inside of one."""
        covered = bytes((self.magic, self._attributes))
        if self.magic == 1:
            covered += _INT64.pack(self._batch_max_timestamp())
        covered += _INT32.pack(-1) + _INT32.pack(self._size) + bytes(self._parts[0])
        self._parts = [_MESSAGE.pack(self._last_offset, 4 + len(covered), crc32(covered)), covered]

    def take(self) -> bytes:
        """Seal the open batch and give away all bytes; the writer is empty then and goes on behind the last offset."""
        self.seal()
        out = b"".join(self._sealed)
        self._sealed = []
        return out


def _following(offset: int) -> int:
    """The offset behind; -1, which no record may have, behind the last that there is."""
    return offset + 1 if offset != INT64_MAX else -1


def _as_bytes(given: object, what: str) -> bytes:
    if isinstance(given, (bytes, bytearray, memoryview)):
        return bytes(given)
    raise TypeError(f"a record's {what} is bytes or None, not {type(given).__name__}")


@lru_cache(1024)
def _key_piece(name: str) -> bytes:
    """A header's key with its length before it; most records repeat theirs."""
    try:
        raw = name.encode()
    except UnicodeEncodeError:
        raise EncodeError("a header's key has no UTF-8 form", expected="no lone surrogates") from None
    return _varint(len(raw)) + raw


def _header_piece(pair: tuple[str, bytes | None]) -> tuple[bytes, bytes | None]:
    try:
        name, content = pair
    except (TypeError, ValueError):
        raise TypeError(f"a header is a pair of str and bytes or None, not {pair!r}") from None
    if not isinstance(name, str):
        raise TypeError(f"a header's key is str, not {type(name).__name__}")
    return _key_piece(name), content if content is None or type(content) is bytes else _as_bytes(content, "header")


def _check_int64(given: object, what: str) -> None:
    if not isinstance(given, int):
        raise TypeError(f"a record's {what} is an int, not {type(given).__name__}")
    if not -INT64_MAX - 1 <= given <= INT64_MAX:
        raise EncodeError(f"the {what} {given} is outside of int64", expected="-2**63 to 2**63 - 1")
