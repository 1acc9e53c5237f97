"""Feeds everything that reads bytes from guarded memory, for test_guard_pages: a step too far ends this process.

Prints the name of each group of inputs before it is read, and the number of a cut in it; at last how many there were.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import kafkawire as kw
from kafkawire import messages
from kafkawire.records import batch as batch_module
from kafkawire.records import compression
from tests.hostile.guard import GuardedMemory
from tests.messages.vectors import rows
from tests.records.makers import FEW, KINDS, build
from tests.records.surgery import mend, plain_records, with_records
from tests.samples import unpacked

LIMITS = kw.Limits(decompressed=1 << 20, zstd_window=8 << 20, depth=4)
given, inside = GuardedMemory(1 << 20), GuardedMemory(1 << 21)
Read = Callable[[memoryview], Any]


def guard_decompressed() -> None:
    """What is decompressed is read from guarded memory too."""
    plain = compression.decompress

    def guarded(codec: int, magic: int, data: Any, limits: kw.Limits) -> memoryview:
        # A copy for each batch would be right as well; one region will do, since batches are read one by one.
        return inside.holding(bytes(plain(codec, magic, data, limits)))

    batch_module.decompress = guarded
    sys.modules["kafkawire.records.columns"].decompressor = lambda limits: (  # type: ignore[attr-defined]
        lambda codec, magic, data: guarded(codec, magic, data, limits)
    )


def read_records(data: memoryview) -> None:
    names = list(kw.records.columns.COLUMNS)
    with suppress(kw.WireError):
        kw.split(data)
    for check_crc in (True, False):
        with suppress(kw.WireError):
            for batch in kw.read_batches(data, check_crc, LIMITS):
                list(batch)
        with suppress(kw.WireError):
            for batch in kw.read_batches(data, check_crc, LIMITS):
                batch.records()
        with suppress(kw.WireError):
            kw.read_columns(data, check_crc, names, limits=LIMITS, control=True)
    with suppress(kw.WireError):
        kw.read_columns(data, False, ["offset"], limits=LIMITS, start_offset=8, on_corrupt="skip")


def read_varints(data: memoryview) -> None:
    for decode in (
        kw.varint.decode_varint,
        kw.varint.decode_varlong,
        kw.varint.decode_unsigned_varint,
        kw.varint.decode_unsigned_varlong,
    ):
        for position in range(min(len(data), 12) + 1):
            with suppress(kw.WireError):
                decode(data, position)


def read_ancient(data: memoryview) -> None:
    with suppress(kw.WireError):
        list(kw.ancient.v07.read_messages(data, limits=LIMITS))
    with suppress(kw.WireError):
        kw.ancient.v07.read_columns(data, limits=LIMITS)


def message_reader(name: str, version: int) -> Read:
    cls = getattr(messages, name)

    def read(data: memoryview) -> None:
        with suppress(kw.WireError):
            cls.decode(data, version)
        with suppress(kw.WireError):
            cls.decode(data, version, trailing="return")

    return read


def corpus() -> Iterator[tuple[str, Read, list[bytes]]]:
    """The public hostile inputs as they are."""
    directory = unpacked("hostile")
    for line in (directory / "manifest.jsonl").read_text().splitlines():
        row = json.loads(line)
        data = (directory / row["file"]).read_bytes()
        if len(data) > given.room:
            continue
        kind, *rest = row["format"].split(":")
        if kind == "message":
            name = rest[0] + ("Request" if rest[2] == "req" else "Response")
            yield row["file"], message_reader(name, int(rest[1])), [data]
        elif kind == "varint":
            yield row["file"], read_varints, [data]
        else:
            yield row["file"], read_ancient if kind in ("v06", "v07") else read_records, [data]


def cuts(data: bytes) -> list[bytes]:
    return [data[:size] for size in range(len(data) + 1)]


def truncations() -> Iterator[tuple[str, Read, list[bytes]]]:
    """Every cut of good batches: as it is, and with length and checksum made right."""
    few = [FEW[0], FEW[1], FEW[2]]
    for magic, codec in KINDS:
        data = build(kw, few, magic, codec)
        name = f"magic {magic} {codec}"
        first = 61 if magic == 2 else 18 + 8 * magic
        yield f"{name}, cut", read_records, cuts(data)
        yield f"{name}, mended", read_records, [mend(data[:size]) for size in range(first, len(data))]
        if codec != "none":
            plain = plain_records(kw, data)
            yield f"{name}, cut inside", read_records, [with_records(kw, data, piece) for piece in cuts(plain)]
    long = build(kw, [record._replace(value=bytes(range(256)) * 2, key=b"k" * 40) for record in FEW])
    yield "long values, cut", read_records, cuts(long)[::7]
    yield "long values, mended", read_records, [mend(long[:size]) for size in range(61, len(long), 3)]
    yield "varints", read_varints, [bytes([byte]) * size for byte in (0, 0x7F, 0x80, 0xFF) for size in range(12)]
    for size in range(300):
        crc = kw.crc32c(given.holding(bytes(size)))
        assert crc == kw.crc32c(bytes(size))


def bodies() -> Iterator[tuple[str, Read, list[bytes]]]:
    """Every cut of message bodies that Kafka's Java classes wrote: the shortest and longest version of each message."""
    chosen: dict[tuple[str, int], dict[str, Any]] = {}
    for row in rows("golden-4.4.0.jsonl.xz"):
        if row["type"] in ("request", "response") and len(row["hex"]) <= 1000:
            chosen[row["name"], row["version"] % 7] = row
    for row in chosen.values():
        body = bytes.fromhex(row["hex"])
        yield f"{row['name']} v{row['version']}", message_reader(row["name"], row["version"]), cuts(body)


def main(what: str) -> None:
    if what == "beyond":
        given.holding(b"x")
        ctypes.string_at(given.end, 1)
    if what == "before":
        given.holding(b"x", at_start=True)
        ctypes.string_at(given.start - 1, 1)
    if what == "decompressed beyond":
        inside.holding(b"x")
        ctypes.string_at(inside.end, 1)
    guard_decompressed()
    count = 0
    for name, read, inputs in {"corpus": corpus, "truncations": truncations, "bodies": bodies}[what]():
        os.write(1, f"\n{name}:".encode())
        for number, data in enumerate(inputs):
            os.write(1, f" {number}".encode())
            read(given.holding(data))
            if not number % 5:
                read(given.holding(data, at_start=True))
            count += 1
    print(f"\n{count}")


if __name__ == "__main__":
    main(sys.argv[1])
