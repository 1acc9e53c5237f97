"""Both twins agree about thousands of broken batches: in what they read, and in every word and number of their errors.

So do the ways of reading within one twin: objects, lists and columns find the same records or the same fault.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.records.makers import FEW, KINDS, Made, build, fields
from tests.records.surgery import mend, plain_records, seal_message, with_records

ROUNDS = 700
INTERESTING = [0, 1, 2, 0x3F, 0x40, 0x7F, 0x80, 0x81, 0xC2, 0xED, 0xF4, 0xFE, 0xFF]
SEQUENCES = [
    b"\x80\x80\x80\x80\x00", b"\xff\xff\xff\xff\x0f", b"\xff\xff\xff\xff\x10", b"\xfe\xff\xff\xff\x0f", b"\x80" * 10,
    b"\xff" * 9 + b"\x01", b"\xff" * 9 + b"\x02", b"\xfe" + b"\xff" * 8 + b"\x01", b"\x80" * 9 + b"\x00", b"\x01\x01",
    b"\x80\x01", b"\xc3\x28", b"\xed\xa0\x80", b"\xf0\x9f\x98\x80",
]
NUMBERS = [0, 1, -1, 2, 5, 6, 7, 61, 127, 128, 1 << 31, (1 << 31) - 1, -(1 << 31), 1 << 62, (1 << 63) - 1, -(1 << 63)]
#: The header of a batch v2 behind its checksum: attributes, last delta, times, producer, sequence, count.
HEADER = [(21, ">h"), (23, ">i"), (27, ">q"), (35, ">q"), (43, ">q"), (51, ">h"), (53, ">i"), (57, ">i")]


# ---- what was seen ----


def seen(read: Callable[[], Any]) -> tuple[Any, ...]:
    """What ``read`` returns, or all there is to an error."""
    try:
        return ("read", read())
    except Exception as error:
        return (
            type(error).__name__, str(error), *(
                getattr(error, name, None)
                for name in ("position", "inner_position", "offset", "expected", "message", "missing")
            ),
        )


def gathered(batches: Iterable[Any]) -> tuple[list[Any], tuple[Any, ...]]:
    """The records one by one, up to an error, and that."""
    found: list[Any] = []

    def read() -> None:
        for batch in batches:
            for record in batch:
                found.append(fields(record))

    return found, seen(read)


HEADER_FIELDS = (
    "position", "size", "magic", "crc", "attributes", "header_last_offset", "compression", "timestamp_type",
    "first_timestamp", "max_timestamp", "delete_horizon", "is_transactional", "is_control", "producer_id",
    "producer_epoch", "base_sequence", "partition_leader_epoch",
)


def columns_of(read: Any) -> tuple[Any, ...]:
    table = read.to_arrow()
    at = table.schema.get_field_index("timestamp")
    if at >= 0:
        table = table.set_column(at, "timestamp", table.column(at).cast("int64"))
    table.validate(full=True)
    return table.to_pydict(), read.complete, read.skipped


def observe(kw: ModuleType, data: bytes) -> dict[str, Any]:
    limits = kw.Limits(decompressed=1 << 20, zstd_window=1 << 20)
    everything = ["offset", "timestamp", "timestamp_type", "key", "value", "headers", "producer_id", "producer_epoch",
                  "sequence", "partition_leader_epoch", "is_transactional", "is_control", "compression"]
    skipped: list[int] = []

    def batches(**options: Any) -> Any:
        return kw.read_batches(data, limits=limits, **options)

    def columns(**options: Any) -> tuple[Any, ...]:
        return seen(lambda: columns_of(kw.read_columns(data, limits=limits, **{"control": True, **options})))

    return {
        "split": seen(lambda: tuple(kw.split(data))),
        "headers": seen(lambda: [[getattr(batch, name) for name in HEADER_FIELDS] for batch in batches()]),
        "offsets": seen(lambda: [[batch.base_offset, batch.last_offset, batch.record_count] for batch in batches()]),
        "objects": gathered(batches()),
        "lists": seen(lambda: [fields(record) for batch in batches() for record in batch.records()]),
        "unchecked": gathered(batches(check_crc=False)),
        "skipping": (gathered(batches(on_corrupt="skip", skipped=skipped)), skipped),
        "columns": columns(columns=everything),
        "unchecked columns": columns(check_crc=False),
        "skipping columns": columns(on_corrupt="skip", columns=["offset"]),
        "no control": columns(control=False, columns=["offset", "is_control"]),
        "range": columns(start_offset=8, end_offset=12, columns=["offset", "value", "headers"]),
        "threads": columns(threads=2, columns=everything),
        "pieces": seen(
            lambda: [part.to_pydict() for part in kw.iter_columns(data, 2, limits=limits, columns=["offset", "key"])]
        ),
    }


def check(both: tuple[ModuleType, ModuleType], data: bytes) -> str:
    """Compare the twins on ``data``; what it came to, for counting."""
    compiled, pure = (observe(kw, data) for kw in both)
    for way in compiled:
        assert compiled[way] == pure[way], f"{way} of {data.hex()}"
    # One twin in itself: the same records, or the same error.
    found, end = compiled["objects"]
    columns, lists = compiled["columns"], compiled["lists"]
    if end[0] == "read":
        assert lists == ("read", found), data.hex()
        assert columns[0] == "read", data.hex()
        table = columns[1][0]
        assert list(
            zip(
                *(table[name] for name in ("offset", "timestamp", "timestamp_type", "key", "value")),
                [tuple((header["key"], header["value"]) for header in row) for row in table["headers"]],
                strict=True,
            )
        ) == found, data.hex()
    else:
        assert lists == end == columns, data.hex()
    assert compiled["threads"] == columns, data.hex()
    kind = end[0] if end[0] != "read" or compiled["split"][1][2] == 0 else "partial"
    assert kind in ("read", "partial", "CorruptError", "ChecksumError", "UnsupportedError", "LimitError"), end
    return kind


# ---- ways to break things ----


def flipped(rng: random.Random, data: bytes, first: int = 0) -> bytes:
    """One to three bytes changed, from ``first`` on."""
    broken = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if len(broken) > first:
            at = rng.randrange(first, len(broken))
            broken[at] = rng.choice([*INTERESTING, rng.randrange(256), broken[at] ^ (1 << rng.randrange(8))])
    return bytes(broken)


def resized(rng: random.Random, data: bytes, first: int = 0) -> bytes:
    """Some bytes more or fewer, from ``first`` on; often a varint of note."""
    at = rng.randrange(first, len(data) + 1) if len(data) > first else len(data)
    gone = rng.choice([0, 1, 1, 2, 5])
    more = rng.choice([b"", rng.choice(SEQUENCES), bytes([rng.choice(INTERESTING)]), rng.randbytes(rng.randrange(6))])
    return data[:at] + more + data[at + gone :]


def mutate(rng: random.Random, kw: ModuleType, data: bytes) -> bytes:
    """One batch or message set, broken in one way of many."""
    magic = data[16]
    compressed = bool((data[22] if magic == 2 else data[17]) & 7)
    start = 61 if magic == 2 else 18
    pieces = [data[batch.position : batch.position + batch.size] for batch in kw.split(data).batches]
    at = rng.randrange(len(pieces))
    way = rng.randrange(8)
    if way == 0:
        return flipped(rng, data)
    if way == 1:
        return resized(rng, data)
    if way == 2 and magic == 2:
        place, form = rng.choice(HEADER)
        bits = 8 * struct.calcsize(form)
        number = (rng.choice(NUMBERS) + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))
        pieces[at] = mend(pieces[at][:place] + struct.pack(form, number) + pieces[at][place + bits // 8 :])
    elif way == 3 and not compressed:
        pieces[at] = struct.pack(">q", rng.choice(NUMBERS) % (1 << 63)) + pieces[at][8:]
    elif compressed and way < 7:
        plain = plain_records(kw, data)
        if magic < 2 and way < 6:
            inner = [plain[batch.position : batch.position + batch.size] for batch in kw.split(plain).batches]
            which = rng.randrange(len(inner))
            broken = (flipped if rng.random() < 0.5 else resized)(rng, inner[which], 8 * rng.randrange(3))
            if way < 5 and len(broken) > 17:
                broken = seal_message(int.from_bytes(broken[:8], "big", signed=True), broken[16:])
            inner[which] = broken
            plain = b"".join(inner)
        else:
            plain = (flipped if rng.random() < 0.5 else resized)(rng, plain)
        return with_records(kw, data, plain)
    else:
        broken = (flipped if rng.random() < 0.5 else resized)(rng, pieces[at], start)
        pieces[at] = mend(broken) if len(broken) >= start and broken[16] == magic else broken
    return b"".join(pieces)


@pytest.mark.parametrize(("magic", "codec"), KINDS)
def test_mutations(both: tuple[ModuleType, ModuleType], magic: int, codec: str) -> None:
    rng = random.Random(f"{magic} {codec}")
    settings_: dict[str, Any] = {"producer_id": 9, "producer_epoch": 1, "base_sequence": 3} if magic == 2 else {}
    bases = [
        build(both[0], FEW, magic, codec, **settings_),
        build(both[0], [Made(at, 10 - at, b"%d" % at, None, ()) for at in range(9)], magic, codec),
    ]
    if magic:
        bases.append(build(both[0], FEW, magic, codec, log_append_time=77))
    kinds: dict[str, int] = {}
    for _ in range(ROUNDS):
        data = mutate(rng, both[0], rng.choice(bases))
        if rng.random() < 0.3:
            # Something whole around it: positions and offsets count from the start of all the data.
            data = bases[0] + data + bases[1]
        kind = check(both, data)
        kinds[kind] = kinds.get(kind, 0) + 1
    # The mutations are worth their time: most are found out, and in more than one way.
    assert kinds.get("CorruptError", 0) > ROUNDS // 6, kinds
    assert kinds.get("read", 0) > 0, kinds
    assert kinds.get("ChecksumError", 0) > 0, kinds


def test_whole_logs_with_one_bad_batch(both: tuple[ModuleType, ModuleType]) -> None:
    """One flipped byte somewhere in a log of all magics and codecs."""
    data = b"".join(build(both[0], FEW, magic, codec) for magic, codec in KINDS)
    rng = random.Random(3)
    for _ in range(120):
        check(both, flipped(rng, data))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=st.binary(max_size=60), count=st.integers(0, 5), delta=st.integers(0, 20), codec=st.sampled_from([0, 1, 4]))
def test_any_bytes_as_records(
    both: tuple[ModuleType, ModuleType], body: bytes, count: int, delta: int, codec: int
) -> None:
    head = bytearray(build(both[0], FEW[:1])[:61])
    head[21:23] = struct.pack(">h", codec)
    head[23:27] = struct.pack(">i", delta)
    head[57:61] = struct.pack(">i", count)
    packed = bytes(both[0].records.compression.compress(codec, 2, body))
    check(both, mend(bytes(head) + packed))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=120))
def test_any_bytes(both: tuple[ModuleType, ModuleType], data: bytes) -> None:
    check(both, data)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(min_size=18, max_size=80), magic=st.integers(0, 2))
def test_any_bytes_with_right_length_and_checksum(
    both: tuple[ModuleType, ModuleType], data: bytes, magic: int
) -> None:
    data = (b"\x00" + data[1:16] + bytes([magic]) + data[17:]).ljust(61, b"\x00")
    check(both, mend(data))
