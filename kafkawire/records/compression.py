"""The codec table: Kafka's four compressions, each through a well-kept library, each bounded.

A codec's ``decompress`` returns the whole content or raises: CorruptError for bytes that are not one whole stream of
that format with nothing behind it, LimitError where the content would be over the limit. What a stream declares about
its own size is checked against what its bytes could hold at the best before anything is allocated.

Sources: the message format section of the protocol guide; KIP-57 (lz4), KIP-110 (zstd), KIP-390 (levels).
"""

from __future__ import annotations

import importlib
import threading
import zlib
from collections.abc import Callable
from functools import cache
from struct import Struct
from typing import Any, NamedTuple

from kafkawire import _twins
from kafkawire.errors import (
    CorruptError,
    EncodeError,
    LimitError,
    MissingLibraryError,
    UnsupportedError,
    WireError,
)
from kafkawire.records.limits import Limits

# What these functions take and return: bytes, bytearray, memoryview and the libraries' own buffers.
Bytes = Any

decode_unsigned_varint = _twins.varint.decode_unsigned_varint


class Codec(NamedTuple):
    """One compression: its number in the attributes, its name, the levels that it takes (lowest, highest, default)."""

    id: int
    name: str
    levels: tuple[int, int, int] | None
    compress: Callable[[Bytes, int, int | None], Bytes]
    decompress: Callable[[Bytes, int, Limits], Bytes]


def _library(module: str, package: str, codec: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingLibraryError(
            f"{codec} needs the package {package}, which is not installed: pip install {package} "
            "(pip install kafkawire brings it)"
        ) from None


# Loaded when first used, and found again without a search: a batch takes microseconds.


@cache
def _cramjam() -> Any:
    return _library("cramjam", "cramjam", "snappy")


@cache
def _lz4() -> Any:
    return _library("lz4.frame", "lz4", "lz4")


@cache
def _zstd() -> Any:
    return _library("zstandard", "zstandard", "zstd")


def _over(limits: Limits, codec: str, size: int | None = None) -> LimitError:
    found = "more than that" if size is None else f"{size} bytes"
    return LimitError(
        f"the {codec} content is {found}", expected=f"at most {limits.decompressed} bytes (Limits.decompressed)"
    )


# ---- gzip ----

_GZIP = 16 + zlib.MAX_WBITS
_GZIP_RESERVED = 0xE0

try:
    _gzip: Any = importlib.import_module("isal.isal_zlib")
except ImportError:
    _gzip = zlib


def _decompress_gzip(data: Bytes, magic: int, limits: Limits) -> Bytes:
    parts: list[bytes] = []
    room = limits.decompressed + 1
    rest, window = memoryview(data), len(data)
    try:
        while True:
            if len(rest) > 3 and rest[3] & _GZIP_RESERVED:
                # RFC 1952 wants this refused; zlib does, isal does not.
                raise CorruptError(f"gzip flags of {rest[3]:#04x}", expected="0 to 0x1f")
            stream = _gzip.decompressobj(_GZIP)
            fed = 0
            while not stream.eof:
                if fed >= len(rest):
                    raise CorruptError("the gzip stream ends early", expected="its end mark and checksum")
                parts.append(stream.decompress(rest[fed : fed + window], room))
                fed += window
                window *= 2
                room -= len(parts[-1])
                if room <= 0:
                    raise _over(limits, "gzip")
            rest = rest[min(fed, len(rest)) - len(stream.unused_data) :]
            if not len(rest):
                return parts[0] if len(parts) == 1 else b"".join(parts)
            # More members follow. unused_data is a copy: small windows keep many small members linear in time.
            window = 256
    except (zlib.error, _gzip.error) as error:
        raise CorruptError(f"the gzip stream is corrupt: {error}") from None


def _compress_gzip(data: Bytes, magic: int, level: int | None) -> Bytes:
    # zlib, not isal: isal's four levels are not those that KIP-390 names, and compress less.
    stream = zlib.compressobj(-1 if level is None else level, zlib.DEFLATED, _GZIP)
    return stream.compress(data) + stream.flush()


# ---- snappy ----

_XERIAL_MAGIC = b"\x82SNAPPY\x00"
_XERIAL_START = Struct("8s")
_XERIAL_INT = Struct(">i")
_XERIAL_HEADER = 16
_XERIAL_BLOCK = 32 * 1024


def _snappy_block(block: memoryview, limits: Limits, before: int = 0) -> Any:
    """One raw block, with ``before`` bytes decompressed already; its declared size is believed if it can hold that."""
    try:
        size, _ = decode_unsigned_varint(block)
    except WireError:
        raise CorruptError("a snappy block without a size", expected="a varint of at most five bytes") from None
    if before + size > limits.decompressed:
        raise _over(limits, "snappy", before + size)
    # No element of snappy's makes more of its bytes than a copy of 64 out of three.
    if size > 22 * len(block):
        raise CorruptError(f"a snappy block of {len(block)} bytes declares {size} bytes", expected="what it can hold")
    cramjam = _cramjam()
    try:
        out = cramjam.snappy.decompress_raw(block)
    except cramjam.DecompressionError as error:
        raise CorruptError(f"the snappy block is corrupt: {error}") from None
    if len(out) != size:
        raise CorruptError(f"a snappy block of {len(out)} bytes declares {size}", expected=f"{size} bytes")
    return out


def _decompress_snappy(data: Bytes, magic: int, limits: Limits) -> Bytes:
    whole = len(data)
    if whole < 8 or _XERIAL_START.unpack_from(data)[0] != _XERIAL_MAGIC:
        return _snappy_block(data, limits)
    if whole < _XERIAL_HEADER:
        raise CorruptError("the xerial header is cut", expected="16 bytes")
    if _XERIAL_INT.unpack_from(data, 12)[0] < 1:
        raise CorruptError("a xerial stream of a version that does not exist", expected="version 1")
    parts: list[Any] = []
    total, at = 0, _XERIAL_HEADER
    while at < whole:
        if whole - at >= _XERIAL_HEADER and _XERIAL_START.unpack_from(data, at)[0] == _XERIAL_MAGIC:
            # Streams behind each other read as one, as in Java's library, which writes such when it appends.
            at += _XERIAL_HEADER
            continue
        size = _XERIAL_INT.unpack_from(data, at)[0] if whole - at >= 4 else -1
        at += 4
        if size <= 0 or size > whole - at:
            raise CorruptError(f"a xerial block of {size} bytes with {max(whole - at, 0)} left", expected="a whole one")
        part = _snappy_block(data[at : at + size], limits, total)
        at += size
        if at == whole and not parts:
            return part
        parts.append(part)
        total += len(part)
    return b"".join(parts)


def _compress_snappy(data: Bytes, magic: int, level: int | None) -> Bytes:
    cramjam = _cramjam()
    view = memoryview(data)
    out = bytearray(_XERIAL_MAGIC + b"\x00\x00\x00\x01\x00\x00\x00\x01")
    for at in range(0, len(view), _XERIAL_BLOCK):
        block = cramjam.snappy.compress_raw(view[at : at + _XERIAL_BLOCK])
        out += len(block).to_bytes(4, "big")
        out += block
    return bytes(out)


# ---- lz4 ----

_LZ4_MAGIC = 0x184D2204
_LZ4_HEADER = Struct("<IBB")


def _xxh32_short(data: bytes) -> int:
    """xxHash32, seed 0, of fewer than 16 bytes: what an lz4 frame header is checked with."""
    prime1, prime2, prime3, prime4, prime5 = 2654435761, 2246822519, 3266489917, 668265263, 374761393
    mask = 0xFFFFFFFF
    value, at = (prime5 + len(data)) & mask, 0
    while at + 4 <= len(data):
        value = (value + int.from_bytes(data[at : at + 4], "little") * prime3) & mask
        value = ((value << 17 | value >> 15) * prime4) & mask
        at += 4
    for byte in data[at:]:
        value = (value + byte * prime5) & mask
        value = ((value << 11 | value >> 21) * prime1) & mask
    value = ((value ^ value >> 15) * prime2) & mask
    value = ((value ^ value >> 13) * prime3) & mask
    return value ^ value >> 16


def _lz4_header_size(flags: int) -> int:
    """Bytes of an lz4 frame's header up to its checksum byte: magic, flags, block size, and what the flags announce."""
    return 6 + (8 if flags & 0x08 else 0) + (4 if flags & 0x01 else 0)


def _kip57(data: Bytes, right: bool) -> Bytes:
    """The frame with the right header checksum, or Kafka's before KIP-57, which took the magic bytes in as well."""
    at = _lz4_header_size(data[4])
    header = bytes(data[4:at] if right else data[:at])
    return b"".join((data[:at], bytes([_xxh32_short(header) >> 8 & 0xFF]), data[at + 1 :]))


def _decompress_lz4(data: Bytes, magic: int, limits: Limits) -> Bytes:
    lz4 = _lz4()
    frame, flags, _ = _LZ4_HEADER.unpack_from(data) if len(data) >= 7 else (0, 0, 0)
    if frame != _LZ4_MAGIC:
        raise CorruptError("not an lz4 frame", expected="magic 184d2204 and a whole header")
    if flags & 0x01:
        # The library would go on without it.
        raise CorruptError("an lz4 frame that needs a dictionary", expected="none: Kafka has no dictionaries")
    if flags & 0x08:
        size = int.from_bytes(data[6:14], "little")
        if size > limits.decompressed:
            raise _over(limits, "lz4", size)
        if size > 256 * len(data):
            raise CorruptError(f"an lz4 frame of {len(data)} bytes declares {size} bytes", expected="what it can hold")
    at = _lz4_header_size(flags)
    if magic == 0 and len(data) > at:
        # Whatever stands there: readers of magic 0 do not look at it, as Kafka's own (KIP-57).
        data = _kip57(data, True)
    try:
        if 256 * len(data) <= limits.decompressed:
            # lz4 makes at most 255 bytes of one: so small a frame cannot pass the limit.
            out, read = lz4.decompress(data, return_bytes_read=True)
            whole = read == len(data)
        else:
            stream = lz4.LZ4FrameDecompressor()
            out = stream.decompress(data, max_length=limits.decompressed + 1)
            if len(out) > limits.decompressed:
                raise _over(limits, "lz4")
            whole = stream.eof and not stream.unused_data
    except (RuntimeError, EOFError) as error:
        raise CorruptError(f"the lz4 frame is corrupt: {error}") from None
    if not whole:
        raise CorruptError("the lz4 frame does not end where the batch does", expected="one whole frame")
    return out


def _compress_lz4(data: Bytes, magic: int, level: int | None) -> Bytes:
    lz4 = _lz4()
    # As Kafka's Java producer: independent blocks of 64 KiB, no content size, no checksums.
    out = lz4.compress(
        data, compression_level=0 if level is None else level, block_size=lz4.BLOCKSIZE_MAX64KB, block_linked=False,
        store_size=False,
    )
    return _kip57(out, False) if magic == 0 else out


# ---- zstd ----

_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_ZSTD_BLOCK = 128 * 1024


class _Zstd(threading.local):
    """The contexts of one thread: making one costs more than decompressing a batch, and they cannot be shared."""

    def __init__(self) -> None:
        self.decompressors: dict[int, Any] = {}
        self.compressors: dict[int, Any] = {}


_zstd_contexts = _Zstd()


def _decompress_zstd(data: Bytes, magic: int, limits: Limits) -> Bytes:
    zstd = _zstd()
    context = _zstd_contexts.decompressors.get(limits.zstd_window)
    if context is None:
        context = zstd.ZstdDecompressor(max_window_size=max(limits.zstd_window, 1024))
        _zstd_contexts.decompressors[limits.zstd_window] = context
    view = memoryview(data)
    try:
        parameters = _zstd_parameters(zstd, view, limits)
        size = parameters.content_size
        if view[:4] != _ZSTD_MAGIC or size == 0:
            # A skippable frame, whose parameters are those of no content, or a frame that declares to have none: the
            # library would not even look at the rest.
            return _decompress_zstd_frames(zstd, context, view, limits)
        if size == zstd.CONTENTSIZE_UNKNOWN:
            # Kafka's Java producer streams, so this is the usual case. One frame whose blocks are too few for the limit
            # is decompressed at once.
            if _zstd_blocks(zstd, view, parameters.has_checksum) * _ZSTD_BLOCK <= limits.decompressed:
                stream = context.decompressobj()
                out = stream.decompress(data)
                if stream.eof and not stream.unused_data:
                    return out
            return _decompress_zstd_frames(zstd, context, view, limits)
        if size > limits.decompressed:
            raise _over(limits, "zstd", size)
        if size > (len(view) // 4 + 1) * _ZSTD_BLOCK:
            raise CorruptError(f"a zstd frame of {len(view)} bytes declares {size} bytes", expected="what it can hold")
        try:
            return context.decompress(data, max_output_size=size, allow_extra_data=False)
        except zstd.ZstdError:
            # More than one frame, an empty one, or corrupt: the way step by step finds out.
            return _decompress_zstd_frames(zstd, context, view, limits)
    except zstd.ZstdError as error:
        raise CorruptError(f"the zstd stream is corrupt: {error}") from None


def _zstd_parameters(zstd: Any, frame: memoryview, limits: Limits) -> Any:
    """What the head of a frame says; LimitError where its window is over the limit."""
    # Frames with a window descriptor: the library calls one of more than 2 GiB no frame at all.
    window = 1 << 10 + (frame[5] >> 3) if frame[:4] == _ZSTD_MAGIC and len(frame) > 5 and not frame[4] & 0x20 else 0
    if window <= limits.zstd_window:
        parameters = zstd.get_frame_parameters(frame)
        window = parameters.window_size
    if window > limits.zstd_window:
        raise LimitError(
            f"the zstd frame asks for a window of {window} bytes",
            expected=f"at most {limits.zstd_window} bytes (Limits.zstd_window)",
        )
    return parameters


def _zstd_blocks(zstd: Any, data: memoryview, has_checksum: bool) -> int:
    """How many blocks the frame has that is all of ``data``; more than any limit allows where it is not."""
    at, blocks, last = zstd.frame_header_size(data), 0, False
    while not last and at + 3 <= len(data):
        head = int.from_bytes(data[at : at + 3], "little")
        last = bool(head & 1)
        # A block of type 1 is one byte, repeated.
        at += 3 + (1 if head >> 1 & 3 == 1 else head >> 3)
        blocks += 1
    return blocks if last and at + 4 * has_checksum == len(data) else len(data) << 40


def _decompress_zstd_frames(zstd: Any, context: Any, rest: memoryview, limits: Limits) -> bytes:
    """Any number of frames, fed in steps so small that none can make much more than what is left of the limit."""
    parts: list[bytes] = []
    room = limits.decompressed
    while True:
        declared, before = _zstd_parameters(zstd, rest, limits).content_size, room
        if rest[:4] != _ZSTD_MAGIC:
            declared = 0  # of a skippable frame it is what is skipped
        stream = context.decompressobj()
        fed = 0
        while not stream.eof:
            if fed >= len(rest):
                raise CorruptError("the zstd stream ends early", expected="its last block")
            # Four bytes can be a block of 128 KiB.
            step = min(max(room // (_ZSTD_BLOCK // 4), 64), 1024)
            parts.append(stream.decompress(rest[fed : fed + step]))
            fed += step
            room -= len(parts[-1])
            if room < 0:
                raise _over(limits, "zstd")
        rest = rest[min(fed, len(rest)) - len(stream.unused_data) :]
        if declared != zstd.CONTENTSIZE_UNKNOWN and before - room != declared:
            # The library misses it where the last block is an empty one.
            raise CorruptError(f"a zstd frame of {before - room} bytes declares {declared}", expected="its size")
        if not len(rest):
            return b"".join(parts)


def _compress_zstd(data: Bytes, magic: int, level: int | None) -> Bytes:
    zstd = _zstd()
    level = 3 if level is None else level
    context = _zstd_contexts.compressors.get(level)
    if context is None:
        context = _zstd_contexts.compressors[level] = zstd.ZstdCompressor(level=level)
    return context.compress(data)


# ---- the table ----


def _same(data: Bytes, magic: int, extra: object) -> Bytes:
    return data


CODECS: tuple[Codec, ...] = (
    Codec(0, "none", None, _same, _same),
    Codec(1, "gzip", (1, 9, 6), _compress_gzip, _decompress_gzip),
    Codec(2, "snappy", None, _compress_snappy, _decompress_snappy),
    Codec(3, "lz4", (1, 17, 9), _compress_lz4, _decompress_lz4),
    Codec(4, "zstd", (-131072, 22, 3), _compress_zstd, _decompress_zstd),
)

CODEC_NAMES = tuple(codec.name for codec in CODECS)


def codec_by_name(name: str, magic: int = 2, level: int | None = None) -> Codec:
    """The codec ``name`` for batches of ``magic``; raises UnsupportedError or EncodeError for what does not exist."""
    for codec in CODECS:
        if codec.name == name:
            break
    else:
        raise UnsupportedError(f"compression {name!r}", expected=", ".join(CODEC_NAMES))
    if codec.name == "zstd" and magic < 2:
        raise UnsupportedError(f"zstd with magic {magic}", expected="magic 2 (KIP-110)")
    if level is not None and (codec.levels is None or not codec.levels[0] <= level <= codec.levels[1]):
        allowed = "none: the codec has no levels" if codec.levels is None else f"{codec.levels[0]} to {codec.levels[1]}"
        raise EncodeError(f"level {level} for {name}", expected=allowed)
    return codec


def decompress(codec: int, magic: int, data: Bytes, limits: Limits) -> Bytes:
    """What ``data``, compressed with codec number ``codec`` in a batch of ``magic``, holds: bytes or another buffer.

    Raises CorruptError, LimitError, MissingLibraryError; none of them knows the position, which the caller adds.
    """
    return CODECS[codec].decompress(data, magic, limits)


def decompressor(limits: Limits) -> Callable[[int, int, Bytes], Bytes]:
    """``decompress`` for one set of limits, as the kernels call it for each batch: ``(codec, magic, data)``."""
    table = [codec.decompress for codec in CODECS]

    def decompress_one(codec: int, magic: int, data: Bytes) -> Bytes:
        return table[codec](data, magic, limits)

    return decompress_one


def in_total(decompress: Callable[[int, int, Bytes], Bytes], limits: Limits) -> Callable[[int, int, Bytes], Bytes]:
    """``decompress`` for one call that returns everything at once: LimitError once all of it passes the total."""
    left = limits.decompressed_total
    lock = threading.Lock()

    def decompress_one(codec: int, magic: int, data: Bytes) -> Bytes:
        nonlocal left
        content = decompress(codec, magic, data)
        with lock:
            left -= memoryview(content).nbytes
            within = left >= 0
        if not within:
            raise LimitError(
                "the batches of this call decompress to more than that together",
                expected=f"at most {limits.decompressed_total} bytes (Limits.decompressed_total)",
            )
        return content

    return decompress_one


def compress(codec: int, magic: int, data: Bytes, level: int | None = None) -> Bytes:
    """``data`` compressed with codec number ``codec`` for a batch of ``magic``; ``level`` None is Kafka's default."""
    return CODECS[codec].compress(data, magic, level)
