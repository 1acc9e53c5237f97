"""Does everything that succeeds and everything that fails, ROUNDS times, and says what of memory did not come back.

Run with a twin's name, the number of rounds, and how many seconds there are. A line of JSON: rounds, batches read,
blocks of Python's allocator that were lost, KiB by which the process has grown. The first rounds, in which caches fill,
do not count.
"""

from __future__ import annotations

import gc
import json
import random
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from tests import twins
from tests.hostile.generate import inputs
from tests.messages.vectors import rows
from tests.records.makers import FEW, KINDS, build

SMALL = 1500  # bytes
WARM_UP = 3


def rss() -> int:
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))


def records(kw: ModuleType) -> tuple[int, Callable[[], None]]:
    """Every small input of generate, and good batches of every kind, in all ways."""
    data = [one.data for one in inputs() if len(one.data) < SMALL] + [build(kw, FEW, *kind) for kind in KINDS] * 8
    names = list(kw.records.columns.COLUMNS)
    limits = kw.Limits(decompressed=1 << 18, zstd_window=1 << 20)

    def act() -> None:
        for one in data:
            with suppress(kw.WireError):
                kw.split(one)
            with suppress(kw.WireError):
                for batch in kw.read_batches(one, limits=limits):
                    for record in batch:
                        record.headers  # noqa: B018
            with suppress(kw.WireError):
                for batch in kw.read_batches(one, limits=limits):
                    batch.records()
            with suppress(kw.WireError):
                kw.read_columns(one, columns=names, limits=limits, on_corrupt="skip")
            with suppress(kw.WireError):
                kw.varint.decode_varint(one, len(one) - 1)

    return 3 * len(data), act


def messages(kw: ModuleType) -> tuple[int, Callable[[], None]]:
    """Bodies as they are, cut, and with a byte changed; and values that cannot be written."""
    rng = random.Random(5)
    chosen: list[tuple[Any, int, list[bytes]]] = []
    for row in rows("golden-4.4.0.jsonl.xz"):
        if row["type"] in ("request", "response") and len(row["hex"]) < 600 and rng.random() < 0.1:
            body = bytes.fromhex(row["hex"])
            broken = bytearray(body or b"\0")
            broken[rng.randrange(len(broken))] ^= 0xFF
            bodies = [body, body[: len(body) // 2], bytes(broken), body + b"\0"]
            chosen.append((getattr(kw.messages, row["name"]), row["version"], bodies))

    def act() -> None:
        for cls, version, bodies in chosen:
            for body in bodies:
                with suppress(kw.WireError):
                    message = cls.decode(body, version)
                    message.encode(version)
                    message.encode(0)
        for wrong in (None, "text", [1, "x"], [object()], {}):
            with suppress(kw.EncodeError):
                kw.messages.MetadataRequest(topics=wrong).encode(4)

    return 0, act


def builders(kw: ModuleType) -> tuple[int, Callable[[], None]]:
    """Writing, and what is refused."""

    def act() -> None:
        for magic, codec in KINDS:
            build(kw, FEW, magic, codec)
        builder = kw.RecordBatchBuilder()
        for wrong in (
            {"key": "text"},
            {"value": 5},
            {"offset": -1},
            {"timestamp": 1 << 70},
            {"headers": [("x",)]},
            {"headers": [(b"x", b"y")] * 9},
            {"headers": [("\ud800", b"")] * 9},
            {"headers": 7},
        ):
            with suppress(kw.EncodeError, TypeError):
                builder.append(**wrong)

    return 0, act


def main(twin: str, rounds: str, seconds: str) -> None:
    kw = twins.load(twin)
    with twins.using(kw):
        acts = [records(kw), messages(kw), builders(kw)]
        batches = blocks = size = done = 0
        start = time.monotonic()
        for number in range(WARM_UP + int(rounds)):
            if number == WARM_UP:
                gc.collect()
                blocks, size = sys.getallocatedblocks(), rss()
            for count, act in acts:
                act()
                batches += count if number >= WARM_UP else 0
            done = number + 1 - WARM_UP
            if done > 0 and time.monotonic() - start > float(seconds):
                break
        gc.collect()
        found = {"rounds": done, "batches": batches, "blocks": sys.getallocatedblocks() - blocks, "grown": rss() - size}
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
