"""Peak memory of decoding, each competitor in its own process (Linux only: the peak is read from /proc).

``python -m bench.memory SET CODEC SCALE COMPETITOR`` prints by how many bytes the peak rose above what stood there with
the libraries imported and the encoded bytes in memory. getrusage's ru_maxrss would not do: a child starts with its
parent's peak.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from bench import decode
from bench.datasets import Encoded, load
from bench.measure import Competitor

COMPETITORS = (decode.COLUMNS, decode.LOOP, decode.LIST, decode.AIOKAFKA_LOOP, decode.AIOKAFKA_LIST)


def available() -> bool:
    """Whether this system tells a process's peak."""
    return Path("/proc/self/status").exists()


def peak() -> int:
    """The most bytes of memory that this process ever had at once."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("/proc/self/status has no VmHWM")


def run(name: str, codec: str, scale: float, peers_only: bool = False) -> dict[str, int]:
    """By competitor, how many bytes decoding the set once took beyond the encoded bytes themselves."""
    found = {}
    for competitor in COMPETITORS:
        if peers_only and competitor.startswith("kafkawire"):
            continue
        command = [sys.executable, "-m", "bench.memory", name, codec, str(scale), competitor]
        child = subprocess.run(command, capture_output=True, text=True, check=False)
        if child.returncode:
            raise RuntimeError(f"{' '.join(command[1:])} failed:\n{child.stderr}")
        found[competitor] = int(child.stdout)
    return found


def _measure(name: str, codec: str, scale: float, competitor: str) -> int:
    def field(encoded: Encoded) -> dict[str, Competitor]:
        return {one.name: one for one in decode.readers(encoded, competitor.startswith("aiokafka"))}

    field(load(name, codec, 1e-6))[competitor].work()  # imports and first-use tables are not the set's
    one = field(load(name, codec, scale))[competitor]
    before = peak()
    one.work()
    return peak() - before


if __name__ == "__main__":
    set_name, codec_name, how_much, who = sys.argv[1:]
    print(_measure(set_name, codec_name, float(how_much), who))
