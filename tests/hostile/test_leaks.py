"""Nothing is kept: neither of what was read nor of what was refused. A million batches: see leak_worker.

``python -m tests.hostile.leak_worker compiled 350 600`` is the long version.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests import twins
from tests.hostile.others_worker import SANITIZED


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
@pytest.mark.parametrize("twin", twins.NAMES)
def test_nothing_is_kept(twin: str) -> None:
    rounds = 10 if twin == "compiled" else 4
    done = subprocess.run(
        [sys.executable, "-m", "tests.hostile.leak_worker", twin, str(rounds), "40"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert found["batches"] > 2000, found  # one round at the least, however slow the machine
    # One object lost in any of some thousand calls would be a thousand times this.
    assert found["blocks"] < 10 * found["rounds"], found
    # What the sanitizers keep for themselves grows too.
    assert found["grown"] < 2048 or SANITIZED, found
