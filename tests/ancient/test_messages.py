"""Messages of 0.6 and 0.7 on both twins: round trips, every truncation, nesting, limits, hostile inputs."""

from __future__ import annotations

import json
import struct
import zlib
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import twins
from tests.samples import unpacked

HOSTILE = [
    row for row in map(json.loads, (unpacked("hostile") / "manifest.jsonl").read_text().splitlines())
    if row["format"] in ("v06", "v07")
]
ALL_COLUMNS = ["offset", "next_offset", "inner_index", "value", "compression"]

values = st.lists(st.binary(max_size=200), max_size=20)
magics = st.sampled_from([0, 1])


def packages() -> list[ModuleType]:
    return [twins.load(name) for name in twins.NAMES]


def raw(value: bytes, magic: int = 1, attributes: int = 0, crc: int | None = None, length: int | None = None) -> bytes:
    """A message as the document draws it, written without kafkawire."""
    crc = zlib.crc32(value) if crc is None else crc
    rest = struct.pack(">bBI", magic, attributes, crc) if magic else struct.pack(">bI", magic, crc)
    return struct.pack(">i", len(rest) + len(value) if length is None else length) + rest + value


def as_rows(messages: Any) -> list[dict[str, Any]]:
    return [
        {"offset": m.start, "next_offset": m.next_offset, "inner_index": m.inner_index, "value": m.value,
         "compression": m.compression}
        for m in messages
    ]


def read_both_ways(kw: ModuleType, data: bytes, base: int = 0, **options: Any) -> tuple[list[Any], int]:
    """The messages, and where they end: objects and columns have to agree, also in what they raise."""
    v07 = kw.ancient.v07
    iterator = v07.read_messages(data, base, **options)
    with twins.using(kw):
        try:
            columns = v07.read_columns(data, base, columns=ALL_COLUMNS, **options)
        except kw.WireError as error:
            with pytest.raises(type(error)) as caught:
                list(iterator)
            assert (str(caught.value), caught.value.position) == (str(error), error.position)
            raise
        messages = list(iterator)
        assert columns.to_arrow().to_pylist() == as_rows(messages)
        assert columns.complete == iterator.complete
    return messages, iterator.complete


# ---- layout ----


def test_layout(kw: ModuleType) -> None:
    v07 = kw.ancient.v07
    assert v07.encode_message(b"hello") == raw(b"hello") == bytes.fromhex("0000000b 01 00 3610a686") + b"hello"
    assert v07.encode_message(b"hello", magic=0) == raw(b"hello", 0) == bytes.fromhex("0000000a 00 3610a686") + b"hello"
    assert v07.encode_message(b"x", attributes=0xFC) == raw(b"x", 1, 0xFC)
    (message,) = v07.read_messages(raw(b"x", 1, 0xFC), 100)
    assert message == v07.Message(b"x", 1, 0xFC, zlib.crc32(b"x"), "none", 100, 111, 111, 0)
    assert v07.write_messages([b"a", b""]) == raw(b"a") + raw(b"")
    assert v07.write_messages([]) == b""


def test_a_wrapper_holds_whole_messages(kw: ModuleType) -> None:
    v07 = kw.ancient.v07
    for name, codec in (("gzip", 1), ("snappy", 2)):
        data = v07.write_messages([b"a", b"b", b"c"], compression=name)
        (outer,) = v07.read_outer_messages(data, 50)
        assert (outer.magic, outer.attributes, outer.compression) == (1, codec, name)
        assert (outer.start, outer.end) == (50, 50 + len(data))
        inner = list(v07.read_messages(data, 50))
        assert [m.value for m in inner] == [b"a", b"b", b"c"]
        assert [(m.start, m.end, m.next_offset, m.inner_index, m.compression) for m in inner] == [
            (50, outer.end, 50, 0, name), (50, outer.end, 50, 1, name), (50, outer.end, outer.end, 2, name)
        ]
    assert zlib.decompress(next(v07.read_outer_messages(v07.write_messages([b"a"], compression="gzip"))).value, 31) == (
        raw(b"a")
    )


@settings(deadline=None)
@given(values, magics, st.sampled_from(["none", "gzip", "snappy"]), st.integers(0, 2**62))
def test_round_trips(payloads: list[bytes], magic: int, compression: str, base: int) -> None:
    results = []
    for kw in packages():
        data = kw.ancient.v07.write_messages(payloads, magic=magic, compression=compression)
        messages, complete = read_both_ways(kw, data, base)
        assert [m.value for m in messages] == payloads
        assert {m.magic for m in messages} <= {magic}
        assert complete == len(data)
        if compression == "none":
            assert data == b"".join(raw(value, magic) for value in payloads)
            assert [m.start for m in messages] == [base, *(m.end for m in messages)][:-1] if messages else not data
        results.append([tuple(m) for m in messages])
    assert results[0] == results[-1]


nested = st.recursive(
    st.tuples(magics, st.binary(max_size=30)),
    lambda inner: st.tuples(st.sampled_from(["gzip", "snappy"]), st.lists(inner, max_size=4)),
    max_leaves=12,
)


def build(kw: ModuleType, tree: Any) -> tuple[bytes, list[bytes], int]:
    """The bytes of a tree of messages, its payloads in order, and how many levels of wrappers it has."""
    kind, content = tree
    if isinstance(kind, int):
        return kw.ancient.v07.encode_message(content, magic=kind), [content], 0
    parts = [build(kw, part) for part in content]
    data = kw.ancient.v07.wrap(b"".join(part[0] for part in parts), kind)
    return data, [value for part in parts for value in part[1]], 1 + max((part[2] for part in parts), default=0)


@settings(deadline=None)
@given(st.lists(nested, max_size=4))
def test_nested_round_trips(trees: list[Any]) -> None:
    for kw in packages():
        built = [build(kw, tree) for tree in trees]
        data = b"".join(part[0] for part in built)
        depth = max((part[2] for part in built), default=0)
        messages, _ = read_both_ways(kw, data, limits=kw.Limits(depth=depth))
        assert [m.value for m in messages] == [value for part in built for value in part[1]]
        at = 0
        for part, inside, levels in built:
            found = [m for m in messages if m.start == at]
            assert len(found) == len(inside)
            at += len(part)
            # As if flattened: only the last message of all levels leads on.
            assert [m.next_offset for m in found] == [*[at - len(part)] * (len(inside) - 1), *[at] * bool(inside)]
            assert [m.inner_index for m in found] == (list(range(len(found))) if levels else [0])
        if depth:
            with pytest.raises(kw.LimitError, match="depth"):
                read_both_ways(kw, data, limits=kw.Limits(depth=depth - 1))


def test_empty_wrappers_have_no_messages(kw: ModuleType) -> None:
    v07 = kw.ancient.v07
    empty = v07.wrap(b"", "gzip")
    data = empty + raw(b"a") + v07.wrap(raw(b"b") + v07.wrap(b"", "snappy"), "gzip") + empty
    messages, complete = read_both_ways(kw, data)
    assert [m.value for m in messages] == [b"a", b"b"]
    assert complete == len(data)
    # The last message before an empty wrapper inside leads on, as in the Scala client.
    assert messages[1].next_offset == messages[1].end


# ---- the end of a fetch ----


@pytest.mark.parametrize("magic", [0, 1])
def test_every_truncation(kw: ModuleType, magic: int) -> None:
    v07 = kw.ancient.v07
    parts = [raw(b"first", magic), raw(b"", magic), v07.write_messages([b"x", b"y"], compression="gzip"), raw(b"z", 0)]
    data = b"".join(parts)
    ends = [sum(map(len, parts[:n])) for n in range(len(parts) + 1)]
    every = list(v07.read_messages(data))
    for cut in range(len(data) + 1):
        whole = max(end for end in ends if end <= cut)
        following = next((end for end in ends if end > cut), cut)
        missing = 0 if cut == whole else None if cut - whole < 4 else following - cut
        found = v07.split(data[:cut])
        assert (found.complete, found.missing) == (whole, missing)
        iterator = v07.read_messages(data[:cut])
        assert list(iterator) == [message for message in every if message.end <= cut]
        assert (iterator.complete, iterator.missing) == (whole, missing)
        _, complete = read_both_ways(kw, data[:cut], 1000)
        assert complete == whole
        if whole or not cut:
            assert v07.next_fetch_offset(data[:cut], 1000) == 1000 + whole
        else:
            with pytest.raises(kw.TruncatedError) as caught:
                v07.next_fetch_offset(data[:cut], 1000)
            assert (caught.value.missing, caught.value.offset) == (missing, 1000)


def test_truncations_inside_of_a_wrapper_are_corrupt(kw: ModuleType) -> None:
    v07 = kw.ancient.v07
    content = raw(b"first") + raw(b"second", 0)
    for cut in range(1, len(content)):
        if cut == len(raw(b"first")):
            continue
        data = raw(b"before") + v07.encode_message(_gzip(content[:cut]), attributes=1)
        with pytest.raises(kw.CorruptError) as caught:
            read_both_ways(kw, data, 7)
        error = caught.value
        assert (error.position, error.offset) == (len(raw(b"before")), 7 + len(raw(b"before")))
        assert error.inner_position == (0 if cut < len(raw(b"first")) else len(raw(b"first")))


def _gzip(data: bytes) -> bytes:
    stream = zlib.compressobj(wbits=31)
    return stream.compress(data) + stream.flush()


def test_reading_goes_on_at_a_position(kw: ModuleType) -> None:
    v07 = kw.ancient.v07
    data = raw(b"a") + raw(b"b") + raw(b"c")
    second = len(raw(b"a"))
    assert [(m.value, m.start) for m in v07.read_messages(data, 10, position=second)] == [
        (b"b", 10 + second), (b"c", 10 + 2 * second)
    ]
    iterator = v07.read_messages(data)
    assert next(iterator).value == b"a"
    assert [m.value for m in iterator] == [b"b", b"c"]


def test_messages_before_a_bad_one_are_read(kw: ModuleType) -> None:
    v07 = kw.ancient.v07
    good = b"".join(raw(b"%d" % n) for n in range(3))
    for bad, kind in (
        (raw(b"x", crc=1), kw.ChecksumError), (raw(b"x", length=-1), kw.CorruptError),
        (raw(b"x", attributes=3), kw.UnsupportedError), (raw(b"x", magic=2), kw.UnsupportedError),
    ):
        seen = []
        with pytest.raises(kind) as caught:
            for message in v07.read_messages(good + bad + good, 5):
                seen.append(message.value)
        assert seen == [b"0", b"1", b"2"]
        assert caught.value.position == len(good)


def test_checksums(kw: ModuleType) -> None:
    v07 = kw.ancient.v07
    inner = v07.encode_message(_gzip(raw(b"a") + raw(b"b", crc=7)), attributes=1)
    for data, position, inside in ((raw(b"a") + raw(b"b", crc=7), 11, None), (inner, 0, 11)):
        with pytest.raises(kw.ChecksumError) as caught:
            read_both_ways(kw, data)
        assert (caught.value.position, caught.value.inner_position) == (position, inside)
        messages, _ = read_both_ways(kw, data, check_crc=False)
        assert [(m.value, m.crc) for m in messages][1] == (b"b", 7)


def test_the_limit_holds_for_all_levels_together(kw: ModuleType) -> None:
    v07 = kw.ancient.v07
    inside = v07.wrap(raw(bytes(600)), "gzip")
    data = v07.wrap(inside * 3, "gzip")
    size = len(inside) * 3 + 3 * len(raw(bytes(600)))
    assert len(read_both_ways(kw, data, limits=kw.Limits(decompressed=size))[0]) == 3
    with pytest.raises(kw.LimitError) as caught:
        read_both_ways(kw, raw(b"") + data, limits=kw.Limits(decompressed=size - 1))
    assert caught.value.position == len(raw(b""))


def test_no_recursion(kw: ModuleType) -> None:
    data = raw(b"deep")
    for _ in range(1500):
        data = kw.ancient.v07.encode_message(_gzip(data), attributes=1)
    messages, _ = read_both_ways(kw, data, limits=kw.Limits(depth=1500))
    assert [m.value for m in messages] == [b"deep"]
    with pytest.raises(kw.LimitError):
        read_both_ways(kw, data)


@settings(deadline=None, max_examples=300)
@given(st.binary(max_size=80) | st.lists(st.binary(max_size=8), max_size=5).map(
    lambda parts: b"".join(raw(part, len(part) % 2) for part in parts)
), st.integers(0, 100), st.integers(0, 255))
def test_twins_agree_on_anything(data: bytes, at: int, byte: int) -> None:
    damaged = bytearray(data)
    if damaged:
        damaged[at % len(damaged)] = byte
    outcomes = []
    for kw in packages():
        try:
            messages, complete = read_both_ways(kw, bytes(damaged), 3)
            outcome: Any = [tuple(m) for m in messages], complete, tuple(kw.ancient.v07.split(bytes(damaged)))
        except kw.WireError as error:
            outcome = type(error).__name__, str(error), error.position, error.offset, error.inner_position
        outcomes.append(outcome)
    assert outcomes[0] == outcomes[-1]


# ---- hostile inputs ----


@pytest.mark.parametrize("row", HOSTILE, ids=lambda row: row["file"])
def test_hostile(kw: ModuleType, row: dict[str, Any]) -> None:
    data = (unpacked("hostile") / row["file"]).read_bytes()
    kinds = {"corrupt": kw.CorruptError, "unsupported": kw.UnsupportedError, "limit": kw.LimitError}
    limits = kw.Limits(decompressed=16 << 20)
    if row["verdict"] in kinds:
        with pytest.raises(tuple(kinds[name] for name in [row["verdict"], *row["accept_also"]] if name in kinds)):
            read_both_ways(kw, data, limits=limits)
        return
    messages, complete = read_both_ways(kw, data, limits=limits)
    assert len(messages) == row["records"]
    if row["verdict"] == "truncated":
        found = kw.ancient.v07.split(data)
        assert found.missing is not None
        assert (found.complete, len(data) + found.missing) == (0, row["needed"])
    else:
        assert complete == len(data)


def test_hostile_is_all_there() -> None:
    assert len(HOSTILE) == 18


# ---- refusals ----


def test_what_cannot_be_written(kw: ModuleType) -> None:
    v07 = kw.ancient.v07
    for call in (
        lambda: v07.encode_message(b"", magic=2), lambda: v07.encode_message(None),
        lambda: v07.encode_message(b"", magic=0, attributes=1), lambda: v07.encode_message(b"", attributes=256),
        lambda: v07.wrap(b"\0", "gzip"), lambda: v07.write_messages([b""], compression="gzip", level=10),
    ):
        with pytest.raises(kw.EncodeError):
            call()
    for compression in ("lz4", "zstd", "none", "lzo"):
        with pytest.raises(kw.UnsupportedError):
            v07.wrap(raw(b""), compression)
    for base in (-1, 2**63 - 3):
        with pytest.raises(ValueError, match="base"):
            v07.read_messages(raw(b""), base)
        with pytest.raises(ValueError, match="base"):
            v07.read_columns(raw(b""), base)
