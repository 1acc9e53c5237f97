"""The same read twice, by Spark's own Kafka source and by kafkawire, and that both give the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import kafkawire as kw
from kafkawire.client import ClientError
from kafkawire.spark.given import OptionError
from kafkawire.spark.planning import DataLossError
from tests.spark.conftest import Row, tagged_rows
from tests.spark.live import batches, reader, spelled

OURS, THEIRS = "kafkawire", "kafka"


class Peer:
    """Reads of one broker's topics. Options are Spark's, as keywords; ``kafka_isolation_level`` is
    kafka.isolation.level."""

    def __init__(self, spark: SparkSession, bootstrap: str) -> None:
        self.spark = spark
        self.bootstrap = bootstrap

    def load(self, source: str, **options: object) -> DataFrame:
        """Not read yet."""
        given = spelled({"kafka_bootstrap_servers": self.bootstrap, **options})
        return self.spark.read.format(source).options(**given).load()

    def same(self, **options: object) -> list[Row]:
        """The rows, headers included, after both gave the same ones; Spark reads both."""
        options = {"includeHeaders": True, **options}
        assert self.load(OURS, **options).schema == self.load(THEIRS, **options).schema
        found = self._read({source: self.load(source, **options) for source in (OURS, THEIRS)})
        assert found[OURS] == found[THEIRS]
        return found[OURS]

    def same_each(self, cases: Mapping[str, Mapping[str, Any]]) -> dict[str, list[Row]]:
        """The rows of each read, after both sources gave the same for all of them. In one job of Spark's, and with our
        reader in this process: a hundred reads through Spark's Python workers take minutes."""
        theirs = self._read(
            {name: self.load(THEIRS, **{"includeHeaders": True, **options}) for name, options in cases.items()}
        )
        ours = {name: self.ours(**options) for name, options in cases.items()}
        for name in cases:
            assert ours[name] == theirs[name], name
        return ours

    def ours(self, **options: object) -> list[Row]:
        """What Spark would get, headers included, without Spark."""
        made = reader(self.bootstrap, **{"includeHeaders": True, **options})
        found = [row for one in batches(made) for row in _rows(one)]
        return sorted(found, key=lambda row: row[:3])

    def same_refusal(self, **options: object) -> tuple[str, str]:
        """What kafkawire (in this process) and Spark's source said, after both refused to read this. Ours is always one
        of our own errors."""
        try:
            ours = self.ours(**options)
        except (OptionError, ClientError, DataLossError, kw.WireError) as error:
            return str(error), self.refusal(THEIRS, **options)
        raise AssertionError(f"kafkawire read {len(ours)} rows; {THEIRS}: {self.refusal(THEIRS, **options)}")

    def refusal(self, source: str, **options: object) -> str:
        """The error of a read through Spark; AssertionError when there is none."""
        try:
            found = self.load(source, **options).collect()
        except Exception as error:  # Py4J has errors of its own for what the JVM throws
            assert isinstance(error, PySparkException) or type(error).__module__.startswith("py4j"), error
            return str(error)
        raise AssertionError(f"{source} read {len(found)} rows with {options}")

    def _read(self, reads: Mapping[str, DataFrame]) -> dict[str, list[Row]]:
        """All of them, in one job."""
        everything = None
        for name, df in reads.items():
            tagged = df.withColumn("tag", F.lit(name))
            everything = tagged if everything is None else everything.union(tagged)
        assert everything is not None
        found: dict[str, list[Row]] = {name: [] for name in reads}
        for name, row in tagged_rows(everything, "tag"):
            found[name].append(row)
        return found


def _rows(batch: pa.RecordBatch) -> list[Row]:
    place = batch.schema.get_field_index("timestamp")
    whole = batch.set_column(place, "timestamp", batch.column("timestamp").cast(pa.int64()))
    return [
        Row(
            row["topic"],
            row["partition"],
            row["offset"],
            row["timestamp"],
            row["timestampType"],
            row["key"],
            row["value"],
            row["headers"] and tuple((header["key"], header["value"]) for header in row["headers"]),
        )
        for row in whole.to_pylist()
    ]
