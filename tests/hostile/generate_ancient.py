"""Messages of 0.6 and 0.7 that lie, with the verdicts that follow: see generate, whose limits hold here too."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

from tests.hostile.generate import COMPRESS, GZIP, INT32_MAX, MIB, SNAPPY, Input

DEPTH = 4  # levels of wrappers that the limits allow
NAMES = {GZIP: "gzip", SNAPPY: "snappy"}


def old(value: bytes = b"value", magic: int = 1, attributes: int = 0, crc: int | None = None) -> bytes:
    """A message; magic 0 has no attributes."""
    crc = zlib.crc32(value) if crc is None else crc
    rest = struct.pack(">BBI", magic, attributes, crc) if magic else struct.pack(">BI", magic, crc)
    return struct.pack(">i", len(rest) + len(value)) + rest + value


def wrapped(content: bytes, codec: int = GZIP) -> bytes:
    return old(COMPRESS[codec](content), 1, codec)


def lengths() -> Iterator[Input]:
    for magic in (0, 1):
        data = old(magic=magic)
        size = len(data) - 4
        for lie in (-(1 << 31), -1, 0, 1, 4, 4 + magic):
            yield Input(f"magic{magic}-length-{lie}", struct.pack(">i", lie) + data[4:], "corrupt")
        for lie in (5 + magic, size - 1):
            yield Input(f"magic{magic}-length-{lie}", struct.pack(">i", lie) + data[4:], "corrupt")
        for lie in (size + 1, size + 1000, INT32_MAX):
            yield Input(f"magic{magic}-length-{lie}", struct.pack(">i", lie) + data[4:], "truncated")
        for cut in range(1, len(data)):
            yield Input(f"magic{magic}-cut-{cut}", data[:cut], "truncated")
        yield Input(f"magic{magic}-good", data, "ok", 1)
        yield Input(f"magic{magic}-empty-payload", old(b"", magic), "ok", 1)
    yield Input("mixed", old(magic=0) + old(magic=1) + old(magic=0), "ok", 3)


def kinds() -> Iterator[Input]:
    for magic in (2, 3, 0x7F, 0x80, 0xFF):
        yield Input(f"magic-{magic}", old(magic=magic), "unsupported")
    for attributes in (3, 0x07, 0xFF):
        yield Input(f"codec-3-attributes-{attributes}", old(attributes=attributes), "unsupported")
    for attributes in (0x04, 0x08, 0xFC):
        yield Input(f"attributes-{attributes}", old(attributes=attributes), "ok", 1)


def checksums() -> Iterator[Input]:
    for magic in (0, 1):
        data = old(magic=magic)
        for at in range(5 + magic, len(data)):
            broken = bytearray(data)
            broken[at] ^= 1
            yield Input(f"crc-magic{magic}-byte-{at}", bytes(broken), "corrupt")
    for codec, name in NAMES.items():
        yield Input(f"crc-inside-{name}", wrapped(old() + old(crc=1), codec), "corrupt")


def wrappers() -> Iterator[Input]:
    inner = old(b"one") + old(b"two", 0)
    for codec, name in NAMES.items():
        compress = COMPRESS[codec]
        yield Input(f"{name}-good", wrapped(inner, codec), "ok", 2)
        whole = compress(inner)
        for cut in range(len(whole)):
            yield Input(f"{name}-cut-{cut}", old(whole[:cut], 1, codec), "corrupt")
        for cut in range(1, len(inner)):
            if cut != len(old(b"one")):
                yield Input(f"{name}-inner-cut-{cut}", wrapped(inner[:cut], codec), "corrupt")
        yield Input(f"{name}-trailing", old(whole + b"\x01trailing", 1, codec), "corrupt")
        yield Input(f"{name}-not-compressed", old(inner, 1, codec), "corrupt")
        other = SNAPPY if codec == GZIP else GZIP
        yield Input(f"{name}-is-{NAMES[other]}", old(COMPRESS[other](inner), 1, codec), "corrupt")
        for lie in (-(1 << 31), -1, 0, 4, INT32_MAX, 1000):
            yield Input(f"{name}-inner-length-{lie}", wrapped(struct.pack(">i", lie) + inner[4:], codec), "corrupt")
        yield Input(f"{name}-inner-magic", wrapped(old(magic=2), codec), "unsupported")
        yield Input(f"{name}-inner-codec", wrapped(old(attributes=3), codec), "unsupported")
        yield Input(f"{name}-15-mib", wrapped(old(bytes(15 * MIB)), codec), "ok", 1)
        yield Input(f"{name}-bomb", wrapped(old(bytes(17 * MIB)), codec), "limit")
        # Each level is within the limit, all together are not.
        bombs = wrapped(old(bytes(6 * MIB)), codec) * 3
        yield Input(f"{name}-bomb-in-levels", wrapped(bombs, codec), "limit")
        yield Input(f"{name}-many", wrapped(old(b"") * 20_000, codec), "ok", 20_000)
        deep = inner
        for level in range(1, 9):
            deep = wrapped(deep, codec)
            within = level <= DEPTH
            yield Input(f"{name}-{level}-deep", deep, "ok" if within else "limit", 2 if within else 0)
        for _ in range(500):
            deep = wrapped(deep, codec)
        yield Input(f"{name}-508-deep", deep, "limit")
        # Beside each other they are as deep as the deepest.
        yield Input(f"{name}-beside", wrapped(wrapped(inner, codec) * 50 + old(), codec), "ok", 101)


FAMILIES = (lengths, kinds, checksums, wrappers)


def inputs() -> list[Input]:
    """All of them, and each small bad one behind good messages too."""
    found = []
    before = old() + old(magic=0) + wrapped(old() + old())
    for family in FAMILIES:
        for made in family():
            made = made._replace(name=f"{family.__name__}/{made.name}")
            found.append(made)
            if made.verdict != "ok" and len(made.data) < 300:
                name, records = f"{made.name}-behind", made.records + 4
                found.append(made._replace(name=name, data=before + made.data, records=records, good=len(before)))
    return found
