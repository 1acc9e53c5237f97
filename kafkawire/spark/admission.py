"""How much one batch of a stream takes: ``minOffsetsPerTrigger``, ``maxTriggerDelay`` and ``maxOffsetsPerTrigger``."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from kafkawire.client import TopicPartition
from kafkawire.spark.planning import Offsets


class Patience:
    """Whether to wait for more: while there are fewer offsets than ``least``, but not longer than ``max_delay_ms``
    after the last batch. The first batch of a run never waits."""

    def __init__(self, least: int | None, max_delay_ms: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._least = least
        self._max_delay = max_delay_ms / 1000
        self._clock = clock
        self._last_batch: float | None = None

    def waits(self, starts: Mapping[TopicPartition, int], ends: Mapping[TopicPartition, int]) -> bool:
        """Whether no batch from ``starts``, one for every partition of ``ends``, is to be made now."""
        if self._least is None:
            return False
        now = self._clock()
        there = sum(_sizes(starts, ends).values())
        due = self._last_batch is None or now - self._last_batch >= self._max_delay
        if there < self._least and not (due and there):
            return True
        self._last_batch = now
        return False


def at_most(most: int, starts: Mapping[TopicPartition, int], ends: Mapping[TopicPartition, int]) -> Offsets:
    """Ends of a batch of about ``most`` offsets, in proportion to what each partition has.

    A partition that has anything gives at least one offset, so that small ones do not starve, nor a batch stand still;
    with more partitions than ``most`` it is exceeded. ``starts`` has all partitions of ``ends``.
    """
    sizes = _sizes(starts, ends)
    total = sum(sizes.values())
    if total <= most:
        return dict(ends)
    return {
        at: starts[at] + min(max(most * sizes[at] // total, 1), sizes[at]) if sizes[at] else end
        for at, end in ends.items()
    }


def _sizes(starts: Mapping[TopicPartition, int], ends: Mapping[TopicPartition, int]) -> Offsets:
    return {at: max(end - starts[at], 0) for at, end in ends.items()}
