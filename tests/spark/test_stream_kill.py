"""A driver that is killed at any moment and starts again from its checkpoint, and one that changes its source."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("pyspark.sql.datasource")

from kafkawire.client import Client
from tests.broker.fixtures import made_or_skipped
from tests.broker.kraft import Broker
from tests.broker.maven import spark_kafka_jars
from tests.broker.process import bound_to_parent, find_tool
from tests.spark.stream_driver import batches
from tests.spark.streams import Topic, wait_until

KILLS = 2
#: A JVM that starts quickly matters more here than one that runs quickly.
JVM = '--driver-java-options "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC" pyspark-shell'


@pytest.fixture
def client(broker: Broker) -> Iterator[Client]:
    with Client({"bootstrap.servers": broker.bootstrap}) as opened:
        yield opened


@contextmanager
def driver(directory: Path, trigger: str, jars: str = "", **options: str) -> Iterator[subprocess.Popen[str]]:
    """A driver with its JVM; at the end all of it is killed."""
    (directory / "sink").mkdir(exist_ok=True)
    command = [sys.executable, "-m", "tests.spark.stream_driver", str(directory), trigger, json.dumps(options), jars]
    with (directory / "driver.log").open("a") as log:
        process = subprocess.Popen(
            bound_to_parent(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
            start_new_session=True, env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_SUBMIT_ARGS": JVM},
        )  # fmt: skip
    with process:
        try:
            yield process
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def test_killed_at_any_moment(broker: Broker, client: Client, tmp_path: Path) -> None:
    made_or_skipped(lambda: find_tool("java"))
    topic = Topic(client, 3)
    topic.add(40, 20, 1)
    options = {
        "format": "kafkawire", "kafka.bootstrap.servers": broker.bootstrap, "subscribe": topic.name,
        "startingOffsets": "earliest", "maxOffsetsPerTrigger": "5",
    }  # fmt: skip
    for _ in range(KILLS):
        before = len(batches(tmp_path))
        with driver(tmp_path, "", **options) as process:

            def is_under_way(process: subprocess.Popen[str] = process, before: int = before) -> bool:
                assert process.poll() is None, (tmp_path / "driver.log").read_text()[-3000:]
                return len(batches(tmp_path)) > before + 1

            wait_until(is_under_way)
            topic.add(5, 9, 13)
            time.sleep(random.uniform(0, 0.5))
        assert sum(len(one) for one in batches(tmp_path).values()) < len(topic.everything())
    options["maxOffsetsPerTrigger"] = "1000"
    with driver(tmp_path, "availableNow", **options) as process:
        assert process.stdout is not None
        assert process.stdout.readline(), (tmp_path / "driver.log").read_text()[-3000:]
    assert sorted(one for batch in batches(tmp_path).values() for one in batch) == topic.everything()


def test_sparks_own_source_and_this_one_go_on_with_each_others_checkpoints(
    broker: Broker, client: Client, tmp_path: Path
) -> None:
    jars = made_or_skipped(spark_kafka_jars)
    topic = Topic(client, 2)
    options = {
        "format": "kafkawire,kafka,kafkawire,kafka", "kafka.bootstrap.servers": broker.bootstrap,
        "subscribe": topic.name, "startingOffsets": "earliest",
    }  # fmt: skip
    found: list[tuple[int, int]] = []
    topic.add(3, 4)
    with driver(tmp_path, "availableNow", ",".join(map(str, jars)), **options) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for source in options["format"].split(","):
            line = process.stdout.readline()
            assert line, (tmp_path / "driver.log").read_text()[-3000:]
            assert list(json.loads(line)) == [source]
            found = sorted(one for batch in batches(tmp_path).values() for one in batch)
            assert found == topic.everything()
            topic.grow(len(topic.ends) + 1)
            topic.add(*range(len(topic.ends)))
            process.stdin.write("\n")
            process.stdin.flush()
    # What each one wrote is one batch, and what it found already there at most another one, an empty one.
    assert sum(bool(one) for one in batches(tmp_path).values()) == 4
