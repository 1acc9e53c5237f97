"""The hostile inputs for records and varints, each with its verdict, on both twins and by every way of reading.

They are read in one subprocess a twin, with limits on memory and on time: see hostile_worker.py.
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests import twins
from tests.records.hostile_worker import FORMATS
from tests.samples import unpacked

SECONDS = 300
#: KiB that reading one input may add to the peak of memory: 16 MiB decompressed, key and value columns of that size,
#: and objects of it.
GROWTH = 96 << 10

MANIFEST = {
    row["file"]: row
    for row in map(json.loads, (unpacked("hostile") / "manifest.jsonl").read_text().splitlines())
    if row["format"].startswith(FORMATS)
}


@cache
def answers(twin: str) -> dict[str, list[dict[str, Any]]] | str:
    """What the twin made of each file, read in a subprocess; or how that process came to its end."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "tests.records.hostile_worker", twin],
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        return f"the {twin} twin took more than {SECONDS} s; its last words: {(error.output or b'')[-500:]!r}"
    if done.returncode:
        return f"the {twin} twin's process ended with {done.returncode}: {done.stdout[-500:]} {done.stderr[-2000:]}"
    found: dict[str, list[dict[str, Any]]] = {}
    for line in done.stdout.splitlines():
        answer = json.loads(line)
        found.setdefault(answer["file"], []).append(answer)
    return found


def test_the_inputs_are_all_there() -> None:
    assert len(MANIFEST) == 227
    kinds = {row["verdict"] for row in MANIFEST.values()}
    assert kinds == {"ok", "corrupt", "truncated", "limit", "unsupported"}


@pytest.mark.parametrize("file", MANIFEST)
@pytest.mark.parametrize("twin", twins.NAMES)
def test_verdict(twin: str, file: str) -> None:
    row = MANIFEST[file]
    read = answers(twin)
    assert not isinstance(read, str), read
    found = read[file]
    assert len(found) == (1 if row["format"] == "varint" else 6)
    for answer in found:
        assert answer["verdict"] in [row["verdict"], *row["accept_also"]], answer
        if answer["verdict"] in ("ok", "truncated") and row["verdict"] in ("ok", "truncated"):
            contents(row, answer)
        elif "error" in answer and not file.startswith(("varint", "control")):
            # Reading a control record's key and value knows of no place.
            assert answer["position"] is not None, answer
            assert "position" in answer["error"], answer
        assert answer["grown"] < GROWTH, answer
    # Columns do not look into control records; all ways agree otherwise.
    assert len({answer["verdict"] for answer in found if answer["how"] != "objects" or row["family"] != "control"}) == 1


def contents(row: dict[str, Any], answer: dict[str, Any]) -> None:
    """What was read is what the manifest says, and so is what the partial batch at the end lacks."""
    if row["format"] == "varint":
        if row["verdict"] == "ok":
            assert answer["value"] == row["value"]
        return
    if row["records"] is not None:
        assert (len(answer["records"]) if "records" in answer else answer["count"]) == row["records"], answer
    if "expected" in row and "records" in answer:
        assert answer["records"] == row["expected"], answer
    if row["verdict"] == "ok":
        assert answer["missing"] == 0, answer
    else:
        assert answer["missing"] == (row["needed"] - row["size"] if "needed" in row else None), answer
