"""What decoding may cost: the one object that carries every limit."""

from __future__ import annotations

from typing import NamedTuple


class Limits(NamedTuple):
    """Bounds on what bytes from outside may make the reader allocate.

    ``decompressed``: bytes that one batch may decompress to. ``zstd_window``: bytes of window that a zstd frame may ask
    for. ``depth``: levels of nested compressed messages in the 0.7 format (message sets v0 and v1 have one). A batch
    over a limit raises LimitError; sizes that the data declares are never the only check.
    """

    decompressed: int = 128 << 20
    zstd_window: int = 128 << 20
    depth: int = 4


DEFAULT_LIMITS = Limits()
