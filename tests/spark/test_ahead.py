"""Items made in a thread ahead of who takes them: order, errors, and that nothing is left behind."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

pytest.importorskip("pyspark")

from kafkawire.spark.ahead import ahead
from tests.spark.live import eventually, our_threads


def counted(made: list[int], stop: int = 1000) -> Iterator[int]:
    for number in range(stop):
        made.append(number)
        yield number


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    yield
    assert our_threads() == []


@pytest.mark.parametrize("depth", [1, 2, 7])
def test_order(depth: int) -> None:
    with ahead(iter(range(100)), depth) as items:
        assert list(items) == list(range(100))
        assert list(items) == []


def test_nothing_at_all() -> None:
    with ahead(iter(()), 1) as items:
        assert list(items) == []


def test_only_so_many_ahead() -> None:
    made: list[int] = []
    with ahead(counted(made), 2) as items:
        assert next(items) == 0
        assert eventually(lambda: len(made) == 4)  # the one taken, two that wait, one that waits to be put there
        time.sleep(0.05)
        assert len(made) == 4
        assert next(items) == 1
        assert eventually(lambda: len(made) == 5)
    assert len(made) <= 6


def test_an_error_comes_in_its_place() -> None:
    def source() -> Iterator[int]:
        yield 1
        yield 2
        raise LookupError("third")

    taken = []
    with ahead(source(), 1) as items, pytest.raises(LookupError, match="third"):
        for item in items:
            taken.append(item)
    assert taken == [1, 2]
    with ahead(source(), 5) as items:  # who stops before it never sees it
        assert next(items) == 1


def test_an_error_of_the_taker() -> None:
    made: list[int] = []
    with pytest.raises(KeyError), ahead(counted(made), 1) as items:
        next(items)
        raise KeyError
    assert len(made) <= 4


def test_not_even_begun() -> None:
    made: list[int] = []
    with ahead(counted(made), 1):
        pass
    assert len(made) <= 3


def test_the_source_is_closed_in_its_thread() -> None:
    closed: list[threading.Thread] = []

    def source() -> Iterator[int]:
        try:
            yield from range(1000)
        finally:
            closed.append(threading.current_thread())

    with ahead(source(), 1) as items:
        next(items)
    assert len(closed) == 1 and closed[0] is not threading.main_thread()
