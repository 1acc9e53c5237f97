"""What other processes use: CPU seconds and memory of those below this one, from /proc (elsewhere: nothing)."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Process:
    """A process: CPU seconds of its own and of its children that have ended, peak of resident memory in bytes."""

    pid: int
    parent: int
    command: str
    cpu_seconds: float
    peak_bytes: int


def below(root: int | None = None) -> list[Process]:
    """All processes below ``root`` (this one by default), without it."""
    processes = {one.pid: one for one in map(_read, Path("/proc").glob("[0-9]*")) if one is not None}
    top = os.getpid() if root is None else root
    found = {top}
    while more := {pid for pid, one in processes.items() if one.parent in found} - found:
        found |= more
    return [processes[pid] for pid in sorted(found - {top})]


def cpu_seconds(root: int | None = None) -> float:
    """CPU seconds of all processes below ``root``."""
    return sum(one.cpu_seconds for one in below(root))


def cpu_by_kind(broker: int | None = None) -> dict[str, float]:
    """CPU seconds below this process as Spark's JVM, its Python workers, and the broker with this process id."""
    seconds = {"jvm": 0.0, "python": 0.0, "broker": 0.0}
    for one in below():
        kind = "broker" if one.pid == broker else "jvm" if one.command == "java" else "python"
        seconds[kind] += one.cpu_seconds
    return seconds


def peak_of_workers() -> int:
    """The largest peak of resident memory, in bytes, of Spark's Python workers."""
    return max((one.peak_bytes for one in below() if one.command.startswith("python")), default=0)


def _read(directory: Path) -> Process | None:
    with contextlib.suppress(OSError, ValueError):  # it has just ended
        name, _, rest = (directory / "stat").read_text().partition("(")[2].rpartition(")")
        fields = rest.split()
        status = (directory / "status").read_text().splitlines()
        peak = next((int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:")), 0)
        ticks = sum(map(int, fields[11:15]))
        return Process(int(directory.name), int(fields[1]), name, ticks / os.sysconf("SC_CLK_TCK"), peak)
    return None
