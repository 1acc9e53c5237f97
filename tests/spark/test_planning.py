"""Ranges of offsets divided among tasks: everything once, and as many as Spark's own source makes."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import pytest

pytest.importorskip("pyspark")

from hypothesis import given
from hypothesis import strategies as st

from kafkawire.spark.live_options import LiveOptions
from kafkawire.spark.planning import OffsetRange, divide
from tests.spark.live import live_options

PLAIN = live_options("h:1", subscribe="t")


def options(least: int | None = None, most: int | None = None) -> LiveOptions:
    return replace(PLAIN, min_partitions=least, max_records_per_partition=most)


def ranges(*sizes: int) -> list[OffsetRange]:
    return [OffsetRange("t", number, 10, 10 + size) for number, size in enumerate(sizes)]


_numbers = st.none() | st.integers(1, 50)
_sizes = st.lists(st.integers(0, 200) | st.integers(0, 1 << 62), min_size=1, max_size=8)


@given(sizes=_sizes, starts=st.integers(0, 1 << 61), least=_numbers, most=st.none() | st.integers(1 << 57, 1 << 62))
def test_everything_once(sizes: list[int], starts: int, least: int | None, most: int | None) -> None:
    whole = [OffsetRange("t", number, starts, starts + size) for number, size in enumerate(sizes)]
    pieces = divide(whole, options(least, most))
    assert all(piece.size > 0 for piece in pieces)
    by_partition: dict[int, list[OffsetRange]] = defaultdict(list)
    for piece in pieces:
        by_partition[piece.partition].append(piece)
    for one in whole:
        mine = by_partition[one.partition]
        edges = [one.start, *(piece.end for piece in mine)]
        assert [piece.start for piece in mine] == edges[:-1]  # in order, without a gap or an overlap
        assert edges[-1] == one.end or one.size == 0
    if most is not None:
        assert max((piece.size for piece in pieces), default=0) <= most


@given(sizes=st.lists(st.integers(0, 100), min_size=1, max_size=6), most=st.integers(1, 30), least=_numbers)
def test_no_task_is_larger_than_asked(sizes: list[int], most: int, least: int | None) -> None:
    pieces = divide(ranges(*sizes), options(least, most))
    assert all(piece.size <= most for piece in pieces)
    assert len(pieces) >= sum(-(-size // most) for size in sizes)


def test_only_the_first_piece_starts_where_the_log_does() -> None:
    whole = [replace(one, earliest=one.partition == 0) for one in ranges(9, 9)]
    pieces = divide(whole, options(most=3))
    assert [piece.earliest for piece in pieces] == [True, False, False, False, False, False]


@pytest.mark.parametrize(
    ("sizes", "least", "most", "expected"),
    [
        ((100,), None, None, [100]),
        ((0,), 5, 5, []),
        ((100, 0, 50), None, None, [100, 50]),
        ((100,), 3, None, [33, 33, 34]),
        ((3,), 10, None, [1, 1, 1]),
        ((5, 5), 5, None, [1, 2, 2, 1, 2, 2]),  # 2.5 each, and halves go up
        ((1, 1, 1, 1000), 6, None, [1, 1, 1, 333, 333, 334]),
        ((100, 30), None, 40, [33, 33, 34, 30]),
        ((100, 30), 2, 40, [33, 33, 34, 30]),
        ((100,), 8, 40, [11, 11, 11, 11, 11, 11, 11, 11, 12]),  # about 8
    ],
)
def test_examples(sizes: tuple[int, ...], least: int | None, most: int | None, expected: list[int]) -> None:
    assert sorted(piece.size for piece in divide(ranges(*sizes), options(least, most))) == sorted(expected)
