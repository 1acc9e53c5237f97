"""The data of the tests: lines of JSON, most of them compressed."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent.parent / "data" / "messages"


def rows(name: str) -> Iterator[dict[str, Any]]:
    """The rows of a file of JSON lines in tests/data/messages."""
    path = DATA / name
    with lzma.open(path, "rt", encoding="utf-8") if path.suffix == ".xz" else path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
