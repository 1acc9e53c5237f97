"""Messages to and from the JSON that Kafka's own converters write.

Names are in camel case; bytes and records are base64; a uuid is Kafka's unpadded URL-safe base64; tagged fields that
equal their default are absent, all other fields of the version are there.
"""

from __future__ import annotations

import base64
import binascii
import uuid
from typing import TYPE_CHECKING, Any, TypeVar

from kafkawire._message_ops import (
    Kind,
    ValueFault,
    absent_fault,
    encode_error,
    string_fault,
    tags_fault,
    value_fault,
)
from kafkawire.schema.plan import Op, Plan, message_plan

if TYPE_CHECKING:
    from kafkawire.schema.message import Message

M = TypeVar("M", bound="Message")

_NUMBERS = {
    Kind.INT8: range(-(1 << 7), 1 << 7),
    Kind.INT16: range(-(1 << 15), 1 << 15),
    Kind.INT32: range(-(1 << 31), 1 << 31),
    Kind.INT64: range(-(1 << 63), 1 << 63),
    Kind.UINT16: range(1 << 16),
    Kind.UINT32: range(1 << 32),
}


def uuid_text(value: uuid.UUID) -> str:
    """A uuid as Kafka prints it: 22 characters of URL-safe base64."""
    return base64.urlsafe_b64encode(value.bytes).rstrip(b"=").decode()


def uuid_value(text: str) -> uuid.UUID:
    """The uuid of its 22 characters; ValueError if they are none."""
    return uuid.UUID(bytes=base64.b64decode(text + "==", altchars=b"-_", validate=True))


def to_json(message: Message, version: int) -> dict[str, Any]:
    """See :meth:`Message.to_json`."""
    plan = message_plan(type(message), version)
    try:
        return _struct_to_json(message, plan)
    except ValueFault as fault:
        raise encode_error(fault, plan.name) from None


def from_json(cls: type[M], document: Any, version: int) -> M:
    """See :meth:`Message.from_json`."""
    plan = message_plan(cls, version)
    try:
        message: M = _struct_from_json(document, plan)
    except ValueFault as fault:
        raise encode_error(fault, plan.name) from None
    return message


def _struct_to_json(value: Any, plan: Plan) -> dict[str, Any]:
    if not isinstance(value, plan.cls):
        raise value_fault(Kind.STRUCT, value, plan.name)
    if value.unknown_tags and not plan.flexible:
        raise tags_fault(f"unknown tags in version {plan.version}, which has no tagged fields")
    for op in plan.absent:
        held = getattr(value, op.name)
        if not op.ignorable and held != op.make_default():
            raise absent_fault(held, op.versions, plan.version).at(op.name)
    document = {}
    for op in plan.ops + plan.tags:
        held = getattr(value, op.name)
        if op.tagged and held == op.make_default():
            continue
        try:
            document[plan.cls.FIELDS[op.name].json_name] = _to_json(held, op)
        except ValueFault as fault:
            raise fault.at(op.name) from None
    return document


def _to_json(value: Any, op: Op) -> Any:
    if value is None and op.nullable:
        return None
    kind = op.kind
    if kind is Kind.STRUCT:
        assert op.struct is not None
        return _struct_to_json(value, op.struct)
    if kind is Kind.ARRAY:
        if not isinstance(value, (list, tuple)):
            raise value_fault(kind, value)
        assert op.element is not None
        documents = []
        for index, one in enumerate(value):
            try:
                documents.append(_to_json(one, op.element))
            except ValueFault as fault:
                raise fault.at(index) from None
        return documents
    if kind in (Kind.BYTES, Kind.RECORDS) and isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode()
    if kind is Kind.UUID and isinstance(value, uuid.UUID):
        return uuid_text(value)
    return _checked(value, kind)


def _checked(value: Any, kind: Kind) -> Any:
    """A value that is the same in JSON and in Python."""
    if kind in _NUMBERS:
        if isinstance(value, int) and value in _NUMBERS[kind]:
            return value
    elif kind is Kind.FLOAT64:
        if isinstance(value, (float, int)):
            return float(value)
    elif kind is Kind.BOOL:
        if isinstance(value, bool):
            return value
    elif kind is Kind.STRING and isinstance(value, str):
        size = len(value.encode(errors="surrogatepass"))
        if size > 32767:
            raise string_fault(value, size)
        return value
    raise value_fault(kind, value)


def _struct_from_json(document: Any, plan: Plan) -> Any:
    if not isinstance(document, dict):
        raise value_fault(Kind.STRUCT, document, "JSON object")
    left = dict(document)
    values = {}
    for op in plan.ops + plan.tags:
        declared = plan.cls.FIELDS[op.name]
        name = next((name for name in (declared.json_name, *declared.json_names) if name in left), None)
        if name is None:
            if op.tagged:
                continue
            raise ValueFault("the field is missing", f"a value for {declared.json_name}").at(op.name)
        try:
            values[op.name] = _from_json(left.pop(name), op)
        except ValueFault as fault:
            raise fault.at(op.name) from None
    if left:
        raise ValueFault("the field is not known", f"a field of version {plan.version}").at(str(next(iter(left))))
    return plan.cls(**values)


def _from_json(document: Any, op: Op) -> Any:
    if document is None and op.nullable:
        return None
    kind = op.kind
    if kind is Kind.STRUCT:
        assert op.struct is not None
        return _struct_from_json(document, op.struct)
    if kind is Kind.ARRAY:
        if not isinstance(document, list):
            raise value_fault(kind, document)
        assert op.element is not None
        values = []
        for index, one in enumerate(document):
            try:
                values.append(_from_json(one, op.element))
            except ValueFault as fault:
                raise fault.at(index) from None
        return values
    try:
        if kind in (Kind.BYTES, Kind.RECORDS) and isinstance(document, str):
            return base64.b64decode(document, validate=True)
        if kind is Kind.UUID and isinstance(document, str):
            return uuid_value(document)
    except (ValueError, binascii.Error):
        raise ValueFault(f"{document!r} is not base64 of that", "base64") from None
    return _checked(document, kind)
