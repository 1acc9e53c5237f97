"""Deadlines and backoff: every wait of the client ends."""

from __future__ import annotations

import random
import time

# What sockets and locks can wait at once: 2^31 ms, not quite. Who waits longer has been forgotten.
_LONGEST = 2_000_000.0


class Deadline:
    """A moment in the future, on the monotonic clock; at most 23 days from now."""

    __slots__ = ("at",)

    def __init__(self, seconds: float) -> None:
        self.at = time.monotonic() + min(seconds, _LONGEST)

    @property
    def remaining(self) -> float:
        """Seconds left, 0 when it has passed."""
        return max(0.0, self.at - time.monotonic())

    @property
    def expired(self) -> bool:
        return time.monotonic() >= self.at

    def within(self, seconds: float) -> Deadline:
        """The sooner of this one and so many seconds from now."""
        sooner = Deadline(seconds)
        sooner.at = min(sooner.at, self.at)
        return sooner


class Backoff:
    """Waits that double from ``first_ms`` to ``max_ms`` milliseconds, each of 80 to 120 percent, so that clients which
    failed together do not come back together (KIP-144, KIP-580)."""

    __slots__ = ("_first", "_max", "failures")

    def __init__(self, first_ms: int, max_ms: int) -> None:
        self._first = first_ms / 1000
        self._max = max(max_ms, first_ms) / 1000
        self.failures = 0

    def next(self) -> float:
        """Seconds to wait after one more failure."""
        seconds: float = min(self._max, self._first * 2 ** min(self.failures, 30))
        self.failures += 1
        return seconds * random.uniform(0.8, 1.2)

    def reset(self) -> None:
        self.failures = 0
