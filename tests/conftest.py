"""What all tests share: the twins as fixtures, and the data unpacked once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests import twins
from tests.samples import unpacked

pytest_plugins = ["tests.broker.fixtures"]


@pytest.fixture(params=twins.NAMES)
def kw(request: pytest.FixtureRequest) -> Iterator[ModuleType]:
    """The whole package, once with each twin; sys.modules has that copy during the test.

    A compiled kernel that is missing fails the tests; KAFKAWIRE_PURE_PYTHON=1 says that only the pure twin is meant.
    """
    with twins.using(twins.load(request.param)) as package:
        yield package


@pytest.fixture
def both() -> tuple[ModuleType, ModuleType]:
    """The compiled and the pure package side by side."""
    if twins.PURE_ONLY:
        pytest.skip("KAFKAWIRE_PURE_PYTHON=1 asks for the pure twin alone")
    return twins.load("compiled"), twins.load("pure")


@pytest.fixture(scope="session")
def segments() -> Path:
    """The directory of segment sets, see tests/data/README.md."""
    return unpacked("segments")
