"""Bodies that lie, for every message: each length, count, null, tag and text in turn, with the verdicts that follow.

A body is written from the message's plan with every field present (lists of one element, nothing null), and one lie in
it. That the plans themselves are right is held against Kafka's own bytes elsewhere (tests/messages/test_golden).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, NamedTuple

from tests.hostile.generate import uvarint

REFUSED = ("corrupt", "truncated")
#: Text that is not UTF-8, of three bytes, as long as the right one.
WRONG_TEXT = (b"\xff\xfe\xfd", b"\xed\xa0\x80", b"\xc0\x80a", b"ab\xc3", b"\xf8\x88\x80")
UNKNOWN = 20_000  # a tag that no message has
UNENDED = b"\xff" * 12
WIDTHS = {"INT8": 1, "BOOL": 1, "INT16": 2, "UINT16": 2, "INT32": 4, "UINT32": 4, "INT64": 8, "FLOAT64": 8, "UUID": 16}


class Body(NamedTuple):
    """``verdicts``: what is right to say; ``lie``: which one it is, "" for none."""

    message: str
    version: int
    lie: str
    data: bytes
    verdicts: tuple[str, ...]


class _Writer:
    """Writes one body; the point of number ``point`` gets its variant ``variant``."""

    def __init__(self, point: int = -1, variant: str = "") -> None:
        self.point = point
        self.variant = variant
        self.points: list[tuple[str, dict[str, tuple[bytes, tuple[str, ...]]]]] = []

    def may_lie(self, name: str, right: bytes, variants: dict[str, tuple[bytes, tuple[str, ...]]]) -> bytes:
        number = len(self.points)
        self.points.append((name, variants))
        return variants[self.variant][0] if number == self.point else right

    # ---- lengths and what is behind them ----

    def sized(self, name: str, op: Any, content: bytes, count: int, bits: int) -> bytes:
        """``content`` of ``count`` bytes or elements behind its length, short (``bits``) or compact."""
        null = ("ok",) if op.nullable else ("corrupt",)
        if op.compact:
            variants = {
                "null": (uvarint(0), null),
                "2**31 - 1": (uvarint((1 << 31) - 1) + content, REFUSED),
                "2**31": (uvarint(1 << 31) + content, REFUSED),
                "2**32 - 1": (uvarint((1 << 32) - 1) + content, REFUSED),
                "33 bits": (b"\xff\xff\xff\xff\x1f" + content, ("corrupt",)),
                "unended": (UNENDED + content, REFUSED),
                "in 4 bytes": (uvarint(count + 1, 4) + content, ("ok",)),
                "in 6 bytes": (uvarint(count + 1, 6) + content, ("corrupt",)),
            }
            return self.may_lie(name, uvarint(count + 1) + content, variants)
        size, top = bits // 8, 1 << bits - 1
        variants = {
            "null": (b"\xff" * size, null),
            "-2": ((2 * top - 2).to_bytes(size, "big") + content, ("corrupt",)),
            "lowest": (top.to_bytes(size, "big") + content, ("corrupt",)),
            "highest": ((top - 1).to_bytes(size, "big") + content, REFUSED),
        }
        return self.may_lie(name, count.to_bytes(size, "big") + content, variants)

    def text(self, name: str) -> bytes:
        return self.may_lie(name, b"abc", {f"text {raw.hex()}": (raw, ("corrupt",)) for raw in WRONG_TEXT})

    def value(self, name: str, op: Any) -> bytes:
        kind = op.kind.name
        if kind in WIDTHS:
            return bytes(range(1, WIDTHS[kind] + 1)) if kind != "BOOL" else b"\x01"
        if kind == "STRING":
            return self.sized(f"{name} length", op, self.text(name), 3, 16)
        if kind in ("BYTES", "RECORDS"):
            return self.sized(f"{name} length", op, b"\0\x01", 2, 32)
        if kind == "ARRAY":
            return self.sized(f"{name} count", op, self.value(f"{name}[0]", op.element), 1, 32)
        content = self.struct(name, op.struct)
        if not op.nullable:
            return content
        if op.tagged:
            present = {"null": (b"\0", ("ok",)), "in 6 bytes": (uvarint(1, 6) + content, ("corrupt",))}
            return self.may_lie(f"{name} presence", b"\x01" + content, present)
        present = {"null": (b"\xff", ("ok",)), "-2": (b"\xfe" + content, ("corrupt",))}
        return self.may_lie(f"{name} presence", b"\x01" + content, present)

    def struct(self, name: str, plan: Any) -> bytes:
        out = b"".join(self.value(f"{name}.{op.name}", op) for op in plan.ops)
        return out + self.tags(name, plan) if plan.flexible else out

    def tags(self, name: str, plan: Any) -> bytes:
        found = []
        for op in plan.tags:
            content = self.value(f"{name}.{op.name}", op)
            tag = uvarint(op.tag)
            sizes = {
                "one more": (tag + uvarint(len(content) + 1) + content, REFUSED),
                "one less": (tag + uvarint(len(content) - 1) + content, REFUSED),
                "2**31 - 1": (tag + uvarint((1 << 31) - 1) + content, REFUSED),
                "twice": ((tag + uvarint(len(content)) + content) * 2, REFUSED),
                "longer content": (tag + uvarint(len(content) + 1) + content + b"\0", ("corrupt",)),
            }
            if len(content) == 0:
                del sizes["one less"]
            found.append(self.may_lie(f"{name}.{op.name} tag", tag + uvarint(len(content)) + content, sizes))
        known, count = b"".join(found), len(found)
        one, other = uvarint(UNKNOWN) + b"\x01x", uvarint(UNKNOWN + 1) + b"\0"
        highest = uvarint((1 << 32) - 1) + b"\x01x"
        variants = {
            "unknown": (uvarint(count + 2) + known + one + other, ("ok",)),
            "highest number": (uvarint(count + 1) + known + highest, ("ok",)),
            "out of order": (uvarint(count + 2) + known + other + one, ("corrupt",)),
            "unknown twice": (uvarint(count + 2) + known + one + one, ("corrupt",)),
            "33 bits": (uvarint(count + 1) + known + b"\xff\xff\xff\xff\x1f\0", ("corrupt",)),
            "size 2**31": (uvarint(count + 1) + known + uvarint(UNKNOWN) + uvarint(1 << 31) + b"x", REFUSED),
            "size 2**32 - 1": (uvarint(count + 1) + known + uvarint(UNKNOWN) + uvarint((1 << 32) - 1) + b"x", REFUSED),
            "count 2**31 - 1": (uvarint((1 << 31) - 1) + known, REFUSED),
            "count 2**32 - 1": (uvarint((1 << 32) - 1) + known, REFUSED),
            "count unended": (UNENDED + known, REFUSED),
        }
        return self.may_lie(f"{name} tags", uvarint(count) + known, variants)


def plans(kw: ModuleType) -> Iterator[tuple[str, int, Any]]:
    """Every message: its lowest and highest versions and the two where lengths become compact."""
    from kafkawire.schema.message import Message
    from kafkawire.schema.plan import message_plan

    for name in sorted(kw.messages.__all__):
        cls = getattr(kw.messages, name)
        if not (isinstance(cls, type) and issubclass(cls, Message) and hasattr(cls, "VERSIONS")):
            continue
        versions = list(cls.VERSIONS)
        flexible = [version for version in versions if version in cls.FLEXIBLE]
        chosen = {versions[0], versions[-1], *flexible[:1], *([flexible[0] - 1] if flexible else [])}
        for version in sorted(chosen & set(versions)):
            yield name, version, message_plan(cls, version)


def bodies(kw: ModuleType, wanted: Callable[[str], bool] = lambda name: True) -> Iterator[Body]:
    for name, version, plan in plans(kw):
        if not wanted(name):
            continue
        writer = _Writer()
        whole = writer.struct("", plan)
        yield Body(name, version, "", whole, ("ok",))
        yield Body(name, version, "trailing", whole + b"\0", ("corrupt",))
        for size in range(len(whole)):
            yield Body(name, version, f"cut {size}", whole[:size], ("truncated",))
        for number, (place, variants) in enumerate(writer.points):
            for variant, (_, verdicts) in variants.items():
                data = _Writer(number, variant).struct("", plan)
                yield Body(name, version, f"{place}: {variant}", data, verdicts)
        for byte in (b"\x7f", b"\xff", b"\0", b"\x80"):
            if len(whole) < 200:
                yield Body(name, version, f"noise {byte.hex()}", byte * 200, ("ok", *REFUSED))
