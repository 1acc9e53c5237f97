"""split_schema_id: Confluent's two forms of naming the schema, against bytes made by hand."""

from __future__ import annotations

import struct
from typing import Any
from uuid import UUID

import pytest

pytest.importorskip("pyspark")

from pyspark.sql import Row, SparkSession

from kafkawire.spark import OptionError, split_schema_id

GUID = UUID("89791762-2336-4186-9674-299b90a802e2")
HEADERS = "array<struct<key: string, value: binary>>"


def split(spark: SparkSession, values: list[Any], **options: Any) -> list[Any]:
    df = spark.createDataFrame([(None if value is None else bytearray(value),) for value in values], "value binary")
    found = df.select(split_schema_id("value", **options).alias("found"))
    assert found.schema["found"].dataType.simpleString() == "struct<schema_id:int,schema_guid:string,payload:binary>"
    return [plain(row.found) for row in found.collect()]


def plain(row: Row | None) -> tuple[Any, ...] | None:
    return None if row is None else (row.schema_id, row.schema_guid, bytes(row.payload))


def prefix(number: int) -> bytes:
    return struct.pack(">bi", 0, number)


def test_ids_before_the_payload(spark: SparkSession) -> None:
    values = [prefix(1) + b"payload", prefix(2**31 - 1), prefix(-2) + b"\x00", prefix(0x01020304) + bytes(300)]
    assert split(spark, values) == [
        (1, None, b"payload"),
        (2**31 - 1, None, b""),
        (-2, None, b"\x00"),
        (0x01020304, None, bytes(300)),
    ]


def test_values_without_an_id(spark: SparkSession) -> None:
    values = [None, b"", b"\x00\x00\x00\x01", b'{"a": 1}', b"\x01" + GUID.bytes + b"x"]
    assert split(spark, values) == [None, *((None, None, value) for value in values[1:])]
    assert split(spark, [None, prefix(7)], missing="error") == [None, (7, None, b"")]
    with pytest.raises(Exception, match="no schema id: it begins with the bytes 0x7B22612220"):
        split(spark, [b'{"a" : 1}'], missing="error")


def test_ids_in_headers(spark: SparkSession) -> None:
    def named(*pairs: tuple[str, bytes | None]) -> list[tuple[str, bytearray | None]]:
        return [(key, None if value is None else bytearray(value)) for key, value in pairs]

    guid = b"\x01" + GUID.bytes
    cases: list[tuple[Any, Any, Any]] = [
        (b"payload", named(("__value_schema_id", guid)), (None, str(GUID), b"payload")),
        # Protobuf's message indexes behind it
        (b"", named(("a", b"b"), ("__value_schema_id", guid + b"\x00")), (None, str(GUID), b"")),
        (prefix(5) + b"p", named(("__value_schema_id", guid)), (None, str(GUID), prefix(5) + b"p")),
        (b"payload", named(("__value_schema_id", prefix(9))), (9, None, b"payload")),
        (b"x", named(("__value_schema_id", prefix(1)), ("__value_schema_id", guid)), (None, str(GUID), b"x")),
        (prefix(5) + b"p", named(("__key_schema_id", guid)), (5, None, b"p")),
        (prefix(5) + b"p", named(("__value_schema_id", None)), (5, None, b"p")),
        (prefix(5) + b"p", None, (5, None, b"p")),
        (prefix(5) + b"p", [], (5, None, b"p")),
        (prefix(5) + b"p", named(("__value_schema_id", guid[:9])), (None, None, prefix(5) + b"p")),
        (guid + b"x", [], (None, None, guid + b"x")),
        (None, named(("__value_schema_id", guid)), None),
    ]
    data = [
        (number, None if value is None else bytearray(value), headers)
        for number, (value, headers, _) in enumerate(cases)
    ]
    df = spark.createDataFrame(data, f"number int, value binary, headers {HEADERS}")
    rows = df.select("number", split_schema_id("value", "headers").alias("found")).collect()
    assert [plain(row.found) for row in sorted(rows, key=lambda row: row.number)] == [
        expected for _, _, expected in cases
    ]

    keys = df.where("number = 5").select(split_schema_id(df.value, df.headers, part="key").alias("found"))
    assert [plain(row.found) for row in keys.collect()] == [(None, str(GUID), prefix(5) + b"p")]
    good = df.where("number < 9").select(split_schema_id("value", "headers", missing="error").alias("found"))
    assert len(good.collect()) == 9
    with pytest.raises(Exception, match="no schema id: it begins with the bytes 0x0189791762"):
        df.where("number = 9").select(split_schema_id("value", "headers", missing="error")).collect()


def test_options() -> None:
    with pytest.raises(OptionError, match="part: 'both' is neither key nor value"):
        split_schema_id("value", part="both")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="missing: 'drop' is neither null nor error"):
        split_schema_id("value", missing="drop")  # type: ignore[arg-type]
