"""Live topics through Spark: our data source beside Spark's own Kafka source, on the same broker in the same run.

``python -m bench.spark_live``: a broker on loopback has the sets D1n (20 B key, 100 B
value) and D1 (two headers more) in four partitions, in batches of 16 KiB as Kafka's producer makes them. In one Spark
session of ``local[2]`` both sources read them in turns: into nothing (noop), into a sum, with headers, and as a stream
with AvailableNow. The clock's seconds and the CPU seconds of Spark's JVM, of its Python workers and of the broker are
medians of the rounds; a ratio is the median of the rounds' ratios. "prepared" is a Python data source that yields the
same rows as Arrow batches made beforehand: nothing written in Python can be faster.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from bench import processes
from bench.datasets import load
from bench.spark_files import PARTITIONS, start_spark
from kafkawire.client import Client, NewTopic, TopicPartition
from kafkawire.spark.consume import read_range
from kafkawire.spark.live_options import parse_live_options
from kafkawire.spark.planning import Planner
from tests.broker.kraft import Broker
from tests.broker.maven import spark_kafka_jars

KINDS = ("jvm", "python", "broker")


def noop(df: DataFrame) -> None:
    df.write.format("noop").mode("overwrite").save()


def aggregate(df: DataFrame) -> None:
    df.agg(F.sum(F.length("value"))).collect()


def available_now(df: DataFrame) -> None:
    with tempfile.TemporaryDirectory(prefix="kafkawire-bench-") as checkpoint:
        stream = df.writeStream.format("noop").option("checkpointLocation", checkpoint)
        query = stream.trigger(availableNow=True).start()
        query.awaitTermination()


@dataclass(frozen=True)
class Case:
    """One thing to measure: the target is against Spark's own source, by the clock."""

    name: str
    topic: str
    options: dict[str, str]
    action: Callable[[DataFrame], None]
    target: float
    streaming: bool = False


CASES = (
    Case("noop", "d1n", {}, noop, 2.5),
    Case("sum(length(value))", "d1n", {}, aggregate, 2.5),
    Case("the same, value only", "d1n", {"columns": "value"}, aggregate, 2.5),
    Case("noop, headers", "d1", {"includeHeaders": "true"}, noop, 3.0),
    Case("AvailableNow", "d1n", {"startingOffsets": "earliest"}, available_now, 1.3, streaming=True),
)


@dataclass
class Runs:
    """Seconds of one source in one case, by round."""

    wall: list[float] = field(default_factory=list)
    cpu: list[dict[str, float]] = field(default_factory=list)

    def cpu_of(self, kind: str) -> float:
        return statistics.median(one[kind] for one in self.cpu)


def fill(broker: Broker, name: str, records: int) -> int:
    """A topic with so many records of a set; returns how many there are."""
    data = load(name.upper().replace("N", "n"), "none", scale=records / PARTITIONS / 1_000_000)
    with Client({"bootstrap.servers": broker.bootstrap}) as client:
        client.create_topics([NewTopic(name, PARTITIONS, 1)])
        for batch in data.batches():
            # A producer's batches count offsets from 0; the checksum does not cover that field.
            wire = bytes(8) + bytes(batch[8:])
            client.produce({TopicPartition(name, partition): wire for partition in range(PARTITIONS)})
    return data.count * PARTITIONS


def prepare(broker: Broker, case: Case, directory: Path) -> None:
    """The rows of a case as Arrow files, exactly as our own source gives them to Spark."""
    import pyarrow as pa

    directory.mkdir()
    options = parse_live_options(given(broker, case) | {"startingOffsets": "earliest"}, streaming=False)
    with Client(options.config) as client:
        ranges = Planner(client, options).ranges()
    for index, part in enumerate(ranges):
        batches: Iterator[pa.RecordBatch] = read_range(part, options)
        first = next(batches)
        with pa.ipc.new_file(str(directory / f"{index}.arrow"), first.schema) as file:
            file.write_batch(first)
            for batch in batches:
                file.write_batch(batch)


def given(broker: Broker, case: Case) -> dict[str, str]:
    return {"kafka.bootstrap.servers": broker.bootstrap, "subscribe": case.topic, **case.options}


def frames(spark: SparkSession, broker: Broker, case: Case, prepared: Path | None) -> dict[str, DataFrame]:
    reader = spark.readStream if case.streaming else spark.read
    options = given(broker, case)
    found = {"kafkawire": reader.format("kafkawire").options(**options).load()}
    theirs = {name: value for name, value in options.items() if name != "columns"}
    found["kafka"] = reader.format("kafka").options(**theirs).load()
    if prepared is not None:
        columns = ",".join(found["kafkawire"].columns)
        found["prepared"] = spark.read.format("prepared").option("columns", columns).load(str(prepared))
    return found


def check(sources: dict[str, DataFrame], count: int) -> None:
    found = {
        name: df.agg(F.count("*"), F.sum(F.crc32("value"))).collect()[0]
        for name, df in sources.items()
        if not df.isStreaming
    }
    if len(set(found.values())) > 1 or any(row[0] != count for row in found.values()):
        sys.exit(f"the sources do not give the same rows: {found}, {count} were made")


def run(case: Case, sources: dict[str, DataFrame], broker: Broker, rounds: int) -> dict[str, Runs]:
    runs = {name: Runs() for name in sources}
    for number in range(rounds + 1):
        for name in sources if number % 2 else reversed(sources):
            before, start = processes.cpu_by_kind(broker.pid), time.perf_counter()
            case.action(sources[name])
            end, after = time.perf_counter(), processes.cpu_by_kind(broker.pid)
            if number:  # the first round warms up
                runs[name].wall.append(end - start)
                runs[name].cpu.append({kind: after[kind] - before[kind] for kind in KINDS})
    return runs


def show(case: Case, runs: dict[str, Runs], count: int) -> None:
    ours = runs["kafkawire"]
    for name, one in runs.items():
        wall = statistics.median(one.wall)
        cpu = sum(one.cpu_of(kind) for kind in KINDS)
        ratio = ""
        if name != "kafkawire":
            walls = statistics.median(theirs / mine for mine, theirs in zip(ours.wall, one.wall, strict=True))
            cpus = cpu / sum(ours.cpu_of(kind) for kind in KINDS)
            goal = f"{case.target:>8}" if name == "kafka" else ""
            ratio = f"{walls:8.2f}{cpus:8.2f}{goal}"
        kinds = "".join(f"{one.cpu_of(kind):8.2f}" for kind in KINDS)
        print(f"{case.name:22}{name:11}{wall:8.2f}{count / wall / 1e6:8.2f}{kinds}{cpu / count * 1e6:9.2f}{ratio}")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.spark_live", description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=2_000_000, help="in all four partitions; default: 2,000,000")
    parser.add_argument("--rounds", type=int, default=5, help="of turns; default: 5")
    parser.add_argument("--case", action="append", choices=[case.name for case in CASES], help="default: all")
    parser.add_argument("--prepared", action="store_true", help="also the source with nothing to decode")
    arguments = parser.parse_args()

    cases = [case for case in CASES if not arguments.case or case.name in arguments.case]
    jars = ",".join(map(str, spark_kafka_jars()))
    with Broker() as broker, tempfile.TemporaryDirectory(prefix="kafkawire-bench-") as work:
        counts = {topic: fill(broker, topic, arguments.records) for topic in {case.topic for case in cases}}
        spark = start_spark({"spark.jars": jars})
        print(f"PySpark {spark.version}, local[2], {arguments.records:,} records in {PARTITIONS} partitions")
        print(f"\n{'':33}{'':8}{'million':>8}{'CPU seconds':>20}{'':4}{'us CPU':>9}{'kafkawire is faster':>24}")
        print(
            f"{'':22}{'source':11}{'seconds':>8}{'rec/s':>8}{'JVM':>8}{'Python':>8}{'broker':>8}{'a record':>9}"
            f"{'wall':>8}{'CPU':>8}{'target':>8}"
        )
        for case in cases:
            prepared = Path(work) / f"{CASES.index(case)}" if arguments.prepared and not case.streaming else None
            if prepared is not None:
                prepare(broker, case, prepared)
            sources = frames(spark, broker, case, prepared)
            check(sources, counts[case.topic])
            show(case, run(case, sources, broker, arguments.rounds), counts[case.topic])
        peak = processes.peak_of_workers() / 2**20
        print(f"\nthe largest Python worker took {peak:.0f} MiB of memory at its peak")
        spark.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
