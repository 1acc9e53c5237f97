"""The record walk into columns in pure Python: many batches to buffers in Arrow's layout. The twin of _columns."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from kafkawire import _codec_py
from kafkawire._codec_py import CODEC_MASK, Header, Record
from kafkawire.errors import ChecksumError, LimitError, WireError

if TYPE_CHECKING:
    from collections.abc import Buffer  # type: ignore[attr-defined, unused-ignore]

TRANSACTIONAL = 0x10
CONTROL = 0x20
MAX_BYTES = 0x7FFFFFFF

# Which columns are asked for.
WANT_OFFSET = 1
WANT_TIMESTAMP = 2
WANT_TIMESTAMP_TYPE = 4
WANT_KEY = 8
WANT_VALUE = 16
WANT_HEADERS = 32
WANT_PRODUCER_ID = 64
WANT_PRODUCER_EPOCH = 128
WANT_SEQUENCE = 256
WANT_LEADER_EPOCH = 512
WANT_TRANSACTIONAL = 1024
WANT_CONTROL = 2048
WANT_COMPRESSION = 4096

#: (validity bitmap or None, data, number of nulls)
Fixed = tuple[Any, Any, int]
#: (validity bitmap or None, 32-bit offsets, data, number of nulls)
Binary = tuple[Any, Any, Any, int]


def _bitmap(flags: bytearray) -> bytes:
    """One bit a row, the lowest first."""
    out = bytearray((len(flags) + 7) // 8)
    for row, flag in enumerate(flags):
        if flag:
            out[row >> 3] |= 1 << (row & 7)
    return bytes(out)


def _given(values: array[int]) -> memoryview:
    """The array's memory to give away, read-only."""
    return memoryview(values).toreadonly()


class _BinaryColumn:
    def __init__(self) -> None:
        self.offsets = array("i", [0])
        self.data = bytearray()
        self.valid = bytearray()
        self.nulls = 0

    def append(self, value: bytes | None) -> None:
        if value is None:
            self.nulls += 1
            self.valid.append(0)
        else:
            self.data += value
            self.valid.append(1)
        self.offsets.append(len(self.data))

    def take(self) -> Binary:
        return _bitmap(self.valid) if self.nulls else None, _given(self.offsets), bytes(self.data), self.nulls


class ColumnDecoder:
    """Decodes batches into columns until told to stop; ``finish`` gives the buffers away and starts anew.

    ``want``: the WANT_ numbers of the columns, added. ``first_offset``, ``last_offset``: records outside are left out.
    ``control``: whether control batches are decoded. ``skip_corrupt``: a batch whose checksum does not match is left
    out and counted in ``skipped`` and ``skipped_positions``.
    """

    def __init__(
        self, want: int, check_crc: bool, skip_corrupt: bool, control: bool, first_offset: int, last_offset: int
    ) -> None:
        self._want = want
        self._check_crc = check_crc
        self._skip_corrupt = skip_corrupt
        self._control = control
        self._first_offset = first_offset
        self._last_offset = last_offset
        self.batches = 0
        self.skipped = 0
        self.skipped_positions: list[int] = []
        self._reset()

    def _reset(self) -> None:
        self._records: list[Record] = []
        self._headers: list[Header] = []
        self._bytes = 0

    @property
    def row_count(self) -> int:
        """Rows decoded since the last finish."""
        return len(self._records)

    def _skips(self, header: Header) -> bool:
        """Whether nothing of the batch is asked for, as far as its header tells."""
        if header.magic == 2 and header.attributes & CONTROL and not self._control:
            return True
        compressed_message = header.magic < 2 and header.attributes & CODEC_MASK
        return header.last_offset < self._first_offset or (
            header.base_offset > self._last_offset and not compressed_message
        )

    def _fits(self, size: int) -> bool:
        """Whether ``size`` more bytes stay within what 32-bit offsets reach."""
        return size <= MAX_BYTES - self._bytes

    def _batch(
        self, data: memoryview, header: Header, decompress: Callable[[int, int, memoryview], Buffer]
    ) -> Iterator[Record] | list[Record] | None:
        """The records of one batch; None where they would pass what 32-bit offsets reach."""
        start, end = header.records, header.position + header.size
        codec = header.attributes & CODEC_MASK
        if not codec:
            if not self._fits(header.size):
                if self._records:
                    return None
                raise LimitError(
                    f"a batch of {header.size} bytes", position=header.position, offset=header.base_offset,
                    expected="less than 2 GiB in a column",
                )
            if header.magic == 2:
                return _codec_py.RecordIterator(data, start, end, header, False)
            record = _codec_py.read_message_fields(data, header)[2]
            assert record is not None
            return [record]
        if header.magic < 2:
            start, size, _ = _codec_py.read_message_fields(data, header)
            end = start + size
        try:
            plain = decompress(codec, header.magic, data[start:end])
        except WireError as error:
            error.position = header.position
            error.offset = header.base_offset
            raise
        size = memoryview(plain).nbytes
        if not self._fits(size):
            if self._records:
                return None
            raise LimitError(
                f"a batch decompresses to {size} bytes", position=header.position, offset=header.base_offset,
                expected="less than 2 GiB in a column",
            )
        if header.magic == 2:
            return _codec_py.RecordIterator(plain, 0, size, header, True)
        return _codec_py.read_inner_messages(plain, header, self._check_crc)

    def decode(
        self,
        data: Buffer,
        position: int,
        stop: int,
        max_rows: int,
        max_bytes: int,
        decompress: Callable[[int, int, memoryview], Buffer],
    ) -> int:
        """Decode whole batches that start in ``position`` to ``stop``, until ``max_rows`` rows or ``max_bytes`` bytes.

        Returns the position of the first batch that was not decoded: ``stop`` or beyond, or that of a partial batch, or
        where to go on after ``finish``. ``decompress(codec, magic, data)`` is called for each compressed batch. Raises
        what read_header and RecordIterator raise.
        """
        view = memoryview(data).cast("B")
        pos = min(max(position, 0), len(view))
        while pos < len(view) and pos < stop and len(self._records) < max_rows and self._bytes < max_bytes:
            try:
                header = _codec_py.read_header(view, pos, self._check_crc)
            except ChecksumError:
                if not self._skip_corrupt:
                    raise
                self.skipped += 1
                self.skipped_positions.append(pos)
                pos += _codec_py._read_frame(view, pos, len(view))[0]
                continue
            if header is None:
                break
            if not self._skips(header):
                records = self._batch(view, header, decompress)
                if records is None:
                    break
                self._append(header, records)
            self.batches += 1
            pos += header.size
        return pos

    def _append(self, header: Header, records: Iterator[Record] | list[Record]) -> None:
        want = self._want
        for record in records:
            if self._first_offset <= record.offset <= self._last_offset:
                self._records.append(record)
                self._headers.append(header)
                # Of the columns that are asked for.
                if want & WANT_KEY:
                    self._bytes += len(record.key or b"")
                if want & WANT_VALUE:
                    self._bytes += len(record.value or b"")
                if want & WANT_HEADERS:
                    self._bytes += sum(len(key.encode()) + len(value or b"") for key, value in record.headers)

    def finish(self) -> tuple[int, dict[str, Any]]:
        """(rows, {name: column}) of what was decoded: Fixed, Binary, for headers (offsets, entries, keys, values)."""
        want, records, headers = self._want, self._records, self._headers
        columns: dict[str, Any] = {}
        if want & WANT_OFFSET:
            columns["offset"] = None, _given(array("q", [record.offset for record in records])), 0
        if want & WANT_TIMESTAMP:
            valid = bytearray(record.timestamp is not None for record in records)
            nulls = valid.count(0)
            times = array("q", [-1 if record.timestamp is None else record.timestamp for record in records])
            columns["timestamp"] = _bitmap(valid) if nulls else None, _given(times), nulls
        if want & WANT_TIMESTAMP_TYPE:
            columns["timestamp_type"] = None, _given(array("i", [record.timestamp_type for record in records])), 0
        for name, flag in (("key", WANT_KEY), ("value", WANT_VALUE)):
            if want & flag:
                column = _BinaryColumn()
                for record in records:
                    column.append(getattr(record, name))
                columns[name] = column.take()
        if want & WANT_HEADERS:
            columns["headers"] = _header_columns(records)
        for name, flag, kind, of in _BATCH_COLUMNS:
            if want & flag:
                columns[name] = None, _given(array(kind, map(of, headers, records))), 0
        for name, flag, bit in (
            ("is_transactional", WANT_TRANSACTIONAL, TRANSACTIONAL), ("is_control", WANT_CONTROL, CONTROL)
        ):
            if want & flag:
                columns[name] = None, _bitmap(
                    bytearray(bool(header.magic == 2 and header.attributes & bit) for header in headers)
                ), 0
        rows = len(records)
        self._reset()
        return rows, columns


def _header_columns(records: list[Record]) -> tuple[Any, int, Binary, Binary]:
    offsets, keys, values = array("i", [0]), _BinaryColumn(), _BinaryColumn()
    for record in records:
        for key, value in record.headers:
            keys.append(key.encode())
            values.append(value)
        offsets.append(len(keys.valid))
    return _given(offsets), len(keys.valid), keys.take(), values.take()


def _sequence(header: Header, record: Record) -> int:
    """The record's sequence number, which wraps from 2**31 - 1 to 0."""
    if header.base_sequence < 0:
        return header.base_sequence
    return (header.base_sequence + record.offset - header.base_offset) & MAX_BYTES


_BATCH_COLUMNS: tuple[tuple[str, int, str, Callable[[Header, Record], int]], ...] = (
    ("producer_id", WANT_PRODUCER_ID, "q", lambda header, record: header.producer_id),
    ("producer_epoch", WANT_PRODUCER_EPOCH, "h", lambda header, record: header.producer_epoch),
    ("sequence", WANT_SEQUENCE, "i", _sequence),
    ("partition_leader_epoch", WANT_LEADER_EPOCH, "i", lambda header, record: header.leader_epoch),
    ("compression", WANT_COMPRESSION, "b", lambda header, record: header.attributes & CODEC_MASK),
)
