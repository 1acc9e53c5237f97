"""Columns over 2 GiB: what 32-bit offsets cannot reach comes out as several Arrow batches, and nothing is lost."""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from tests import twins
from tests.records.makers import Made, build

COUNT, SIZE = 20, 110 << 20  # 2.15 GiB together
GIB = 1 << 30
compiled_only = pytest.mark.skipif(twins.PURE_ONLY, reason="the pure twin alone: it takes minutes")


@pytest.fixture
def compiled() -> Iterator[ModuleType]:
    with twins.using(twins.load("compiled")) as kw:
        yield kw


def needs_memory(size: int) -> None:
    """Skip where the machine has no such memory free: only the amount of data is at stake, not what is tested."""
    meminfo = Path("/proc/meminfo")
    if meminfo.exists():
        line = next(line for line in meminfo.read_text().splitlines() if line.startswith("MemAvailable"))
        if int(line.split()[1]) * 1024 < size:
            pytest.skip(f"needs {size / GIB:.0f} GiB of free memory")


@contextmanager
def sparse(path: Path, pieces: list[tuple[int, bytes]], size: int) -> Iterator[memoryview]:
    """A mapped file of zeros with pieces in it; the zeros take no room on the disk."""
    with path.open("wb+") as file:
        os.truncate(file.fileno(), size)
        for at, piece in pieces:
            os.pwrite(file.fileno(), piece, at)
        with mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ) as mapped, memoryview(mapped) as view:
            yield view


@compiled_only
def test_compressed_batches_that_expand(compiled: ModuleType) -> None:
    """Batches of some kilobytes, each of which holds 110 MiB, all in one key."""
    needs_memory(7 * GIB)
    record = Made(5, 0, bytes(SIZE), None, ())
    batch = build(compiled, [record, Made(6, 1, b"k", b"v", ())], 2, "zstd", level=1)
    del record
    read = compiled.read_columns(batch * COUNT, columns=["key", "offset"])
    batches = read.to_batches()
    assert [piece.num_rows for piece in batches] == [36, 4]
    assert [offset for piece in batches for offset in piece.column(1).to_pylist()] == [5, 6] * COUNT
    for piece in batches:
        piece.validate()
        assert [len(key.as_buffer()) for key in piece.column(0)] == [SIZE, 1] * (piece.num_rows // 2)
    assert read.to_arrow().num_rows == 2 * COUNT
    assert read.complete == len(batch) * COUNT


@compiled_only
def test_plain_batches(compiled: ModuleType, tmp_path: Path) -> None:
    """Of a mapped file of values; checksums are left out, since most of the file is no data."""
    needs_memory(7 * GIB)
    start = build(compiled, [Made(7, 0, None, bytes(1 << 21), ())])
    head = start[: start.index(bytes(1 << 21))]
    # The record's length and the value's are varints of four bytes: those of SIZE have as many.
    record = compiled.varint.encode_varint
    value = record(SIZE)
    body = b"\x00\x00\x00\x01" + value
    head = head[:61] + record(len(body) + SIZE + 1) + body
    size = len(head) + SIZE + 1
    head = head[:8] + struct.pack(">i", size - 12) + head[12:]
    with sparse(tmp_path / "large.log", [(at * size, head) for at in range(COUNT)], COUNT * size) as data:
        read = compiled.read_columns(data, check_crc=False, columns=["value"])
        assert [piece.num_rows for piece in read.to_batches()] == [18, 2]
        assert read.complete == COUNT * size
        del read
        # With a bound on the memory of a piece there are more of them.
        pieces = compiled.iter_columns(data, 1000, check_crc=False, columns=["value"], max_bytes=GIB // 2)
        assert [piece.num_rows for piece in pieces] == [5, 5, 5, 5]


def test_a_batch_of_2_gib_is_over_a_limit(kw: ModuleType, tmp_path: Path) -> None:
    """The largest length there is: 2 GiB and some bytes. It used to be left out without a word."""
    size = (1 << 31) - 1 + 12
    head = build(kw, [Made(7, 0, None, None, ())])[:61]
    head = head[:8] + struct.pack(">i", size - 12) + head[12:]
    before = build(kw, [Made(1, 0, None, b"before", ())])
    with sparse(tmp_path / "batch.log", [(0, before), (len(before), head)], len(before) + size) as data:
        with pytest.raises(kw.LimitError, match=f"a batch of {size} bytes.*position {len(before)}, offset 7"):
            kw.read_columns(data, check_crc=False, columns=["value"])
        # Left out, it is no trouble.
        read = kw.read_columns(data, check_crc=False, columns=["value"], end_offset=5)
        assert (read.num_rows, read.complete) == (1, len(data))


def test_the_pure_twin_with_a_lower_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same in small: its limit is a name that can be lowered."""
    with twins.using(twins.load("pure")) as kw:
        monkeypatch.setattr(import_module("kafkawire._columns_py"), "MAX_BYTES", 10_000)
        for codec in ("none", "zstd"):
            data = build(kw, [Made(5, 0, None, bytes(900), ())], 2, codec) * 25
            batches = kw.read_columns(data, columns=["value"]).to_batches()
            assert sum(piece.num_rows for piece in batches) == 25
            assert all(piece.num_rows * 900 <= 10_000 for piece in batches)
            assert len(batches) == 3
        with pytest.raises(kw.LimitError, match="decompresses to"):
            kw.read_columns(build(kw, [Made(5, 0, None, bytes(10_001), ())], 2, "zstd"))
        with pytest.raises(kw.LimitError, match="a batch of"):
            kw.read_columns(build(kw, [Made(5, 0, None, bytes(10_001), ())]))


