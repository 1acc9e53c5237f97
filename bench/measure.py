"""Timing: competitors take turns, round after round, so that a noisy moment of the machine hits all of them.

The result is the median over the rounds of the ratio within a round; the best time of each competitor stands beside it.
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
    """What one competitor took in each round, in seconds, for ``count`` records (and ``size`` bytes of input)."""

    name: str
    count: int
    seconds: list[float] = field(default_factory=list)

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
            start = time.perf_counter()
            one.work()
            results[one.name].seconds.append(time.perf_counter() - start)
    return results
