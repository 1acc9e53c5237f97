"""Writing from Spark to Kafka: our data source beside Spark's own sink and a writer that only counts.

``python -m bench.spark_write``: rows of a 20-byte key and a 100-byte value, made beforehand and cached by Spark, are
written to a topic of four partitions on a broker on loopback by each in turns, in one Spark session of ``local[2]``.
The writer that counts takes Arrow batches and throws them away: what any Python data source costs. Beside the clock's
time stands the CPU time of the JVM, of the Python workers and of the broker.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.datasource import DataSource, DataSourceArrowWriter, WriterCommitMessage
from pyspark.sql.types import StructType

import kafkawire.spark
from bench.measure import Competitor, measure
from kafkawire.client import Client, NewTopic, TopicPartition
from tests.broker.kraft import Broker
from tests.broker.maven import spark_kafka_jars

PARTITIONS = 4
KINDS = ("kafkawire", "kafka", "count")

Write = Callable[[DataFrame, str], None]


class CountingSource(DataSource):
    """Takes rows and throws them away."""

    @classmethod
    def name(cls) -> str:
        return "counting"

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceArrowWriter:
        return CountingWriter()


class CountingWriter(DataSourceArrowWriter):
    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        self.rows = sum(batch.num_rows for batch in iterator)
        return WriterCommitMessage()


class Job:
    """One way to write: the clock is measured around it, CPU seconds by process here."""

    def __init__(self, write: Write, df: DataFrame, topic: str, broker: int) -> None:
        self.write, self.df, self.topic, self.broker = write, df, topic, broker
        self.cpu: list[tuple[float, float, float]] = []

    def __call__(self) -> None:
        before = cpu_seconds(self.broker)
        self.write(self.df, self.topic)
        after = cpu_seconds(self.broker)
        self.cpu.append(tuple(late - early for late, early in zip(after, before, strict=True)))  # type: ignore[arg-type]


def cpu_seconds(broker: int) -> tuple[float, float, float]:
    """CPU seconds so far of the JVM below this process, of the Python workers below that, and of the broker."""
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    names: dict[int, str] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has just ended
            head, _, tail = path.read_text().rpartition(")")
            pid, fields = int(path.parent.name), tail.split()
            parents[pid], names[pid] = int(fields[1]), head.partition("(")[2]
            ticks[pid] = sum(map(int, fields[11:15]))  # own, and of children that have ended
    below = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in below} - below:
        below |= more
    mine = below - {os.getpid(), broker}
    unit = os.sysconf("SC_CLK_TCK")
    jvm = sum(ticks[pid] for pid in mine if names[pid].startswith("java")) / unit
    python = sum(ticks[pid] for pid in mine if not names[pid].startswith("java")) / unit
    return jvm, python, ticks.get(broker, 0) / unit


def writers(bootstrap: str, codec: str, options: dict[str, str]) -> dict[str, Write]:
    def kafka(format_: str, more: dict[str, str]) -> Write:
        def write(df: DataFrame, topic: str) -> None:
            writer = df.write.format(format_).mode("append").option("kafka.bootstrap.servers", bootstrap)
            writer.option("topic", topic).option("kafka.compression.type", codec).options(**more).save()

        return write

    return {
        "kafkawire": kafka("kafkawire", options),
        "kafka": kafka("kafka", {}),
        "count": lambda df, topic: df.write.format("counting").mode("append").save(),
    }


def start_spark() -> SparkSession:
    builder = SparkSession.builder.appName("bench").master("local[2]")
    builder = builder.config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.log.level", "OFF").config("spark.python.unix.domain.socket.enabled", "true")
    builder = builder.config("spark.jars", ",".join(map(str, spark_kafka_jars()))).config("spark.driver.memory", "4g")
    spark = builder.getOrCreate()
    kafkawire.spark.register(spark)
    spark.dataSource.register(CountingSource)
    return spark


def rows(spark: SparkSession, count: int) -> DataFrame:
    """Keys of 20 bytes and values of 100, the same in every run, in two partitions in Spark's memory."""
    text = F.concat(*(F.md5((F.col("id") * 4 + part).cast("string")) for part in range(4)))
    df = spark.range(0, count, 1, 2).select(
        F.substring(F.md5(F.col("id").cast("string")), 1, 20).cast("binary").alias("key"),
        F.substring(text, 1, 100).cast("binary").alias("value"),
    )
    df = df.cache()
    df.count()
    return df


def compare(spark: SparkSession, broker: Broker, count: int, codec: str, options: argparse.Namespace) -> None:
    df = rows(spark, count)
    given = dict(item.split("=", 1) for item in options.option)
    kinds = writers(broker.bootstrap, codec, given)
    topics = {kind: f"{kind}-{codec}-{count}" for kind in KINDS}
    with Client({"bootstrap.servers": broker.bootstrap}) as client:
        client.create_topics([NewTopic(topic, PARTITIONS) for topic in topics.values()])
        jobs = {kind: Job(write, df, topics[kind], broker.pid) for kind, write in kinds.items()}
        results = measure([Competitor(kind, count, job) for kind, job in jobs.items()], options.rounds)
        for kind in KINDS[:2]:
            ends = client.list_offsets({TopicPartition(topics[kind], number): "latest" for number in range(PARTITIONS)})
            written = sum(end.offset for end in ends.values() if end is not None)
            if written != count * (options.rounds + 1):
                sys.exit(f"{kind}: {written} records were written, {count * (options.rounds + 1)} should have been")
        client.delete_topics(list(topics.values()))
    for kind in KINDS:
        wall = results[kind].wall_seconds
        cpu = [statistics.median(values) for values in zip(*jobs[kind].cpu[1:], strict=True)]
        ratio = statistics.median(a / b for a, b in zip(results["kafka"].wall_seconds, wall, strict=True))
        median = statistics.median(wall)
        print(
            f"{count:>10,} {codec:6}{kind:12}{median:8.2f}{min(wall):8.2f}{count / median / 1e6:10.2f}{ratio:9.2f}   "
            f"{cpu[0]:8.2f}{cpu[1]:8.2f}{cpu[2]:8.2f}{sum(cpu):8.2f}",
            flush=True,
        )
    df.unpersist()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.spark_write", description=__doc__.splitlines()[0])
    parser.add_argument("--codec", action="append", choices=("none", "gzip", "snappy", "lz4", "zstd"))
    parser.add_argument("--rows", action="append", type=int, help="several times; default: 500,000 and 2,000,000")
    parser.add_argument("--rounds", type=int, default=7, help="of turns; default: 7")
    parser.add_argument("--option", action="append", default=[], help="of ours, NAME=VALUE; several times")
    arguments = parser.parse_args()
    spark = start_spark()
    print(f"PySpark {spark.version}, local[2], rows of 20 + 100 bytes, {PARTITIONS} partitions, a broker on loopback")
    print("medians of the rounds; ratio: Spark's own sink's seconds to these, median of the rounds' ratios\n")
    print(f"{'rows':>10} {'codec':6}{'':12}{'seconds':>8}{'least':>8}{'M rows/s':>10}{'ratio':>9}   "
          f"{'CPU s JVM':>9}{'Python':>7}{'broker':>8}{'all':>8}")
    with Broker() as broker:
        for count in arguments.rows or [500_000, 2_000_000]:
            for codec in arguments.codec or ["lz4", "none"]:
                compare(spark, broker, count, codec, arguments)
    spark.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
