"""The rows that Spark sees: names, order and types of Spark's own Kafka source, so that a query can move over.

==================  ===================================  ===========================================================
column              type                                 content
==================  ===================================  ===========================================================
key, value          binary                               null is null, empty is empty
topic, partition    string, int                          of the directory or the subscription
offset              bigint
timestamp           timestamp (µs, UTC)                  Kafka's milliseconds; "no timestamp" is -1 ms as in Spark's
                                                         own source, which is 1969-12-31 23:59:59.999 UTC
timestampType       int                                  0 CreateTime, 1 LogAppendTime, -1 none (magic 0)
headers             array<struct<key: string,            only with ``includeHeaders`` or when named in ``columns``;
                    value: binary>>                      null where a record has none
==================  ===================================  ===========================================================

The conversion from decoded columns to this shape stands here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    DataType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

_HEADER = StructType([StructField("key", StringType()), StructField("value", BinaryType())])
_ARROW_HEADER = pa.struct([pa.field("key", pa.string()), pa.field("value", pa.binary())])

_TYPES: dict[str, tuple[DataType, pa.DataType]] = {
    "key": (BinaryType(), pa.binary()),
    "value": (BinaryType(), pa.binary()),
    "topic": (StringType(), pa.string()),
    "partition": (IntegerType(), pa.int32()),
    "offset": (LongType(), pa.int64()),
    "timestamp": (TimestampType(), pa.timestamp("us", tz="UTC")),
    "timestampType": (IntegerType(), pa.int32()),
    "headers": (ArrayType(_HEADER), pa.list_(pa.field("element", _ARROW_HEADER))),
}

#: All columns, in the order of Spark's own Kafka source with ``includeHeaders``.
COLUMNS = tuple(_TYPES)

#: Only when named in ``columns``, and only of segments of 0.6 and 0.7: the number of a message inside of its wrapper.
INNER_INDEX = "innerIndex"
_TYPES[INNER_INDEX] = (IntegerType(), pa.int32())

#: Our column name for Spark's, for those that come from the decoder.
_DECODED = {
    "key": "key",
    "value": "value",
    "offset": "offset",
    "timestamp": "timestamp",
    "timestampType": "timestamp_type",
    "headers": "headers",
    INNER_INDEX: "inner_index",
}

_NO_TIMESTAMP = -1  # Kafka's own number for both a timestamp and a timestamp type that are not there


def spark_schema(columns: Sequence[str] = COLUMNS[:-1]) -> StructType:
    """Spark's schema of these columns, in this order; by default all but ``headers``."""
    return StructType([StructField(name, _TYPES[name][0]) for name in columns])


def arrow_schema(columns: Sequence[str] = COLUMNS[:-1]) -> pa.Schema:
    """The Arrow schema that Spark accepts for :func:`spark_schema` of the same columns (4.2 and later compare)."""
    return pa.schema([pa.field(name, _TYPES[name][1]) for name in columns])


def decoded_columns(columns: Sequence[str]) -> list[str]:
    """What the decoder has to produce for these columns of Spark: with its own names, offset if nothing else."""
    # A count of rows is needed even where only topic and partition are asked for.
    return [_DECODED[name] for name in columns if name in _DECODED] or ["offset"]


class SparkRows:
    """Gives the decoded columns of one topic-partition the shape that Spark asks for; one per task, not thread-safe.

    ``topic`` and ``partition``: None where they are not known, which gives null.
    """

    def __init__(self, columns: Sequence[str], topic: str | None, partition: int | None) -> None:
        self.schema = arrow_schema(columns)
        self.decoded = decoded_columns(columns)
        self._constants: dict[str, Any] = {
            "topic": pa.scalar(topic, pa.string()),
            "partition": pa.scalar(partition, pa.int32()),
        }
        self._repeated: dict[str, pa.Array[Any]] = {}

    def convert(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """A decoded batch in Spark's schema; binary data is not copied."""
        arrays = [self._column(batch, field) for field in self.schema]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    def _column(self, batch: pa.RecordBatch, field: pa.Field[Any]) -> pa.Array[Any]:
        if field.name in self._constants:
            return self._repeat(field.name, batch.num_rows)
        array = batch.column(_DECODED[field.name])
        if field.name == "timestamp":
            return _microseconds(array)
        if field.name == "timestampType":
            return array.fill_null(_NO_TIMESTAMP) if array.null_count else array
        # The list's element has another name in Arrow's default; same layout, nothing is copied.
        array = array if array.type == field.type else array.cast(field.type)
        return _null_where_empty(array) if field.name == "headers" else array

    def _repeat(self, name: str, rows: int) -> pa.Array[Any]:
        array = self._repeated.get(name)
        if array is None or len(array) < rows:
            array = self._repeated[name] = pa.repeat(self._constants[name], rows)
        return array.slice(0, rows)


def _null_where_empty(lists: Any) -> pa.Array[Any]:
    """As Spark's own source gives headers; the values are not copied."""
    empty: Any = pc.invert(pc.cast(pc.list_value_length(lists), pa.bool_()))
    offsets = pa.concat_arrays([lists.offsets])  # without the offset of a slice, which a mask does not go with
    nulled: pa.Array[Any] = pa.ListArray.from_arrays(offsets, lists.values, type=lists.type, mask=empty)
    return nulled


def _microseconds(milliseconds: pa.Array[Any]) -> pa.Array[Any]:
    if milliseconds.null_count:
        milliseconds = milliseconds.fill_null(pa.scalar(_NO_TIMESTAMP, pa.int64()).cast(milliseconds.type))
    try:
        return milliseconds.cast(pa.timestamp("us", tz="UTC"))
    except pa.ArrowInvalid as error:
        raise ValueError(
            f"a timestamp in milliseconds is too large for Spark's microseconds ({error}): "
            "leave the column out with the option columns"
        ) from None


def slices(batch: pa.RecordBatch, max_bytes: int) -> Iterator[pa.RecordBatch]:
    """The batch in parts of equal rows and about ``max_bytes`` bytes at the most; views, no copies."""
    rows = batch.num_rows
    step = max(rows * max_bytes // max(batch.nbytes, 1), 1)
    return (batch.slice(start, step) for start in range(0, rows, step))
