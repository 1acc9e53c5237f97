"""Where an allocation fails the answer is MemoryError: no crash, no foreign error, and never fewer records."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests import twins

compiled_only = pytest.mark.skipif(twins.PURE_ONLY, reason="KAFKAWIRE_PURE_PYTHON=1: no kernel of ours allocates")


def run(module: str, *arguments: str) -> str:
    """What the worker printed; its death is a failed test."""
    done = subprocess.run(
        [sys.executable, "-m", f"tests.hostile.{module}", *arguments],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, f"{done.returncode}: {done.stdout[-1000:]} {done.stderr[-3000:]}"
    assert "Exception ignored" not in done.stderr, done.stderr[-2000:]
    return done.stdout


@compiled_only
@pytest.mark.parametrize(
    "case",
    ["records", "iterator", "message", "inner", "columns", "response", "fault", "foreign", "encode", "builder"],
)
def test_every_allocation_of_python_s_fails_once(case: str) -> None:
    pytest.importorskip("_testcapi", reason="this Python is without the module that makes allocations fail")
    assert int(run("failing_allocations", case)) > 1  # so many places were reached


@compiled_only
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="RLIMIT_AS holds on Linux")
@pytest.mark.parametrize("magic", ["0", "1", "2"])
def test_columns_that_do_not_fit_into_memory(magic: str) -> None:
    """A record of 96 MiB with 64 MiB left: before, the columns of magic 0 and 1 just ended before it."""
    assert run("limited_columns", magic).split() == ["MemoryError", "MemoryError"]


@compiled_only
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="RLIMIT_AS holds on Linux")
def test_kept_memory_is_given_back_before_there_is_none() -> None:
    assert run("kept_memory").split() == ["1"]
