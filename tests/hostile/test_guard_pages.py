"""Nothing is read beyond its input: buffers that end where memory does, in a process of their own.

A step too far kills that process, and the failed test says with which input.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import twins

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="mprotect is not there on Windows"),
    pytest.mark.skipif(twins.PURE_ONLY, reason="KAFKAWIRE_PURE_PYTHON=1: no code of ours reads memory"),
]


def run(what: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.hostile.guard_worker", what],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.parametrize("what", ["beyond", "before", "decompressed beyond"])
def test_the_guard_bites(what: str) -> None:
    # Sanitizers turn the signal into a report of their own.
    assert run(what).returncode in (-signal.SIGSEGV, -signal.SIGBUS, 1)
    assert "Traceback" not in run(what).stderr


@pytest.mark.parametrize(("what", "least"), [("corpus", 270), ("truncations", 3000), ("bodies", 20000)])
def test_nothing_is_read_beyond_the_input(what: str, least: int) -> None:
    done = run(what)
    last = done.stdout.rstrip().rsplit("\n", 1)[-1]
    assert done.returncode == 0, f"ended with {done.returncode} at {last[-200:]}: {done.stderr[-3000:]}"
    assert int(last) >= least
