"""Prints what became of reading a large record into columns without memory for it, for test_short_of_memory."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

import kafkawire as kw

builder = kw.RecordBatchBuilder(int(sys.argv[1]))
builder.append(value=b"few")
small = builder.build()
builder.append(value=bytes(96 << 20))
data = small + builder.build()
del builder
kw.read_columns(small).to_arrow()  # pyarrow is loaded before the limit falls
pages = int(Path("/proc/self/statm").read_text().split()[0])
limit = pages * resource.getpagesize() + (64 << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
for read in (lambda: kw.read_columns(data), lambda: list(kw.iter_columns(data, 1))):
    try:
        read()
        print("read")
    except MemoryError:
        print("MemoryError")
