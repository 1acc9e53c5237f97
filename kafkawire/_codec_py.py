"""The record walk in pure Python: bytes to batches and batches to records. The twin of _codec.

The loops are written out instead of being built from small functions: in the interpreter a call costs more than what a
record needs.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

from kafkawire._varint_py import crc32, crc32c
from kafkawire.errors import Fault, WireError, fault_error

if TYPE_CHECKING:
    from collections.abc import Buffer  # type: ignore[attr-defined, unused-ignore]

LOG_OVERHEAD = 12
HEADER_V2 = 61
CODEC_MASK = 0x07
LOG_APPEND_TIME = 0x08
INT64_MAX = 0x7FFFFFFFFFFFFFFF

_FRAME = Struct(">qi")
_HEADER_V2 = Struct(">qiibIhiqqqhii")
_HEADER_V0 = Struct(">qiIbB")
_HEADER_V1 = Struct(">qiIbBq")
_INT32 = Struct(">i")
_SMALLEST_LENGTH = (14, 22, 49)


class Record:
    """One record of a batch: offset, timestamp, timestamp_type, key, value, headers."""

    __slots__ = ("headers", "key", "offset", "timestamp", "timestamp_type", "value")

    offset: int
    timestamp: int | None
    timestamp_type: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]

    def __init__(
        self,
        offset: int,
        timestamp: int | None,
        timestamp_type: int,
        key: bytes | None,
        value: bytes | None,
        headers: tuple[tuple[str, bytes | None], ...],
    ) -> None:
        self.offset = offset
        self.timestamp = timestamp
        self.timestamp_type = timestamp_type
        self.key = key
        self.value = value
        self.headers = headers

    def _as_tuple(self) -> tuple[object, ...]:
        return self.offset, self.timestamp, self.timestamp_type, self.key, self.value, self.headers

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Record):
            return NotImplemented
        return self._as_tuple() == other._as_tuple()

    def __hash__(self) -> int:
        return hash(self._as_tuple())

    def __repr__(self) -> str:
        return (
            f"Record(offset={self.offset!r}, timestamp={self.timestamp!r}, timestamp_type={self.timestamp_type!r}, "
            f"key={self.key!r}, value={self.value!r}, headers={self.headers!r})"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return Record, self._as_tuple()


class Header(NamedTuple):
    """The header of a batch v2, or of a message v0 or v1 with Kafka's values for what it lacks."""

    position: int
    size: int
    magic: int
    crc: int
    attributes: int
    base_offset: int
    last_offset: int
    count: int  # type: ignore[assignment]  # tuple.count, which nobody asks a header for
    base_timestamp: int
    max_timestamp: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    leader_epoch: int
    records: int


class _Found(Exception):
    """A fault, until the error can be made that knows the batch around it."""

    def __init__(self, fault: Fault, position: int, a: int = 0, b: int = 0) -> None:
        self.fault = fault
        self.position = position
        self.a = a
        self.b = b

    def error(self, header: Header, inner: bool) -> WireError:
        if inner:
            return fault_error(self.fault, self.a, self.b, header.position, header.base_offset, self.position)
        return fault_error(self.fault, self.a, self.b, self.position, header.base_offset)


# ---- framing ----


def _read_frame(data: memoryview, pos: int, end: int) -> tuple[int, int, int | None]:
    """(size, magic, missing) of the batch at ``pos``: missing is 0 for a whole one, None where it cannot be known."""
    left = end - pos
    if left < LOG_OVERHEAD:
        return 0, -1, None
    _, length = _FRAME.unpack_from(data, pos)
    if length < 14:
        raise _Found(Fault.BATCH_LENGTH, pos, length, 14)
    size = LOG_OVERHEAD + length
    missing = max(size - left, 0)
    if left <= 16:
        return size, -1, missing
    magic = data[pos + 16]
    if magic > 2:
        raise _Found(Fault.MAGIC, pos, magic)
    if length < _SMALLEST_LENGTH[magic]:
        raise _Found(Fault.BATCH_LENGTH, pos, length, _SMALLEST_LENGTH[magic])
    return size, magic, missing


def split(data: Buffer, position: int = 0) -> tuple[list[tuple[int, int, int]], int, int | None]:
    """The extents of the batches from ``position`` on: ([(position, size, magic)], complete, missing).

    ``complete``: the position behind the last whole batch. ``missing``: how many bytes the partial one behind it lacks,
    0 where there is none, None where not even its length is there. Raises CorruptError, UnsupportedError.
    """
    view = memoryview(data).cast("B")
    end = len(view)
    pos = min(max(position, 0), end)
    found: list[tuple[int, int, int]] = []
    try:
        while pos < end:
            size, magic, missing = _read_frame(view, pos, end)
            if missing != 0:
                return found, pos, missing
            found.append((pos, size, magic))
            pos += size
    except _Found as found_fault:
        raise fault_error(found_fault.fault, found_fault.a, found_fault.b, found_fault.position) from None
    return found, pos, 0


def _open_batch(view: memoryview, position: int, size: int, magic: int, check_crc: bool) -> Header:
    """The header of a whole batch, checked."""
    if magic == 2:
        (base_offset, _, leader_epoch, _, crc, attributes, last_offset_delta, base_timestamp, max_timestamp,
         producer_id, producer_epoch, base_sequence, count) = _HEADER_V2.unpack_from(view, position)
        header = Header(
            position, size, 2, crc, attributes, base_offset, base_offset + last_offset_delta, count, base_timestamp,
            max_timestamp, producer_id, producer_epoch, base_sequence, leader_epoch, position + HEADER_V2,
        )
        found = crc32c(view[position + 21 : position + size]) if check_crc else crc
        codecs = 4
    else:
        timestamp, start, last_offset_delta, count = -1, position + 18, 0, 1
        if magic == 1:
            base_offset, _, crc, _, attributes, timestamp = _HEADER_V1.unpack_from(view, position)
            start = position + 26
        else:
            base_offset, _, crc, _, attributes = _HEADER_V0.unpack_from(view, position)
        header = Header(
            position, size, magic, crc, attributes, base_offset, base_offset, 1, timestamp, timestamp, -1, -1, -1, -1,
            start,
        )
        found = crc32(view[position + 16 : position + size]) if check_crc else crc
        codecs = 3
    if found != crc:
        raise _Found(Fault.CHECKSUM, position, crc, found).error(header, False)
    if attributes & CODEC_MASK > codecs:
        raise _Found(Fault.CODEC, position, attributes & CODEC_MASK, magic).error(header, False)
    if last_offset_delta < 0:
        raise _Found(Fault.OFFSET_DELTA, position, last_offset_delta, 0x7FFFFFFF).error(header, False)
    if base_offset < 0 or base_offset > INT64_MAX - last_offset_delta:
        raise _Found(Fault.OFFSET_RANGE, position, base_offset).error(header, False)
    if count < 0:
        raise _Found(Fault.RECORD_COUNT, position, count).error(header, False)
    return header


def read_header(data: Buffer, position: int, check_crc: bool) -> Header | None:
    """The header of the batch at ``position``, or None where no whole batch is left.

    Raises CorruptError for lengths, offsets and counts that cannot be, ChecksumError if ``check_crc``, and
    UnsupportedError for a magic or a codec that does not exist.
    """
    view = memoryview(data).cast("B")
    if position < 0 or position >= len(view):
        return None
    try:
        size, magic, missing = _read_frame(view, position, len(view))
    except _Found as found:
        raise fault_error(found.fault, found.a, found.b, found.position) from None
    return None if missing != 0 else _open_batch(view, position, size, magic, check_crc)


# ---- records v2 ----


def _varint_tail(data: memoryview | bytes, pos: int, end: int, bits: int) -> tuple[int, int]:
    """The unsigned varint at ``pos`` of at most ``bits``, and the position behind it."""
    value = shift = 0
    at = pos
    while True:
        if at >= end:
            raise _Found(Fault.END, pos, at - pos + 1, end - pos)
        byte = data[at]
        at += 1
        if shift + 7 > bits and byte >> (bits - shift):
            raise _Found(Fault.VARINT_LONG, pos, bits)
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _varint(data: memoryview | bytes, pos: int, end: int, bits: int) -> tuple[int, int]:
    if pos < end and data[pos] < 0x80:
        raw = data[pos]
        pos += 1
    else:
        raw, pos = _varint_tail(data, pos, end, bits)
    return (raw >> 1) ^ -(raw & 1), pos


def _nullable(data: bytes, pos: int, end: int, size: int, at: int) -> bytes | None:
    """The field of ``size`` at ``pos``, whose length was read at ``at``."""
    if size < 0:
        if size != -1:
            raise _Found(Fault.LENGTH_NEGATIVE, at, size)
        return None
    if size > end - pos:
        raise _Found(Fault.END, pos, size, end - pos)
    return data[pos : pos + size]


def _read_headers(data: bytes, pos: int, end: int, count: int) -> tuple[tuple[tuple[str, bytes | None], ...], int]:
    headers = []
    for _ in range(count):
        at = pos
        size, pos = _varint(data, pos, end, 32)
        if size < 0:
            raise _Found(Fault.HEADER_KEY_NULL, at, size)
        raw = _nullable(data, pos, end, size, at)
        key_at = pos
        pos += size
        at = pos
        size, pos = _varint(data, pos, end, 32)
        value = _nullable(data, pos, end, size, at)
        if size > 0:
            pos += size
        try:
            key = str(raw, "utf-8")  # type: ignore[arg-type]
        except UnicodeDecodeError:
            raise _Found(Fault.UTF8, key_at) from None
        headers.append((key, value))
    return tuple(headers), pos


def _records(data: bytes, pos: int, end: int, header: Header) -> Iterator[Record]:
    base_offset = header.base_offset
    last_offset_delta = header.last_offset - base_offset
    base_timestamp = header.base_timestamp
    append_time = header.max_timestamp if header.attributes & LOG_APPEND_TIME else None
    timestamp_type = 0 if append_time is None else 1
    for index in range(header.count):
        if pos >= end:
            raise _Found(Fault.RECORD_COUNT, pos, header.count, index)
        at = pos
        raw = data[pos]
        pos += 1
        if raw > 0x7F:
            raw, pos = _varint_tail(data, at, end, 32)
        size = (raw >> 1) ^ -(raw & 1)
        if size < 0 or size > end - pos:
            raise _Found(Fault.RECORD_LENGTH, at, size, end - pos)
        stop = pos + size
        if size < 6:
            pos = _short_record(data, pos, stop, header)
        pos += 1
        at = pos
        raw = data[pos]
        pos += 1
        if raw > 0x7F:
            raw, pos = _varint_tail(data, at, stop, 64)
        timestamp = base_timestamp + ((raw >> 1) ^ -(raw & 1))
        if not -INT64_MAX - 1 <= timestamp <= INT64_MAX:
            raise _Found(Fault.TIMESTAMP_RANGE, at, base_timestamp, timestamp - base_timestamp)
        if append_time is not None:
            timestamp = append_time
        at = pos
        raw = data[pos] if pos < stop else 0x80
        pos += 1
        if raw > 0x7F:
            raw, pos = _varint_tail(data, at, stop, 32)
        delta = (raw >> 1) ^ -(raw & 1)
        if delta < 0 or delta > last_offset_delta:
            raise _Found(Fault.OFFSET_DELTA, at, delta, last_offset_delta)
        at = pos
        raw = data[pos] if pos < stop else 0x80
        pos += 1
        if raw > 0x7F:
            raw, pos = _varint_tail(data, at, stop, 32)
        size = (raw >> 1) ^ -(raw & 1)
        if 0 <= size <= stop - pos:
            key: bytes | None = data[pos : pos + size]
            pos += size
        else:
            key = _nullable(data, pos, stop, size, at)
        at = pos
        raw = data[pos] if pos < stop else 0x80
        pos += 1
        if raw > 0x7F:
            raw, pos = _varint_tail(data, at, stop, 32)
        size = (raw >> 1) ^ -(raw & 1)
        if 0 <= size <= stop - pos:
            value: bytes | None = data[pos : pos + size]
            pos += size
        else:
            value = _nullable(data, pos, stop, size, at)
        at = pos
        raw = data[pos] if pos < stop else 0x80
        pos += 1
        if raw > 0x7F:
            raw, pos = _varint_tail(data, at, stop, 32)
        headers: tuple[tuple[str, bytes | None], ...] = ()
        if raw:
            count = (raw >> 1) ^ -(raw & 1)
            if count < 0:
                raise _Found(Fault.LENGTH_NEGATIVE, at, count)
            headers, pos = _read_headers(data, pos, stop, count)
        if pos != stop:
            raise _Found(Fault.RECORD_TRAILING, pos, stop - pos)
        yield Record(base_offset + delta, timestamp, timestamp_type, key, value, headers)
    if pos != end:
        raise _Found(Fault.BATCH_TRAILING, pos, end - pos)


def _short_record(data: bytes, pos: int, stop: int, header: Header) -> int:
    """Find out what a record of fewer bytes than any can have lacks: always raises."""
    if pos >= stop:
        raise _Found(Fault.END, pos, 1, 0)
    pos += 1
    at = pos
    delta, pos = _varint(data, pos, stop, 64)
    if not -INT64_MAX - 1 <= header.base_timestamp + delta <= INT64_MAX:
        raise _Found(Fault.TIMESTAMP_RANGE, at, header.base_timestamp, delta)
    at = pos
    delta, pos = _varint(data, pos, stop, 32)
    if delta < 0 or delta > header.last_offset - header.base_offset:
        raise _Found(Fault.OFFSET_DELTA, at, delta, header.last_offset - header.base_offset)
    for _ in range(2):
        at = pos
        size, pos = _varint(data, pos, stop, 32)
        field = _nullable(data, pos, stop, size, at)
        pos += 0 if field is None else size
    _varint(data, pos, stop, 32)
    raise _Found(Fault.END, pos, 1, 0)


def _whole(data: Buffer) -> bytes:
    """Bytes, since slicing and indexing them is what the loops do; a copy where the data is something else."""
    return data if type(data) is bytes else bytes(data)


class RecordIterator:
    """The records of one batch v2, in order: ``data[start:end]``, ``inner`` if that is decompressed data.

    Raises CorruptError where the bytes and the header disagree; a walk that failed does not go on.
    """

    def __init__(self, data: Buffer, start: int, end: int, header: Header, inner: bool) -> None:
        view = memoryview(data).cast("B")
        if start < 0 or end < start or end > len(view):
            raise ValueError("the records lie outside of the data")
        # Only this batch is copied; positions count from the start of the data all the same.
        self._start = 0 if inner else start
        content = _whole(data if inner else view[start:end])
        self._records = _records(content, start - self._start, end - self._start, header)
        self._header = header
        self._inner = inner

    def __iter__(self) -> RecordIterator:
        return self

    def __next__(self) -> Record:
        try:
            return next(self._records)
        except _Found as found:
            found.position += self._start
            raise found.error(self._header, self._inner) from None


def read_records(data: Buffer, start: int, end: int, header: Header, inner: bool) -> list[Record]:
    """The records of a batch v2 as a list; see RecordIterator."""
    records = RecordIterator(data, start, end, header, inner)
    try:
        return list(records._records)
    except _Found as found:
        found.position += records._start
        raise found.error(header, inner) from None


# ---- messages v0 and v1 ----


def _read_message(data: memoryview, header: Header) -> tuple[bytes | None, int, int]:
    """Key, and position and size (-1: null) of the value of a message v0 or v1."""
    pos, end = header.records, header.position + header.size
    fields: list[tuple[int, int]] = []
    for _ in range(2):
        if end - pos < 4:
            raise _Found(Fault.END, pos, 4, end - pos)
        (size,) = _INT32.unpack_from(data, pos)
        at = pos
        pos += 4
        if size < -1:
            raise _Found(Fault.LENGTH_NEGATIVE, at, size)
        if size > end - pos:
            raise _Found(Fault.END, pos, size, end - pos)
        fields.append((pos, size))
        pos += max(size, 0)
    if pos != end:
        raise _Found(Fault.RECORD_TRAILING, pos, end - pos)
    (key_at, key_size), (value_at, value_size) = fields
    return None if key_size < 0 else bytes(data[key_at : key_at + key_size]), value_at, value_size


def _message_record(data: memoryview, header: Header, offset: int, append_time: int | None, log_append: bool) -> Record:
    key, at, size = _read_message(data, header)
    value = None if size < 0 else bytes(data[at : at + size])
    if header.magic == 0:
        return Record(offset, None, -1, key, value, ())
    timestamp = header.base_timestamp if append_time is None else append_time
    return Record(offset, timestamp, int(log_append), key, value, ())


def read_message_fields(data: Buffer, header: Header) -> tuple[int, int, Record | None]:
    """Where the value of a message v0 or v1 stands: (position, size), size -1 for null; the record if not compressed.

    Raises CorruptError for lengths that do not fill the message, and for a compressed message without a value.
    """
    view = memoryview(data).cast("B")
    if header.records < 0 or header.position + header.size > len(view):
        raise ValueError("the message lies outside of the data")
    try:
        _, at, size = _read_message(view, header)
        if header.attributes & CODEC_MASK:
            if size < 0:
                raise _Found(Fault.WRAPPER_NULL, header.position)
            return at, size, None
        log_append = bool(header.attributes & LOG_APPEND_TIME)
        return at, size, _message_record(view, header, header.base_offset, None, log_append)
    except _Found as found:
        raise found.error(header, False) from None


def _open_wrapper(view: memoryview, header: Header) -> int:
    """Look over the frames of a decompressed message set; what is to be added to each inner offset.

    Magic 1 has relative offsets and the wrapper that of the last message; some versions of librdkafka produced wrappers
    with offset 0, whose inner offsets then stand as they are. Magic 0 has absolute offsets.
    """
    pos, end, last, at = 0, len(view), -1, 0
    if not end:
        raise _Found(Fault.WRAPPER_EMPTY, 0)
    while pos < end:
        size, magic, missing = _read_frame(view, pos, end)
        if missing != 0:
            raise _Found(Fault.END, pos, size, end - pos)
        if magic != header.magic:
            raise _Found(Fault.INNER_MAGIC, pos, magic, header.magic)
        last, _ = _FRAME.unpack_from(view, pos)
        at = pos
        pos += size
    if header.magic == 1 and header.base_offset != 0:
        if last < 0 or last > header.base_offset:
            raise _Found(Fault.OFFSET_RANGE, at, last)
        return header.base_offset - last
    return 0


def read_inner_messages(data: Buffer, header: Header, check_crc: bool) -> list[Record]:
    """The records of a decompressed message set; ``header`` is that of the message around it.

    Raises CorruptError for a set that is empty, cut, nested once more or of another magic, and for inner checksums.
    """
    view = memoryview(data).cast("B")
    log_append = header.magic == 1 and bool(header.attributes & LOG_APPEND_TIME)
    append_time = header.base_timestamp if log_append else None
    records = []
    try:
        base = _open_wrapper(view, header)
        pos = 0
        while pos < len(view):
            size, magic, _ = _read_frame(view, pos, len(view))
            try:
                inner = _open_batch(view, pos, size, magic, check_crc)
            except WireError as error:
                error.position, error.inner_position, error.offset = header.position, pos, header.base_offset
                raise
            if inner.attributes & CODEC_MASK:
                raise _Found(Fault.NESTED, pos)
            if inner.base_offset > INT64_MAX - base:
                raise _Found(Fault.OFFSET_RANGE, pos, inner.base_offset)
            records.append(_message_record(view, inner, inner.base_offset + base, append_time, log_append))
            pos += size
    except _Found as found:
        raise found.error(header, True) from None
    return records
