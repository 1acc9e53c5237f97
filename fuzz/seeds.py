"""The inputs that fuzzing begins with: small ones of each target, out of the tests' data and the tests' own lies."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path

from fuzz import kept
from fuzz.targets import message_table
from tests import twins
from tests.hostile.generate import COMPRESS, inputs
from tests.messages.vectors import rows
from tests.records.makers import FEW, KINDS, build
from tests.records.surgery import plain_records
from tests.samples import unpacked

LARGEST = 4096


def batches() -> Iterator[bytes]:
    kw = twins.load(twins.NAMES[0])
    with twins.using(kw):
        for magic, codec in KINDS:
            yield b"\x01" + build(kw, FEW, magic, codec)
            yield b"\x02" + build(kw, FEW[:1], magic, codec)
            if codec != "none":
                data = build(kw, FEW[:3], magic, codec)
                start = 61 if magic == 2 else 18 + 8 * magic
                yield b"\x05" + data[:start] + plain_records(kw, data)
    for one in inputs():
        yield b"\x00" + one.data
    yield from hostile("recordbatch", "messageset")


def hostile(*kinds: str) -> Iterator[bytes]:
    """The public hostile inputs of some formats."""
    directory = unpacked("hostile")
    for line in (directory / "manifest.jsonl").read_text().splitlines():
        row = json.loads(line)
        if row["format"].startswith(kinds):
            yield b"\x00" + (directory / row["file"]).read_bytes()


def bodies() -> Iterator[bytes]:
    places = {name: (number, versions) for number, (name, versions) in enumerate(message_table())}
    for row in rows("golden-4.4.0.jsonl.xz"):
        number, versions = places.get(row["name"], (0, []))
        if row["version"] in versions and len(row["hex"]) < 800:
            yield bytes((number & 255, number >> 8, versions.index(row["version"]))) + bytes.fromhex(row["hex"])


def compressed() -> Iterator[bytes]:
    for codec, compress in COMPRESS.items():
        for plain in (b"", b"x", b"value" * 30, bytes(3000)):
            yield bytes((codec - 1, 2)) + compress(plain)
    for one in inputs():
        if one.name.startswith("codecs/") and one.data[16] == 2:
            yield bytes((max(one.data[22] & 7, 1) - 1, 2)) + one.data[61:]


def ancient() -> Iterator[bytes]:
    yield from hostile("v06", "v07")
    kw = twins.load(twins.NAMES[0])
    with twins.using(kw):
        v07 = kw.ancient.v07
        for magic in (0, 1):
            yield b"\x01" + v07.encode_message(b"value", magic=magic) * 3
        for compression in ("gzip", "snappy"):
            yield b"\x01" + v07.wrap(v07.encode_message(b"value") * 3, compression)
        for request in (v07.FetchRequest("topic", 0, 5, 100), v07.OffsetsRequest("topic", 0, -1, 10)):
            yield b"\x02" + request.encode()


def framed() -> Iterator[bytes]:
    for step in (1, 3, 200):
        yield bytes([step]) + b"\0\0\0\x05hello" + b"\0\0\0\0" + b"\0\0\0\x03abc\0\0"


SEEDS = {
    "records": batches,
    "columns": batches,
    "messages": bodies,
    "decompression": compressed,
    "ancient": ancient,
    "frames": framed,
}


def write(target: str, into: Path, most: int = 1500) -> int:
    """Write the seeds of a target as files, a sample where there are many, and the kept corpus; how many there are."""
    into.mkdir(parents=True, exist_ok=True)
    found = sorted({seed for seed in SEEDS[target]() if len(seed) <= LARGEST})
    chosen = {*random.Random(1).sample(found, min(most, len(found))), *kept.inputs(target)}
    for seed in chosen:
        (into / hashlib.sha1(seed).hexdigest()).write_bytes(seed)
    return len(chosen)
