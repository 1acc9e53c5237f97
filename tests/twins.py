"""Both twins in one process: two whole copies of the package, the compiled one and the pure one.

The compiled copy is the package as anybody imports it. For the pure one all modules of kafkawire are put aside, the
package is imported again under KAFKAWIRE_PURE_PYTHON=1, and the modules are put back. (An extension module can be
loaded once in a process, so it has to be this way round.) Each copy has its own classes, errors included.

Functions that import a module of kafkawire when they are called find it in sys.modules: ``using`` puts a copy there.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import ModuleType

PURE_ONLY = os.environ.get("KAFKAWIRE_PURE_PYTHON", "") not in ("", "0")
NAMES = ("pure",) if PURE_ONLY else ("compiled", "pure")

#: What is imported only when it is used, and needs no Java nor Spark.
_LAZY = ("kafkawire.ancient", "kafkawire.arrow", "kafkawire.log")

_modules: dict[str, dict[str, ModuleType]] = {}


def _take_away() -> dict[str, ModuleType]:
    """All modules of kafkawire, out of sys.modules."""
    return {name: sys.modules.pop(name) for name in _loaded()}


def _loaded() -> dict[str, ModuleType]:
    return {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "kafkawire"}


def _import() -> ModuleType:
    package = importlib.import_module("kafkawire")
    for module in _LAZY:
        importlib.import_module(module)
    return package


@cache
def load(name: str) -> ModuleType:
    """The package with the twin ``name``, "compiled" or "pure"; an AssertionError where that is not to be had.

    The compiled one is the package as it is imported already, or will be: its extensions hold on to the classes of the
    copy that loaded them.
    """
    if name == "compiled":
        package = _import()
        _modules[name] = _loaded()
    else:
        before, setting = _take_away(), os.environ.get("KAFKAWIRE_PURE_PYTHON")
        os.environ["KAFKAWIRE_PURE_PYTHON"] = "1"
        try:
            package = _import()
        finally:
            _modules[name] = _take_away()
            sys.modules.update(before)
            if setting is None:
                del os.environ["KAFKAWIRE_PURE_PYTHON"]
            else:
                os.environ["KAFKAWIRE_PURE_PYTHON"] = setting
    assert name == package.BACKEND, f"asked for the {name} twin and got the {package.BACKEND} one: is it built?"
    return package


@contextmanager
def using(package: ModuleType) -> Iterator[ModuleType]:
    """Have ``package`` as kafkawire in sys.modules meanwhile."""
    name = package.BACKEND
    before = _take_away()
    sys.modules.update(_modules[name])
    try:
        yield package
    finally:
        # What was imported meanwhile belongs to this copy.
        _modules[name].update(_take_away())
        sys.modules.update(before)
