"""Messages of 0.6 and 0.7 to columns, in the shape that kafkawire.read_columns gives those of the later formats.

What a message does not have is what the later formats have for none: key and timestamp null, no headers,
timestamp_type, producer_id, producer_epoch, sequence and partition_leader_epoch -1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from kafkawire import _twins
from kafkawire.ancient.v07.messages import decompressor
from kafkawire.records.columns import COLUMNS as LATER_COLUMNS
from kafkawire.records.columns import ColumnReader, Columns, Decoder
from kafkawire.records.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    import pyarrow as pa

#: Every column: those of kafkawire.read_columns (``offset`` is where the outer message starts: the one to resume from),
#: the number of the message inside of its wrapper, and the next offset as the 0.7 client counts it.
COLUMNS: dict[str, int] = {**LATER_COLUMNS, "inner_index": 8192, "next_offset": 16384}

_INT64_MAX = 0x7FFFFFFFFFFFFFFF


def _bits(rows: int) -> bytes:
    return bytes((rows + 7) // 8)


def _no_key(rows: int) -> tuple[Any, ...]:
    return _bits(rows), bytes(4 * (rows + 1)), b"", rows


def _no_headers(rows: int) -> tuple[Any, ...]:
    nothing = (None, bytes(4), b"", 0)
    return bytes(4 * (rows + 1)), 0, nothing, nothing


def _minus_one(size: int) -> Callable[[int], tuple[Any, ...]]:
    return lambda rows: (None, b"\xff" * (size * rows), 0)


#: The columns that say the same of every message, made for a number of rows.
_CONSTANT: dict[str, Callable[[int], tuple[Any, ...]]] = {
    "timestamp": lambda rows: (_bits(rows), bytes(8 * rows), rows),
    "timestamp_type": _minus_one(4),
    "key": _no_key,
    "headers": _no_headers,
    "producer_id": _minus_one(8),
    "producer_epoch": _minus_one(2),
    "sequence": _minus_one(4),
    "partition_leader_epoch": _minus_one(4),
    "is_transactional": lambda rows: (None, _bits(rows), 0),
    "is_control": lambda rows: (None, _bits(rows), 0),
}


class _MessageReader(ColumnReader):
    """The later formats' reader with this format's kernel."""

    def __init__(
        self, data: Any, base: int, check_crc: bool, columns: Sequence[str] | None, limits: Limits,
        start_offset: int | None, end_offset: int | None, on_corrupt: str,
    ) -> None:
        super().__init__(data, check_crc, columns, False, limits, start_offset, end_offset, on_corrupt)
        if not 0 <= base <= _INT64_MAX - len(self.view):
            raise ValueError(f"base is an offset from 0 such that the set ends below 2**63, not {base}")
        self._base = base
        self.decompress = decompressor(limits)

    def known_columns(self) -> dict[str, int]:
        return COLUMNS

    def decoder(self) -> Decoder:
        return _twins.ancient.ColumnDecoder(
            self.want, self.check_crc, self.skip_corrupt, self._base, self.limits.depth, self.first_offset,
            self.last_offset,
        )

    def split(self, position: int) -> tuple[list[tuple[int, int, int]], int, int | None]:
        return _twins.ancient.split(self.view, position)

    def pieces(
        self, extents: Iterable[tuple[int, int]], max_rows: int, max_bytes: int
    ) -> Iterator[tuple[tuple[int, dict[str, Any]], int, list[int]]]:
        constant = [name for name in self.names if name in _CONSTANT]
        for (rows, columns), end, skipped in super().pieces(extents, max_rows, max_bytes):
            yield (rows, {**columns, **{name: _CONSTANT[name](rows) for name in constant}}), end, skipped


def read_columns(
    data: Any,
    base: int = 0,
    check_crc: bool = True,
    columns: Sequence[str] | None = None,
    threads: int = 1,
    limits: Limits = DEFAULT_LIMITS,
    *,
    start_offset: int | None = None,
    end_offset: int | None = None,
    position: int = 0,
    stop: int | None = None,
    on_corrupt: str = "raise",
) -> Columns:
    """Decode all messages in ``data`` (bytes or any buffer of bytes: a fetch response's set, a segment, an mmap).

    ``base``: the offset of the first byte. ``columns``: names out of COLUMNS, by default those of
    kafkawire.read_columns. ``start_offset`` (inclusive) and ``end_offset`` (exclusive) select by where the outer
    message starts: a wrapper is taken or left as one. ``on_corrupt="skip"`` leaves out outer messages whose checksum
    does not match. Other arguments and what is done with a partial message at the end as in kafkawire.read_columns;
    errors as in read_messages.
    """
    reader = _MessageReader(data, base, check_crc, columns, limits, start_offset, end_offset, on_corrupt)
    return reader.read(position, stop, threads)


def iter_columns(
    data: Any,
    max_rows: int,
    base: int = 0,
    check_crc: bool = True,
    columns: Sequence[str] | None = None,
    limits: Limits = DEFAULT_LIMITS,
    *,
    max_bytes: int = 256 << 20,
    start_offset: int | None = None,
    end_offset: int | None = None,
    position: int = 0,
    stop: int | None = None,
    on_corrupt: str = "raise",
    skipped: list[int] | None = None,
) -> Iterator[pa.RecordBatch]:
    """Decode ``data`` piece by piece: an iterator of Arrow record batches of at most ``max_rows`` rows each.

    A piece also ends with the message that passes ``max_bytes`` bytes of values. ``skipped``: a list to which the
    positions of messages that ``on_corrupt`` leaves out are added on the way. Otherwise as read_columns.
    """
    if max_rows < 1:
        raise ValueError(f"max_rows is at least 1, not {max_rows}")
    reader = _MessageReader(data, base, check_crc, columns, limits, start_offset, end_offset, on_corrupt)
    return reader.iterate(position, stop, max_rows, max_bytes, [] if skipped is None else skipped)
