"""From a class and a version to the flat table of ops that the interpreters walk.

A plan is made when a (class, version) is first used, and kept. It holds facts only; each interpreter compiles it to
what it likes best.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from inspect import get_annotations
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin

from kafkawire import _twins
from kafkawire._message_ops import Default, Kind
from kafkawire.errors import UnsupportedError
from kafkawire.schema.fields import _MISSING, ZERO_UUID, Buffer, Field, Struct, Versions

if TYPE_CHECKING:
    from kafkawire.schema.message import Message

_ZERO: dict[Kind, Any] = {
    **dict.fromkeys((Kind.INT8, Kind.INT16, Kind.INT32, Kind.INT64, Kind.UINT16, Kind.UINT32), 0),
    Kind.FLOAT64: 0.0,
    Kind.BOOL: False,
    Kind.UUID: ZERO_UUID,
    Kind.STRING: "",
    Kind.BYTES: b"",
    Kind.RECORDS: None,
}

# The least bytes of a value: with a fixed width or an old length prefix, and with a compact one.
_SIZES: dict[Kind, tuple[int, int]] = {
    Kind.INT8: (1, 1),
    Kind.INT16: (2, 2),
    Kind.INT32: (4, 4),
    Kind.INT64: (8, 8),
    Kind.UINT16: (2, 2),
    Kind.UINT32: (4, 4),
    Kind.FLOAT64: (8, 8),
    Kind.BOOL: (1, 1),
    Kind.UUID: (16, 16),
    Kind.STRING: (2, 1),
    Kind.BYTES: (4, 1),
    Kind.RECORDS: (4, 1),
    Kind.ARRAY: (4, 1),
}

_EVERY = Versions("0+")
_NONE = Versions("none")


class Shape:
    """What an annotation says: a kind, the element of an array, the class of a struct, and whether None is allowed."""

    __slots__ = ("element", "kind", "optional", "struct")

    def __init__(self, annotation: Any) -> None:
        self.optional = False
        self.struct: type[Struct] | None = None
        self.element: Shape | None = None
        if type(None) in get_args(annotation):
            self.optional = True
            (annotation,) = (option for option in get_args(annotation) if option is not type(None))
        if get_origin(annotation) is Annotated:
            self.kind = Kind[get_args(annotation)[1].upper()]
        elif get_origin(annotation) is list:
            self.kind = Kind.ARRAY
            self.element = Shape(get_args(annotation)[0])
        elif isinstance(annotation, type) and issubclass(annotation, Struct):
            self.kind = Kind.STRUCT
            self.struct = annotation
        else:
            raise TypeError(f"{annotation!r} is not a type of Kafka's protocol")


class Member:
    """A field with its shape, its default and its parsed version ranges."""

    __slots__ = ("default", "default_kind", "field", "nullable", "shape", "tagged", "versions")

    def __init__(self, declared: Field, annotation: Any) -> None:
        self.field = declared
        self.shape = shape = Shape(annotation)
        self.versions = Versions(declared.versions)
        self.tagged = _NONE if declared.tag is None else Versions(declared.tagged or declared.versions)
        self.nullable = Versions(declared.nullable) if declared.nullable else _EVERY if shape.optional else _NONE
        if bool(self.nullable) != shape.optional and shape.kind is not Kind.RECORDS:
            raise TypeError(f"{declared.name}: nullable and the annotation contradict each other")
        self.default_kind = Default.VALUE
        self.default: Any = declared.default
        if self.default is _MISSING:
            if shape.kind is Kind.ARRAY:
                self.default_kind = Default.LIST
                self.default = list
            elif shape.struct is not None:
                self.default_kind = Default.STRUCT
                self.default = shape.struct
            else:
                self.default = _ZERO[shape.kind]


@cache
def members(cls: type[Struct]) -> tuple[Member, ...]:
    """The fields of a class in the order of the wire, joined with their annotations."""
    annotations: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        # Not base.__annotations__: where a metaclass has annotations too, that is another's from Python 3.14 on.
        annotations.update(get_annotations(base))
    return tuple(Member(declared, annotations[name]) for name, declared in cls.FIELDS.items())


def defaults(cls: type[Struct]) -> tuple[tuple[str, Callable[[], Any] | None, Any], ...]:
    """(name, what makes a new default or None, the default that all share) of each field."""
    rows: list[tuple[str, Callable[[], Any] | None, Any]] = []
    for member in members(cls):
        if member.default_kind is Default.VALUE:
            rows.append((member.field.name, None, member.default))
        else:
            rows.append((member.field.name, member.default, None))
    return (*rows, ("unknown_tags", None, ()))


class Op:
    """One step of a plan: a field that the version carries, an element of an array, or a field that it lacks."""

    __slots__ = (
        "compact",
        "default",
        "default_kind",
        "element",
        "ignorable",
        "kind",
        "name",
        "nullable",
        "size",
        "struct",
        "tag",
        "tagged",
        "versions",
    )

    def __init__(self, name: str, shape: Shape, version: int, flexible: bool, compact: bool) -> None:
        self.name = name
        self.kind = shape.kind
        self.compact = compact
        self.nullable = False
        self.tag = -1
        self.tagged = False
        self.default_kind = Default.VALUE
        self.default: Any = None
        self.ignorable = False
        self.versions = ""
        self.struct = struct_plan(shape.struct, version, flexible) if shape.struct is not None else None
        self.element = Op(name, shape.element, version, flexible, flexible) if shape.element is not None else None
        # The least bytes that the value takes; what a count is checked against before anything is allocated.
        self.size = self.struct.size if self.struct is not None else _SIZES[self.kind][compact]

    def make_default(self) -> Any:
        """The default; a new object where its message may change it."""
        if self.default_kind is Default.LIST:
            return []
        if self.default_kind is Default.STRUCT:
            assert self.struct is not None
            return self.struct.cls()
        return self.default


class Plan:
    """The layout of one class in one version.

    ``ops``: the fields in the order of the wire. ``tags``: the tagged fields, ascending. ``absent``: the fields that
    only other versions have. ``foreign_tags``: numbers that only other versions define. ``size``: the least bytes.
    """

    __slots__ = ("absent", "cls", "flexible", "foreign_tags", "name", "ops", "size", "slots", "tags", "version")

    ops: tuple[Op, ...]
    tags: tuple[Op, ...]
    absent: tuple[Op, ...]
    foreign_tags: frozenset[int]
    size: int

    def __init__(self, cls: type[Struct], version: int, flexible: bool) -> None:
        self.cls = cls
        self.name = cls.__qualname__
        self.version = version
        self.flexible = flexible
        self.slots = (*cls.FIELDS, "unknown_tags")
        ops: list[Op] = []
        tags: list[Op] = []
        absent: list[Op] = []
        for member in members(cls):
            declared = member.field
            op = Op(declared.name, member.shape, version, flexible, flexible and declared.compact)
            op.default_kind = member.default_kind
            op.default = member.default
            op.nullable = version in member.nullable and member.shape.optional
            op.ignorable = declared.ignorable
            op.versions = declared.versions
            if declared.tag is not None:
                op.tag = declared.tag
            if version not in member.versions:
                absent.append(op)
            elif version in member.tagged:
                op.tagged = True
                tags.append(op)
            else:
                if op.nullable and op.struct is not None:
                    op.size = 1
                ops.append(op)
        self.ops = tuple(ops)
        self.tags = tuple(sorted(tags, key=lambda op: op.tag))
        self.absent = tuple(absent)
        foreign = (op for op in (*ops, *absent) if op.tag >= 0 and not cls.FIELDS[op.name].lenient)
        self.foreign_tags = frozenset(op.tag for op in foreign)
        self.size = sum(op.size for op in ops) + flexible


@cache
def struct_plan(cls: type[Struct], version: int, flexible: bool) -> Plan:
    return Plan(cls, version, flexible)


def message_plan(cls: type[Message], version: int) -> Plan:
    """The plan of a message's version; UnsupportedError, naming the versions that there are, if it has no such one."""
    if version not in cls.VERSIONS:
        raise UnsupportedError(f"{cls.__name__} has no version {version}", expected=f"version {cls.VERSIONS}")
    return struct_plan(cls, version, version in cls.FLEXIBLE)


def _compiled(cls: type[Message], version: int) -> Any:
    """The plan as the selected interpreter wants it; kept with it, so that both twins can live in one process."""
    kernel = _twins.message
    try:
        return kernel.plans[cls, version]
    except KeyError:
        compiled = kernel.plans[cls, version] = kernel.compile_plan(message_plan(cls, version))
        return compiled


def decode(cls: type[Message], data: Buffer, version: int) -> Any:
    """The message that ``data`` holds, with nothing left over."""
    return _twins.message.decode(_compiled(cls, version), data)


def decode_prefix(cls: type[Message], data: Buffer, version: int) -> tuple[Any, memoryview]:
    """The message at the head of ``data``, and what follows it."""
    message, end = _twins.message.decode_prefix(_compiled(cls, version), data)
    return message, memoryview(data)[end:]


def encode(message: Message, version: int) -> bytes:
    encoded: bytes = _twins.message.encode(_compiled(type(message), version), message)
    return encoded
