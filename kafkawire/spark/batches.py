"""From record bytes to Arrow batches of Spark's schema: the one way that files, binary columns and live topics go.

The bytes are decoded in windows, so that memory stays near ``bytes_per_batch`` however large the buffer is.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pyarrow as pa

import kafkawire as kw
from kafkawire.errors import LimitError, MissingLibraryError, WireError
from kafkawire.spark.options import ReadOptions
from kafkawire.spark.schema import SparkRows, slices

log = logging.getLogger(__name__)

_FIRST_WINDOW = 1 << 20
_SMALLEST_WINDOW = 64 << 10


class RecordReader:
    """Reads the record bytes of one topic-partition; one per task, not thread-safe.

    ``source`` names the bytes in errors and in the log. ``skipped`` counts the corrupt batches that were left out.
    """

    def __init__(self, options: ReadOptions, source: str, topic: str | None, partition: int | None) -> None:
        self.options = options
        self.source = source
        self.rows = SparkRows(options.columns, topic, partition)
        self.skipped = 0
        self._first_skipped: WireError | None = None

    def read(
        self, data: memoryview, position: int = 0, start_offset: int | None = None, end_offset: int | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Arrow batches of the records in ``data``, with offsets from ``start_offset`` to before ``end_offset``.

        ``position``: where ``data`` begins in its source, in bytes, for errors. A partial batch at the end is left
        out, as by any Kafka consumer. Raises :class:`kafkawire.WireError` for corrupt data, naming the source.
        """
        at, window = 0, min(_FIRST_WINDOW, self.options.bytes_per_batch)
        while at < len(data):
            part = data[at : at + window]
            try:
                split = kw.split(part)
            except WireError as error:
                self._leave_out(error, position + at)
                # Without a length that makes sense the next batch cannot be found: the data ends here.
                data = data[: at + (error.position or 0)]
                continue
            if not split.complete:
                if at + len(part) == len(data):
                    break
                window = len(part) + (split.missing or len(part))
                continue
            decoded = 0
            for columns in self._decode(part[: split.complete], split, position + at, start_offset, end_offset):
                decoded += columns.nbytes
                yield from slices(self.rows.convert(columns), self.options.rows_per_batch, self.options.bytes_per_batch)
            at += split.complete
            # How far this window grew when it was decoded tells how much to take next.
            window = max(self.options.bytes_per_batch * split.complete // max(decoded, split.complete), _SMALLEST_WINDOW)
        if self.skipped:
            log.warning(
                "%s: %d corrupt batches were left out, the first: %s", self.source, self.skipped, self._first_skipped
            )

    def _decode(
        self, data: memoryview, split: kw.Split, position: int, start_offset: int | None, end_offset: int | None
    ) -> Iterator[pa.RecordBatch]:
        """Decoded columns of whole batches: at once, or one by one where some are corrupt and may be left out."""
        try:
            yield self._columns(data, start_offset, end_offset)
            return
        except WireError as error:
            if not self._may_leave_out(error):
                raise self._located(error, position) from None
        for batch in split.batches:
            try:
                yield self._columns(data[batch.position : batch.position + batch.size], start_offset, end_offset)
            except WireError as error:
                self._leave_out(error, position + batch.position)

    def _columns(self, data: memoryview, start_offset: int | None, end_offset: int | None) -> pa.RecordBatch:
        return kw.read_columns(
            data,
            check_crc=self.options.check_crc,
            columns=self.rows.decoded,
            control=self.options.include_control,
            start_offset=start_offset,
            end_offset=end_offset,
        ).to_arrow()

    def _may_leave_out(self, error: WireError) -> bool:
        # A limit or a missing library says something about this reader, not about the data.
        return self.options.skip_corrupt and not isinstance(error, (LimitError, MissingLibraryError))

    def _leave_out(self, error: WireError, position: int) -> None:
        error = self._located(error, position)
        if not self._may_leave_out(error):
            raise error from None
        self.skipped += 1
        self._first_skipped = self._first_skipped or error

    def _located(self, error: WireError, position: int) -> WireError:
        error.message = f"{self.source}: {error.message}"
        if error.position is not None:
            error.position += position
        return error
