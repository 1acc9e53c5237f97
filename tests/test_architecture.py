"""The design as tests: which room may import which, how long a file may be, and that twins have equal faces."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests import twins

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "kafkawire"

#: Each room, by the longest name that fits a module, and the rooms that it may import. Every room may import itself,
#: and errors, which imports nothing. "" is the package: the public names that a stranger uses.
ROOMS: dict[str, set[str]] = {
    "errors": set(),
    "_version": set(),
    "_memory": set(),
    "_varint": set(),
    "_lock": set(),
    "_codec": {"_lock", "_varint"},
    # What a column is decoded into, for both kernels that decode columns.
    "_buffers": {"_memory", "_varint"},
    "_columns": {"_buffers", "_codec", "_memory", "_varint"},
    "_ancient": {"_ancient_types", "_buffers", "_columns", "_varint"},
    "_writer": {"_codec", "_lock", "_memory", "_varint"},
    "_message": {"_memory", "_varint"},
    "_partitioner": {"_writer"},
    "_twins": {"_varint", "_codec", "_columns", "_writer", "_message", "_partitioner", "_ancient"},
    "varint": {"_twins"},
    "partitioner": {"_twins"},
    "records": {"_twins"},
    "arrow": {"records"},
    "schema": {"_twins", "_message_ops"},
    "messages": {"schema"},
    "ancient": {"_twins", "_ancient_types", "records", "frames"},
    "_ancient_types": set(),
    "frames": set(),
    "connection": {"schema", "messages", "frames"},
    "log": {"_twins", "ancient", "records", "messages"},
    "client": {"connection", "frames", "records", "schema", "messages"},
    "spark": {"", "client", "log", "arrow"},
    "compat": {"", "records"},
    "cli": {"", "varint", "records", "arrow", "schema", "messages", "ancient", "frames", "connection", "log", "client",
            "spark", "compat"},
    # The package itself gathers what is public, and loads the heavy rooms when they are first used.
    "": {"_twins", "_version", "varint", "partitioner", "records", "messages", "ancient", "frames", "connection", "log",
         "client", "spark"},
}

#: Doors that open inside of functions only, when they are needed.
LAZY: dict[str, set[str]] = {
    "records.columns": {"arrow"},
    "records.builder": {"arrow"},
    "partitioner": {"arrow"},
}

#: For type checkers only: they see the pure twins, whose plans and messages know one another.
TYPING: dict[str, set[str]] = {
    "": {"client", "cli", "compat"},
    "_message": {"schema"},
    "records": {"_codec", "_columns", "_writer"},
    "schema": {"_message"},
    "arrow": {"_columns"},
    "ancient": {"_codec"},
    "log": {"_codec"},
}

KERNELS = ("_varint", "_codec", "_columns", "_writer", "_message", "_partitioner", "_ancient")
MAX_LINES = 800


def modules() -> dict[str, Path]:
    """Every module of the package by its name below it; kernels under the name of their twin."""
    found = {}
    for path in sorted(PACKAGE.rglob("*")):
        if path.suffix in (".py", ".pyx", ".pxd"):
            parts = path.relative_to(PACKAGE).with_suffix("").parts
            found["".join([".".join(parts), path.suffix])] = path
    return found


def dotted(key: str) -> str:
    """The module's name of a key of modules(), without suffix."""
    name = key.rsplit(".", 1)[0]
    return "" if name == "__init__" else name.removesuffix(".__init__")


def room_of(name: str) -> str:
    """The room of a module: the longest one whose name begins the module's."""
    fitting = [room for room in ROOMS if name == room or (room and name.startswith((room + ".", room + "_")))]
    assert fitting, f"{name} is in no room: give it one in ROOMS, and say so in the design"
    return max(fitting, key=len)


def known(name: str) -> str:
    """The module that an import names: "kafkawire.records.batch.Record" is in records.batch."""
    there = {dotted(key) for key in modules()}
    name = name.removeprefix("kafkawire").removeprefix(".")
    while name and name not in there:
        name = name.rpartition(".")[0]
    return name


def is_typing(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def imports(tree: ast.AST, when: str = "start") -> Iterator[tuple[str, str]]:
    """(full name, when it is imported: "start", "lazy" or "typing")"""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, when) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from ((f"{node.module}.{alias.name}", when) for alias in node.names)
        elif is_typing(node):
            assert isinstance(node, ast.If)
            for child in node.body:
                yield from imports(ast.Module([child], []), "typing")
            for child in node.orelse:
                yield from imports(ast.Module([child], []), when)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from imports(node, "lazy" if when == "start" else when)
        else:
            yield from imports(node, when)


def cython_imports(text: str) -> Iterator[tuple[str, str]]:
    pattern = r"^ *(?:from (kafkawire[\w.]*) c?import ([^#\n(]+|\([^)]*\))|c?import (kafkawire[\w.]*))"
    for match in re.finditer(pattern, text, re.M):
        if match[3]:
            yield match[3], "start"
        else:
            for name in match[2].strip("() \n").split(","):
                if name.strip():
                    yield f"{match[1]}.{name.split()[0]}", "start"


def doors(key: str, path: Path) -> set[tuple[str, str]]:
    """The modules of kafkawire that a file imports, and when."""
    text = path.read_text()
    found = imports(ast.parse(text)) if path.suffix == ".py" else cython_imports(text)
    return {(known(name), when) for name, when in found if name.split(".")[0] == "kafkawire"}


def allowed(name: str, target: str, when: str) -> bool:
    room = room_of(name)
    into = room_of(target)
    if into in (room, "errors") or target == "_version":
        return True
    rooms = set(ROOMS[room])
    if when != "start":
        rooms |= LAZY.get(name, set())
    if when == "typing":
        rooms |= TYPING.get(room, set())
    return any(target == open_ or target.startswith(open_ + ".") or into == open_ for open_ in rooms)


@pytest.mark.parametrize("key", modules())
def test_doors(key: str) -> None:
    name = dotted(key)
    closed = [
        f"{target or 'kafkawire'} ({when})" for target, when in doors(key, modules()[key])
        if not allowed(name, target, when)
    ]
    assert not closed, f"{name or 'kafkawire'}, in the room {room_of(name)!r}, has no door to {', '.join(closed)}"


def test_the_test_sees_doors() -> None:
    """What it is there to find, it finds."""
    seen = {key: doors(key, path) for key, path in modules().items()}
    assert ("_twins", "start") in seen["records.batch.py"]
    assert ("arrow", "lazy") in seen["records.columns.py"]
    assert ("_codec_py", "typing") in seen["records.batch.py"]
    assert ("_codec", "start") in seen["_columns.pyx"]
    assert ("errors", "start") in seen["_codec.pyx"]
    assert not allowed("records.batch", "messages", "start")
    assert not allowed("messages.offsets", "records.batch", "lazy")
    assert not allowed("records.batch", "arrow", "lazy")
    assert not allowed("records.columns", "arrow", "start")
    assert not allowed("records.batch", "_codec_py", "start")
    assert not allowed("spark.files", "_twins", "start")
    assert not allowed("errors", "records.batch", "start")


def test_only_twins_chooses_a_kernel() -> None:
    kernels = {kernel + twin for kernel in KERNELS for twin in ("", "_py")}
    for key, path in modules().items():
        if not dotted(key).startswith("_"):
            assert not kernels & {target for target, when in doors(key, path) if when != "typing"}, key


def sources() -> list[Path]:
    """Files that people write, of the package, its tests and its tools."""
    kinds = (".py", ".pyx", ".pxd", ".c", ".h", ".java", ".sh")
    found = [path for folder in ("kafkawire", "tests", "bench", "examples", "scripts")
             for path in (ROOT / folder).rglob("*") if path.suffix in kinds]
    generated = {path.with_suffix(".c") for path in found if path.suffix == ".pyx"}
    return [path for path in [*found, *ROOT.glob("*.py")] if path not in generated]


def test_no_file_is_too_long() -> None:
    lengths = {str(path.relative_to(ROOT)): path.read_text().count("\n") for path in sources()}
    assert len(lengths) > 50
    assert not {name: length for name, length in lengths.items() if length > MAX_LINES}


# ---- twins ----


def parameters(function: Any) -> list[tuple[str, Any]]:
    return [(item.name, item.default) for item in inspect.signature(function).parameters.values()]


def constructors(name: str) -> dict[str, list[str]]:
    """The parameters that the classes of a kernel are made with, read from its source: an extension type hides them."""
    text = "".join(path.read_text() for path in sorted(PACKAGE.glob(f"{name}*.pyx")))
    found = {}
    for match in re.finditer(r"^cdef class (\w+)[^:]*:\n(.*?)(?=^\S|\Z)", text, re.M | re.S):
        made = re.search(r"def __c?init__\(self,?([^)]*)\)", match[2])
        if made:
            items = [item.split("=")[0].split() for item in made[1].split(",")]
            found[match[1]] = [words[-1] for words in items if words]
    return found


@pytest.mark.skipif(twins.PURE_ONLY, reason="there is one twin only")
@pytest.mark.parametrize("name", KERNELS)
def test_twins_have_equal_faces(name: str) -> None:
    """What the pure twin offers, the compiled one offers too, with the same parameters; and the other way round."""
    compiled, pure = (face(name, twin) for twin in ("compiled", "pure"))
    made = constructors(name)
    # What is no business of others: how headers are kept (a named tuple here, a tuple there), buffers, caches.
    private = {"Header", "Buffer", "KeyCache", "CompiledPlan"}
    assert set(compiled) - private <= set(vars(module(name, "pure"))), "only compiled"
    assert set(pure) - private <= set(vars(module(name, "compiled"))), "only pure"
    assert set(pure) - private, "nothing to compare"
    for public in sorted(set(pure) - private):
        ours, theirs = pure[public], getattr(module(name, "compiled"), public)
        if not inspect.isclass(ours):
            assert parameters(ours) == parameters(theirs), public
            continue
        if public in made:
            assert [parameter for parameter, _ in parameters(ours)] == made[public], public
        methods = {member for member, value in vars(ours).items() if member[0] != "_" and inspect.isfunction(value)}
        for method in methods:
            assert parameters(getattr(ours, method)) == parameters(getattr(theirs, method)), f"{public}.{method}"
        hidden = {member for member in dir(theirs) if member[0] != "_"} - set(dir(ours))
        source = (PACKAGE / f"{name}_py.py").read_text()
        assert hidden == {member for member in hidden if f"self.{member} = " in source or f"self.{member}: " in source}


def module(name: str, twin: str) -> ModuleType:
    with twins.using(twins.load(twin)):
        return import_module(f"kafkawire.{name}" + ("" if twin == "compiled" else "_py"))


def face(name: str, twin: str) -> dict[str, Any]:
    """The functions and classes that a twin defines, by name."""
    found = module(name, twin)
    return {
        public: value
        for public, value in vars(found).items()
        if public[0] != "_" and callable(value) and getattr(value, "__module__", None) == found.__name__
    }


def test_public_names(kw: ModuleType) -> None:
    """The names that others rely on."""
    for public in kw.__all__:
        if public != "spark":  # needs PySpark
            assert getattr(kw, public) is not None
    contract = {
        "BACKEND", "split", "read_batches", "read_columns", "Limits", "RecordBatchBuilder", "write_columns", "varint",
        "crc32c", "log", "WireError", "CorruptError", "TruncatedError", "UnsupportedError", "LimitError",
    }
    assert contract <= set(kw.__all__)
    assert kw.Limits() == (128 << 20, 128 << 20, 4, 8 << 30)
    assert kw.Limits._fields == ("decompressed", "zstd_window", "depth", "decompressed_total")
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        kw.nothing  # noqa: B018
