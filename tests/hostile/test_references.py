"""A hundred thousand errors, and nothing holds on to what they were about: inputs, classes, blocks of memory."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from tests.hostile import generate, generate_ancient
from tests.hostile.generate_messages import bodies

ERRORS = {"compiled": 100_000, "pure": 8_000}
SMALL = 400  # bytes; what decompresses to much is left out by its name
MESSAGES = ("MetadataResponse", "FetchResponse", "ProduceRequest", "ApiVersionsResponse", "UpdateRaftVoterRequest")


def refused(kw: ModuleType) -> list[tuple[Any, Callable[[], Any]]]:
    """Inputs with a way to read each, that ends in an error."""
    found: list[tuple[Any, Callable[[], Any]]] = []

    def add(data: Any, *reads: Callable[[], Any]) -> None:
        found.extend((data, read) for read in reads)

    def small(one: generate.Input) -> bool:
        bad = one.verdict not in ("ok", "truncated") and len(one.data) < SMALL
        return bad and not any(word in one.name for word in ("bomb", "mib", "control", "deep"))

    for one in filter(small, generate.inputs()):
        add(
            one.data,
            lambda data=one.data: [list(batch) for batch in kw.read_batches(data)],
            lambda data=one.data: [batch.records() for batch in kw.read_batches(data)],
            lambda data=one.data: kw.read_columns(data),
        )
    for one in filter(small, generate_ancient.inputs()):
        add(
            one.data,
            lambda data=one.data: list(kw.ancient.v07.read_messages(data)),
            lambda data=one.data: kw.ancient.v07.read_columns(data),
        )
    for body in bodies(kw, MESSAGES.__contains__):
        if "ok" not in body.verdicts and "cut" not in body.lie:
            cls = getattr(kw.messages, body.message)
            add(body.data, lambda cls=cls, body=body: cls.decode(body.data, body.version))
    for data in (b"\x80", b"\xff" * 11):
        add(data, lambda data=data: kw.varint.decode_varint(data), lambda data=data: kw.varint.decode_varlong(data))
    return found


def test_errors_keep_nothing(kw: ModuleType) -> None:
    made = refused(kw)
    assert len(made) > 2500
    raised = 0

    def all_of_them() -> None:
        nonlocal raised
        for _, read in made:
            try:
                read()
            except kw.WireError:
                raised += 1

    all_of_them()
    assert raised == len(made)  # each is an error
    rounds = -(-ERRORS[kw.BACKEND] // len(made))
    singles = [kw.CorruptError, kw.LimitError, kw.UnsupportedError, kw.TruncatedError]
    if sys.version_info < (3, 12):  # later these are immortal; before, the interpreter itself holds more or less
        singles += [None, True, False, (), "", b""] if rounds > 10 else []
    gc.collect()
    inputs = [sys.getrefcount(data) for data, _ in made]
    held = [sys.getrefcount(single) for single in singles]
    blocks = sys.getallocatedblocks()
    for _ in range(rounds):
        all_of_them()
    gc.collect()
    assert sys.getallocatedblocks() - blocks < 200
    assert [sys.getrefcount(data) for data, _ in made] == inputs
    # A lost reference would be one in every round.
    assert all(sys.getrefcount(single) - before < rounds for single, before in zip(singles, held, strict=True))
