"""One segment file of a partition, read through a memory map.

A segment is a sequence of batches, exactly as they go over the wire, in a file named by the first offset that it may
hold (``00000000000000001312.log``). A broker that was killed can leave a partial batch at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from kafkawire.errors import WireError
from kafkawire.log.mapped import MappedSegment
from kafkawire.records.batch import Record, RecordBatch, Split, read_batches, split
from kafkawire.records.columns import Columns, iter_columns, read_columns

if TYPE_CHECKING:
    import pyarrow as pa


class Verification(NamedTuple):
    """What reading all of a segment found.

    ``batches`` and ``records`` that are whole and right; ``complete`` bytes of whole batches; ``missing`` bytes of a
    partial batch at the end (see Split); ``errors``: every batch that is not right, with its position.
    """

    batches: int
    records: int
    complete: int
    missing: int | None
    errors: list[WireError]


class Segment(MappedSegment):
    """A segment file of 0.8 or later, opened for reading; close it, or use it as a context manager.

    ``path``: the file; ``base_offset``: the offset in its name, None where the name is no number; ``size``: bytes.
    ``check_crc`` and ``limits`` hold for everything that is read. Raises OSError where the file cannot be opened.
    """

    # ---- headers ----

    def split(self) -> Split:
        """The extents of all batches, and what a partial one at the end lacks; reads lengths and magics only."""
        return split(self.data)

    def batches(self) -> Iterator[RecordBatch]:
        """All batches by their headers: a scan that does not touch records, nor check checksums."""
        return read_batches(self.data, check_crc=False, limits=self.limits)

    def find(self, offset: int) -> int:
        """The position in bytes of the first batch with records at or after ``offset``; where there is none, that of
        the end of the whole batches."""
        end = 0
        for batch in self.batches():
            # A compressed message v0 or v1 in a log has its last offset in the header too: no need to look inside.
            if batch.header_last_offset >= offset:
                return batch.position
            end = batch.position + batch.size
        return end

    # ---- records ----

    def __iter__(self) -> Iterator[RecordBatch]:
        return self.read_batches()

    def read_batches(self, start_offset: int | None = None) -> Iterator[RecordBatch]:
        """The batches, checked, from the one on that holds ``start_offset``; stops at a partial one."""
        position = 0 if start_offset is None else self.find(start_offset)
        return read_batches(self.data, check_crc=self.check_crc, limits=self.limits, position=position)

    def records(self, start_offset: int | None = None, *, control: bool = False) -> Iterator[Record]:
        """The records from ``start_offset`` on; those of control batches only if asked for."""
        for batch in self.read_batches(start_offset):
            if batch.is_control and not control:
                continue
            for record in batch:
                if start_offset is None or record.offset >= start_offset:
                    yield record

    def read_columns(self, columns: Sequence[str] | None = None, **options: Any) -> Columns:
        """The records as columns; options as in kafkawire.read_columns."""
        return read_columns(self.data, columns=columns, **self._defaults(options))

    def iter_columns(
        self, max_rows: int, columns: Sequence[str] | None = None, **options: Any
    ) -> Iterator[pa.RecordBatch]:
        """The records as Arrow record batches of at most ``max_rows`` rows; options as in kafkawire.iter_columns."""
        return iter_columns(self.data, max_rows, columns=columns, **self._defaults(options))

    def _defaults(self, options: dict[str, Any]) -> dict[str, Any]:
        return {"check_crc": self.check_crc, "limits": self.limits, **options}

    def verify(self) -> Verification:
        """Read everything, checksums and records, and say what is wrong; goes on behind a batch that is."""
        batches = records = 0
        errors: list[WireError] = []
        extents: list[tuple[int, int]] = []
        complete, missing = 0, None
        try:
            found = self.split()
            extents, complete, missing = [(at, size) for at, size, _ in found.batches], found.complete, found.missing
        except WireError as error:
            # A length or magic that cannot be: behind it nothing can be found.
            errors.append(error)
            stop = error.position or 0
            found = split(self.data[:stop])
            extents, complete = [(at, size) for at, size, _ in found.batches], found.complete
        for position, size in extents:
            try:
                for batch in read_batches(self.data[: position + size], limits=self.limits, position=position):
                    records += len(batch.records())
                    batches += 1
            except WireError as error:
                errors.append(error)
        errors.sort(key=lambda error: error.position or 0)
        return Verification(batches, records, complete, missing, errors)
