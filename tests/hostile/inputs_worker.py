"""Reads the inputs of generate with one twin: a process under the memory limit of records/hostile_worker."""

from __future__ import annotations

import sys

from tests.hostile.generate import inputs
from tests.records.hostile_worker import read_all

if __name__ == "__main__":
    made = [({"file": one.name, "format": "recordbatch"}, one.data) for one in inputs()]
    read_all(sys.argv[1], made, digest=True)
