"""Messages of 0.7 beside a message set v0 of the same payloads, both to columns and to objects.

``python -m bench.ancient [--count N] [--rounds N]``: 100-byte payloads, checksums on, one thread, CPU time. The target
is ten million 0.7 messages a second to columns, on an idle machine.
"""

from __future__ import annotations

import argparse
import random
from collections import deque

import kafkawire as kw
from bench.measure import CPU, Competitor, measure
from kafkawire.ancient import v07

PAYLOAD = 100
TARGET = 10e6
COLUMNS = ["offset", "value"]


def main() -> int:
    """Print a line a competitor; 1 where the target is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1_000_000, help="messages")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    generator = random.Random(7)
    count = options.count
    values = [generator.randbytes(PAYLOAD) for _ in range(1000)] * (count // 1000)
    ancient = v07.write_messages(values)
    wrapped = b"".join(v07.write_messages(values[at : at + 150], compression="snappy") for at in range(0, count, 150))
    builder = kw.RecordBatchBuilder(magic=0)
    for value in values:
        builder.append(key=None, value=value)
    later = builder.build()
    few = len(values) // 10
    competitors = [
        Competitor("0.7 to columns", len(values), lambda: v07.read_columns(ancient, columns=COLUMNS)),
        Competitor("v0 to columns", len(values), lambda: kw.read_columns(later, columns=COLUMNS)),
        Competitor("0.7 to columns, all of v0's", len(values), lambda: v07.read_columns(ancient)),
        Competitor("v0 to columns, all", len(values), lambda: kw.read_columns(later)),
        Competitor("0.7 to columns, snappy", len(values), lambda: v07.read_columns(wrapped, columns=COLUMNS)),
        Competitor(
            "0.7 to objects", few, lambda: deque(v07.read_messages(ancient[: len(ancient) // 10]), maxlen=0)
        ),
        Competitor(
            "v0 to objects", few,
            lambda: deque((r for b in kw.read_batches(later[: len(later) // 10]) for r in b), maxlen=0),
        ),
    ]
    results = measure(competitors, options.rounds, CPU)
    for name, result in results.items():
        print(f"{name:<30}{result.best / 1e6:8.2f} M/s best{result.median / 1e6:8.2f} median")
    first, second, *_ = results.values()
    print(f"0.7 over v0, columns: {first.ratio(second):.2f}")
    return int(first.best < TARGET)


if __name__ == "__main__":
    raise SystemExit(main())
