"""Both twins in one run."""

from __future__ import annotations

import os
from types import ModuleType

import pytest

from kafkawire import _message_py, _twins

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
