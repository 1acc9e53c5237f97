"""What decoding may cost: the one object that carries every limit."""

from __future__ import annotations

from typing import NamedTuple


class Limits(NamedTuple):
    """Bounds on what bytes from outside may make the reader allocate.

    ``decompressed``: bytes that one batch may decompress to; what reads batch by batch (read_batches and the batches'
    records, iter_columns) holds one batch's at a time. ``decompressed_total``: bytes that all batches of one call may
    decompress to together where that call returns everything at once (read_columns, whatever its threads). The batch
    that passes it has been decompressed, so that ``decompressed`` for each thread comes on top. ``zstd_window``: bytes
    of window that a zstd frame may ask for. ``depth``: levels of nested compressed messages in the 0.7 format (message
    sets v0 and v1 have one).

    Passing a limit raises LimitError with the position of the batch; sizes that the data declares are never the only
    check.
    """

    decompressed: int = 128 << 20
    zstd_window: int = 128 << 20
    depth: int = 4
    decompressed_total: int = 8 << 30


DEFAULT_LIMITS = Limits()
