"""What one call may take: the limit on everything together, and pieces that end where memory would not."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

SIZE = 100_000  # bytes that a batch decompresses to, about
BATCHES = 6


def batches(kw: ModuleType, magic: int, codec: str) -> list[bytes]:
    """Batches that are small, and decompress to SIZE bytes and a little more."""
    found = []
    for number in range(BATCHES):
        builder = kw.RecordBatchBuilder(magic, compression=codec, base_offset=number * 10)
        builder.append(value=bytes(SIZE))
        found.append(builder.build())
    return found


def limits(kw: ModuleType, total: int) -> Any:
    return kw.Limits(decompressed=2 * SIZE, decompressed_total=total)


@pytest.mark.parametrize(("magic", "codec"), [(2, "gzip"), (2, "snappy"), (2, "lz4"), (2, "zstd"), (1, "gzip")])
def test_the_batches_of_a_call_together(kw: ModuleType, magic: int, codec: str) -> None:
    made = batches(kw, magic, codec)
    data = b"".join(made)
    assert kw.read_columns(data).num_rows == BATCHES
    assert kw.read_columns(data, limits=limits(kw, BATCHES * (SIZE + 100))).num_rows == BATCHES
    with pytest.raises(kw.LimitError, match="decompressed_total") as caught:
        kw.read_columns(data, limits=limits(kw, 3 * (SIZE + 100)))
    # The fourth passes it.
    assert caught.value.position == sum(map(len, made[:3]))
    assert caught.value.offset == 30
    # What is not asked for is not decompressed, and does not count.
    assert kw.read_columns(data, limits=limits(kw, 2 * (SIZE + 100)), start_offset=50).num_rows == 1


def test_threads_share_the_limit(kw: ModuleType) -> None:
    # Large enough for several ranges: gzip of random bytes does not get smaller.
    import random

    rng = random.Random(3)
    made = []
    for number in range(40):
        builder = kw.RecordBatchBuilder(compression="gzip", base_offset=number)
        builder.append(value=rng.randbytes(SIZE))
        made.append(builder.build())
    data = b"".join(made)
    assert kw.read_columns(data, threads=4, limits=limits(kw, 40 * (SIZE + 100))).num_rows == 40
    with pytest.raises(kw.LimitError, match="decompressed_total"):
        kw.read_columns(data, threads=4, limits=limits(kw, 39 * SIZE))


def test_what_is_handed_out_piece_by_piece_is_not_added_up(kw: ModuleType) -> None:
    data = b"".join(batches(kw, 2, "zstd"))
    few = limits(kw, SIZE)
    assert sum(piece.num_rows for piece in kw.iter_columns(data, 1, limits=few)) == BATCHES
    assert sum(len(batch.records()) for batch in kw.read_batches(data, limits=few)) == BATCHES


def test_what_is_not_compressed_does_not_count(kw: ModuleType) -> None:
    builder = kw.RecordBatchBuilder()
    builder.append(value=bytes(SIZE))
    assert kw.read_columns(builder.build(), limits=limits(kw, 0)).num_rows == 1


def test_the_format_of_07_too(kw: ModuleType) -> None:
    v07 = kw.ancient.v07
    one = v07.write_messages([bytes(SIZE)], compression="gzip")
    assert v07.read_columns(one * 5, limits=limits(kw, 5 * (SIZE + 10))).num_rows == 5
    with pytest.raises(kw.LimitError, match="decompressed_total") as caught:
        v07.read_columns(one * 5, limits=limits(kw, 4 * SIZE))
    assert caught.value.position == 3 * len(one)
    assert len(list(v07.read_messages(one * 5, limits=limits(kw, SIZE)))) == 5


@pytest.mark.parametrize("codec", ["none", "zstd"])
def test_headers_count_for_the_size_of_a_piece(kw: ModuleType, codec: str) -> None:
    made = []
    for number in range(BATCHES):
        builder = kw.RecordBatchBuilder(compression=codec, base_offset=number)
        builder.append(headers=[("name", bytes(SIZE))])
        made.append(builder.build())
    pieces = list(kw.iter_columns(b"".join(made), 1000, max_bytes=2 * SIZE))
    assert [piece.num_rows for piece in pieces] == [2, 2, 2]
    # Of columns that nobody asked for nothing is kept.
    pieces = list(kw.iter_columns(b"".join(made), 1000, max_bytes=2 * SIZE, columns=["offset", "value"]))
    assert [piece.num_rows for piece in pieces] == [BATCHES]


# ---- columns that change while they are written ----


def offsets(*values: int) -> bytearray:
    return bytearray(b"".join(value.to_bytes(4, sys.byteorder, signed=True) for value in values))


MOVES: list[Callable[[bytearray], None]] = [
    lambda at: at.__setitem__(slice(4, 8), offsets(1 << 30)),
    lambda at: at.__setitem__(slice(4, 8), offsets(-(1 << 30))),
    lambda at: at.__setitem__(slice(0, 12), offsets(9, 3, 1)),
    lambda at: at.__setitem__(slice(0, 12), offsets((1 << 31) - 1, (1 << 31) - 1, (1 << 31) - 1)),
    lambda at: at.__setitem__(slice(0, 12), offsets(-(1 << 31), (1 << 31) - 1, -1)),
]


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("column", ["key", "value", "headers", "header keys", "header values"])
def test_offsets_that_move_after_they_were_checked(
    kw: ModuleType, column: str, move: Callable[[bytearray], None]
) -> None:
    """Nothing outside of the data is read, which guard pages and sanitizers would tell."""
    from kafkawire import _twins

    kernel = _twins.writer
    names = ("key", "value", "headers", "header keys", "header values")
    at = {name: offsets(0, 3, 9) for name in names}
    at["headers"] = offsets(0, 1, 2)
    data = b"123456789"
    binary = {name: kernel.BytesColumn(None, at[name], data, 0, 2) for name in names if name != "headers"}
    headers = kernel.ListColumn(None, at["headers"], 0, 2, binary["header keys"], binary["header values"], 2)
    writer = kernel.BatchWriter(2, 0, None, 1 << 20, 0, -1, -1, -1, -1, 0)
    move(at[column])
    with pytest.raises(kw.EncodeError, match="changed while"):
        writer.append_columns(2, None, None, binary["key"], binary["value"], headers)
    # The writer goes on behind what was whole.
    before = writer.record_count
    assert before <= 1
    assert writer.append(b"key", b"value")
    (batch,) = kw.read_batches(writer.take())
    assert batch.record_count == before + 1
