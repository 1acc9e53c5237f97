"""What the two plan interpreters, ``_message`` and ``_message_py``, share: the kinds of an op, and their faults."""

from __future__ import annotations

from enum import IntEnum

from kafkawire.errors import CorruptError, EncodeError, TruncatedError, WireError


class Kind(IntEnum):
    """How an op's value stands on the wire. ``_message.pyx`` repeats the numbers for C; a test holds them together."""

    INT8 = 0
    INT16 = 1
    INT32 = 2
    INT64 = 3
    UINT16 = 4
    UINT32 = 5
    FLOAT64 = 6
    BOOL = 7
    UUID = 8
    STRING = 9
    BYTES = 10
    RECORDS = 11
    STRUCT = 12
    ARRAY = 13


class Default(IntEnum):
    """How the default of a field is made: the same object each time, or a new one that its message may change."""

    VALUE = 0
    LIST = 1
    STRUCT = 2


class MessageFault(IntEnum):
    """What can be wrong with the bytes of a message; the first ones have the numbers of ``errors.Fault``."""

    END = 1  # a: bytes needed, b: bytes left
    VARINT_LONG = 2  # a: bits
    LENGTH_NEGATIVE = 3  # a: the length
    UTF8 = 14
    WINDOW_END = 101  # a: bytes needed, b: bytes left in the tagged field
    NULL = 102
    STRING_LONG = 103  # a: the length
    LENGTH_LARGE = 104  # a: the length
    PRESENCE = 105  # a: the byte
    TAG_ORDER = 106  # a: the tag, b: the one before
    TAG_VERSION = 107  # a: the tag
    TAG_SIZE = 108  # a: bytes declared, b: bytes used
    TRAILING = 109  # a: bytes left over


_FAULTS: dict[MessageFault, tuple[str, str]] = {
    MessageFault.VARINT_LONG: ("a varint does not fit into {a} bits", "at most {a} bits"),
    MessageFault.LENGTH_NEGATIVE: ("a length of {a}", "-1 for null, or a length from 0"),
    MessageFault.UTF8: ("a string is not UTF-8", "UTF-8"),
    MessageFault.WINDOW_END: ("a tagged field ends inside its value: {b} bytes are left", "{a} bytes"),
    MessageFault.NULL: ("null where this version has none", "a value"),
    MessageFault.STRING_LONG: ("a string of {a} bytes", "at most 32767"),
    MessageFault.LENGTH_LARGE: ("a length of {a}", "at most 2147483647"),
    MessageFault.PRESENCE: ("{a} in the place that says whether a struct follows", "-1 for null, or a number from 0"),
    MessageFault.TAG_ORDER: ("tag {a} after tag {b}", "ascending tags"),
    MessageFault.TAG_VERSION: ("tag {a}, which this version does not define", "a tag of this version"),
    MessageFault.TAG_SIZE: ("a tagged field declares {a} bytes and its value has {b}", "equal sizes"),
    MessageFault.TRAILING: ("{a} bytes are left over after the message", "none"),
}


def path_text(path: list[str | int]) -> str:
    """``["topics", 3, "name"]`` as a person writes it: ``topics[3].name``."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text


def decode_error(fault: int, a: int, b: int, position: int, path: list[str | int]) -> WireError:
    """The error of a fault found while reading; ``path`` starts with the name of the message."""
    where = path_text(path)
    if fault == MessageFault.END:
        return TruncatedError(
            f"{where}: the data ends: {b} bytes are left", missing=a - b, position=position, expected=f"{a} bytes"
        )
    message, expected = _FAULTS[MessageFault(fault)]
    return CorruptError(f"{where}: {message.format(a=a, b=b)}", position=position, expected=expected.format(a=a, b=b))


class ValueFault(Exception):
    """A value that cannot be written; each level that it leaves adds its step to the path."""

    def __init__(self, problem: str, expected: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.expected = expected
        self.path: list[str | int] = []

    def at(self, step: str | int) -> ValueFault:
        """The same fault, one level further out."""
        self.path.append(step)
        return self


def encode_error(fault: ValueFault, message: str) -> EncodeError:
    """The error of a value in ``message`` that cannot be written."""
    return EncodeError(f"{path_text([message, *fault.path[::-1]])}: {fault.problem}", expected=fault.expected)


_INT_RANGES = {
    Kind.INT8: (-(1 << 7), (1 << 7) - 1),
    Kind.INT16: (-(1 << 15), (1 << 15) - 1),
    Kind.INT32: (-(1 << 31), (1 << 31) - 1),
    Kind.INT64: (-(1 << 63), (1 << 63) - 1),
    Kind.UINT16: (0, (1 << 16) - 1),
    Kind.UINT32: (0, (1 << 32) - 1),
}

_EXPECTED = {
    Kind.FLOAT64: "a float",
    Kind.BOOL: "a bool",
    Kind.UUID: "a uuid.UUID",
    Kind.STRING: "a str",
    Kind.BYTES: "bytes, or an object with a buffer",
    Kind.RECORDS: "bytes, or an object with a buffer",
    Kind.ARRAY: "a list or a tuple",
}


def value_fault(kind: int, value: object, struct: str = "") -> ValueFault:
    """Say why ``value`` cannot be written as ``kind``: the slow path of both interpreters."""
    known = Kind(kind)
    if known in _INT_RANGES:
        low, high = _INT_RANGES[known]
        expected = f"{known.name.lower()}, {low} to {high}"
        if isinstance(value, int):
            return ValueFault(f"{value} is out of range", expected)
    elif known is Kind.STRUCT:
        expected = f"a {struct}"
    else:
        expected = _EXPECTED[known]
    if value is None:
        return ValueFault("None where this version has no null", expected)
    return ValueFault(f"a {type(value).__name__} cannot be written here", expected)


def string_fault(value: str, size: int) -> ValueFault:
    """Say why ``value``, a str, cannot be written: it has lone surrogates (``size`` -1) or too many bytes."""
    if size < 0:
        return ValueFault("a string with lone surrogates has no UTF-8", "text")
    return ValueFault(f"a string of {size} bytes", "at most 32767 bytes of UTF-8")


def size_fault(size: int) -> ValueFault:
    """Bytes or an array that are longer than their int32 length can say."""
    return ValueFault(f"a length of {size}", "at most 2147483647")


def absent_fault(value: object, versions: str, version: int) -> ValueFault:
    """A value other than the default in a field that the version does not have."""
    shown = repr(value)
    if len(shown) > 60:
        shown = shown[:57] + "..."
    return ValueFault(f"{shown} in a field that version {version} does not have", f"the default, or version {versions}")


def tags_fault(problem: str) -> ValueFault:
    """Unknown tags that cannot be written."""
    return ValueFault(problem, "(tag, bytes) pairs, ascending, of tags that the message does not define").at(
        "unknown_tags"
    )


def check_unknown_tag(pair: object, before: int, known: frozenset[int]) -> int:
    """The tag of an entry of ``unknown_tags``, if it may be written after tag ``before``."""
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise tags_fault(f"{pair!r} is not a pair")
    tag, content = pair
    if not isinstance(tag, int) or not before < tag <= 0xFFFFFFFF:
        raise tags_fault(f"tag {tag!r} after {before}")
    if tag in known:
        raise tags_fault(f"tag {tag} is a known one")
    if not isinstance(content, bytes):
        raise tags_fault(f"the content of tag {tag} is a {type(content).__name__}")
    return tag
