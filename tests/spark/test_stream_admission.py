"""How much one batch of a stream takes."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("pyspark.sql.datasource")

from kafkawire.client import TopicPartition
from kafkawire.spark.admission import Patience, at_most

A, B, C = (TopicPartition("t", number) for number in range(3))


def sizes(starts: dict[TopicPartition, int], ends: dict[TopicPartition, int]) -> list[int]:
    return [ends[at] - starts[at] for at in starts]


def test_shares_are_in_proportion() -> None:
    starts = {A: 100, B: 0, C: 7}
    assert sizes(starts, at_most(100, starts, {A: 700, B: 300, C: 107})) == [60, 30, 10]


def test_less_than_the_limit_is_taken_whole() -> None:
    ends = {A: 700, B: 300, C: 107}
    assert at_most(1000, {A: 100, B: 0, C: 7}, ends) == ends
    assert at_most(1001, {A: 100, B: 0, C: 7}, ends) == ends


def test_small_partitions_do_not_starve() -> None:
    starts = {A: 0, B: 5, C: 9}
    assert sizes(starts, at_most(10, starts, {A: 1_000_000, B: 6, C: 9})) == [9, 1, 0]
    assert sizes(starts, at_most(1, starts, {A: 50, B: 55, C: 59})) == [1, 1, 1]


def test_a_partition_that_went_back_stays_as_it_is() -> None:
    """What that means is for others to judge."""
    assert at_most(5, {A: 10, B: 0}, {A: 4, B: 50}) == {A: 4, B: 5}


def test_every_backlog_comes_to_its_end() -> None:
    seeded = random.Random(11)
    for _ in range(200):
        starts = {TopicPartition("t", n): seeded.randrange(1 << 62) for n in range(seeded.randrange(1, 9))}
        target = {at: start + seeded.choice([0, 1, 7, 1 << 40]) for at, start in starts.items()}
        most = seeded.choice([1, 3, 1 << 39])
        for _ in range(1 << 10):
            if starts == target:
                break
            ends = at_most(most, starts, target)
            taken = sum(sizes(starts, ends))
            assert all(starts[at] <= ends[at] <= target[at] for at in starts)
            assert 0 < taken <= most + len(starts)
            starts = ends
        else:
            assert most < 1 << 39  # a short limit and a very long backlog


def test_patience() -> None:
    now = [1000.0]
    patience = Patience(least=10, max_delay_ms=5000, clock=lambda: now[0])
    assert patience.waits({A: 0}, {A: 0})  # nothing is no batch
    assert not patience.waits({A: 0}, {A: 1})  # the first batch
    assert patience.waits({A: 1}, {A: 10})
    assert not patience.waits({A: 1}, {A: 11})  # enough
    now[0] += 4.9
    assert patience.waits({A: 11}, {A: 12})
    now[0] += 0.1
    assert not patience.waits({A: 11}, {A: 12})  # long enough since the last batch
    assert patience.waits({A: 12}, {A: 13})
    # A partition that went back does not take from what others have.
    assert not patience.waits({A: 100, B: 0}, {A: 0, B: 10})


def test_without_a_least_nothing_waits() -> None:
    patience = Patience(None, 5000)
    assert not patience.waits({A: 0}, {A: 1})
    assert not patience.waits({A: 1}, {A: 1})
