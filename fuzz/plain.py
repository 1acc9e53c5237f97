"""python -m fuzz.plain TARGET SECONDS: mutations of the seeds without guidance, for where atheris is not to be had."""

from __future__ import annotations

import hashlib
import random
import sys
import tempfile
import time
from pathlib import Path

from fuzz.seeds import LARGEST, write
from fuzz.targets import TARGETS

HERE = Path(__file__).parent
INTERESTING = (0, 1, 2, 0x3F, 0x40, 0x7F, 0x80, 0x81, 0xFE, 0xFF)


def mutated(rng: random.Random, seeds: list[bytes]) -> bytes:
    data = bytearray(rng.choice(seeds))
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(6)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1 and at < len(data):
            data[at] = rng.choice(INTERESTING)
        elif kind == 2:
            data[at:at] = rng.randbytes(rng.choice((1, 2, 4, 8)))
        elif kind == 3:
            del data[at : at + rng.choice((1, 2, 4, 8, 50))]
        elif kind == 4:
            other = rng.choice(seeds)
            start = rng.randrange(len(other) + 1)
            data[at:] = other[start:]
        else:
            number = rng.choice((0, 1, -1, 1 << 31, (1 << 31) - 1, 1 << 63)) & 0xFFFFFFFFFFFFFFFF
            data[at : at + 4] = (number & 0xFFFFFFFF).to_bytes(4, "big")
    return bytes(data[:LARGEST])


def main(target: str, seconds: str) -> int:
    with tempfile.TemporaryDirectory() as directory:
        write(target, Path(directory))
        seeds = [path.read_bytes() for path in sorted(Path(directory).iterdir())]
    start = time.monotonic()
    seed = int(start * 1000)
    rng = random.Random(seed)
    executions = 0
    for data in seeds:
        TARGETS[target](data)
    while time.monotonic() - start < float(seconds):
        data = mutated(rng, seeds)
        executions += 1
        try:
            TARGETS[target](data)
        except Exception:
            kept = HERE / "findings" / f"{target}-{hashlib.sha1(data).hexdigest()}"
            kept.write_bytes(data)
            print(f"kept as {kept}")
            raise
    print(f"{executions} executions in {time.monotonic() - start:.0f} s, from {len(seeds)} seeds (random seed {seed})")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
