"""The documented examples: they run, and the documentation shows what they print."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from tests.ancient.test_broker07 import load_example

ROOT = Path(__file__).parents[2]


def test_three_protocols(kw: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    example = load_example(ROOT / "examples" / "three_protocols.py")
    example.main()
    printed = capsys.readouterr().out.strip("\n")
    assert printed in (ROOT / "docs" / "ancient.md").read_text()
    assert example.fetched_values() == [[(1024, b"hello"), (1039, b"world")]] * 2 + [[(7, b"hello"), (8, b"world")]]


def test_the_documentations_snippets_compile() -> None:
    text = (ROOT / "docs" / "ancient.md").read_text()
    snippets = re.findall(r"^(?:> )?```python\n(.*?)^(?:> )?```", text, re.DOTALL | re.MULTILINE)
    assert len(snippets) == 4
    for snippet in snippets:
        compile(re.sub(r"^> ?", "", snippet, flags=re.MULTILINE), "docs/ancient.md", "exec")
