"""The data source "kafkawire" of PySpark 4.0 and later: ``spark.read.format("kafkawire")``."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyspark
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.types import StructType

from kafkawire.spark.files import FileRange, find_segments, plan, read_range
from kafkawire.spark.given import Given, OptionError
from kafkawire.spark.live import LiveReader
from kafkawire.spark.live_options import LiveOptions, is_live, parse_live_options
from kafkawire.spark.options import FileOptions, ReadOptions, parse_file_options, parse_read_options
from kafkawire.spark.schema import spark_schema
from kafkawire.spark.stream import live_stream_reader
from kafkawire.spark.writer import BatchWriter, StreamWriter, batch_writer, stream_writer


class KafkawireDataSource(DataSource):
    """Kafka's records as rows: segment files (:func:`kafkawire.spark.options.parse_file_options`) with the option path,
    live topics (:func:`kafkawire.spark.live_options.parse_live_options`) with subscribe, subscribePattern or assign."""

    @classmethod
    def name(cls) -> str:
        return "kafkawire"

    def schema(self) -> StructType:
        if is_live(self.options):
            return spark_schema(parse_read_options(Given(self.options)).columns)  # the rest depends on how it is read
        options = parse_file_options(self.options)
        find_segments(options.paths)  # a wrong path is better said by load() than by the first action
        return spark_schema(options.read.columns)

    def reader(self, schema: StructType) -> DataSourceReader:
        if is_live(self.options):
            live = parse_live_options(self.options, streaming=False)
            _check_schema(schema, live.read)
            return _pushdown_reader(live) if live.pushdown else LiveReader(live)
        files = parse_file_options(self.options)
        _check_schema(schema, files.read)
        return FileReader(files)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        if not is_live(self.options):
            raise OptionError("a stream reads topics, named by subscribe, subscribePattern or assign, and no files")
        options = parse_live_options(self.options, streaming=True)
        _check_schema(schema, options.read)
        return live_stream_reader(options)

    def writer(self, schema: StructType, overwrite: bool) -> BatchWriter:
        return batch_writer(self.options, schema, overwrite)

    def streamWriter(self, schema: StructType, overwrite: bool) -> StreamWriter:
        return stream_writer(self.options, schema)


def _check_schema(schema: StructType, options: ReadOptions) -> None:
    expected = spark_schema(options.columns)
    if [(field.name, field.dataType) for field in schema] != [(field.name, field.dataType) for field in expected]:
        raise OptionError(
            f"the schema of Kafka's records is fixed: leave schema({schema.simpleString()}) out, and choose columns "
            f"with the option columns; it would be {expected.simpleString()}"
        )


def _pushdown_reader(options: LiveOptions) -> DataSourceReader:
    try:
        from kafkawire.spark.pushdown import PushdownReader
    except ImportError:
        raise OptionError(
            f"pushdown: PySpark {pyspark.__version__} tells a Python source no filters, 4.1 and later do; leave it out"
        ) from None
    return PushdownReader(options)


class FileReader(DataSourceReader):
    """A batch read of segment files: one task per file, and more for large ones."""

    def __init__(self, options: FileOptions) -> None:
        self.options = options

    def partitions(self) -> list[InputPartition]:
        return [InputPartition(part) for part in plan(self.options)]

    def read(self, partition: InputPartition | None) -> Iterator[pa.RecordBatch]:
        # Spark makes one partition of an empty plan: None in 4.0, one that holds None later.
        part: FileRange | None = partition.value if partition else None
        return read_range(part, self.options.read) if part else iter(())
