"""Inputs that lie, made here: each with the verdict that follows from how it was made.

An input is one batch, or some good ones and a bad one behind them; ``good`` says how many bytes at the front are good,
so that an error's position can be held against it. Checksums and lengths are right unless the lie is about them, so
that every lie is reached. The limits are those of records/hostile_worker: 16 MiB decompressed, 128 MiB of zstd window.
"""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import cramjam
import lz4.frame
import zstandard

from tests.records.surgery import seal, seal_message, seal_wrapper

MIB = 1 << 20
INT32_MAX, INT64_MAX = (1 << 31) - 1, (1 << 63) - 1
NONE, GZIP, SNAPPY, LZ4, ZSTD = range(5)
CODEC_NAMES = ("none", "gzip", "snappy", "lz4", "zstd")


class Input(NamedTuple):
    """``records``: how many are to be read where the verdict is ok or truncated."""

    name: str
    data: bytes
    verdict: str
    records: int = 0
    good: int = 0


# ---- writing, without any check ----


def uvarint(value: int, size: int = 0) -> bytes:
    """At least ``size`` bytes: longer than it needs to be."""
    out = bytearray()
    while value >= 0x80 or len(out) + 1 < size:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def varint(value: int, size: int = 0) -> bytes:
    return uvarint((value << 1) ^ (value >> 63), size)


def piece(content: bytes | None) -> bytes:
    return varint(-1) if content is None else varint(len(content)) + content


class Parts(NamedTuple):
    """The fields of a record v2 as they stand on the wire; ``length`` None is the right one."""

    length: bytes | None = None
    attributes: bytes = b"\0"
    timestamp: bytes = varint(0)
    offset: bytes = varint(0)
    key: bytes = piece(b"key")
    value: bytes = piece(b"value")
    count: bytes = varint(0)
    headers: bytes = b""

    def bytes(self) -> bytes:
        body = b"".join(self[1:])
        return (varint(len(body)) if self.length is None else self.length) + body


def header(
    *,
    offset: int = 0,
    magic: int = 2,
    attributes: int = 0,
    delta: int = 0,
    first: int = 1000,
    last: int = 1000,
    producer: int = -1,
    epoch: int = -1,
    sequence: int = -1,
    count: int = 1,
) -> bytes:
    return struct.pack(
        ">qiibIhiqqqhii", offset, 0, -1, magic, 0, attributes, delta, first, last, producer, epoch, sequence, count
    )


def batch(*records: Parts | bytes, **fields: int) -> bytes:
    """A batch whose count and last delta fit its records, unless told otherwise."""
    fields = {"count": len(records), "delta": max(len(records) - 1, 0), **fields}
    return seal(header(**fields), b"".join(r if isinstance(r, bytes) else r.bytes() for r in records))


def packed(codec: int, body: bytes, **fields: int) -> bytes:
    """A batch of one record, with ``body`` in the place of what is compressed."""
    return seal(header(**{"attributes": codec, **fields}), body)


def message(
    magic: int, value: bytes | None = b"value", offset: int = 0, attributes: int = 0, time: int = 1000
) -> bytes:
    return seal_wrapper(offset, magic, attributes, time, value)


COMPRESS = {
    GZIP: lambda data: gzip.compress(data, 6, mtime=0),
    SNAPPY: lambda data: bytes(cramjam.snappy.compress_raw(data)),
    LZ4: lambda data: lz4.frame.compress(data, store_size=False),
    ZSTD: lambda data: zstandard.ZstdCompressor(write_content_size=False).compress(data),
}

GOOD = batch(Parts(), Parts(offset=varint(1)))


# ---- the families ----


def lengths() -> Iterator[Input]:
    """The frame's length."""
    for magic, data in ((0, message(0)), (1, message(1)), (2, GOOD)):
        size = len(data) - 12
        smallest = (14, 22, 49)[magic]
        for lie in sorted({-(1 << 31), -1, 0, 1, 13, smallest - 1}):
            yield Input(f"magic{magic}-length-{lie}", data[:8] + struct.pack(">i", lie) + data[12:], "corrupt")
        for lie in (size + 1, size + 1000, INT32_MAX):
            yield Input(f"magic{magic}-length-{lie}", data[:8] + struct.pack(">i", lie) + data[12:], "truncated")
        for lie in (size - 1, smallest):
            yield Input(f"magic{magic}-length-{lie}", data[:8] + struct.pack(">i", lie) + data[12:], "corrupt")
        for cut in (1, 11, 12, 16, 17, len(data) - 1):
            yield Input(f"magic{magic}-cut-{cut}", data[:cut], "truncated")
    for magic in (3, 4, 127, -128, -1):
        yield Input(f"magic-{magic}", seal(header(magic=magic), Parts().bytes()), "unsupported")


def counts() -> Iterator[Input]:
    one, two = Parts(), Parts(offset=varint(1))
    for count in (-1, -(1 << 31), 0, 1, 3, 4, 1000, INT32_MAX):
        yield Input(f"two-records-count-{count}", batch(one, two, count=count), "corrupt")
        for codec, compress in COMPRESS.items():
            body = compress(one.bytes() + two.bytes())
            yield Input(
                f"two-records-{CODEC_NAMES[codec]}-count-{count}", packed(codec, body, count=count, delta=1), "corrupt"
            )
    for count in (1, INT32_MAX):
        yield Input(f"no-records-count-{count}", batch(count=count), "corrupt")
    yield Input("no-records", batch(), "ok", 0)
    yield Input("no-records-with-last-offset", batch(delta=1000), "ok", 0)  # what compaction leaves
    yield Input("trailing-zeros", batch(one, b"\0" * 5, count=1), "corrupt")
    yield Input("trailing-record", batch(one, two, count=1, delta=1), "corrupt")


def record_fields() -> Iterator[Input]:
    size = len(Parts().bytes()) - 1
    for lie in (-1, -(1 << 31), 0, 1, 5, size - 1, size + 1, 1 << 20, INT32_MAX):
        yield Input(f"record-length-{lie}", batch(Parts(length=varint(lie))), "corrupt")
        yield Input(
            f"record-length-{lie}-of-first", batch(Parts(length=varint(lie)), Parts(offset=varint(1))), "corrupt"
        )
    for field in ("key", "value"):
        for lie in (-2, -3, -(1 << 31), 6, 100, 1 << 20, INT32_MAX):
            yield Input(f"{field}-length-{lie}", batch(Parts(**{field: varint(lie) + b"abc"})), "corrupt")
        yield Input(f"{field}-null", batch(Parts(**{field: varint(-1)})), "ok", 1)
        yield Input(f"{field}-empty", batch(Parts(**{field: varint(0)})), "ok", 1)
    pair = piece(b"name") + piece(b"content")
    for count in (-1, -2, -(1 << 31), 0, 1, 3, 63, 64, 100, 1 << 20, INT32_MAX):
        yield Input(f"two-headers-count-{count}", batch(Parts(count=varint(count), headers=pair * 2)), "corrupt")
    for lie in (-1, -2, -(1 << 31), 100, INT32_MAX):
        yield Input(f"header-key-length-{lie}", batch(Parts(count=varint(1), headers=varint(lie) + pair)), "corrupt")
    for lie in (-2, -(1 << 31), 100, INT32_MAX):
        headers = piece(b"name") + varint(lie) + b"content"
        yield Input(f"header-value-length-{lie}", batch(Parts(count=varint(1), headers=headers)), "corrupt")
    yield Input("header-value-null", batch(Parts(count=varint(1), headers=piece(b"") + piece(None))), "ok", 1)
    yield Input("record-trailing", batch(Parts(headers=b"\0")), "corrupt")
    yield Input("record-attributes", batch(Parts(attributes=b"\xff")), "ok", 1)
    # A record that reaches into its neighbour: the bytes are there, but are not its own.
    first = Parts(value=varint(20) + b"value", length=varint(size))
    yield Input("value-of-the-neighbour", batch(first, Parts(offset=varint(1), value=piece(bytes(40)))), "corrupt")


def varints() -> Iterator[Input]:
    """Longer than need be is legal up to five or ten bytes; more bytes or more bits are not."""
    for name in ("timestamp", "offset", "key", "value", "count"):
        content = {"key": b"key", "value": b"value"}.get(name, b"")
        for size in range(2, 6):
            yield Input(
                f"{name}-in-{size}-bytes", batch(Parts(**{name: varint(len(content), size) + content})), "ok", 1
            )
        if name != "timestamp":
            for lie in (
                b"\x80" * 5 + b"\0",
                b"\xff" * 5,
                b"\x80\x80\x80\x80\x10",
                b"\xff\xff\xff\xff\x7f",
                b"\x80" * 9 + b"\0",
            ):
                yield Input(f"{name}-varint-{lie.hex()}", batch(Parts(**{name: lie + content})), "corrupt")
    yield Input("timestamp-in-10-bytes", batch(Parts(timestamp=varint(0, 10))), "ok", 1)
    for lie in (b"\x80" * 10 + b"\0", b"\xff" * 10, b"\x80" * 9 + b"\x02", b"\xff" * 9 + b"\x7f"):
        yield Input(f"timestamp-varint-{lie.hex()}", batch(Parts(timestamp=lie)), "corrupt")
    body = Parts().bytes()[1:]
    for size in range(2, 6):
        yield Input(f"record-length-in-{size}-bytes", batch(Parts(length=varint(len(body), size))), "ok", 1)
    yield Input("record-length-in-6-bytes", batch(Parts(length=varint(len(body), 6))), "corrupt")
    for size in range(1, 6):
        yield Input(f"ends-in-a-varint-{size}", batch(b"\x80" * size, count=1), "corrupt")


def numbers() -> Iterator[Input]:
    """Offsets and timestamps at their edges and beyond."""
    for base, delta, verdict in (
        (-1, 0, "corrupt"),
        (-(1 << 63), 0, "corrupt"),
        (INT64_MAX, 0, "ok"),
        (INT64_MAX, 1, "corrupt"),
        (INT64_MAX - 5, 5, "ok"),
        (INT64_MAX - 5, 6, "corrupt"),
        (INT64_MAX, INT32_MAX, "corrupt"),
        (0, -1, "corrupt"),
        (0, -(1 << 31), "corrupt"),
        (0, INT32_MAX, "ok"),
    ):
        yield Input(f"base-{base}-last-{delta}", batch(Parts(), offset=base, delta=delta), verdict, verdict == "ok")
    for lie in (-1, 1, 2, -(1 << 31), INT32_MAX):
        yield Input(f"offset-delta-{lie}-of-0", batch(Parts(offset=varint(lie))), "corrupt")
    yield Input("offset-delta-falls", batch(Parts(offset=varint(5)), Parts(offset=varint(2)), delta=9), "ok", 2)
    for base, delta, verdict in (
        (INT64_MAX, 1, "corrupt"),
        (INT64_MAX, 0, "ok"),
        (INT64_MAX, -1, "ok"),
        (-(1 << 63), -1, "corrupt"),
        (-(1 << 63), 0, "ok"),
        (-(1 << 63), INT64_MAX, "ok"),
        (1, INT64_MAX, "corrupt"),
        (0, INT64_MAX, "ok"),
        (-1, -(1 << 63), "corrupt"),
        (0, -(1 << 63), "ok"),
        (1 << 62, 1 << 62, "corrupt"),
        ((1 << 62) - 1, 1 << 62, "ok"),
        (-(1 << 62), -(1 << 62), "ok"),
        (-(1 << 62) - 1, -(1 << 62), "corrupt"),
    ):
        record = Parts(timestamp=varint(delta))
        yield Input(f"time-{base}-and-{delta}", batch(record, first=base), verdict, verdict == "ok")
        # What LogAppendTime says instead does not make the delta right.
        yield Input(
            f"time-{base}-and-{delta}-appended", batch(record, first=base, attributes=8), verdict, verdict == "ok"
        )
    for magic in (0, 1):
        for offset, verdict in ((-1, "corrupt"), (-(1 << 63), "corrupt"), (INT64_MAX, "ok")):
            yield Input(f"magic{magic}-offset-{offset}", message(magic, offset=offset), verdict, verdict == "ok")


def checksums() -> Iterator[Input]:
    for name, data, first in (("v2", GOOD, 16), ("v1", message(1), 12), ("v0", message(0), 12)):
        for at in (*range(first + 1, first + 9), len(data) - 1):
            broken = bytearray(data)
            broken[at] ^= 0x01
            if at != 16:  # that would be another magic
                yield Input(f"crc-{name}-byte-{at}", bytes(broken), "corrupt")
    for magic in (0, 1):
        inner = bytearray(message(magic) + message(magic, offset=1))
        inner[-1] ^= 0x10
        yield Input(f"crc-inner-magic{magic}", message(magic, COMPRESS[GZIP](bytes(inner)), 1, GZIP), "corrupt")


def utf8() -> Iterator[Input]:
    for raw in (
        b"\x80",
        b"\xbf",
        b"\xc0\x80",
        b"\xc1\xbf",
        b"\xc2",
        b"\xc2\x41",
        b"\xe0\x80\x80",
        b"\xe0\x9f\xbf",
        b"\xe1\x80",
        b"\xed\xa0\x80",
        b"\xed\xbf\xbf",
        b"\xf0\x80\x80\x80",
        b"\xf0\x8f\xbf\xbf",
        b"\xf4\x90\x80\x80",
        b"\xf5\x80\x80\x80",
        b"\xff",
        b"\xfe",
        b"abcdefgh\xff",
        b"abcdefghijklmno\xc3",
        b"\xf0\x9f\x98",
    ):
        data = batch(Parts(count=varint(1), headers=piece(raw) + piece(None)))
        yield Input(f"utf8-{raw.hex()}", data, "corrupt")
    for text in ("\x00", "\x7f", "\x80", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff", "\U00010000", "\U0010ffff"):
        data = batch(Parts(count=varint(1), headers=piece(text.encode()) + piece(None)))
        yield Input(f"utf8-{text.encode().hex()}", data, "ok", 1)


def control() -> Iterator[Input]:
    marker = struct.pack(">hi", 0, 7)
    for name, key, value, verdict in (
        ("commit", struct.pack(">hh", 0, 1), marker, "ok"),
        ("abort", struct.pack(">hh", 0, 0), marker, "ok"),
        ("unknown-type", struct.pack(">hh", 0, 999), b"", "ok"),
        ("future-key", struct.pack(">hhi", 5, 1, 9), marker, "ok"),
        ("future-value", struct.pack(">hh", 0, 1), marker + b"more", "ok"),
        ("no-key", None, marker, "corrupt"),
        ("empty-key", b"", marker, "corrupt"),
        ("short-key", b"\0\0\0", marker, "corrupt"),
        ("negative-version", struct.pack(">hh", -1, 1), marker, "corrupt"),
        ("short-value", struct.pack(">hh", 0, 1), marker[:-1], "corrupt"),
        ("no-value", struct.pack(">hh", 0, 0), None, "corrupt"),
        ("negative-value-version", struct.pack(">hh", 0, 1), struct.pack(">hi", -1, 7), "corrupt"),
    ):
        data = batch(Parts(key=piece(key), value=piece(value)), attributes=0x30, producer=1, epoch=0)
        yield Input(f"control-{name}", data, verdict, verdict == "ok")


def codecs() -> Iterator[Input]:
    """What compressed bytes may lie about, codec by codec."""
    plain = Parts().bytes()
    for codec in (5, 6, 7):
        yield Input(f"codec-{codec}", packed(codec, plain), "unsupported")
        yield Input(f"codec-{codec}-magic1", message(1, plain, attributes=codec), "unsupported")
        yield Input(f"codec-{codec}-magic0", message(0, plain, attributes=codec), "unsupported")
    for codec, compress in COMPRESS.items():
        name, whole = CODEC_NAMES[codec], compress(plain)
        yield Input(f"{name}-good", packed(codec, whole), "ok", 1)
        for cut in range(len(whole)):
            yield Input(f"{name}-cut-{cut}", packed(codec, whole[:cut]), "corrupt")
        yield Input(f"{name}-trailing", packed(codec, whole + b"\x01trailing"), "corrupt")
        yield Input(f"{name}-garbage", packed(codec, b"\xa5" * 50), "corrupt")
        for other in COMPRESS:
            if other != codec:
                yield Input(f"{name}-is-{CODEC_NAMES[other]}", packed(codec, COMPRESS[other](plain)), "corrupt")
        yield Input(f"{name}-twice", packed(codec, compress(whole)), "corrupt")
        # Each makes much of little.
        record = Parts(value=piece(bytes(15 * MIB))).bytes()
        yield Input(f"{name}-15-mib", packed(codec, compress(record)), "ok", 1)
        yield Input(f"{name}-bomb", packed(codec, compress(bytes(64 * MIB))), "limit")
        for magic in (0, 1):
            if codec != ZSTD and not (codec == LZ4 and magic == 0):
                yield Input(f"{name}-bomb-magic{magic}", message(magic, compress(bytes(64 * MIB)), 0, codec), "limit")
        # Many small records, and many headers: what their objects take is bounded by their bytes.
        many = b"".join(Parts(offset=varint(i), key=piece(None), value=piece(None)).bytes() for i in range(20_000))
        yield Input(f"{name}-many", packed(codec, compress(many), count=20_000, delta=19_999), "ok", 20_000)
        headers = Parts(count=varint(20_000), headers=b"\0\x01" * 20_000).bytes()
        yield Input(f"{name}-many-headers", packed(codec, compress(headers)), "ok", 1)
    yield Input("zstd-magic1", message(1, COMPRESS[ZSTD](message(1)), 0, ZSTD), "unsupported")
    yield from gzip_lies(plain)
    yield from snappy_lies(plain)
    yield from lz4_lies(plain)
    yield from zstd_lies(plain)


def gzip_lies(plain: bytes) -> Iterator[Input]:
    whole = COMPRESS[GZIP](plain)
    for name, data in (
        ("crc", whole[:-8] + b"\0\0\0\0" + whole[-4:]),
        ("size", whole[:-4] + b"\xff\xff\xff\x7f"),
        ("method", whole[:2] + b"\x07" + whole[3:]),
        ("zlib-format", zlib.compress(plain)),
    ):
        yield Input(f"gzip-wrong-{name}", packed(GZIP, data), "corrupt")
    yield Input("gzip-many-empty-members", packed(GZIP, COMPRESS[GZIP](b"") * 5000 + whole), "ok", 1)
    yield Input("gzip-bomb-in-members", packed(GZIP, COMPRESS[GZIP](bytes(2 * MIB)) * 20), "limit")


def snappy_lies(plain: bytes) -> Iterator[Input]:
    raw = COMPRESS[SNAPPY](plain)
    for size in (0, len(plain) - 1, len(plain) + 1, 16 * MIB):
        yield Input(f"snappy-declares-{size}", packed(SNAPPY, uvarint(size) + raw[1:]), "corrupt")
    for size in (16 * MIB + 1, INT32_MAX, (1 << 32) - 1):
        yield Input(f"snappy-declares-{size}", packed(SNAPPY, uvarint(size) + raw[1:]), "limit")
    yield Input("snappy-declares-33-bits", packed(SNAPPY, b"\xff" * 4 + b"\x1f" + raw[1:]), "corrupt")
    head = b"\x82SNAPPY\0\0\0\0\x01\0\0\0\x01"
    yield Input("xerial-good", packed(SNAPPY, head + struct.pack(">i", len(raw)) + raw), "ok", 1)
    for size in (-1, -(1 << 31), 0, len(raw) - 1, len(raw) + 1, INT32_MAX):
        yield Input(f"xerial-block-{size}", packed(SNAPPY, head + struct.pack(">i", size) + raw), "corrupt")
    yield Input("xerial-cut-header", packed(SNAPPY, head[:-1]), "corrupt")
    bomb = COMPRESS[SNAPPY](bytes(4 * MIB))
    yield Input("xerial-bomb-in-blocks", packed(SNAPPY, head + (struct.pack(">i", len(bomb)) + bomb) * 8), "limit")


def lz4_lies(plain: bytes) -> Iterator[Input]:
    for size, verdict in (
        (0, "ok"),
        (len(plain), "ok"),
        (len(plain) + 1, "corrupt"),
        (1, "corrupt"),
        (16 * MIB, "corrupt"),
        (16 * MIB + 1, "limit"),
        (1 << 40, "limit"),
        ((1 << 64) - 1, "limit"),
    ):
        frame = bytearray(lz4.frame.compress(plain, store_size=True))
        frame[6:14] = struct.pack("<Q", size)
        frame[14] = xxh32(bytes(frame[4:14])) >> 8 & 0xFF
        if size:  # a declared size of 0 is for this library none at all
            yield Input(f"lz4-declares-{size}", packed(LZ4, bytes(frame)), verdict, verdict == "ok")
    frame = bytearray(COMPRESS[LZ4](plain))
    for name, at, byte in (
        ("magic", 0, 5),
        ("version", 4, 0xC0),
        ("block-size", 5, 0xF0),
        ("header-checksum", 6, frame[6] ^ 1),
    ):
        broken = bytearray(frame)
        broken[at] = byte
        yield Input(f"lz4-wrong-{name}", packed(LZ4, bytes(broken)), "corrupt")
    for size in (1 << 30, 0x7FFFFFFF, 0xFFFFFFFF):
        yield Input(
            f"lz4-block-{size:x}",
            packed(LZ4, bytes(frame[:7]) + struct.pack("<I", size) + bytes(frame[11:])),
            "corrupt",
        )


def zstd_lies(plain: bytes) -> Iterator[Input]:
    whole = zstandard.ZstdCompressor().compress(plain)
    assert whole[4] == 0x20  # one segment, the content size in one byte
    for size in (0, len(plain) - 1, len(plain) + 1, 255):
        yield Input(f"zstd-declares-{size}", packed(ZSTD, whole[:5] + bytes([size]) + whole[6:]), "corrupt")
    for size, verdict in ((16 * MIB, "corrupt"), (16 * MIB + 1, "limit"), (1 << 62, "limit")):
        # A single segment's window is its size.
        yield Input(
            f"zstd-declares-{size}", packed(ZSTD, whole[:4] + b"\xe0" + struct.pack("<Q", size) + whole[6:]), verdict
        )
    for exponent, verdict in ((0, "ok"), (17, "ok"), (18, "limit"), (21, "limit"), (31, "limit")):
        # A window of 2**(10 + exponent) bytes, and one raw block.
        frame = whole[:4] + b"\0" + bytes([exponent << 3]) + struct.pack("<I", len(plain) << 3 | 1)[:3] + plain
        yield Input(f"zstd-window-{10 + exponent}", packed(ZSTD, frame), verdict, verdict == "ok")
    skippable = struct.pack("<II", 0x184D2A50, 4) + b"skip"
    yield Input("zstd-skippable-first", packed(ZSTD, skippable + whole), "ok", 1)
    yield Input("zstd-skippable-lie", packed(ZSTD, struct.pack("<II", 0x184D2A50, 0xFFFFFFFF) + whole), "corrupt")
    blocks = b"".join(struct.pack("<I", 128 * 1024 << 3 | 2)[:3] + b"\0" for _ in range(1000))  # 128 KiB of four bytes
    yield Input("zstd-bomb-of-rle-blocks", packed(ZSTD, whole[:4] + b"\0" + b"\x50" + blocks + b"\x01\0\0"), "limit")
    yield Input("zstd-bomb-in-frames", packed(ZSTD, zstandard.ZstdCompressor().compress(bytes(2 * MIB)) * 20), "limit")


def xxh32(data: bytes) -> int:
    import xxhash

    return xxhash.xxh32(data, seed=0).intdigest()


def nesting() -> Iterator[Input]:
    """Messages inside of messages."""
    for magic in (0, 1):
        for codec in (GZIP, SNAPPY):
            compress, name = COMPRESS[codec], f"magic{magic}-{CODEC_NAMES[codec]}"
            inner = message(magic) + message(magic, offset=1)
            wrapped = message(magic, compress(inner), 1, codec)
            yield Input(f"{name}-good", wrapped, "ok", 2)
            yield Input(f"{name}-nested", message(magic, compress(wrapped), 1, codec), "corrupt")
            deep = wrapped
            for _ in range(200):
                deep = message(magic, compress(deep), 1, codec)
            yield Input(f"{name}-nested-200-deep", deep, "corrupt")
            yield Input(f"{name}-empty", message(magic, compress(b""), 0, codec), "corrupt")
            yield Input(f"{name}-null", message(magic, None, 0, codec), "corrupt")
            yield Input(f"{name}-inner-cut", message(magic, compress(inner[:-1]), 1, codec), "corrupt")
            yield Input(f"{name}-inner-head", message(magic, compress(inner + b"\0" * 5), 1, codec), "corrupt")
            yield Input(f"{name}-other-magic", message(magic, compress(message(1 - magic)), 0, codec), "corrupt")
            yield Input(f"{name}-batch-inside", message(magic, compress(GOOD), 0, codec), "corrupt")
            lie = inner[:8] + struct.pack(">i", INT32_MAX) + inner[12:]
            yield Input(f"{name}-inner-length", message(magic, compress(lie), 1, codec), "corrupt")
            lie = inner[:8] + struct.pack(">i", 3) + inner[12:]
            yield Input(f"{name}-inner-length-3", message(magic, compress(lie), 1, codec), "corrupt")
    inner = message(1) + message(1, offset=5)
    yield Input("relative-beyond-the-wrapper", message(1, COMPRESS[GZIP](inner), 4, GZIP), "corrupt")
    yield Input("relative-at-the-last", message(1, COMPRESS[GZIP](inner), INT64_MAX, GZIP), "ok", 2)
    yield Input("negative-inside", message(1, COMPRESS[GZIP](message(1, offset=-1)), 4, GZIP), "corrupt")
    falling = message(1, offset=INT64_MAX) + message(1, offset=0)
    yield Input("relative-overflow", message(1, COMPRESS[GZIP](falling), 5, GZIP), "corrupt")
    for magic in (0, 1):
        for lie in (-2, -(1 << 31), 6, INT32_MAX):
            time = struct.pack(">q", 0) if magic else b""
            for name, body in (
                ("key", struct.pack(">i", lie) + b"abc\0\0\0\0"),
                ("value", b"\xff\xff\xff\xff" + struct.pack(">i", lie) + b"abc"),
            ):
                yield Input(f"magic{magic}-{name}-{lie}", seal_message(0, bytes((magic, 0)) + time + body), "corrupt")
        trailing = seal_message(0, bytes((magic, 0)) + (bytes(8) if magic else b"") + b"\xff" * 8 + b"\0")
        yield Input(f"magic{magic}-trailing", trailing, "corrupt")


def amplification() -> Iterator[Input]:
    """Large counts with little behind them, in great number: time and memory follow the bytes."""
    empty = batch()
    yield Input("3000-empty-batches", empty * 3000, "ok", 0)
    yield Input("many-small-messages", message(1, b"") * 5000, "ok", 5000)
    yield Input(
        "large-count-behind-many", empty * 3000 + batch(Parts(), count=INT32_MAX), "corrupt", 0, 3000 * len(empty)
    )


def inside() -> Iterator[Input]:
    """The lies about records and their fields once more, each inside of one of the codecs."""
    lies = [one for family in (counts, record_fields, varints, numbers, utf8) for one in family()]
    codecs_ = tuple(COMPRESS.items())
    for number, one in enumerate(lies):
        if one.data[16] != 2 or one.data[22] & 7 or len(one.data) == 61:
            continue
        codec, compress = codecs_[number % len(codecs_)]
        head = bytearray(one.data[:61])
        head[22] |= codec
        yield one._replace(name=f"{CODEC_NAMES[codec]}-{one.name}", data=seal(bytes(head), compress(one.data[61:])))


def streams() -> Iterator[Input]:
    """Streams that readers disagree about: framing within the codecs, checksums that KIP-57 is about, empty ones."""
    plain = Parts().bytes()
    for codec, compress in COMPRESS.items():
        name = CODEC_NAMES[codec]
        yield Input(f"{name}-of-nothing", packed(codec, compress(b""), count=0), "ok", 0)
        yield Input(f"{name}-of-nothing-and-more", packed(codec, compress(b"") + b"\x01", count=0), "corrupt")
        yield Input(f"{name}-of-nothing-for-one", packed(codec, compress(b"")), "corrupt")
        for magic in (0, 1):
            if codec == ZSTD:
                continue
            whole = compress(message(magic))
            yield Input(f"{name}-magic{magic}", message(magic, whole, 0, codec), "ok", 1)
            for cut in (1, len(whole) // 2, len(whole) - 1):
                yield Input(f"{name}-magic{magic}-cut-{cut}", message(magic, whole[:cut], 0, codec), "corrupt")
            yield Input(f"{name}-magic{magic}-trailing", message(magic, whole + b"\x01more", 0, codec), "corrupt")
            for other in COMPRESS:
                if other not in (codec, ZSTD):
                    lie = message(magic, COMPRESS[other](message(magic)), 0, codec)
                    yield Input(f"{name}-magic{magic}-is-{CODEC_NAMES[other]}", lie, "corrupt")
    for magic in (0, 1):
        # A wrapper may have a key of its own.
        covered = bytes((magic, GZIP)) + (bytes(8) if magic else b"") + struct.pack(">i", 3) + b"key"
        content = COMPRESS[GZIP](message(magic))
        keyed = seal_message(0, covered + struct.pack(">i", len(content)) + content)
        yield Input(f"magic{magic}-wrapper-with-key", keyed, "ok", 1)
        frame = COMPRESS[LZ4](message(magic))
        right, wrong = frame[6], xxh32(frame[:6]) >> 8 & 0xFF
        for name, byte in (("right", right), ("before-kip57", wrong), ("any", right ^ wrong ^ 0x55)):
            data = message(magic, frame[:6] + bytes([byte]) + frame[7:], 0, LZ4)
            accepted = magic == 0 or byte == right
            yield Input(f"lz4-magic{magic}-checksum-{name}", data, "ok" if accepted else "corrupt", int(accepted))
    yield from gzip_heads(plain)
    head, block = b"\x82SNAPPY\0\0\0\0\x01\0\0\0\x01", COMPRESS[SNAPPY](plain)
    stream = head + struct.pack(">i", len(block)) + block
    yield Input("xerial-header-alone", packed(SNAPPY, head, count=0), "ok", 0)
    yield Input("xerial-streams-behind-each-other", packed(SNAPPY, stream * 2, count=2), "ok", 2)
    yield Input("xerial-header-at-the-end", packed(SNAPPY, stream + head), "ok", 1)
    yield Input("xerial-half-a-header-at-the-end", packed(SNAPPY, stream + head[:9]), "corrupt")
    for tail in (1, 3, 4, 16):
        yield Input(f"xerial-zeros-{tail}", packed(SNAPPY, stream + bytes(tail)), "corrupt")
    yield Input("lz4-skippable-first", packed(LZ4, struct.pack("<II", 0x184D2A50, 4) + b"skip"), "corrupt")
    head = b"\x04\x22\x4d\x18\x61\x40" + struct.pack("<I", 7)
    stored = struct.pack("<I", len(plain) | 1 << 31) + plain + b"\0\0\0\0"
    lie = head + bytes([xxh32(head[4:]) >> 8 & 0xFF]) + stored
    yield Input("lz4-dictionary", packed(LZ4, lie), "corrupt")
    yield Input("lz4-legacy-frame", packed(LZ4, struct.pack("<II", 0x184C2102, len(plain)) + plain), "corrupt")
    empty = zstandard.ZstdCompressor(write_content_size=True).compress(b"")
    for name, tail in (("more", b"more"), ("a-frame-cut", zstandard.compress(plain)[:-1])):
        yield Input(f"zstd-empty-frame-and-{name}", packed(ZSTD, empty + tail, count=0), "corrupt")
    # A size that an empty last block lets pass in the library.
    frame = b"\x28\xb5\x2f\xfd\x80\x50" + struct.pack("<I", 50) + b"\x01\0\0"
    yield Input("zstd-declares-50-and-has-none", packed(ZSTD, frame, count=0), "corrupt")
    yield Input("zstd-reserved-bit", packed(ZSTD, b"\x28\xb5\x2f\xfd\x08" + frame[5:], count=0), "corrupt")
    yield Input("zstd-dictionary", packed(ZSTD, b"\x28\xb5\x2f\xfd\x01\x50\x07\x01\0\0", count=0), "corrupt")


def gzip_heads(plain: bytes) -> Iterator[Input]:
    """The header's flags: what they announce, and those that are reserved."""
    body = COMPRESS[GZIP](plain)[10:]
    for flags in range(0x20):
        head = b"\x1f\x8b\x08" + bytes([flags]) + b"\0\0\0\0\0\xff"
        head += b"\x05\0extra" if flags & 4 else b""
        head += b"name\0" if flags & 8 else b""
        head += b"comment\0" if flags & 16 else b""
        checksum = zlib.crc32(head) & 0xFFFF
        tail = struct.pack("<H", checksum) if flags & 2 else b""
        yield Input(f"gzip-flags-{flags}", packed(GZIP, head + tail + body), "ok", 1)
        if flags & 2:
            wrong = head + struct.pack("<H", checksum ^ 1) + body
            yield Input(f"gzip-flags-{flags}-wrong-checksum", packed(GZIP, wrong), "corrupt")
        if flags & 0x1C:
            yield Input(f"gzip-flags-{flags}-unended", packed(GZIP, head[:11]), "corrupt")
        for reserved in (0x20, 0x40, 0x80):
            lie = head[:3] + bytes([flags | reserved]) + head[4:]
            yield Input(f"gzip-flags-{flags | reserved}", packed(GZIP, lie + tail + body), "corrupt")
    member = COMPRESS[GZIP](plain)
    lie = member[:3] + b"\x80" + member[4:]
    yield Input("gzip-reserved-flag-in-second-member", packed(GZIP, member + lie, count=2), "corrupt")
    yield Input("gzip-two-members", packed(GZIP, member * 2, count=2), "ok", 2)


FAMILIES = (
    lengths, counts, record_fields, varints, numbers, checksums, utf8, control, codecs, inside, streams, nesting,
    amplification,
)


@cache
def inputs() -> tuple[Input, ...]:
    """All of them, and each small bad one behind good batches too."""
    found = []
    for family in FAMILIES:
        for made in family():
            found.append(made._replace(name=f"{family.__name__}/{made.name}"))
            small = len(made.data) < 300 and family not in (codecs, inside, streams)
            if made.verdict != "ok" and not made.good and small:
                found.append(
                    made._replace(
                        name=f"{family.__name__}/{made.name}-behind",
                        data=GOOD + message(1) + made.data,
                        records=made.records + 3,
                        good=len(GOOD) + len(message(1)),
                    )
                )
    return tuple(found)
