"""Segment files through Spark: our data source beside one that has nothing to decode.

``python -m bench.spark_files``: the set D1n in four partitions is read by ``format("kafkawire")`` and by a Python data
source that yields the same rows as Arrow batches made beforehand (from a memory-mapped Arrow file), in turns, in one
Spark session of ``local[2]``. The second is as fast as any Python data source can be, so the ratio says what reading
the files and decoding them costs on top of Spark. The clock's time is what the target is about; the CPU time of Spark's
processes stands beside it, which moves less on a busy machine.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

import kafkawire.spark
from bench import processes
from bench.datasets import CODECS, load
from bench.measure import Competitor, measure
from kafkawire.spark.files import plan, read_range
from kafkawire.spark.options import parse_file_options
from kafkawire.spark.schema import COLUMNS

PARTITIONS = 4
TARGET = 0.7

Action = Callable[[DataFrame], object]
ACTIONS: dict[str, Action] = {
    "noop": lambda df: df.write.format("noop").mode("overwrite").save(),
    "sum(length(value))": lambda df: df.agg(F.sum(F.length("value"))).collect(),
}


class PreparedSource(DataSource):
    """Yields the batches of Arrow files: the same rows, with no work but Spark's own.

    ``columns``: those of the files, all but headers by default.
    """

    @classmethod
    def name(cls) -> str:
        return "prepared"

    def schema(self) -> StructType:
        return kafkawire.spark.spark_schema(self.options.get("columns", ",".join(COLUMNS[:-1])).split(","))

    def reader(self, schema: StructType) -> DataSourceReader:
        return PreparedReader(sorted(str(path) for path in Path(self.options["path"]).glob("*.arrow")))


class PreparedReader(DataSourceReader):
    def __init__(self, paths: list[str]) -> None:
        self.paths = paths

    def partitions(self) -> list[InputPartition]:
        return [InputPartition(path) for path in self.paths]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        file = pa.ipc.open_file(pa.memory_map(partition.value))
        return (file.get_batch(index) for index in range(file.num_record_batches))


def make_segments(directory: Path, codec: str, records: int) -> int:
    """A topic of four partitions with a segment each; returns how many records there are in all."""
    encoded = load("D1n", codec, scale=records / PARTITIONS / 1_000_000)
    for partition in range(PARTITIONS):
        folder = directory / f"d1n-{partition}"
        folder.mkdir(parents=True)
        (folder / "00000000000000000000.log").write_bytes(encoded.data)
    return encoded.count * PARTITIONS


def prepare(segments: Path, directory: Path) -> None:
    """The rows of these segments as Arrow files, exactly as our own source gives them to Spark."""
    directory.mkdir()
    options = parse_file_options({"path": str(segments)})
    for index, part in enumerate(plan(options)):
        batches = list(read_range(part, options.read))
        with pa.ipc.new_file(str(directory / f"{index}.arrow"), batches[0].schema) as file:
            for batch in batches:
                file.write_batch(batch)


@dataclass
class Job:
    """A Spark job to time: what it took of the clock is measured around it, what of the CPU here, in seconds."""

    action: Action
    df: DataFrame
    cpu_seconds: list[float] = field(default_factory=list)

    def __call__(self) -> None:
        before = processes.cpu_seconds()
        self.action(self.df)
        self.cpu_seconds.append(processes.cpu_seconds() - before)


def start_spark(settings: Mapping[str, str] | None = None) -> SparkSession:
    """A session of local[2], with these settings more, that knows our source and the prepared one."""
    builder = SparkSession.builder.appName("bench").master("local[2]")
    builder = builder.config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.log.level", "ERROR").config("spark.python.unix.domain.socket.enabled", "true")
    for name, value in (settings or {}).items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    kafkawire.spark.register(spark)
    spark.dataSource.register(PreparedSource)
    return spark


@dataclass
class Comparison:
    """One action over both sources; seconds by round."""

    count: int
    wall: dict[str, list[float]]
    cpu: dict[str, list[float]]

    def row(self, seconds: dict[str, list[float]], unit: float) -> str:
        ours, prepared = seconds["kafkawire"], seconds["prepared"]
        ratio = statistics.median(theirs / mine for mine, theirs in zip(ours, prepared, strict=True))
        return f"{unit / statistics.median(ours):10.2f}{unit / statistics.median(prepared):10.2f}{ratio:8.2f}"


def compare(spark: SparkSession, work: Path, codec: str, records: int, rounds: int) -> dict[str, Comparison]:
    """Both sources in turns, for every action."""
    count = make_segments(work / codec / "segments", codec, records)
    prepare(work / codec / "segments", work / codec / "prepared")
    sources = {
        "kafkawire": spark.read.format("kafkawire").load(str(work / codec / "segments")),
        "prepared": spark.read.format("prepared").load(str(work / codec / "prepared")),
    }
    found = [df.agg(F.count("*"), F.sum("offset"), F.sum(F.crc32("value"))).collect()[0] for df in sources.values()]
    if found[0] != found[1] or found[0][0] != count:
        sys.exit(f"the two sources do not give the same rows: {found}, {count} were made")
    compared = {}
    for name, action in ACTIONS.items():
        jobs = {source: Job(action, df) for source, df in sources.items()}
        results = measure([Competitor(source, count, job) for source, job in jobs.items()], rounds)
        compared[name] = Comparison(
            count,
            {source: result.wall_seconds for source, result in results.items()},
            {source: job.cpu_seconds[1:] for source, job in jobs.items()},  # without the round that warms up
        )
    return compared


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.spark_files", description=__doc__.splitlines()[0])
    parser.add_argument("--codec", action="append", choices=CODECS, help="may be given several times; default: none")
    parser.add_argument("--records", type=int, default=2_000_000, help="in all four partitions; default: 2,000,000")
    parser.add_argument("--rounds", type=int, default=7, help="of turns; default: 7")
    arguments = parser.parse_args()

    spark = start_spark()
    print(f"PySpark {spark.version}, local[2], {arguments.records:,} records of D1n in {PARTITIONS} partitions")
    print("median of the rounds; a ratio is the median of the rounds' ratios\n")
    print(f"{'':30}{'million records/s':^28}{'':10}{'million records/CPU s':^28}")
    columns = f"{'kafkawire':>10}{'prepared':>10}{'ratio':>8}"
    print(f"{'codec':8}{'action':22}{columns}{'target':>10}{columns}")
    with tempfile.TemporaryDirectory(prefix="kafkawire-bench-") as work:
        for codec in arguments.codec or ["none"]:
            found = compare(spark, Path(work), codec, arguments.records, arguments.rounds)
            for action, one in found.items():
                target = TARGET if codec == "none" else ""
                unit = one.count / 1e6
                print(f"{codec:8}{action:22}{one.row(one.wall, unit)}{target:>10}{one.row(one.cpu, unit)}", flush=True)
    spark.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
