"""How fast could anything be on this machine: copying and checking the bytes, and decompressing them alone.

Each function returns a callable that does the work once over the whole set; what it makes is dropped at once, as a
reader in a pipeline would.
"""

from __future__ import annotations

import gzip
import struct
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cramjam
import lz4.block
import lz4.frame
import zstandard
from crc32c import crc32c
from isal import igzip_lib, isal_zlib

from bench.datasets import Encoded, compressed_payload

Work = Callable[[], None]
Decompress = Callable[[bytes, int], object]  # payload, size when decompressed


def _crc(encoded: Encoded) -> Callable[[memoryview | bytearray], int]:
    """CRC32C for record batches; message sets are checked by CRC32, here isal's, the fastest at hand."""
    return crc32c if encoded.dataset.magic == 2 else isal_zlib.crc32


def copy_and_crc(encoded: Encoded) -> Work:
    """One copy of the bytes into a fresh buffer and one CRC over them: what the targets are measured against."""
    view, crc = memoryview(encoded.data), _crc(encoded)

    def work() -> None:
        crc(bytearray(view))

    return work


def copy_and_crc_by_batch(encoded: Encoded) -> Work:
    """The same, a batch at a time while it is in the CPU's cache: a harder limit, reported beside the other."""
    batches, crc = list(encoded.batches()), _crc(encoded)

    def work() -> None:
        for batch in batches:
            crc(bytearray(batch))

    return work


# --- decompression alone ---------------------------------------------------------------------------------------------


def _isal_zlib(payload: bytes, size: int) -> object:
    return isal_zlib.decompress(payload, 31, size)


def _igzip(payload: bytes, size: int) -> object:
    return igzip_lib.decompress(payload, igzip_lib.DECOMP_GZIP, 15, size)


def _lz4_frame(payload: bytes, size: int) -> object:
    return lz4.frame.decompress(payload)


def _lz4_blocks(payload: bytes, size: int) -> object:
    """The blocks of a frame (7-byte head as this bench writes it), each by lz4's block call with its size known."""
    view, parts, position = memoryview(payload), [], 7
    while length := int.from_bytes(view[position : position + 4], "little"):
        stored, length, position = length >> 31, length & 0x7FFF_FFFF, position + 4
        block = view[position : position + length]
        parts.append(block if stored else lz4.block.decompress(block, uncompressed_size=min(size, 64 << 10)))
        position += length
    return parts


def _xerial_blocks(payload: bytes) -> list[memoryview]:
    view, blocks, position = memoryview(payload), [], 16
    while position < len(view):
        (length,) = struct.unpack_from(">i", view, position)
        blocks.append(view[position + 4 : position + 4 + length])
        position += 4 + length
    return blocks


def _snappy(payload: bytes, size: int) -> object:
    return [cramjam.snappy.decompress_raw(block) for block in _xerial_blocks(payload)]


def _snappy_into(payload: bytes, size: int) -> object:
    target, filled = memoryview(bytearray(size)), 0
    for block in _xerial_blocks(payload):
        filled += cramjam.snappy.decompress_raw_into(block, target[filled:])
    return target


_ZSTD = zstandard.ZstdDecompressor()  # one context for all batches: twice as fast as one each


def _zstd(payload: bytes, size: int) -> object:
    return _ZSTD.decompress(payload, size)


LIBRARIES: dict[str, dict[str, Decompress]] = {
    "gzip": {"isal_zlib": _isal_zlib, "igzip_lib": _igzip},
    "lz4": {"lz4.frame": _lz4_frame, "lz4.block": _lz4_blocks},
    "snappy": {"cramjam": _snappy, "cramjam, into": _snappy_into},
    "zstd": {"zstandard": _zstd},
}

SIZES: dict[str, Callable[[bytes], int]] = {
    "gzip": lambda payload: len(gzip.decompress(payload)),
    "lz4": lambda payload: len(lz4.frame.decompress(payload)),
    "snappy": lambda payload: sum(cramjam.snappy.decompress_raw_len(block) for block in _xerial_blocks(payload)),
    "zstd": lambda payload: len(zstandard.ZstdDecompressor().decompressobj().decompress(payload)),
}


@dataclass(frozen=True)
class Decompression:
    """All batches decompressed by the ``library`` that is fastest here, into ``size`` bytes, and nothing else."""

    library: str
    size: int
    work: Work


def decompression(encoded: Encoded) -> Decompression:
    """Try the libraries on a sample of the set and take the fastest."""
    payloads = [bytes(compressed_payload(batch)) for batch in encoded.batches()]
    jobs = [(payload, SIZES[encoded.codec](payload)) for payload in payloads]

    def run(decompress: Decompress, jobs: Sequence[tuple[bytes, int]]) -> None:
        for payload, size in jobs:
            decompress(payload, size)

    def trial(name: str) -> float:
        sample = jobs[:200]
        best = float("inf")
        for _ in range(5):
            start = time.process_time()
            run(LIBRARIES[encoded.codec][name], sample)
            best = min(best, time.process_time() - start)
        return best

    fastest = min(LIBRARIES[encoded.codec], key=trial)
    return Decompression(fastest, sum(size for _, size in jobs), lambda: run(LIBRARIES[encoded.codec][fastest], jobs))
