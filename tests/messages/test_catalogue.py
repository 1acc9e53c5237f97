"""The catalogue of messages: which there are, where they are, and what it costs to have them."""

from __future__ import annotations

import ast
import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest

import kafkawire
from kafkawire import messages
from kafkawire.errors import UnsupportedError
from kafkawire.messages import ApiKey
from kafkawire.schema import Message
from tests.messages.vectors import DATA


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def test_importing_kafkawire_imports_no_message() -> None:
    loaded = run("import sys, kafkawire; print('\\n'.join(sys.modules))").split()
    assert "kafkawire.errors" in loaded
    assert not [name for name in loaded if name.startswith(("kafkawire.messages", "kafkawire.schema"))]


def test_a_message_brings_its_own_module_only() -> None:
    code = "import sys, kafkawire; kafkawire.messages.FetchRequest; print('\\n'.join(sys.modules))"
    loaded = {name for name in run(code).split() if name.startswith("kafkawire.messages.")}
    assert loaded == {"kafkawire.messages.api_keys", "kafkawire.messages.produce_fetch"}


def test_homes_are_the_imports_that_type_checkers_see() -> None:
    tree = ast.parse(Path(inspect.getfile(messages)).read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.name: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name == alias.asname
    }
    assert seen == {name: f"kafkawire.messages.{home}" for name, home in messages._HOME.items()}
    for name in messages.__all__:
        assert getattr(messages, name) is not None
    assert set(messages.__all__) <= set(dir(messages))


def test_every_message_of_the_modules_is_exported() -> None:
    folder = Path(inspect.getfile(messages)).parent
    for path in folder.glob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and {"Message", "Request", "Response"} & {
                ast.unparse(b) for b in node.bases
            }:
                assert messages._HOME.get(node.name) == path.stem, node.name


def test_every_message_says_what_it_is_for() -> None:
    for name in messages.__all__:
        value = getattr(messages, name)
        if isinstance(value, type) and issubclass(value, Message):
            assert value.__doc__ and len(value.__doc__) > 10, name


def test_unknown_names() -> None:
    with pytest.raises(AttributeError, match="NoSuchRequest"):
        messages.NoSuchRequest  # noqa: B018
    assert kafkawire.messages is messages


def test_keys() -> None:
    assert list(ApiKey) == list(range(95))
    for key in ApiKey:
        request, response = messages.request_class(key), messages.response_class(key)
        assert request.API_KEY == response.API_KEY == key
        assert set(request.VERSIONS) == set(response.VERSIONS), key
    for key in (-1, 95, 1000):
        with pytest.raises(UnsupportedError, match=f"API key {key}"):
            messages.request_class(key)
        with pytest.raises(UnsupportedError, match=f"API key {key}"):
            messages.response_class(key)


@pytest.mark.parametrize("release", ["3.9.2", "4.4.0"])
def test_header_versions(release: str) -> None:
    table = json.loads((DATA / f"header_versions-{release}.json").read_text())
    assert len(table) > 80
    for key, versions in table.items():
        for version, (request, response) in versions.items():
            assert messages.request_header_version(int(key), int(version)) == request, (key, version)
            assert messages.response_header_version(int(key), int(version)) == response, (key, version)


def test_header_exceptions() -> None:
    assert messages.request_header_version(ApiKey.CONTROLLED_SHUTDOWN, 0) == 0
    assert messages.request_header_version(ApiKey.CONTROLLED_SHUTDOWN, 1) == 1
    assert messages.response_header_version(ApiKey.API_VERSIONS, 4) == 0
    for ask in (messages.request_header_version, messages.response_header_version):
        with pytest.raises(UnsupportedError, match="no version 99"):
            ask(ApiKey.FETCH, 99)


def test_client_id_keeps_its_short_prefix_in_the_flexible_header() -> None:
    header = messages.RequestHeader(request_api_key=18, request_api_version=3, correlation_id=7, client_id="ab")
    assert header.encode(2) == bytes.fromhex("0012 0003 00000007 0002 6162 00")
    assert messages.RequestHeader(client_id=None).encode(2) == bytes.fromhex("0000 0000 00000000 ffff 00")
