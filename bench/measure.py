"""Timing: competitors take turns, round after round, so that a noisy moment of the machine hits all of them.

The result is the median over the rounds of the ratio within a round; the best time of each competitor stands beside it.
Time is the process's CPU time, all of its threads and the system's part included: every competitor works in one thread,
so on a quiet machine this is the clock's time, and on a busy one others' work does not count. The clock's is kept, too.
The garbage collector stays on, as users have it; it is run between turns so that nobody pays for another's garbage.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Competitor:
    """``work()`` handles ``count`` records once."""

    name: str
    count: int
    work: Callable[[], object]


@dataclass
class Result:
    """What one competitor took for ``count`` records, round by round: seconds of CPU, and by the wall's clock."""

    name: str
    count: int
    seconds: list[float] = field(default_factory=list)
    wall_seconds: list[float] = field(default_factory=list)

    @property
    def best(self) -> float:
        """Records per second in the best round."""
        return self.count / min(self.seconds)

    def ratio(self, other: Result) -> float:
        """How many times as many records per second as ``other``: the median of the rounds' ratios."""
        pairs = zip(self.seconds, other.seconds, strict=True)
        return statistics.median((self.count / mine) / (other.count / theirs) for mine, theirs in pairs)


def measure(competitors: Sequence[Competitor], rounds: int) -> dict[str, Result]:
    """Run every competitor once to warm up, then ``rounds`` times in turn, every second round backwards."""
    results = {one.name: Result(one.name, one.count) for one in competitors}
    for one in competitors:
        one.work()
    for number in range(rounds):
        for one in competitors if number % 2 == 0 else reversed(competitors):
            gc.collect()
            wall, start = time.perf_counter(), time.process_time()
            one.work()
            end, wall_end = time.process_time(), time.perf_counter()
            results[one.name].seconds.append(end - start)
            results[one.name].wall_seconds.append(wall_end - wall)
    return results
