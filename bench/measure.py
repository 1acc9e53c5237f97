"""Timing: competitors take turns, round after round, so that a noisy moment of the machine hits all of them.

The result is the median over the rounds of the ratio within a round; the best time of each competitor stands beside it.
Two clocks run. The wall's is the default and the only right one where the work is done in other processes (Spark). For
work in one thread of this process ``CPU`` may be asked for: it leaves out others' load on the machine, not what sharing
its memory and caches costs. Whichever counts, the wall's seconds are kept beside it.
The garbage collector stays on, as users have it; it is run between turns so that nobody pays for another's garbage.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

Clock = Callable[[], float]
CPU: Clock = time.process_time  # all threads of this process, the system's part included


@dataclass(frozen=True)
class Competitor:
    """``work()`` handles ``count`` records once."""

    name: str
    count: int
    work: Callable[[], object]


@dataclass
class Result:
    """What ``count`` records took in each round, in seconds by the chosen clock and by the wall's."""

    name: str
    count: int
    seconds: list[float] = field(default_factory=list)
    wall_seconds: list[float] = field(default_factory=list)

    @property
    def best(self) -> float:
        """Records per second in the best round."""
        return self.count / min(self.seconds)

    @property
    def median(self) -> float:
        """Records per second in the median round."""
        return self.count / statistics.median(self.seconds)

    def ratio(self, other: Result) -> float:
        """How many times as many records per second as ``other``: the median of the rounds' ratios."""
        return _median_ratio(self.count, self.seconds, other.count, other.seconds)

    def wall_ratio(self, other: Result) -> float:
        """``ratio`` by the wall's clock."""
        return _median_ratio(self.count, self.wall_seconds, other.count, other.wall_seconds)


def _median_ratio(count: int, seconds: Sequence[float], other_count: int, other_seconds: Sequence[float]) -> float:
    pairs = zip(seconds, other_seconds, strict=True)
    return statistics.median((count / mine) / (other_count / theirs) for mine, theirs in pairs)


def measure(competitors: Sequence[Competitor], rounds: int, clock: Clock = time.perf_counter) -> dict[str, Result]:
    """Run every competitor once to warm up, then ``rounds`` times in turn, every second round backwards."""
    results = {one.name: Result(one.name, one.count) for one in competitors}
    for one in competitors:
        one.work()
    for number in range(rounds):
        for one in competitors if number % 2 == 0 else reversed(competitors):
            gc.collect()
            wall, start = time.perf_counter(), clock()
            one.work()
            end, wall_end = clock(), time.perf_counter()
            results[one.name].seconds.append(end - start)
            results[one.name].wall_seconds.append(wall_end - wall)
    return results
