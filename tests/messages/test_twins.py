"""Both twins give the same result or the same error for whatever they are fed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafkawire import _message_ops, _twins, messages
from kafkawire.errors import WireError
from kafkawire.schema import Message, Struct
from kafkawire.schema.plan import Op, Plan, members, message_plan
from tests.messages.conftest import KERNELS
from tests.messages.vectors import rows

CLASSES: list[type[Message]] = [
    cls for name in messages.__all__ if isinstance(cls := getattr(messages, name), type) and issubclass(cls, Message)
]
PAIRS = [(cls, version) for cls in CLASSES for version in cls.VERSIONS]
BODIES = [
    (getattr(messages, row["name"]), row["version"], bytes.fromhex(row["hex"]))
    for row in rows("golden-4.4.0.jsonl.xz")
    if row["variant"] in ("full", "unknown-tags", "nulls")
]


def outcome(action: Any) -> tuple[Any, ...]:
    try:
        return ("ok", action())
    except WireError as error:
        return (type(error), str(error), error.position, getattr(error, "missing", None))


def both(action: Any) -> tuple[Any, ...]:
    """The outcome, which all twins have in common."""
    found = []
    selected = _twins.message
    try:
        for kernel in KERNELS.values():
            _twins.message = kernel
            found.append(outcome(action))
    finally:
        _twins.message = selected
    # Equal, or the same in print: NaN is not equal to itself.
    assert all(one == found[0] or repr(one) == repr(found[0]) for one in found), found
    return found[0]


@settings(max_examples=600, deadline=None)
@given(pair=st.sampled_from(PAIRS), data=st.binary(max_size=80))
def test_arbitrary_bytes(pair: tuple[type[Message], int], data: bytes) -> None:
    cls, version = pair
    kind, found, *_ = both(lambda: cls.decode(data, version, trailing="return"))
    if kind == "ok":
        message = found[0]
        assert both(lambda: message.encode(version))[0] == "ok"


@settings(max_examples=1500, deadline=None)
@given(
    body=st.sampled_from(BODIES),
    position=st.integers(0, 1 << 16),
    byte=st.sampled_from((0, 1, 2, 0x7F, 0x80, 0xFF)),
    cut=st.booleans(),
)
def test_damaged_bodies(body: tuple[type[Message], int, bytes], position: int, byte: int, cut: bool) -> None:
    cls, version, data = body
    position %= len(data) + 1
    damaged = data[:position] if cut else data[:position] + bytes([byte]) + data[position + 1 :]
    both(lambda: cls.decode(damaged, version))


@settings(max_examples=600, deadline=None)
@given(
    body=st.sampled_from(BODIES),
    pick=st.integers(0, 1 << 16),
    value=st.sampled_from(
        (None, 0, -1, 1 << 31, 1 << 63, 1.5, True, "x", "\ud800", b"x", [], (), [1], ["x"], {}, Struct)
    ),
)
def test_wrong_values(body: tuple[type[Message], int, bytes], pick: int, value: Any) -> None:
    cls, version, data = body
    message = cls.decode(data, version)
    names = [*cls.FIELDS, "unknown_tags"]
    setattr(message, names[pick % len(names)], value)
    both(lambda: message.encode(version))


@pytest.mark.skipif("compiled" not in KERNELS, reason="the pure twin alone was asked for")
def test_the_numbers_in_c_are_those_of_the_table() -> None:
    expected = {kind.name: int(kind) for kind in _message_ops.Kind}
    expected |= {f"DEFAULT_{default.name}": int(default) for default in _message_ops.Default}
    expected |= {f"FAULT_{fault.name}": int(fault) for fault in _message_ops.MessageFault}
    assert KERNELS["compiled"].numbers == expected


def walk(plan: Plan) -> list[Plan]:
    found = [plan]
    for op in (*plan.ops, *plan.tags):
        inner: Op | None = op
        while inner is not None:
            if inner.struct is not None:
                found += walk(inner.struct)
            inner = inner.element
    return found


def test_declarations_make_sense() -> None:
    """What the interpreters rely on, for every plan there is."""
    for cls, version in PAIRS:
        for plan in walk(message_plan(cls, version)):
            for op in (*plan.ops, *plan.tags):
                if op.element is not None:
                    assert op.element.size > 0, (plan.name, op.name)  # else a count could not be held against the bytes
                    assert not op.element.nullable
            tags = [op.tag for op in plan.tags]
            assert tags == sorted(set(tags)) and len(tags) <= 64
            assert plan.flexible or not tags
            assert len({member.field.json_name for member in members(plan.cls)}) == len(plan.cls.FIELDS)
