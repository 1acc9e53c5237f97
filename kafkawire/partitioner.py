"""Kafka's default partitioner: which partition a key belongs to, the same for every client of a topic.

``murmur2(key) & 0x7fffffff) % partitions`` is what the Java producer's built-in partitioner computes (KIP-794).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kafkawire._twins import partitioner as _kernel

if TYPE_CHECKING:
    import pyarrow as pa

murmur2 = _kernel.murmur2


def key_partitions(keys: Any, partitions: int) -> pa.Array[Any]:
    """The partition of each key, an int32 array; null for a null key, whose partition the producer chooses.

    ``keys``: an Arrow array of binary or string (of any size of offsets). Raises EncodeError for any other type,
    ValueError for fewer partitions than one.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    from kafkawire.arrow import binary_buffers

    validity, offsets, data, first = binary_buffers(keys, "key")
    found = _kernel.key_partitions(validity, offsets, data, first, len(keys), partitions)
    array = pa.Array.from_buffers(pa.int32(), len(keys), [None, pa.py_buffer(found)], 0)
    return array if validity is None else pc.if_else(keys.is_valid(), array, pa.scalar(None, pa.int32()))
