"""Values that were written with a Confluent Schema Registry: the schema's id and the payload taken apart.

Only Spark's own expressions are used: nothing goes through Python, and plans stay open to the optimizer. What the
payload means is for others, such as ``from_avro`` with the schema of that id.

Source: Confluent's "Formats, Serializers, and Deserializers", wire format; the class SchemaId of its serializers.
"""

from __future__ import annotations

from typing import Literal

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType

from kafkawire.spark.given import OptionError

_HEADERS = {"key": "__key_schema_id", "value": "__value_schema_id"}
_ID, _GUID = b"\x00", b"\x01"  # the magic byte says what stands behind it: 4 bytes of id, or 16 of GUID
_ID_SIZE, _GUID_SIZE = 5, 17


def split_schema_id(
    column: Column | str,
    headers: Column | str | None = None,
    *,
    part: Literal["key", "value"] = "value",
    missing: Literal["null", "error"] = "null",
) -> Column:
    """A binary column as ``struct<schema_id: int, schema_guid: string, payload: binary>``::

        records.withColumn("value", split_schema_id("value")).select("value.schema_id", "value.payload")

    The id stands before the payload: a byte 0, and four bytes big-endian. With ``headers``, the column of that name,
    it may also be in the record's last header ``__value_schema_id`` (``__key_schema_id`` with ``part="key"``), which
    comes first then and leaves the column as it is: a byte 1 and a GUID of 16 bytes, given as text in lower case, or a
    byte 0 and an id.

    Null gives null. Where there is neither id nor GUID both are null and the payload is the whole value; with
    ``missing="error"`` the query fails then, and says how the value or the header begins.

    Protobuf has a list of message indexes between id and message, which stays at the start of the payload: a single
    byte 0 where the message is the first of its schema. Behind a GUID in a header it is part of the header.
    """
    if part not in _HEADERS:
        raise OptionError(f"part: {part!r} is neither key nor value")
    if missing not in ("null", "error"):
        raise OptionError(f"missing: {missing!r} is neither null nor error")
    value = F.col(column) if isinstance(column, str) else column
    prefixed = _begins(value, _ID, _ID_SIZE)
    behind = F.substring(value, _ID_SIZE + 1, 0x7FFFFFFF)
    if headers is None:
        fields = [
            F.when(prefixed, _id(value)).otherwise(_none(value, missing, "int")),
            F.lit(None).cast("string"),
            F.when(prefixed, behind).otherwise(value),
        ]
    else:
        named = F.filter(
            F.col(headers) if isinstance(headers, str) else headers, lambda one: one["key"] == _HEADERS[part]
        )
        header = F.try_element_at(named, F.lit(-1))["value"]
        in_header = header.isNotNull()
        source = F.coalesce(header, value)
        has_guid = in_header & _begins(header, _GUID, _GUID_SIZE)
        fields = [
            F.when(_begins(source, _ID, _ID_SIZE), _id(source)).when(~has_guid, _none(source, missing, "int")),
            F.when(has_guid, _guid(header)),
            F.when(~in_header & prefixed, behind).otherwise(value),
        ]
    names = ("schema_id", "schema_guid", "payload")
    found = F.struct(*(field.alias(name) for field, name in zip(fields, names, strict=True)))
    return F.when(value.isNotNull(), found)


def _begins(data: Column, magic: bytes, size: int) -> Column:
    return (F.octet_length(data) >= size) & (F.substring(data, 1, 1) == F.lit(magic).cast(BinaryType()))


def _id(data: Column) -> Column:
    """The four bytes behind the magic as Java's int."""
    unsigned = F.conv(F.hex(F.substring(data, 2, 4)), 16, 10).cast("bigint")
    return F.when(unsigned < 1 << 31, unsigned).otherwise(unsigned - (1 << 32)).cast("int")


def _guid(data: Column) -> Column:
    digits = F.lower(F.hex(F.substring(data, 2, 16)))
    groups = ((1, 8), (9, 4), (13, 4), (17, 4), (21, 12))
    return F.concat_ws("-", *(F.substring(digits, start, length) for start, length in groups))


def _none(data: Column, missing: str, kind: str) -> Column:
    if missing == "null":
        return F.lit(None).cast(kind)
    text = F.concat(F.lit("no schema id: it begins with the bytes 0x"), F.hex(F.substring(data, 1, _ID_SIZE)))
    return F.raise_error(text).cast(kind)
