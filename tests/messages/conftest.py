"""Both twins in one run, and the data of the tests."""

from __future__ import annotations

import json
import lzma
import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from kafkawire import _message_py, _twins

DATA = Path(__file__).parent.parent / "data" / "messages"

KERNELS: dict[str, ModuleType] = {"pure": _message_py}
if os.environ.get("KAFKAWIRE_PURE_PYTHON", "") in ("", "0"):
    # Without the compiled twin the tests fail here rather than test half.
    from kafkawire import _message

    KERNELS["compiled"] = _message


@pytest.fixture(params=sorted(KERNELS))
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Each twin in turn, for all messages."""
    module = KERNELS[request.param]
    monkeypatch.setattr(_twins, "message", module)
    return module


def rows(name: str) -> Iterator[dict[str, Any]]:
    """The rows of a file of JSON lines in tests/data/messages."""
    path = DATA / name
    with lzma.open(path, "rt", encoding="utf-8") if path.suffix == ".xz" else path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
