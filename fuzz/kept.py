"""The corpus that stays: inputs that reached something new, in corpus.tar.xz, a directory a target.

``python -m fuzz.kept`` makes it anew from fuzz/corpus, without what adds nothing (needs atheris).
"""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from fuzz.targets import TARGETS

HERE = Path(__file__).parent
ARCHIVE = HERE / "corpus.tar.xz"


def inputs(target: str) -> Iterator[bytes]:
    """The inputs that are kept for a target."""
    with tarfile.open(ARCHIVE) as archive:
        for member in archive:
            content = archive.extractfile(member) if member.name.startswith(f"{target}/") else None
            if content is not None:
                yield content.read()


def pack() -> None:
    with tempfile.TemporaryDirectory() as directory, tarfile.open(ARCHIVE, "w:xz") as archive:
        for target in TARGETS:
            into = Path(directory) / target
            into.mkdir()
            command = [sys.executable, "-m", "fuzz.guided", target, "0", str(into)]
            subprocess.run(command, cwd=HERE.parent, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            found = sorted(into.iterdir())
            for path in found:
                member = tarfile.TarInfo(f"{target}/{path.name}")
                member.size = path.stat().st_size
                archive.addfile(member, io.BytesIO(path.read_bytes()))
            print(f"{target}: {len(found)} inputs, {sum(path.stat().st_size for path in found)} bytes")
    print(f"{ARCHIVE.name}: {ARCHIVE.stat().st_size} bytes")


if __name__ == "__main__":
    pack()
