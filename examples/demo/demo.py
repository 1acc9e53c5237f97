"""The main job in one file: a directory of Kafka's own segment files becomes a Spark DataFrame, then Parquet.

The topics beside this file were written by real brokers: 0.8.2 (magic 0), 0.10 (magic 1), 0.11 (all three magics in one
log) and 4.3.1 (magic 2, with every codec, a transactional and a compacted topic). No broker runs here.

    python examples/demo/demo.py [DIRECTORY [OUTPUT]]
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

# Spark starts its Python workers with what this says, which by default is whatever python3 is on the PATH.
os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import kafkawire as kw
import kafkawire.spark

HERE = Path(__file__).resolve().parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", nargs="?", type=Path, default=HERE / "topics", help="of topic-partitions")
    parser.add_argument("output", nargs="?", type=Path, default=Path("demo-output"), help="for Parquet, replaced")
    arguments = parser.parse_args()

    segments = sorted(arguments.directory.glob("*/*.log"))
    size = sum(path.stat().st_size for path in segments)
    say(f"kafkawire {kw.__version__} ({kw.BACKEND}), {len(segments)} segment files, {size:,} bytes")
    say(f"in {arguments.directory}")

    started = time.perf_counter()
    spark = start_spark()
    say(f"Spark {spark.version} is up in local mode after {time.perf_counter() - started:.1f} s\n")

    say(f'records = spark.read.format("kafkawire").option("includeHeaders", True).load("{arguments.directory}")')
    records = spark.read.format("kafkawire").option("includeHeaders", True).load(str(arguments.directory))
    show(records)

    started = time.perf_counter()
    count = records.count()
    first = time.perf_counter() - started
    started = time.perf_counter()
    records.write.format("noop").mode("overwrite").save()
    again = time.perf_counter() - started
    parquet = arguments.output / "records.parquet"
    started = time.perf_counter()
    records.write.mode("overwrite").parquet(str(parquet))
    wrote = time.perf_counter() - started
    back = spark.read.parquet(str(parquet)).count()
    spark.stop()

    decoded, seconds = decode(segments)
    say(f"read      {count:,} records in {first:.2f} s, again in {again:.2f} s: files this small are all overhead")
    say(f"decoder   {decoded:,} records, {size:,} bytes in {seconds * 1000:.1f} ms: {decoded / seconds:,.0f} records/s")
    say(f"parquet   {back:,} records in {wrote:.2f} s: {parquet.resolve()}")
    if back != count:
        sys.exit(f"{count} records were read and {back} are in the Parquet files")


def start_spark() -> SparkSession:
    builder = SparkSession.builder.appName("kafkawire demo").master("local[*]")
    builder = builder.config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.sql.session.timeZone", "UTC").config("spark.sql.shuffle.partitions", "2")
    # Without a file of its own, log4j would print a page of warnings that have nothing to do with the demo.
    log4j = (HERE / "log4j2.properties").as_uri()
    builder = builder.config("spark.driver.extraJavaOptions", f"-Dlog4j2.configurationFile={log4j}")
    spark = builder.getOrCreate()
    kafkawire.spark.register(spark)
    return spark


def show(records: DataFrame) -> None:
    text = [F.col(name).cast("string").alias(name) for name in ("key", "value")]
    names = [F.col(name) for name in ("topic", "partition", "offset", "timestamp", "timestampType")]
    headers = F.coalesce(F.size("headers"), F.lit(0))  # null where a record has none
    columns = [*names, *text, headers.alias("headers")]
    say("")
    records.select(columns).orderBy(F.desc("topic"), "partition", "offset").show(9, truncate=24)
    records.groupBy("topic", "partition").agg(
        F.count("*").alias("records"),
        F.min("offset").alias("first offset"),
        F.max("offset").alias("last offset"),
        F.sum(F.length("value")).alias("bytes of values"),
        F.sum(headers).alias("headers"),
        F.count_if(F.col("value").isNull()).alias("tombstones"),
    ).orderBy("topic", "partition").show(50, truncate=False)


def decode(segments: list[Path]) -> tuple[int, float]:
    """The same files without Spark: records, and seconds of the second of two runs."""
    contents = [path.read_bytes() for path in segments]
    for _ in range(2):  # the first loads the codecs' libraries
        started = time.perf_counter()
        rows = sum(kw.read_columns(content).to_arrow().num_rows for content in contents)
        seconds = time.perf_counter() - started
    return rows, seconds


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    main()
