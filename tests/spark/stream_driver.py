"""A driver in a process of its own, to be killed: reads a topic into files, one directory for each batch.

``python -m tests.spark.stream_driver DIRECTORY TRIGGER OPTIONS [JARS]``: ``OPTIONS`` is JSON with the option "format"
and those of the stream. The trigger "availableNow" ends; any other goes on until the process is killed.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def batches(directory: Path) -> dict[int, list[tuple[int, int]]]:
    """What is in the sink: partition and offset of each batch's records."""
    return {
        int(path.stem): [(partition, offset) for partition, offset in json.loads(path.read_text())]
        for path in (directory / "sink").glob("*.json")
    }


def _main(directory: Path, trigger: str, options: dict[str, str], jars: str) -> None:
    from pyspark.sql import SparkSession

    from kafkawire.spark import register

    def write(df: DataFrame, batch: int) -> None:
        """Written whole or not at all; again in place of the last time."""
        found = [(row.partition, row.offset) for row in df.select("partition", "offset").collect()]
        new = directory / "sink" / f"{batch}.new"
        new.write_text(json.dumps(found))
        new.rename(new.with_suffix(".json"))

    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config("spark.jars", jars)
    spark = builder.config("spark.log.level", "ERROR").config("spark.sql.shuffle.partitions", "2").getOrCreate()
    register(spark)
    for one in options.pop("format").split(","):
        stream = spark.readStream.format(one).options(**options).load()
        writer = stream.writeStream.foreachBatch(write).option("checkpointLocation", str(directory / "checkpoint"))
        if trigger == "availableNow":
            writer.trigger(availableNow=True).start().awaitTermination()
            print(json.dumps({one: len(batches(directory))}), flush=True)
            sys.stdin.readline()
        else:
            writer.start().awaitTermination()
    spark.stop()


if __name__ == "__main__":
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    _main(Path(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3]), sys.argv[4] if len(sys.argv) > 4 else "")
