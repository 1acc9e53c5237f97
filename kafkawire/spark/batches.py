"""From record bytes to Arrow batches of Spark's schema: the one way that files, binary columns and live topics go."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

import pyarrow as pa

from kafkawire.errors import WireError
from kafkawire.spark.options import ReadOptions
from kafkawire.spark.schema import SparkRows, slices

log = logging.getLogger(__name__)


class RecordReader:
    """Reads the record bytes of one topic-partition; one per task, not thread-safe.

    ``source`` names the bytes in errors and in the log.
    """

    def __init__(self, options: ReadOptions, source: str, topic: str | None, partition: int | None) -> None:
        self.options = options
        self.source = source
        self.rows = SparkRows(options.columns, topic, partition)

    def read(
        self,
        iter_columns: Callable[..., Iterator[pa.RecordBatch]],
        position: int = 0,
        stop: int | None = None,
        start_offset: int | None = None,
        end_offset: int | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """Arrow batches of the record batches that start from ``position`` to before ``stop``, in bytes.

        ``iter_columns``: that of a segment, or kafkawire.iter_columns bound to the bytes.
        ``start_offset`` (inclusive) and ``end_offset`` (exclusive) select records. A partial batch at the end is left
        out, as by any Kafka consumer. Raises :class:`kafkawire.WireError` for corrupt data, naming the source; with
        ``skip_corrupt`` batches whose checksum does not match are left out instead, and counted in the log.
        """
        options = self.options
        skipped: list[int] = []
        batches = iter_columns(
            options.rows_per_batch,
            check_crc=options.check_crc,
            columns=self.rows.decoded,
            control=options.include_control,
            limits=options.limits,
            max_bytes=options.bytes_per_batch,
            start_offset=start_offset,
            end_offset=end_offset,
            position=position,
            stop=stop,
            on_corrupt="skip" if options.skip_corrupt else "raise",
            skipped=skipped,
        )
        try:
            for batch in batches:
                if batch.num_rows:
                    yield from slices(self.rows.convert(batch), options.bytes_per_batch)
        except WireError as error:
            error.message = f"{self.source}: {error.message}"
            raise
        if skipped:
            log.warning(
                "%s: %d corrupt batches were left out, at the positions %s%s",
                self.source,
                len(skipped),
                ", ".join(map(str, skipped[:10])),
                ", ..." if len(skipped) > 10 else "",
            )
