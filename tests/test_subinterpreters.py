"""In a subinterpreter there is the pure twin, and a warning that says so; the main one keeps what it has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.version_info < (3, 13), reason="no module for subinterpreters before Python 3.13")

PROGRAM = """
import _interpreters, os, sys
ONE = "import kafkawire as kw; b = kw.RecordBatchBuilder(); b.append(b'k', b'v'); data = b.build();" \\
    "assert [r.value for one in kw.read_batches(data) for r in one] == [b'v']; print(kw.BACKEND, flush=True)"
if sys.argv[1] == "first":
    exec(ONE)
for _ in range(2):
    other = _interpreters.create("isolated")
    failed = _interpreters.exec(other, ONE)
    assert failed is None, failed.formatted
    _interpreters.destroy(other)
exec(ONE)
"""


@pytest.mark.parametrize("order", ["first", "last"])
@pytest.mark.parametrize("pure", ["", "1"])
def test_the_pure_twin_works_there(order: str, pure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import kafkawire

    monkeypatch.setenv("KAFKAWIRE_PURE_PYTHON", pure or ("1" if kafkawire.BACKEND == "pure" else ""))
    main = "pure" if pure else kafkawire.BACKEND
    command = [sys.executable, "-c", PROGRAM, order]
    done = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [main] * (order == "first") + ["pure", "pure", main]
    assert ("RuntimeWarning: kafkawire runs without its compiled kernel" in done.stderr) == (main == "compiled")
