"""Bytes to columns: many batches at once into buffers of Arrow's layout, without an object per record."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Protocol

from kafkawire import _twins
from kafkawire.errors import WireError
from kafkawire.records.batch import RecordBatch, read_batches
from kafkawire.records.committed import AbortedTransaction, committed_batches
from kafkawire.records.compression import decompressor, in_total
from kafkawire.records.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    import pyarrow as pa

INT64_MAX = 0x7FFFFFFFFFFFFFFF
_MAX_BYTES = 0x7FFFFFFF

#: Every column, in the order of the result, and the kernel's number for it. The first six are the default.
COLUMNS: dict[str, int] = {
    "offset": 1,
    "timestamp": 2,
    "timestamp_type": 4,
    "key": 8,
    "value": 16,
    "headers": 32,
    "producer_id": 64,
    "producer_epoch": 128,
    "sequence": 256,
    "partition_leader_epoch": 512,
    "is_transactional": 1024,
    "is_control": 2048,
    "compression": 4096,
}
DEFAULT_COLUMNS = tuple(COLUMNS)[:6]


class Columns:
    """What was decoded: some pieces of columns, each small enough for 32-bit offsets.

    ``num_rows``; ``names``; ``complete``: the position behind the last whole batch that was decoded or left out;
    ``skipped``: positions of batches left out since their checksum did not match (``on_corrupt="skip"``);
    ``to_arrow()``.
    """

    def __init__(
        self, names: tuple[str, ...], pieces: list[tuple[int, dict[str, Any]]], complete: int, skipped: list[int]
    ) -> None:
        self.names = names
        self.complete = complete
        self.skipped = skipped
        self._pieces = pieces

    @property
    def num_rows(self) -> int:
        """Records in all pieces."""
        return sum(rows for rows, _ in self._pieces)

    def to_batches(self) -> list[pa.RecordBatch]:
        """The pieces as Arrow record batches, without a copy; the buffers live as long as the batches do."""
        from kafkawire.arrow import to_record_batch

        return [to_record_batch(self.names, rows, columns) for rows, columns in self._pieces]

    def to_arrow(self) -> pa.RecordBatch | pa.Table:
        """One Arrow record batch, or a table where there are several pieces (threads, or 2 GiB in a column)."""
        import pyarrow as pa

        batches = self.to_batches()
        return batches[0] if len(batches) == 1 else pa.Table.from_batches(batches)

    def __repr__(self) -> str:
        return f"<Columns {', '.join(self.names)}: {self.num_rows} rows>"


def _want(columns: Sequence[str] | None, known: dict[str, int]) -> tuple[tuple[str, ...], int]:
    if columns is None:
        columns = DEFAULT_COLUMNS
    elif isinstance(columns, str):
        raise TypeError(f"columns is a list of names, not a str: [{columns!r}]")
    unknown = [name for name in columns if name not in known]
    if unknown:
        raise ValueError(f"no such column: {', '.join(unknown)}; there are: {', '.join(known)}")
    return tuple(dict.fromkeys(columns)), sum(known[name] for name in set(columns))


class Decoder(Protocol):
    """What a kernel's ColumnDecoder can do; see _columns_py."""

    skipped_positions: list[int]

    @property
    def row_count(self) -> int: ...

    def decode(
        self, data: Any, position: int, stop: int, max_rows: int, max_bytes: int,
        decompress: Callable[[int, int, memoryview], Any], /,
    ) -> int: ...

    def finish(self) -> tuple[int, dict[str, Any]]: ...


class ColumnReader:
    """One call's settings, and the loops that all ways of reading share. The format before 0.8 has its own decoder."""

    def __init__(
        self, data: Any, check_crc: bool, columns: Sequence[str] | None, control: bool, limits: Limits,
        start_offset: int | None, end_offset: int | None, on_corrupt: str,
        aborted_transactions: Sequence[AbortedTransaction] = (),
    ) -> None:
        if on_corrupt not in ("raise", "skip"):
            raise ValueError(f"on_corrupt is 'raise' or 'skip', not {on_corrupt!r}")
        self.view = memoryview(data).cast("B")
        self.names, self.want = _want(columns, self.known_columns())
        self.check_crc = check_crc
        self.skip_corrupt = on_corrupt == "skip"
        self.control = control
        self.first_offset = max(min(0 if start_offset is None else start_offset, INT64_MAX), 0)
        self.last_offset = max(min(INT64_MAX if end_offset is None else end_offset - 1, INT64_MAX), -1)
        self.aborted = aborted_transactions
        self.limits = limits
        self.decompress = decompressor(limits)

    def known_columns(self) -> dict[str, int]:
        """Every column's name and the kernel's number for it."""
        return COLUMNS

    def decoder(self) -> Decoder:
        """A new decoder of the kernel."""
        return _twins.columns.ColumnDecoder(
            self.want, self.check_crc, self.skip_corrupt, self.control, self.first_offset, self.last_offset
        )

    def split(self, position: int) -> tuple[list[tuple[int, int, int]], int, int | None]:
        """The kernel's split, from ``position`` on."""
        return _twins.codec.split(self.view, position)

    def pieces(
        self, extents: Iterable[tuple[int, int]], max_rows: int, max_bytes: int
    ) -> Iterator[tuple[tuple[int, dict[str, Any]], int, list[int]]]:
        """(piece, position behind it, skipped) of the extents (start, stop) one after the other; at least one piece,
        even an empty one."""
        decoder = self.decoder()
        position, given, pending = 0, False, False
        for start, stop in extents:
            position, stop = (min(max(at, -1), INT64_MAX) for at in (start, stop))
            while True:
                before = position
                position = decoder.decode(self.view, position, stop, max_rows, max_bytes, self.decompress)
                pending = pending or position > before or decoder.row_count > 0
                if position >= stop or (position == before and not decoder.row_count):
                    break
                yield self._finished(decoder, position)
                given, pending = True, False
        if pending or not given:
            yield self._finished(decoder, position)

    @staticmethod
    def _finished(decoder: Decoder, position: int) -> tuple[tuple[int, dict[str, Any]], int, list[int]]:
        skipped, decoder.skipped_positions[:] = list(decoder.skipped_positions), []
        return decoder.finish(), position, skipped

    def _extents(self, position: int, stop: int | None) -> list[tuple[int, int]]:
        """``position`` to ``stop`` without what aborted transactions wrote."""
        stop = len(self.view) if stop is None else min(stop, len(self.view))
        if not self.aborted:
            return [(position, stop)]
        start = max(position, 0)
        seen: list[RecordBatch] = []

        def scan() -> Iterator[RecordBatch]:
            mode = "skip" if self.skip_corrupt else "raise"
            # What cannot be read ends the scan: the decoder meets it too, and says where it is.
            with contextlib.suppress(WireError):
                for batch in read_batches(self.view, self.check_crc, self.limits, position=start, on_corrupt=mode):
                    if batch.position >= stop:
                        return
                    seen.append(batch)
                    yield batch

        kept = {batch.position for batch in committed_batches(scan(), self.aborted)}
        extents: list[tuple[int, int]] = []
        for batch in seen:
            if batch.position not in kept:
                extents.append((start, batch.position))
                start = batch.position + batch.size
        return [*(extent for extent in extents if extent[0] < extent[1]), (start, stop)]

    def read(self, position: int, stop: int | None, threads: int) -> Columns:
        """All of ``position`` to ``stop`` at once."""
        self.decompress = in_total(self.decompress, self.limits)
        stop = len(self.view) if stop is None else min(stop, len(self.view))
        ranges = [(position, stop)] if threads <= 1 else self._divide(position, stop, threads)

        def decode(extent: tuple[int, int]) -> list[tuple[tuple[int, dict[str, Any]], int, list[int]]]:
            return list(self.pieces([extent], INT64_MAX, _MAX_BYTES))

        if self.aborted:
            parts = [list(self.pieces(self._extents(position, stop), INT64_MAX, _MAX_BYTES))]
        elif len(ranges) == 1:
            parts = [decode(ranges[0])]
        else:
            with ThreadPoolExecutor(threads, "kafkawire-columns") as pool:
                parts = list(pool.map(decode, ranges))
        results = [part for chunk in parts for part in chunk]
        pieces = [piece for piece, _, _ in results if piece[0]] or [results[0][0]]
        return Columns(self.names, pieces, results[-1][1], [at for _, _, skipped in results for at in skipped])

    def _divide(self, position: int, stop: int, threads: int) -> list[tuple[int, int]]:
        """Ranges of whole batches of about the same size, one or more for each thread."""
        try:
            batches, complete, _ = self.split(min(max(position, 0), len(self.view)))
        except WireError:
            # Behind ``stop`` it is nobody's business; before, decoding in order finds what is wrong first.
            return [(position, stop)]
        target = max((min(complete, stop) - position) // (4 * threads), 64 * 1024)
        ranges: list[tuple[int, int]] = []
        start = position
        for at, size, _ in batches:
            if at >= stop:
                break
            if at + size - start >= target:
                ranges.append((start, at + size))
                start = at + size
        if start < stop or not ranges:
            ranges.append((start, stop))
        return ranges

    def iterate(
        self, position: int, stop: int | None, max_rows: int, max_bytes: int, skipped: list[int]
    ) -> Iterator[pa.RecordBatch]:
        """``position`` to ``stop`` piece by piece."""
        from kafkawire.arrow import to_record_batch

        for (rows, columns), _, left_out in self.pieces(self._extents(position, stop), max_rows, max_bytes):
            skipped += left_out
            batch = to_record_batch(self.names, rows, columns)
            # The kernel stops after whole batches: what is more than asked for is cut here, without a copy.
            for start in range(0, rows, max_rows):
                yield batch.slice(start, max_rows)


def read_columns(
    data: Any,
    check_crc: bool = True,
    columns: Sequence[str] | None = None,
    threads: int = 1,
    control: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    *,
    start_offset: int | None = None,
    end_offset: int | None = None,
    position: int = 0,
    stop: int | None = None,
    on_corrupt: str = "raise",
    aborted_transactions: Sequence[AbortedTransaction] = (),
) -> Columns:
    """Decode all batches in ``data`` (bytes or any buffer of bytes: a fetch response's records, a segment, an mmap).

    ``columns``: names out of COLUMNS, in the order wanted; by default offset, timestamp (ms since the epoch, null for
    magic 0), timestamp_type (0 CreateTime, 1 LogAppendTime, -1 none), key, value, headers. ``threads``: how many decode
    side by side. ``control``: whether control records are among the rows. ``start_offset`` (inclusive) and
    ``end_offset`` (exclusive) select records. ``position`` and ``stop`` (bytes): batches that start there.
    ``on_corrupt``: "raise" or "skip" a batch whose checksum does not match. ``aborted_transactions``: (producer id,
    first offset) of those whose records are left out, as a fetch response lists them; see ``committed_batches``.

    A partial batch at the end is left alone (see ``Columns.complete``). Raises CorruptError, UnsupportedError and
    LimitError (also for ``limits.decompressed_total``) with the position of the batch; nothing is returned then.
    """
    reader = ColumnReader(
        data, check_crc, columns, control, limits, start_offset, end_offset, on_corrupt, aborted_transactions
    )
    return reader.read(position, stop, threads)


def iter_columns(
    data: Any,
    max_rows: int,
    check_crc: bool = True,
    columns: Sequence[str] | None = None,
    control: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    *,
    max_bytes: int = 256 << 20,
    start_offset: int | None = None,
    end_offset: int | None = None,
    position: int = 0,
    stop: int | None = None,
    on_corrupt: str = "raise",
    skipped: list[int] | None = None,
    aborted_transactions: Sequence[AbortedTransaction] = (),
) -> Iterator[pa.RecordBatch]:
    """Decode ``data`` piece by piece: an iterator of Arrow record batches of at most ``max_rows`` rows each.

    A piece also ends with the batch that passes ``max_bytes`` bytes of keys, values and headers, so that memory stays
    within that, the largest batch and Arrow's own. ``skipped``: a list to which the positions of batches that
    ``on_corrupt`` leaves out are added on the way. Arguments and errors otherwise as in read_columns; pieces before an
    error have been yielded then, and ``limits.decompressed_total`` is not asked.
    """
    if max_rows < 1:
        raise ValueError(f"max_rows is at least 1, not {max_rows}")
    reader = ColumnReader(
        data, check_crc, columns, control, limits, start_offset, end_offset, on_corrupt, aborted_transactions
    )
    return reader.iterate(position, stop, max_rows, max_bytes, [] if skipped is None else skipped)
