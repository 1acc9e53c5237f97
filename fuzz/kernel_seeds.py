"""python -m fuzz.kernel_seeds DIRECTORY: the seeds of the Python targets, with the byte before them that kernel_target
chooses by."""

from __future__ import annotations

import hashlib
import random
import sys
from pathlib import Path

from fuzz.seeds import LARGEST, SEEDS

# Position in kernel_target.TARGETS, where its seeds come from, and the bytes of those that are not wanted.
CHOICES = ((0, "records", 1), (1, "records", 0), (2, "messages", 0), (3, "ancient", 1), (4, "decompression", 2))
MOST = 600


def main(directory: str) -> None:
    count = 0
    for choice, target, without in CHOICES:
        found = sorted({bytes([choice]) + seed[without:] for seed in SEEDS[target]() if len(seed) <= LARGEST})
        for seed in random.Random(1).sample(found, min(MOST, len(found))):
            (Path(directory) / hashlib.sha1(seed).hexdigest()).write_bytes(seed)
            count += 1
    print(f"{count} seeds")


if __name__ == "__main__":
    main(*sys.argv[1:])
