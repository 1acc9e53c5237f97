"""The kernel's columns to pyarrow and back, without copying data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kafkawire.errors import EncodeError

try:
    import pyarrow as pa
except ImportError as error:  # pragma: no cover - the test environment has it
    raise ImportError("Arrow columns need pyarrow, which is not installed: pip install 'kafkawire[arrow]'") from error

if TYPE_CHECKING:
    from kafkawire._columns_py import Binary, Fixed

#: An array of any type; the stubs of pyarrow have no such thing.
Array = Any

HEADER = pa.struct([pa.field("key", pa.string()), pa.field("value", pa.binary())])
CODECS = pa.array(["none", "gzip", "snappy", "lz4", "zstd"])

#: The type of every column that read_columns knows.
TYPES: dict[str, pa.DataType] = {
    "offset": pa.int64(),
    "timestamp": pa.timestamp("ms", tz="UTC"),
    "timestamp_type": pa.int32(),
    "key": pa.binary(),
    "value": pa.binary(),
    "headers": pa.list_(HEADER),
    "producer_id": pa.int64(),
    "producer_epoch": pa.int16(),
    "sequence": pa.int32(),
    "partition_leader_epoch": pa.int32(),
    "is_transactional": pa.bool_(),
    "is_control": pa.bool_(),
    "compression": pa.dictionary(pa.int8(), pa.string()),
    # Of the format before 0.8 only.
    "inner_index": pa.int32(),
    "next_offset": pa.int64(),
}


def _buffer(data: Any) -> pa.Buffer | None:
    return None if data is None else pa.py_buffer(data)


def _binary(kind: pa.DataType, rows: int, column: Binary) -> Array:
    validity, offsets, data, nulls = column
    return pa.Array.from_buffers(kind, rows, [_buffer(validity), _buffer(offsets), _buffer(data)], nulls)


def _array(name: str, rows: int, column: Any) -> Array:
    kind = TYPES[name]
    if name == "headers":
        offsets, entries, keys, values = column
        children = [_binary(pa.string(), entries, keys), _binary(pa.binary(), entries, values)]
        pairs = pa.Array.from_buffers(HEADER, entries, [None], 0, children=children)
        return pa.Array.from_buffers(kind, rows, [None, _buffer(offsets)], 0, children=[pairs])
    if name in ("key", "value"):
        return _binary(kind, rows, column)
    fixed: Fixed = column
    validity, data, nulls = fixed
    if name == "compression":
        return pa.DictionaryArray.from_arrays(pa.Array.from_buffers(pa.int8(), rows, [None, _buffer(data)], 0), CODECS)
    return pa.Array.from_buffers(kind, rows, [_buffer(validity), _buffer(data)], nulls)


def to_record_batch(names: tuple[str, ...], rows: int, columns: dict[str, Any]) -> pa.RecordBatch:
    """The kernel's columns as a record batch of the types in TYPES, in the order of ``names``."""
    fields = [pa.field(name, TYPES[name]) for name in names]
    return pa.RecordBatch.from_arrays([_array(name, rows, columns[name]) for name in names], schema=pa.schema(fields))


# ---- and back ----

#: (validity or None, offsets, data, first row)
BinaryBuffers = tuple[Any, Any, Any, int]


def _empty(buffer: pa.Buffer | None) -> Any:
    return b"" if buffer is None else buffer


def _cast(array: Array, kind: pa.DataType, name: str) -> Array:
    """The array as ``kind``; raises EncodeError for values that it cannot hold."""
    try:
        return array.cast(kind)
    except pa.ArrowInvalid as error:
        raise EncodeError(f"the column {name} has values that do not fit: {error}", expected=str(kind)) from None


def _as_binary(array: Array, name: str) -> Array:
    """A column of bytes or text as binary with 32-bit offsets; Arrow shares the data where it can."""
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pa.types.is_null(array.type) or pa.types.is_string(array.type) or pa.types.is_binary(array.type):
        return array.cast(pa.binary())
    for known in (pa.types.is_large_binary, pa.types.is_large_string, pa.types.is_fixed_size_binary):
        if known(array.type):
            return _cast(array, pa.binary(), name)
    if str(array.type) in ("binary_view", "string_view"):
        return _cast(array, pa.binary(), name)
    raise EncodeError(f"the column {name} has the type {array.type}", expected="binary or string")


def binary_buffers(array: Array, name: str) -> BinaryBuffers:
    """The buffers of a column of bytes or text, for the kernel. Raises EncodeError for any other type."""
    array = _as_binary(array, name)
    validity, offsets, data = array.buffers()
    # An empty column may come without offsets.
    return validity if array.null_count else None, offsets or b"\0\0\0\0", _empty(data), array.offset


def number_buffers(array: Array, name: str) -> tuple[Any, int]:
    """The buffer of a column of int64 or timestamps (as milliseconds since the epoch), for the kernel: data, first row.

    Raises EncodeError for other types and for nulls.
    """
    if pa.types.is_timestamp(array.type):
        milliseconds = pa.timestamp("ms", tz=array.type.tz)
        # What is finer than a millisecond is cut off; what is beyond 64 bits of them is an error.
        finer = array.type.unit in ("us", "ns")
        array = array.cast(milliseconds, safe=False) if finer else _cast(array, milliseconds, name)
    elif not pa.types.is_integer(array.type):
        raise EncodeError(f"the column {name} has the type {array.type}", expected="an integer or a timestamp")
    if array.null_count:
        raise EncodeError(f"the column {name} has nulls", expected="none")
    array = _cast(array, pa.int64(), name)
    return _empty(array.buffers()[1]), array.offset


def header_buffers(array: Array) -> tuple[Any, Any, int, BinaryBuffers, BinaryBuffers, int]:
    """The buffers of a column list<struct<key, value>>: validity, offsets, first row, keys, values, entries.

    Raises EncodeError for other types, and for headers without a key.
    """
    if pa.types.is_map(array.type):
        array = array.cast(pa.list_(pa.struct([("key", array.type.key_type), ("value", array.type.item_type)])))
    if pa.types.is_null(array.type):
        array = array.cast(TYPES["headers"])
    if pa.types.is_large_list(array.type):
        array = array.cast(pa.list_(array.type.value_type))
    kind = array.type
    if not pa.types.is_list(kind) or not pa.types.is_struct(kind.value_type) or {
        field.name for field in kind.value_type
    } != {"key", "value"}:
        raise EncodeError(f"the column headers has the type {kind}", expected=str(TYPES["headers"]))
    validity, offsets = array.buffers()[:2]
    pairs = array.values
    keys, values = pairs.field("key"), pairs.field("value")
    used = array.flatten()
    if used.null_count or used.field("key").null_count:
        raise EncodeError("a header without a key", expected="a key for every header")
    if not pa.types.is_string(keys.type):
        keys = _cast(_as_binary(keys, "headers.key"), pa.string(), "headers.key")  # checks that it is UTF-8
    return (
        validity if array.null_count else None, offsets or b"\0\0\0\0", array.offset,
        binary_buffers(keys, "headers.key"), binary_buffers(values, "headers.value"), len(pairs),
    )
