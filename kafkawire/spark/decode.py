"""Binary columns of record bytes as rows, over ``mapInArrow``: for PySpark 3.5, and for files that Spark lists."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import BinaryType, StructType

import kafkawire as kw
from kafkawire.spark.batches import RecordReader
from kafkawire.spark.files import topic_partition
from kafkawire.spark.given import OptionError
from kafkawire.spark.options import ReadOptions, parse_columns
from kafkawire.spark.schema import spark_schema


def decode(
    df: DataFrame,
    column: str,
    *,
    columns: Sequence[str] | None = None,
    include_headers: bool = False,
    keep: Sequence[str] = (),
    path_column: str = "path",
    rows_per_batch: int = ReadOptions.rows_per_batch,
    bytes_per_batch: int = ReadOptions.bytes_per_batch,
    check_crc: bool = True,
    skip_corrupt: bool = False,
    include_control: bool = False,
    max_decompressed_bytes: int = ReadOptions.max_decompressed_bytes,
    format: Literal["auto", "v07"] = "auto",
) -> DataFrame:
    """Every record in the binary ``column`` as a row, in the schema of Spark's own Kafka source.

    A value is a segment file, a fetch response's records or any other run of whole record batches of any format; null
    gives no rows. Typically ``decode(spark.read.format("binaryFile").load("s3a://.../*/*.log"), "content")``.

    ``columns``: of :data:`kafkawire.spark.COLUMNS`, in this order. ``keep``: other columns of ``df``, repeated beside
    each of a value's records and put first; all others are dropped. ``path_column``: where a string column of this
    name is there and its value ends in ``topic-partition/file``, it gives ``topic`` and ``partition``, else null.
    ``format``: "v07" for messages of Kafka 0.6 and 0.7, which cannot be told from later ones by their bytes; "auto"
    takes for these what comes from a path that ends in ``.kafka``. Their offsets are positions, counted from the number
    in the path's file name, or from 0. The rest is as in :class:`kafkawire.spark.options.ReadOptions`.

    Spark sends ``spark.sql.execution.arrow.maxRecordsPerBatch`` rows at once to Python, 10,000 by default: set it to
    a few where each row is a segment file.
    """
    fields = {field.name: field for field in df.schema.fields}
    options = ReadOptions(
        columns=parse_columns(",".join(columns) if columns is not None else None, include_headers),
        rows_per_batch=rows_per_batch,
        bytes_per_batch=bytes_per_batch,
        check_crc=check_crc,
        skip_corrupt=skip_corrupt,
        include_control=include_control,
        max_decompressed_bytes=max_decompressed_bytes,
    )
    if format not in ("auto", "v07"):
        raise OptionError(f"format: {format!r} is neither auto nor v07")
    for name in (column, *keep):
        if name not in fields:
            raise OptionError(f"{name}: the DataFrame has no such column; it has {', '.join(fields)}")
    if not isinstance(fields[column].dataType, BinaryType):
        raise OptionError(f"{column}: a column of {fields[column].dataType.simpleString()}, binary is needed")
    doubled = [name for name in keep if name in options.columns]
    if doubled:
        raise OptionError(f"keep: {', '.join(doubled)} would be there twice; rename it, or leave it out of columns")

    path = path_column if path_column in fields and path_column != column else None
    wanted = list(dict.fromkeys([column, *([path] if path else []), *keep]))
    schema = StructType([*(fields[name] for name in keep), *spark_schema(options.columns).fields])
    return df.select(wanted).mapInArrow(_decoder(options, column, path, tuple(keep), format == "v07"), schema)


def _decoder(
    options: ReadOptions, column: str, path_column: str | None, keep: tuple[str, ...], ancient: bool
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def decode_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            contents = batch.column(column)
            paths = batch.column(path_column) if path_column else None
            for index in range(batch.num_rows):
                if not contents[index].is_valid:
                    continue
                path = paths[index].as_py() if paths is not None else None
                reader = RecordReader(options, path or f"column {column}", *_owner(path))
                kept = [(batch.column(name)[index], batch.schema.field(name)) for name in keep]
                data = memoryview(contents[index].as_buffer())
                for rows in reader.read(_columns_of(data, path, ancient)):
                    yield _beside(kept, rows)

    return decode_batches


def _columns_of(data: memoryview, path: str | None, ancient: bool) -> Callable[..., Iterator[pa.RecordBatch]]:
    """The iter_columns of the data's format, bound to it."""
    name, suffix = os.path.splitext(os.path.basename(path or ""))
    if not ancient and suffix != ".kafka":
        return partial(kw.iter_columns, data)
    base = int(name) if name.isascii() and name.isdigit() else 0

    def iter_columns(max_rows: int, control: bool, **options: Any) -> Iterator[pa.RecordBatch]:
        return kw.ancient.v07.iter_columns(data, max_rows, base, **options)  # there are no control records

    return iter_columns


def _owner(path: str | None) -> tuple[str | None, int | None]:
    owner = topic_partition(os.path.dirname(unquote(urlsplit(path).path))) if path else None
    return owner or (None, None)


def _beside(kept: list[tuple[Any, pa.Field[Any]]], rows: pa.RecordBatch) -> pa.RecordBatch:
    if not kept:
        return rows
    arrays = [pa.repeat(scalar, rows.num_rows) for scalar, _ in kept]
    return pa.RecordBatch.from_arrays(
        [*arrays, *rows.columns], schema=pa.schema([*(field for _, field in kept), *rows.schema])
    )
