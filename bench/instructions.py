"""Instructions per record of a small fixed decode, counted by valgrind: hardly moves on a noisy machine, so it shows
regressions that a clock cannot. ``python -m bench.instructions [SET] [CODEC]``; needs valgrind.

The work is counted for one pass and for three, and the difference divided: imports and start-up cancel out. Absolute
figures are valgrind's simulated CPU's; compare them only with each other, on one machine.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile

from bench import decode
from bench.datasets import DATASETS, load

RECORDS = 5_000


def _scale(name: str) -> float:
    return RECORDS / DATASETS[name].count


def _count(name: str, codec: str, who: str, passes: int) -> int:
    with tempfile.TemporaryDirectory() as directory:
        command = [
            "valgrind", "--tool=callgrind", f"--callgrind-out-file={directory}/out",
            sys.executable, "-m", "bench.instructions", "--child", name, codec, who, str(passes),
        ]  # fmt: skip
        environment = {
            **os.environ,
            "PYTHONHASHSEED": "0",
            "PYTHONMALLOC": "pymalloc",
            "ARROW_DEFAULT_MEMORY_POOL": "system",
        }
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not found:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr}")
    return int(found[1])


def per_record(name: str, codec: str, who: str) -> float:
    """Instructions that the competitor ``who`` (a name of ``decode``) spends on one record of the set."""
    once, thrice = (_count(name, codec, who, passes) for passes in (1, 3))
    return (thrice - once) / (2 * DATASETS[name].scaled(_scale(name)))


def _child(name: str, codec: str, who: str, passes: int) -> None:
    readers = decode.readers(load(name, codec, _scale(name)), who.startswith("aiokafka"))
    (one,) = (reader for reader in readers if reader.name == who)
    for _ in range(passes + 1):  # the first fills caches, equally in both counts
        one.work()


def main(arguments: list[str]) -> None:
    """Print the counts of the ways to decode a set, by default D1n uncompressed."""
    if arguments[:1] == ["--child"]:
        name, codec, who, passes = arguments[1:]
        _child(name, codec, who, int(passes))
        return
    name, codec = [*arguments, *("D1n", "none")[len(arguments) :]]
    load(name, codec, _scale(name))
    for who in (decode.COLUMNS, decode.LOOP, decode.LIST, decode.AIOKAFKA_LOOP):
        print(f"{name} {codec}  {who:24}  {per_record(name, codec, who):8.0f} instructions per record", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
