"""Lies of our own making (see generate): each gets its verdict, from both twins, by every way of reading.

They are read in one process a twin, under a limit on memory and on time; no way may take much more memory than what is
in the input once it is decompressed, and the twins have to agree to the word.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests import twins
from tests.hostile.generate import FAMILIES, Input, inputs
from tests.records.hostile_worker import ADDRESS_SPACE

#: KiB that reading may add to the peak of memory: where 16 MiB are decompressed, and else.
GROWTH_LARGE, GROWTH = 96 << 10, 24 << 10
WAYS = 6
#: Set by scripts/sanitize.sh: most of the memory is the sanitizers' own.
SANITIZED = "KAFKAWIRE_SANITIZED" in os.environ
#: For all inputs and one twin; seconds of it are used where nothing else runs.
SECONDS = 1500 if SANITIZED else 300


@cache
def made() -> dict[str, Input]:
    found = {one.name: one for one in inputs()}
    assert len(found) > 900
    return found


@cache
def answers(twin: str) -> dict[str, list[dict[str, Any]]] | str:
    """What the twin made of each input; or how its process ended, if that was a bad end."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "tests.hostile.inputs_worker", twin],
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        return f"the {twin} twin took more than {SECONDS} s; its last words: {(error.output or b'')[-500:]!r}"
    if done.returncode:
        return f"the {twin} twin ended with {done.returncode}: {done.stdout[-500:]} {done.stderr[-2000:]}"
    found: dict[str, list[dict[str, Any]]] = {}
    for line in done.stdout.splitlines():
        answer = json.loads(line)
        found.setdefault(answer["file"], []).append(answer)
    return found


@pytest.mark.parametrize("family", [family.__name__ for family in FAMILIES])
@pytest.mark.parametrize("twin", twins.NAMES)
def test_verdicts(twin: str, family: str) -> None:
    wrong = []
    read = answers(twin)
    assert not isinstance(read, str), read
    for name, one in made().items():
        if not name.startswith(family + "/"):
            continue
        found = read.get(name, [])
        assert len(found) == WAYS, name
        wrong += [f"{name}: {problem}" for answer in found if (problem := judge(one, answer))]
    assert not wrong, f"{len(wrong)}: " + "\n".join(wrong[:20])


def judge(one: Input, answer: dict[str, Any]) -> str:
    """What is wrong with the answer; nothing, if nothing is."""
    wanted, records, control = one.verdict, one.records, one.name.startswith("control")
    if control and wanted == "corrupt" and answer["how"] != "objects":
        # Only who asks for the meaning of a control record finds out that it has none.
        wanted, records = "ok", one.records + 1
    if answer["verdict"] != wanted:
        return f"{answer}, not {wanted}"
    if wanted in ("ok", "truncated"):
        if answer["count"] != records:
            return f"{answer}, not {records} records"
        if wanted == "truncated" and answer["complete"] != one.good:
            return f"{answer}, not whole up to {one.good}"
    elif not control and not one.good <= answer["position"] <= len(one.data):
        return f"{answer}: the position is outside of the bad batch"
    large = "mib" in one.name or "bomb" in one.name or "16777216" in one.name
    if answer["grown"] > (GROWTH_LARGE if large else GROWTH) and not SANITIZED:
        return f"{answer}: too much memory"
    return ""


@pytest.mark.skipif(twins.PURE_ONLY, reason="KAFKAWIRE_PURE_PYTHON=1 asks for the pure twin alone")
def test_twins_agree() -> None:
    def without_memory(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{name: value for name, value in answer.items() if name != "grown"} for answer in found]

    compiled, pure = answers("compiled"), answers("pure")
    assert isinstance(compiled, dict) and isinstance(pure, dict), (compiled, pure)
    for name in made():
        assert without_memory(compiled[name]) == without_memory(pure[name])


def test_every_verdict_is_among_them() -> None:
    assert set(Counter(one.verdict for one in made().values())) == {
        "ok",
        "corrupt",
        "truncated",
        "limit",
        "unsupported",
    }
    assert max(len(one.data) for one in made().values()) * 100 < ADDRESS_SPACE
