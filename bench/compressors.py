"""Compression as a Java producer does it with Kafka's defaults; used to make the bench's data only."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Callable


def _gzip(data: bytes) -> bytes:
    return gzip.compress(data, 6, mtime=0)


def _snappy(data: bytes) -> bytes:
    """The xerial framing that Kafka uses: a 16-byte head, then blocks of 32 KiB, each after its compressed size."""
    from cramjam import snappy

    parts = [b"\x82SNAPPY\x00" + struct.pack(">ii", 1, 1)]
    for start in range(0, len(data), 32 << 10):
        block = bytes(snappy.compress_raw(data[start : start + (32 << 10)]))
        parts += [struct.pack(">i", len(block)), block]
    return b"".join(parts)


def _lz4(data: bytes) -> bytes:
    """Independent blocks of 64 KiB, no content size, no checksums over content: KafkaLZ4BlockOutputStream's choices."""
    from lz4 import frame

    return bytes(
        frame.compress(
            data, compression_level=0, block_size=frame.BLOCKSIZE_MAX64KB, block_linked=False, store_size=False
        )
    )


def _zstd(data: bytes) -> bytes:
    """Level 3, as a stream: no content size in the frame, and the level's whole window declared."""
    import zstandard

    stream = zstandard.ZstdCompressor(level=3).compressobj()
    return stream.compress(data) + stream.flush()


COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "none": lambda data: data,
    "gzip": _gzip,
    "snappy": _snappy,
    "lz4": _lz4,
    "zstd": _zstd,
}
