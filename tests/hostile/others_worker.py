"""Reads lying bodies and messages of 0.7 with both twins, for test_other_inputs: a process of its own under a memory
limit, the compiled twin from memory that ends where the input does. Prints what is wrong, and at last how many it read.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from tests import twins
from tests.hostile.guard import GuardedMemory
from tests.records.hostile_worker import limit_memory, memory, reset_peak

SANITIZED = "KAFKAWIRE_SANITIZED" in os.environ
#: KiB that the peak may grow by where much is decompressed, and else.
GROWTH_LARGE, GROWTH = 96 << 10, 24 << 10
LARGE = ("mib", "bomb")
#: Lies that are none, and have to be written again byte for byte: unknown tags among them.
KEPT = ("", "unknown", "highest number")


def asked(kw: ModuleType, read: Callable[[], Any]) -> tuple[Any, ...]:
    """(verdict, what was read or all there is to the error)"""
    try:
        return "ok", read()
    except kw.WireError as error:
        kinds = ((kw.LimitError, "limit"), (kw.UnsupportedError, "unsupported"), (kw.TruncatedError, "truncated"))
        verdict = next((name for kind, name in kinds if isinstance(error, kind)), "corrupt")
        return verdict, str(error), error.position, error.inner_position, getattr(error, "missing", 0)


def messages() -> Iterator[tuple[str, str]]:
    from tests.hostile.generate_messages import bodies

    packages = [twins.load(name) for name in twins.NAMES]
    room = GuardedMemory(1 << 16)
    with twins.using(packages[0]):
        made = list(bodies(packages[0]))
    answers = []
    for kw in packages:
        with twins.using(kw):
            found = []
            for number, body in enumerate(made):
                cls = getattr(kw.messages, body.message)
                data = room.holding(body.data, at_start=number % 5 == 0) if kw.BACKEND == "compiled" else body.data
                # Shown at once: what is lazy must be read before the memory holds another body.
                found.append(asked(kw, lambda: read_again(cls, body.version, data)))  # noqa: B023
            answers.append(found)
    for number, body in enumerate(made):
        ours = answers[0][number]
        name = f"{body.message} v{body.version} {body.lie}"
        if any(other[number] != ours for other in answers[1:]):
            yield name, f"the twins differ: {[found[number] for found in answers]}"
        elif ours[0] not in body.verdicts:
            yield name, f"{ours}, not {body.verdicts}"
        elif ours[0] == "truncated" and not ours[4]:
            yield name, f"{ours} does not say how much is missing"
        elif body.lie.rpartition(": ")[2] in KEPT and ours[1] != body.data:
            yield name, f"written again it is {ours[1].hex()}, not {body.data.hex()}"
        elif ours[0] != "ok" and not 0 <= ours[2] <= len(body.data):
            yield name, f"{ours}: the position is outside of the body"
    yield "count", str(len(made))


def read_again(cls: Any, version: int, data: Any) -> bytes:
    """What is read, as it is written again; that must read the same."""
    written: bytes = cls.decode(data, version).encode(version)
    if cls.decode(written, version).encode(version) != written:
        raise AssertionError(f"{cls.__name__} v{version} reads otherwise once written: {written.hex()}")
    return written


def ancient() -> Iterator[tuple[str, str]]:
    from tests.hostile.generate_ancient import inputs

    packages = [twins.load(name) for name in twins.NAMES]
    room = GuardedMemory(1 << 21)
    made = inputs()
    for one in made:
        found = []
        for kw in packages:
            with twins.using(kw):
                data = room.holding(one.data) if kw.BACKEND == "compiled" else one.data
                before = reset_peak()
                answer = asked(kw, lambda: read_ancient(kw, data))  # noqa: B023
                grown = memory("VmHWM") - before
                found.append(answer)
                if grown > (GROWTH_LARGE if any(word in one.name for word in LARGE) else GROWTH) and not SANITIZED:
                    yield one.name, f"{kw.BACKEND} took {grown} KiB"
        if any(other != found[0] for other in found[1:]):
            yield one.name, f"the twins differ: {found}"
        if wrong := judged(one, found[0]):
            yield one.name, wrong
    yield "count", str(len(made))


def read_ancient(kw: ModuleType, data: Any) -> tuple[Any, ...]:
    """What is read as objects, which has to be what is read as columns, in errors too."""
    v07 = kw.ancient.v07
    limits = kw.Limits(decompressed=16 << 20, depth=4)

    def objects() -> Any:
        iterator = v07.read_messages(data, limits=limits)
        return [hash(message.value) for message in iterator], iterator.complete, iterator.missing

    def columns() -> Any:
        read = v07.read_columns(data, columns=["value"], limits=limits)
        values = [hash(value.as_buffer().to_pybytes()) for value in read.to_arrow().column(0)]
        return values, read.complete, v07.split(data, read.complete).missing

    one, other = asked(kw, objects), asked(kw, columns)
    if one != other:
        raise AssertionError(f"{kw.BACKEND}: objects and columns differ: {one} {other}")
    return one[1] if one[0] == "ok" else objects()  # raises again


def judged(one: Any, answer: tuple[Any, ...]) -> str:
    verdict = answer[0]
    if verdict == "ok" and answer[1][1] < len(one.data):
        verdict = "truncated"
    if verdict != one.verdict:
        return f"{str(answer)[:300]}, not {one.verdict}"
    if verdict in ("ok", "truncated"):
        values, complete, missing = answer[1]
        if len(values) != one.records:
            return f"{len(values)} messages, not {one.records}"
        if verdict == "truncated" and (complete != one.good or missing == 0):
            return f"{complete} bytes are whole and {missing} are missing, not {one.good}"
        return ""
    return "" if answer[2] == one.good else f"{answer}: not at {one.good}"


def main(what: str) -> None:
    import pyarrow  # noqa: F401  its memory is not the inputs' doing

    for name in twins.NAMES:
        kw = twins.load(name)
        with twins.using(kw):
            kw.ancient.v07.read_columns(b"").to_arrow()
    if not SANITIZED:
        limit_memory()
    for name, problem in {"messages": messages, "ancient": ancient}[what]():
        print(f"{name}: {problem[:600]}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
