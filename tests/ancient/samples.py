"""What a 0.7.2 broker left behind, and what Kafka's Scala code read from it; see tests/data/README.md."""

from __future__ import annotations

import base64
import json
from functools import cache
from pathlib import Path
from typing import Any

from tests.samples import unpacked

CODECS = ("none", "gzip", "snappy")


def payload(row: dict[str, Any]) -> bytes | None:
    """A row's payload; None where the row has its length only."""
    text = row.get("payload_b64")
    return None if text is None else base64.b64decode(text)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@cache
def segment_files() -> dict[str, Path]:
    """Every segment file by its path in the archive."""
    root = unpacked("kafka07")
    return {str(path.relative_to(root)): path for path in sorted(root.glob("*/**/*.kafka"))}


def expected(path: Path) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """What each version of Kafka read from a segment: {version: {view: rows}}, only views that it could read."""
    found: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for file in sorted(path.parent.glob(f"{path.name}.expected*.jsonl")):
        rows = lines(file)
        failed = {row["view"] for row in rows if "exception" in row}
        views: dict[str, list[dict[str, Any]]] = {}
        for row in rows:
            if row["view"] not in failed:
                views.setdefault(row["view"].removesuffix("-summary"), []).extend([row] if "i" in row else [])
        found[file.name] = views
    return found


@cache
def captures() -> list[dict[str, Any]]:
    """The rows of the index, each with its frame as ``data`` and, for a response, the row of its request."""
    directory = unpacked("kafka07") / "captures-0.7.2"
    rows = lines(directory / "index.jsonl")
    by_seq = {row["seq"]: row for row in rows}
    for row in rows:
        row["data"] = (directory / row["file"]).read_bytes()
        row["request"] = by_seq.get(row.get("reply_to"))
    return rows
