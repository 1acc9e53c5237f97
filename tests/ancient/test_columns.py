"""Columns of 0.7 messages on both twins: pieces, threads, selection, skipping; and that it stays GIL-free and
bounded."""

from __future__ import annotations

import zlib
from types import ModuleType

import pytest

from tests import twins


def sample(kw: ModuleType, count: int) -> bytes:
    """Plain messages of both magics and, each tenth, a wrapper of three."""
    v07 = kw.ancient.v07
    return b"".join(
        v07.write_messages([b"%d" % n] * 3, compression="snappy") if n % 10 == 9
        else v07.encode_message(b"%d" % n * (n % 7), magic=n % 2)
        for n in range(count)
    )


def test_in_pieces(kw: ModuleType) -> None:
    v07, data = kw.ancient.v07, sample(kw, 3000)
    names = list(v07.COLUMNS)
    whole = v07.read_columns(data, 77, columns=names).to_arrow()
    assert whole.num_rows == 3600
    for rows, size in ((1, 1 << 28), (7, 1 << 28), (1000, 1 << 28), (10**6, 1 << 28), (10**6, 100), (10**6, 5000)):
        pieces = list(v07.iter_columns(data, rows, 77, columns=names, max_bytes=size))
        assert all(piece.num_rows <= rows for piece in pieces)
        assert [row for piece in pieces for row in piece.to_pylist()] == whole.to_pylist()
    assert len(pieces) > 1


def test_threads(kw: ModuleType) -> None:
    v07, data = kw.ancient.v07, sample(kw, 30000)
    one = v07.read_columns(data, 5)
    several = v07.read_columns(data, 5, threads=3)
    assert len(several.to_batches()) > 1
    assert several.to_arrow().to_pylist() == one.to_arrow().to_pylist()
    assert several.complete == one.complete == len(data)


def test_selection(kw: ModuleType) -> None:
    v07, data = kw.ancient.v07, sample(kw, 100)
    every = list(v07.read_messages(data, 1000))
    middle = every[60].start
    wrapper = every[9].start
    for start, end in ((None, middle), (middle, None), (middle - 1, middle + 1), (wrapper, wrapper + 1), (0, 0)):
        table = v07.read_columns(data, 1000, columns=["offset", "value"], start_offset=start, end_offset=end).to_arrow()
        assert table.to_pylist() == [
            {"offset": m.start, "value": m.value} for m in every
            if (start is None or m.start >= start) and (end is None or m.start < end)
        ]
    at = every[60].start - 1000
    assert v07.read_columns(data, 1000, position=at, columns=["value"]).to_arrow().to_pylist() == [
        {"value": m.value} for m in every[60:]
    ]
    assert v07.read_columns(data, 1000, stop=at).num_rows == 60
    assert v07.read_columns(data, 1000, columns=[]).num_rows == len(every)


def test_skipping_corrupt_ones(kw: ModuleType) -> None:
    v07 = kw.ancient.v07
    good = v07.encode_message(b"good")
    bad = bytearray(v07.write_messages([b"a", b"b"], compression="gzip"))
    bad[-1] ^= 1
    data = good + bytes(bad) + good
    with pytest.raises(kw.ChecksumError):
        v07.read_columns(data)
    found = v07.read_columns(data, on_corrupt="skip")
    assert (found.num_rows, found.skipped, found.complete) == (2, [len(good)], len(data))
    # Only a checksum can be skipped: with it right, what is wrong inside is not.
    wrong = v07.encode_message(zlib.compress(b"x", wbits=31), attributes=1)
    with pytest.raises(kw.CorruptError):
        v07.read_columns(good + wrong, on_corrupt="skip")


def test_arguments(kw: ModuleType) -> None:
    v07 = kw.ancient.v07
    with pytest.raises(ValueError, match="no such column: nothing"):
        v07.read_columns(b"", columns=["nothing"])
    with pytest.raises(ValueError, match="inner_index"):
        kw.read_columns(b"", columns=["nothing", "inner_index"])
    with pytest.raises(ValueError, match="on_corrupt"):
        v07.read_columns(b"", on_corrupt="ignore")
    with pytest.raises(ValueError, match="max_rows"):
        v07.iter_columns(b"", 0)
    assert v07.read_columns(b"").to_arrow().num_rows == 0


@pytest.mark.skipif(twins.PURE_ONLY, reason="KAFKAWIRE_PURE_PYTHON=1 asks for the pure twin alone")
def test_the_kernels_numbers_are_the_same() -> None:
    """Those that the two twins repeat: faults for C, and the columns."""
    for kw in map(twins.load, twins.NAMES):
        assert kw.ancient.v07.COLUMNS["inner_index"] == 8192
        assert kw.ancient.v07.COLUMNS["next_offset"] == 16384
        assert {name: kw.ancient.v07.COLUMNS[name] for name in ("offset", "value", "compression")} == {
            "offset": 1, "value": 16, "compression": 4096
        }
