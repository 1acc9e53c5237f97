"""The data source "kafkawire" of PySpark 4.0 and later: ``spark.read.format("kafkawire")``."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from kafkawire.spark.files import FileRange, find_segments, plan, read_range
from kafkawire.spark.given import OptionError
from kafkawire.spark.options import FileOptions, parse_file_options
from kafkawire.spark.schema import spark_schema
from kafkawire.spark.writer import BatchWriter, StreamWriter, batch_writer, stream_writer


class KafkawireDataSource(DataSource):
    """Kafka's segment files as rows; options as :func:`kafkawire.spark.options.parse_file_options` has them."""

    @classmethod
    def name(cls) -> str:
        return "kafkawire"

    def schema(self) -> StructType:
        options = parse_file_options(self.options)
        find_segments(options.paths)  # a wrong path is better said by load() than by the first action
        return spark_schema(options.read.columns)

    def reader(self, schema: StructType) -> DataSourceReader:
        options = parse_file_options(self.options)
        expected = spark_schema(options.read.columns)
        if [(field.name, field.dataType) for field in schema] != [(field.name, field.dataType) for field in expected]:
            raise OptionError(
                f"the schema of Kafka's records is fixed: leave schema({schema.simpleString()}) out, and choose "
                f"columns with the option columns; it would be {expected.simpleString()}"
            )
        return FileReader(options)

    def writer(self, schema: StructType, overwrite: bool) -> BatchWriter:
        return batch_writer(self.options, schema, overwrite)

    def streamWriter(self, schema: StructType, overwrite: bool) -> StreamWriter:
        return stream_writer(self.options, schema)


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
