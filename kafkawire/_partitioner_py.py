"""The pure twin of _partitioner: Kafka's default partitioner, one key and a column of them."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from kafkawire._writer_py import BytesColumn

if TYPE_CHECKING:
    from collections.abc import Buffer  # type: ignore[attr-defined, unused-ignore]

_MASK = 0xFFFFFFFF
_INT32_MAX = 0x7FFFFFFF
_M = 0x5BD1E995
_SEED = 0x9747B28C


def _murmur2(data: bytes) -> int:
    size = len(data)
    h = _SEED ^ (size & _MASK)
    whole = size & ~3
    for i in range(0, whole, 4):
        k = int.from_bytes(data[i : i + 4], "little") * _M & _MASK
        k = (k ^ k >> 24) * _M & _MASK
        h = (h * _M & _MASK) ^ k
    if whole < size:
        h = (h ^ int.from_bytes(data[whole:], "little")) * _M & _MASK
    h = (h ^ h >> 13) * _M & _MASK
    return h ^ h >> 15


def murmur2(data: Buffer) -> int:
    """The hash of Kafka's default partitioner, as Java has it: an int32. Any bytes."""
    view = memoryview(data)
    if not view.c_contiguous:
        raise BufferError("memoryview: underlying buffer is not C-contiguous")
    value = _murmur2(view.tobytes())
    return value - (1 << 32) if value > _INT32_MAX else value


def key_partitions(
    validity: Buffer | None, offsets: Buffer, data: Buffer, first: int, rows: int, partitions: int
) -> bytes:
    """The partition of each key of an Arrow column with 32-bit offsets, as int32 of this machine; -1 for a null key.

    Raises ValueError for a column that is not whole, and for fewer partitions than one.
    """
    keys = BytesColumn(validity, offsets, data, first, rows)
    if not 1 <= partitions <= _INT32_MAX:
        raise ValueError(f"{partitions} partitions")
    found = array("i", bytes(4 * rows))
    for row in range(rows):
        key = keys[row]
        found[row] = -1 if key is None else (_murmur2(key) & _INT32_MAX) % partitions
    return found.tobytes()
