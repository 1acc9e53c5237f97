"""Reads a column that fits into memory only if the blocks kept from another are given back, for test_limits."""

from __future__ import annotations

import resource
from pathlib import Path

import kafkawire as kw

MIB = 1 << 20


def batch(size: int) -> bytes:
    builder = kw.RecordBatchBuilder(batch_size=1 << 30)
    builder.append(value=bytes(size))
    return builder.build()


small, large = batch(100 * MIB), batch(150 * MIB)
kw.read_columns(small, columns=["value"])  # its block of 100 MiB is kept, and is too small for the next
pages = int(Path("/proc/self/statm").read_text().split()[0])
limit = pages * resource.getpagesize() + 100 * MIB
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
print(kw.read_columns(large, columns=["value"]).num_rows)
