"""Lying bodies of every message, and lying messages of 0.6 and 0.7: see generate_messages and generate_ancient.

Both twins read them in one process under a limit on memory and on time, the compiled one from memory that ends where
the input does; they have to say the same, to the word.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile.generate_ancient import inputs
from tests.hostile.others_worker import SANITIZED, judged

SECONDS = 1500 if SANITIZED else 300


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="guard pages and memory's peak as Linux has them")
@pytest.mark.parametrize(("what", "least"), [("messages", 50_000), ("ancient", 450)])
def test_verdicts(what: str, least: int) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.hostile.others_worker", what],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, f"{done.returncode}: {done.stdout[-500:]} {done.stderr[-3000:]}"
    *wrong, count = done.stdout.splitlines()
    assert not wrong, f"{len(wrong)}: " + "\n".join(wrong[:20])
    assert int(count.removeprefix("count: ")) >= least


def test_another_verdict_is_noticed() -> None:
    one = next(one for one in inputs() if one.name == "lengths/magic1-good")
    answer = ("ok", ([1], len(one.data), 0))
    assert judged(one, answer) == ""
    assert judged(one, ("ok", ([], len(one.data), 0)))
    assert judged(one, ("ok", ([1], 3, 0)))
    assert judged(one, ("corrupt", "text", 0, None, 0))
    assert judged(one._replace(verdict="corrupt", good=5), ("corrupt", "text", 0, None, 0))
