"""Declaring messages: typed classes, and the plans that the interpreters walk."""

from kafkawire.schema.fields import (
    ZERO_UUID,
    Bool,
    Bytes,
    Float64,
    Int8,
    Int16,
    Int32,
    Int64,
    Records,
    String,
    Struct,
    UInt16,
    UInt32,
    Uuid,
    Versions,
    field,
)
from kafkawire.schema.message import Message, Request, Response

__all__ = [
    "ZERO_UUID",
    "Bool",
    "Bytes",
    "Float64",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "Message",
    "Records",
    "Request",
    "Response",
    "String",
    "Struct",
    "UInt16",
    "UInt32",
    "Uuid",
    "Versions",
    "field",
]
