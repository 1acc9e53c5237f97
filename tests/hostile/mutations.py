"""Real batches, broken in many ways: bit by bit, field by field, from the inside, with checksums right or not.

Seeds are the batches of the bundled segments and some of every kind written here. Each mutation is made from a number
alone, so that a finding can be made again.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from fuzz.plain import mutated
from tests import twins
from tests.hostile.generate import COMPRESS, GZIP, LZ4, NONE, SNAPPY, message, uvarint, varint
from tests.records.makers import FEW, KINDS, build
from tests.records.surgery import mend, plain_records, seal, seal_message, seal_wrapper
from tests.samples import unpacked

LARGEST = 2500  # bytes of a seed
EACH = 4  # seeds of a kind from each set of segments
EDGES = (0, 1, 2, 3, 5, 6, 7, 63, 64, 127, 128, 255, 1000, 8191, 8192, 1 << 20, (1 << 31) - 1, 1 << 31, (1 << 32) - 1)
FAR = ((1 << 62) - 1, 1 << 62, (1 << 63) - 1, 1_600_000_000_000)

#: Fields of a header: where, and struct's code.
FIELDS_V2 = (
    (0, "q"), (8, "i"), (12, "i"), (16, "b"), (17, "i"), (21, "h"), (23, "i"), (27, "q"), (35, "q"), (43, "q"),
    (51, "h"), (53, "i"), (57, "i"),
)
FIELDS_V1 = ((0, "q"), (8, "i"), (12, "i"), (16, "b"), (17, "b"), (18, "q"), (26, "i"), (30, "i"))
FIELDS_V0 = ((0, "q"), (8, "i"), (12, "i"), (16, "b"), (17, "b"), (18, "i"), (22, "i"))


class Seed(NamedTuple):
    """One good batch, and what is compressed in it (b"" where nothing is)."""

    data: bytes
    magic: int
    codec: int
    plain: bytes


@cache
def seeds() -> tuple[Seed, ...]:
    kw = twins.load(twins.NAMES[0])
    found: list[bytes] = []
    with twins.using(kw):
        for magic, codec in KINDS:
            found += [build(kw, FEW, magic, codec), build(kw, FEW[:1], magic, codec)]
        for directory in sorted(unpacked("segments").iterdir()):
            kinds: dict[tuple[int, int], int] = {}
            for log in sorted(directory.rglob("*.log")):
                data = log.read_bytes()
                for position, size, magic in kw.split(data).batches:
                    batch = data[position : position + size]
                    kind = magic, int.from_bytes(batch[21:23], "big") if magic == 2 else batch[17]
                    if size <= LARGEST and kinds.setdefault(kind, 0) < EACH:
                        kinds[kind] += 1
                        found.append(batch)
        made = []
        for data in dict.fromkeys(found):
            codec_id = (data[22] if data[16] == 2 else data[17]) & 7
            made.append(Seed(data, data[16], codec_id, plain_records(kw, data) if codec_id else b""))
    return tuple(made)


def edge(rng: random.Random, bits: int) -> int:
    """A number of so many bits at an edge, of either sign."""
    value = rng.choice((*EDGES, *FAR) if bits > 32 else EDGES) + rng.choice((-1, 0, 0, 0, 1))
    value = -value if rng.random() < 0.4 else value
    return ((value + (1 << bits - 1)) & ((1 << bits) - 1)) - (1 << bits - 1)


# ---- the ways ----


def flips(rng: random.Random, seed: Seed) -> bytes:
    """Some bits, and no checksum made right."""
    data = bytearray(seed.data)
    for _ in range(rng.choice((1, 1, 2, 5))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def mended_flips(rng: random.Random, seed: Seed) -> bytes:
    """Some bits behind the frame, with the checksum made right."""
    data = bytearray(seed.data)
    for _ in range(rng.choice((1, 1, 2, 5))):
        data[rng.randrange(17, len(data))] ^= 1 << rng.randrange(8)
    return mend(bytes(data))


def header_field(rng: random.Random, seed: Seed) -> bytes:
    """A number in the header at an edge; lengths and checksums are made right where that is not the lie."""
    data = bytearray(seed.data)
    at, code = rng.choice((FIELDS_V0, FIELDS_V1, FIELDS_V2)[seed.magic])
    size = struct.calcsize(code)
    if at + size > len(data):
        return bytes(data)
    old = struct.unpack_from(f">{code}", data, at)[0]
    bits = 8 * size
    near = ((old + rng.choice((-2, -1, 1, 2)) + (1 << bits - 1)) & ((1 << bits) - 1)) - (1 << bits - 1)
    struct.pack_into(f">{code}", data, at, near if rng.random() < 0.4 else edge(rng, bits))
    return bytes(data) if (at in (8, 12, 17) and code == "i") or data[16] > 2 else mend_as(seed.magic, bytes(data))


def mend_as(magic: int, data: bytes) -> bytes:
    """As mend, but by the magic that the batch had before somebody may have changed it."""
    return seal(data[:61], data[61:]) if magic == 2 else seal_message(signed(data, 0), data[16:])


def signed(data: bytes, at: int) -> int:
    """The int64 that stands there."""
    return int.from_bytes(data[at : at + 8], "big", signed=True)


def cut(rng: random.Random, seed: Seed) -> bytes:
    return seed.data[: rng.randrange(len(seed.data))]


def mended_cut(rng: random.Random, seed: Seed) -> bytes:
    first = 61 if seed.magic == 2 else 18 + 8 * seed.magic
    return mend(seed.data[: rng.randrange(first, len(seed.data))]) if len(seed.data) > first else seed.data


def scrambled(rng: random.Random, seed: Seed) -> bytes:
    """Bytes changed, put in and left out anywhere behind the header."""
    first = 61 if seed.magic == 2 else 18 + 8 * seed.magic
    return mend(seed.data[:first] + mutated(rng, [seed.data[first:]]))


def inside(rng: random.Random, seed: Seed) -> bytes:
    """The same in what is compressed."""
    return with_plain(rng, seed, mutated(rng, [seed.plain])) if seed.codec else scrambled(rng, seed)


def with_plain(rng: random.Random, seed: Seed, plain: bytes) -> bytes:
    """The batch with other records, compressed as it was."""
    body = COMPRESS[seed.codec](plain) if seed.codec else plain
    if seed.magic == 2:
        return seal(seed.data[:61], body)
    if not seed.codec:
        return mend(seed.data[:18] + body)
    if seed.codec == LZ4 and seed.magic == 0:
        body = kafka_before_kip57(body, rng)
    return seal_wrapper(signed(seed.data, 0), seed.magic, seed.data[17], signed(seed.data, 18), body)


def kafka_before_kip57(frame: bytes, rng: random.Random) -> bytes:
    """The frame with the right header checksum, the one that Kafka wrote before KIP-57, or any."""
    from xxhash import xxh32

    wrong = xxh32(frame[:6], seed=0).intdigest() >> 8 & 0xFF
    return frame[:6] + bytes([rng.choice((frame[6], wrong, wrong, rng.randrange(256)))]) + frame[7:]


def tokens(plain: bytes) -> list[list[bytes]]:
    """Records v2 taken apart: attributes, then each varint and each piece of bytes."""
    kw = twins.load(twins.NAMES[0])
    found, at = [], 0

    def take() -> tuple[int, bytes]:
        nonlocal at
        value, behind = kw.varint.decode_varlong(plain, at)
        raw, at = plain[at:behind], behind
        return value, raw

    while at < len(plain):
        size, _ = take()
        record, end = [plain[at : at + 1]], at + size
        at += 1
        record += [take()[1], take()[1]]
        for _ in range(2):
            length, raw = take()
            record += [raw, plain[at : at + max(length, 0)]]
            at += max(length, 0)
        count, raw = take()
        record.append(raw)
        for _ in range(2 * count):
            length, raw = take()
            record += [raw, plain[at : at + max(length, 0)]]
            at += max(length, 0)
        assert at == end
        found.append(record)
    return found


def record_field(rng: random.Random, seed: Seed) -> bytes:
    """One field of a record v2 at an edge, in more bytes than it needs, left out or twice."""
    if seed.magic < 2:
        return inner_field(rng, seed)
    records = tokens(seed.plain if seed.codec else seed.data[61:])
    header = bytearray(seed.data[:61])
    if not records:
        return header_field(rng, seed)
    chosen = rng.randrange(len(records))
    record = records[chosen]
    for _ in range(rng.choice((1, 1, 2))):
        at = rng.randrange(len(record))
        way = rng.randrange(6)
        if way == 0:
            record[at] = varint(edge(rng, rng.choice((8, 32, 32, 33, 64))))
        elif way == 1:
            record[at] = varint(rng.randrange(-2, 4), rng.randrange(1, 12))
        elif way == 2:
            record[at] = uvarint(rng.choice((1 << 32, (1 << 35) - 1, 1 << 64, (1 << 70) - 1)) - rng.randrange(2))
        elif way == 3:
            record[at] = b""
        elif way == 4:
            record[at] = record[at] * 2
        else:
            record[at] = mutated(rng, [record[at]])
    bodies = [b"".join(one) for one in records]
    lengths = [len(body) for body in bodies]
    if rng.random() < 0.2:
        lengths[chosen] = rng.choice((lengths[chosen] + rng.choice((-3, -2, -1, 1, 2, 3)), edge(rng, 32)))
    kind = rng.randrange(12)
    if kind == 0:
        del bodies[chosen], lengths[chosen]
    elif kind == 1:
        bodies.insert(chosen, bodies[chosen])
        lengths.insert(chosen, lengths[chosen])
    elif kind == 2:
        bodies.reverse()
        lengths.reverse()
    if rng.random() < 0.7:
        struct.pack_into(">i", header, 57, len(bodies))
    plain = b"".join(varint(size) + body for size, body in zip(lengths, bodies, strict=True))
    return with_plain(rng, seed._replace(data=bytes(header)), plain)


def inner_field(rng: random.Random, seed: Seed) -> bytes:
    """One number of a message inside of a compressed one, with that message's checksum right or not."""
    if not seed.codec:
        return header_field(rng, seed)
    kw = twins.load(twins.NAMES[0])
    parts = [bytearray(seed.plain[at : at + size]) for at, size, _ in kw.split(seed.plain).batches]
    part = rng.choice(parts)
    at, code = rng.choice(FIELDS_V1 if seed.magic else FIELDS_V0)
    if at + struct.calcsize(code) <= len(part):
        bits = 8 * struct.calcsize(code)
        struct.pack_into(f">{code}", part, at, edge(rng, bits))
        if rng.random() < 0.8 and at not in (8, 12):
            part[:] = mend_as(seed.magic, bytes(part))
    way = rng.randrange(8)
    if way == 0:
        parts.append(parts[0])
    elif way == 1:
        parts.append(bytearray(message(1 - seed.magic)))
    elif way == 2:
        codec = rng.choice((GZIP, SNAPPY, LZ4, NONE))
        parts.append(bytearray(message(seed.magic, b"x", rng.randrange(5), codec)))
    elif way == 3:
        parts.append(parts[0][: rng.randrange(len(parts[0]))])
    elif way == 4:
        parts.reverse()
    data = bytearray(seed.data)
    if rng.random() < 0.2:
        struct.pack_into(">q", data, 0, edge(rng, 64))
    if rng.random() < 0.1:
        data[17] ^= 8
    return with_plain(rng, seed._replace(data=bytes(data)), b"".join(parts))


def xerial(plain: bytes) -> bytes:
    """Snappy in Java's framing."""
    block = COMPRESS[SNAPPY](plain)
    return b"\x82SNAPPY\0\0\0\0\x01\0\0\0\x01" + len(block).to_bytes(4, "big") + block


def stream(rng: random.Random, seed: Seed) -> bytes:
    """The compressed bytes themselves: changed, with a tail, or another codec's."""
    if not seed.codec:
        return scrambled(rng, seed)
    way = rng.randrange(5)
    compress = xerial if seed.codec == SNAPPY and rng.random() < 0.5 else COMPRESS[seed.codec]
    body = compress(seed.plain)
    if way == 0:
        half = rng.randrange(len(seed.plain) + 1)
        body = compress(seed.plain[:half]) + compress(seed.plain[half:])
    elif way == 1:
        body += rng.choice((b"\0", b"\0" * 4, b"\0" * 16, rng.randbytes(rng.randrange(1, 30))))
    elif way == 2:
        body = COMPRESS[rng.choice(tuple(COMPRESS))](seed.plain)
    else:
        body = mutated(rng, [body])
    if seed.magic == 2:
        return seal(seed.data[:61], body)
    return seal_wrapper(signed(seed.data, 0), seed.magic, seed.data[17], signed(seed.data, 18), body)


def spliced(rng: random.Random, seed: Seed) -> bytes:
    """Some batches behind each other, one of them broken, or the head of one and the tail of another."""
    others = [rng.choice(seeds()) for _ in range(rng.randrange(1, 3))]
    if rng.random() < 0.3:
        tail = others[0].data
        return mend(seed.data[: rng.randrange(17, len(seed.data))] + tail[rng.randrange(len(tail)) :] + b"\0" * 14)
    pieces = [one.data for one in others]
    pieces.insert(rng.randrange(len(pieces) + 1), rng.choice(WAYS[:-1])(rng, seed))
    return b"".join(pieces)


WAYS: tuple[Callable[[random.Random, Seed], bytes], ...] = (
    flips, mended_flips, header_field, cut, mended_cut, scrambled, inside, record_field, record_field, stream, spliced,
)


def mutation(number: int) -> bytes:
    """The input of this number: always the same for the same seeds and libraries."""
    rng = random.Random(number)
    return rng.choice(WAYS)(rng, rng.choice(seeds()))


def mutations(first: int, count: int) -> Iterator[bytes]:
    for number in range(first, first + count):
        yield mutation(number)
