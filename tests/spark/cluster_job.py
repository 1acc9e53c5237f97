"""The driver of tests/spark/test_cluster.py: reads topics on a cluster, and says which rows came from where.

``cluster_job.py SETTINGS.json``, see StandaloneCluster.submit. With ``stall`` the first task in a Python process below
that directory writes the file ``stalled`` once it has rows, and waits to be killed.
"""

from __future__ import annotations

import json
import os
import sys
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

from kafkawire.spark import read_kafka

SCHEMA = "topic string, partition int, offset bigint, checksum bigint, directory string"
STALL_SECONDS = 120.0
QUICK_START = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"


def main() -> None:
    settings = json.loads(Path(sys.argv[1]).read_text())
    directory = Path(settings["directory"])
    spark = session(settings)
    executors = spark.sparkContext.getConf().get("spark.executor.instances")
    assert executors is not None

    def rows(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        here = os.getcwd()
        for batch in batches:
            stalled = directory / "stalled"
            if settings.get("stall") and here.startswith(settings["stall"]) and not stalled.exists():
                stalled.touch()
                time.sleep(STALL_SECONDS)
                (directory / "survived").touch()
                raise RuntimeError("this worker was to be killed")
            values = batch.column("value").to_pylist()
            columns = [batch.column(name) for name in ("topic", "partition", "offset")]
            columns += [pa.array([zlib.crc32(value) for value in values]), pa.array([here] * len(values))]
            names = ["topic", "partition", "offset", "checksum", "directory"]
            yield pa.RecordBatch.from_arrays(columns, names=names)

    found: list[Any] = []
    for read in settings["reads"]:
        if hasattr(spark, "dataSource") and not read.pop("function", False):
            records = spark.read.format("kafkawire").options(**read).load()
        else:
            records = read_kafka(spark, read)
        found.append([tuple(row) for row in records.mapInArrow(rows, SCHEMA).collect()])
    spark.stop()
    (directory / "result.json").write_text(json.dumps(found))


def session(settings: dict[str, Any]) -> SparkSession:
    builder = SparkSession.builder.appName("cluster").master(settings["master"])
    for name, value in {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "512m",
        "spark.executor.memory": "512m",
        "spark.executor.cores": "1",
        "spark.executor.instances": "2",
        # Tasks wait for both executors, so that both read.
        "spark.scheduler.minRegisteredResourcesRatio": "1.0",
        "spark.scheduler.maxRegisteredResourcesWaitingTime": "120s",
        "spark.driver.extraJavaOptions": QUICK_START,
        "spark.executor.extraJavaOptions": QUICK_START,
        "spark.executorEnv.PYTHONPATH": settings["pythonpath"],
        "spark.pyspark.python": sys.executable,
        "spark.ui.enabled": "false",
        "spark.log.level": "WARN",
        "spark.sql.warehouse.dir": settings["directory"],
    }.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


if __name__ == "__main__":
    main()
