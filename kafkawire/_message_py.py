"""The plan interpreter for messages, pure twin: what ``_message`` does, to the same results and the same errors.

``compile_plan`` turns each op into two functions, one that reads a value and one that writes it; decoding and encoding
walk those. Types are as deep as their declarations: no input makes the interpreter recurse further.
"""

from __future__ import annotations

import struct
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kafkawire._message_ops import (
    Default,
    Kind,
    MessageFault,
    ValueFault,
    absent_fault,
    check_unknown_tag,
    decode_error,
    encode_error,
    size_fault,
    string_fault,
    tags_fault,
    value_fault,
)

if TYPE_CHECKING:
    from kafkawire.schema.plan import Op, Plan

Read = Callable[["_Cursor"], Any]
Write = Callable[[bytearray, Any], None]

_INT32_MAX = 2147483647
_STRING_MAX = 32767

_FIXED = {
    Kind.INT8: struct.Struct(">b"),
    Kind.INT16: struct.Struct(">h"),
    Kind.INT32: struct.Struct(">i"),
    Kind.INT64: struct.Struct(">q"),
    Kind.UINT16: struct.Struct(">H"),
    Kind.UINT32: struct.Struct(">I"),
    Kind.FLOAT64: struct.Struct(">d"),
}
_INT8, _INT16, _INT32 = _FIXED[Kind.INT8], _FIXED[Kind.INT16], _FIXED[Kind.INT32]


class _DecodeFault(Exception):
    """A fault with its operands; each level that it leaves puts its step before the path."""

    def __init__(self, fault: int, position: int, a: int = 0, b: int = 0) -> None:
        super().__init__()
        self.fault = fault
        self.position = position
        self.a = a
        self.b = b
        self.path: list[str | int] = []


class _Cursor:
    """Walks ``data[pos:end]``; ``end`` moves in while a tagged field is read."""

    __slots__ = ("data", "end", "pos", "size")

    def __init__(self, data: memoryview) -> None:
        self.data = data
        self.pos = 0
        self.end = self.size = len(data)

    def ends(self, at: int, needed: int, left: int) -> _DecodeFault:
        fault = MessageFault.END if self.end == self.size else MessageFault.WINDOW_END
        return _DecodeFault(fault, at, needed, left)

    def take(self, size: int) -> int:
        start = self.pos
        if size > self.end - start:
            raise self.ends(start, size, self.end - start)
        self.pos = start + size
        return start

    def uvarint(self) -> int:
        """An unsigned varint of 32 bits."""
        start = at = self.pos
        value = shift = 0
        while True:
            if at >= self.end:
                raise self.ends(start, at - start + 1, self.end - start)
            byte = self.data[at]
            at += 1
            if shift == 28 and byte >> 4:
                raise _DecodeFault(MessageFault.VARINT_LONG, start, 32)
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                self.pos = at
                return value
            shift += 7

    def length(self, prefix: struct.Struct | None) -> int:
        """The length after the cursor, -1 for null: of a fixed width, or compact without a ``prefix``."""
        at = self.pos
        if prefix is None:
            size = self.uvarint() - 1
            if size > _INT32_MAX:
                raise _DecodeFault(MessageFault.LENGTH_LARGE, at, size)
        else:
            (size,) = prefix.unpack_from(self.data, self.take(prefix.size))
            if size < -1:
                raise _DecodeFault(MessageFault.LENGTH_NEGATIVE, at, size)
        return int(size)


class CompiledPlan:
    """A plan with the functions that read and write its ops."""

    __slots__ = ("absent", "cls", "flexible", "foreign_tags", "known_tags", "name", "ops", "tags", "version")

    def __init__(self, plan: Plan) -> None:
        self.cls = plan.cls
        self.name = plan.name
        self.version = plan.version
        self.flexible = plan.flexible
        self.ops = tuple((op.name, *_functions(op)) for op in plan.ops)
        self.tags = {op.tag: (op, *_functions(op, tagged=True)) for op in plan.tags}
        self.absent = plan.absent
        self.foreign_tags = plan.foreign_tags
        self.known_tags = self.foreign_tags | self.tags.keys()


plans: dict[tuple[type, int], CompiledPlan] = {}
_structs: dict[Plan, CompiledPlan] = {}


def compile_plan(plan: Plan) -> CompiledPlan:
    """The plan as this interpreter walks it."""
    compiled = _structs.get(plan)
    if compiled is None:
        compiled = _structs[plan] = CompiledPlan(plan)
    return compiled


def decode(plan: CompiledPlan, data: Any) -> Any:
    """The message that ``data`` holds; CorruptError if bytes are left over."""
    message, end = decode_prefix(plan, data)
    left = memoryview(data).nbytes - end
    if left:
        raise decode_error(MessageFault.TRAILING, left, 0, end, [plan.name])
    return message


def decode_prefix(plan: CompiledPlan, data: Any) -> tuple[Any, int]:
    """The message at the head of ``data``, and where it ends."""
    view = memoryview(data)
    if not view.c_contiguous:
        raise BufferError("memoryview: underlying buffer is not C-contiguous")
    cursor = _Cursor(view.cast("B"))
    try:
        return _read_struct(cursor, plan), cursor.pos
    except _DecodeFault as fault:
        raise decode_error(fault.fault, fault.a, fault.b, fault.position, [plan.name, *fault.path]) from None


def encode(plan: CompiledPlan, message: Any) -> bytes:
    """The message's bytes."""
    out = bytearray()
    try:
        _write_struct(out, message, plan)
    except ValueFault as fault:
        raise encode_error(fault, plan.name) from None
    return bytes(out)


# Reading


def _read_struct(cursor: _Cursor, plan: CompiledPlan) -> Any:
    target = plan.cls.__new__(plan.cls)
    for name, read, _ in plan.ops:
        try:
            setattr(target, name, read(cursor))
        except _DecodeFault as fault:
            fault.path.insert(0, name)
            raise
    for op in plan.absent:
        setattr(target, op.name, op.make_default())
    target.unknown_tags = _read_tags(cursor, plan, target) if plan.flexible else ()
    return target


def _read_tags(cursor: _Cursor, plan: CompiledPlan, target: Any) -> tuple[tuple[int, bytes], ...]:
    unknown: list[tuple[int, bytes]] = []
    missing = dict(plan.tags)
    before = -1
    for _ in range(cursor.uvarint()):
        at = cursor.pos
        tag = cursor.uvarint()
        if tag <= before:
            raise _DecodeFault(MessageFault.TAG_ORDER, at, tag, before)
        before = tag
        if tag in plan.foreign_tags:
            raise _DecodeFault(MessageFault.TAG_VERSION, at, tag)
        size = cursor.uvarint()
        start = cursor.take(size)
        known = missing.pop(tag, None)
        if known is None:
            unknown.append((tag, bytes(cursor.data[start : start + size])))
            continue
        op, read, _write = known
        outer, cursor.pos, cursor.end = cursor.end, start, start + size
        try:
            setattr(target, op.name, read(cursor))
            if cursor.pos != cursor.end:
                raise _DecodeFault(MessageFault.TAG_SIZE, start, size, cursor.pos - start)
        except _DecodeFault as fault:
            fault.path.insert(0, op.name)
            raise
        cursor.end = outer
    for op, _read, _write in missing.values():
        setattr(target, op.name, op.make_default())
    return tuple(unknown)


# Writing


def _write_uvarint(out: bytearray, value: int) -> None:
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


def _is_default(op: Op, value: Any) -> bool:
    if op.default_kind is Default.LIST:
        return isinstance(value, (list, tuple)) and not value
    return bool(value == op.make_default())


_UNSET: Any = object()


def _get(target: Any, name: str) -> Any:
    value = getattr(target, name, _UNSET)
    if value is _UNSET:
        raise ValueFault("the field is not set", "a value").at(name)
    return value


def _write_struct(out: bytearray, target: Any, plan: CompiledPlan) -> None:
    if not isinstance(target, plan.cls):
        raise value_fault(Kind.STRUCT, target, plan.name)
    for op in plan.absent:
        if not op.ignorable:
            value = _get(target, op.name)
            if not _is_default(op, value):
                raise absent_fault(value, op.versions, plan.version).at(op.name)
    for name, _, write in plan.ops:
        value = _get(target, name)
        try:
            write(out, value)
        except ValueFault as fault:
            raise fault.at(name) from None
    _write_tags(out, target, plan)


def _write_tags(out: bytearray, target: Any, plan: CompiledPlan) -> None:
    unknown = _get(target, "unknown_tags")
    if not isinstance(unknown, (list, tuple)):
        raise tags_fault(f"a {type(unknown).__name__}")
    if not plan.flexible:
        if unknown:
            raise tags_fault(f"unknown tags in version {plan.version}, which has no tagged fields")
        return
    fields: list[tuple[int, Op | None, Any, Any]] = []
    for tag, (op, _, write) in plan.tags.items():
        value = _get(target, op.name)
        if not _is_default(op, value):
            fields.append((tag, op, write, value))
    before = -1
    for pair in unknown:
        before = check_unknown_tag(pair, before, plan.known_tags)
        fields.append((before, None, None, pair[1]))
    fields.sort(key=lambda entry: entry[0])
    _write_uvarint(out, len(fields))
    for tag, known, write, value in fields:
        content = value
        if known is not None:
            content = bytearray()
            try:
                write(content, value)
            except ValueFault as fault:
                raise fault.at(known.name) from None
        _write_uvarint(out, tag)
        _write_uvarint(out, len(content))
        out += content


# The functions of an op


def _functions(op: Op, tagged: bool = False) -> tuple[Read, Write]:
    """How the op's value is read and written."""
    kind = op.kind
    if kind in _FIXED:
        return _fixed(kind, _FIXED[kind])
    if kind is Kind.BOOL:
        return _read_bool, _write_bool
    if kind is Kind.UUID:
        return _read_uuid, _write_uuid
    if kind is Kind.STRUCT:
        return _struct(op, tagged)
    prefix = None if op.compact else _INT16 if kind is Kind.STRING else _INT32
    if kind is Kind.STRING:
        return _string(prefix, op.nullable)
    if kind is Kind.ARRAY:
        return _array(op, prefix)
    return _bytes(kind, prefix, op.nullable)


def _fixed(kind: Kind, packer: struct.Struct) -> tuple[Read, Write]:
    unpack_from, pack, size = packer.unpack_from, packer.pack, packer.size
    types = (float, int) if kind is Kind.FLOAT64 else int

    def read(cursor: _Cursor) -> Any:
        return unpack_from(cursor.data, cursor.take(size))[0]

    def write(out: bytearray, value: Any) -> None:
        if not isinstance(value, types):
            raise value_fault(kind, value)
        try:
            out += pack(value)
        except (struct.error, OverflowError):
            raise value_fault(kind, value) from None

    return read, write


def _read_bool(cursor: _Cursor) -> bool:
    return cursor.data[cursor.take(1)] != 0


def _write_bool(out: bytearray, value: Any) -> None:
    if not isinstance(value, bool):
        raise value_fault(Kind.BOOL, value)
    out.append(value)


def _read_uuid(cursor: _Cursor) -> uuid.UUID:
    start = cursor.take(16)
    return uuid.UUID(bytes=bytes(cursor.data[start : start + 16]))


def _write_uuid(out: bytearray, value: Any) -> None:
    if not isinstance(value, uuid.UUID):
        raise value_fault(Kind.UUID, value)
    out += value.bytes


def _write_length(out: bytearray, prefix: struct.Struct | None, size: int) -> None:
    if size > _INT32_MAX:
        raise size_fault(size)
    if prefix is None:
        _write_uvarint(out, size + 1)
    else:
        out += prefix.pack(size)


def _string(prefix: struct.Struct | None, nullable: bool) -> tuple[Read, Write]:
    def read(cursor: _Cursor) -> str | None:
        at = cursor.pos
        size = cursor.length(prefix)
        if size < 0:
            if nullable:
                return None
            raise _DecodeFault(MessageFault.NULL, at)
        if size > _STRING_MAX:
            raise _DecodeFault(MessageFault.STRING_LONG, at, size)
        start = cursor.take(size)
        try:
            return str(cursor.data[start : start + size], "utf-8")
        except UnicodeDecodeError:
            raise _DecodeFault(MessageFault.UTF8, start) from None

    def write(out: bytearray, value: Any) -> None:
        if value is None and nullable:
            _write_length(out, prefix, -1)
            return
        if not isinstance(value, str):
            raise value_fault(Kind.STRING, value)
        try:
            encoded = value.encode()
        except UnicodeEncodeError:
            raise string_fault(value, -1) from None
        if len(encoded) > _STRING_MAX:
            raise string_fault(value, len(encoded))
        _write_length(out, prefix, len(encoded))
        out += encoded

    return read, write


def _bytes(kind: Kind, prefix: struct.Struct | None, nullable: bool) -> tuple[Read, Write]:
    def read(cursor: _Cursor) -> bytes | memoryview | None:
        at = cursor.pos
        size = cursor.length(prefix)
        if size < 0:
            if nullable:
                return None
            raise _DecodeFault(MessageFault.NULL, at)
        start = cursor.take(size)
        view = cursor.data[start : start + size]
        return view if kind is Kind.RECORDS else bytes(view)

    def write(out: bytearray, value: Any) -> None:
        if value is None and nullable:
            _write_length(out, prefix, -1)
            return
        try:
            view = memoryview(value)
        except TypeError:
            raise value_fault(kind, value) from None
        _write_length(out, prefix, view.nbytes)
        out += view.cast("B") if view.contiguous else view.tobytes()

    return read, write


def _array(op: Op, prefix: struct.Struct | None) -> tuple[Read, Write]:
    element = op.element
    assert element is not None
    nullable, least = op.nullable, element.size
    read_one, write_one = _functions(element)

    def read(cursor: _Cursor) -> list[Any] | None:
        at = cursor.pos
        count = cursor.length(prefix)
        if count < 0:
            if nullable:
                return None
            raise _DecodeFault(MessageFault.NULL, at)
        left = cursor.end - cursor.pos
        if count * least > left:
            raise cursor.ends(at, count * least, left)
        values: list[Any] = []
        try:
            for _ in range(count):
                values.append(read_one(cursor))
        except _DecodeFault as fault:
            fault.path.insert(0, len(values))
            raise
        return values

    def write(out: bytearray, value: Any) -> None:
        if value is None and nullable:
            _write_length(out, prefix, -1)
            return
        if not isinstance(value, (list, tuple)):
            raise value_fault(Kind.ARRAY, value)
        _write_length(out, prefix, len(value))
        for index, one in enumerate(value):
            try:
                write_one(out, one)
            except ValueFault as fault:
                raise fault.at(index) from None

    return read, write


def _struct(op: Op, tagged: bool) -> tuple[Read, Write]:
    assert op.struct is not None
    plan = compile_plan(op.struct)
    nullable = op.nullable

    def read(cursor: _Cursor) -> Any:
        if nullable:
            at = cursor.pos
            if tagged:
                if cursor.uvarint() == 0:
                    return None
            else:
                (present,) = _INT8.unpack_from(cursor.data, cursor.take(1))
                if present == -1:
                    return None
                if present < 0:
                    raise _DecodeFault(MessageFault.PRESENCE, at, present)
        return _read_struct(cursor, plan)

    def write(out: bytearray, value: Any) -> None:
        if nullable:
            if value is None:
                out.append(0 if tagged else 0xFF)
                return
            out.append(1)
        _write_struct(out, value, plan)

    return read, write
