"""transactional=true: all of a job's records become visible, once, or none."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

pytest.importorskip("pyspark.sql.datasource")

import pyarrow as pa
from pyspark.sql import SparkSession

from kafkawire.client import Client, ClientError, ProducerId
from kafkawire.spark import register, write_task
from kafkawire.spark.transactions import OpenTransaction, abort_all, commit_all
from kafkawire.spark.write_options import WriteOptions, parse_write_options
from kafkawire.spark.write_task import write_batch
from tests.broker.java import Java
from tests.broker.kraft import Broker

_numbers = itertools.count()


@pytest.fixture
def topic(broker: Broker, java: Java) -> str:
    name = f"transactional-{next(_numbers)}"
    java.create_topic(broker.bootstrap, name, partitions=3)
    return name


@pytest.fixture
def options(broker: Broker, topic: str) -> WriteOptions:
    given = {"kafka.bootstrap.servers": broker.bootstrap, "topic": topic, "transactional": "true"}
    return parse_write_options({**given, "kafka.retry.backoff.ms": "10"})


@dataclass
class Attempt:
    """What a task on an executor knows of itself."""

    task: int
    number: int = field(default_factory=itertools.count(100).__next__)

    def partitionId(self) -> int:
        return self.task

    def taskAttemptId(self) -> int:
        return self.number


def visible(java: Java, broker: Broker, topic: str) -> Counter[bytes | None]:
    return Counter(one.value for one in java.consume(broker.bootstrap, topic, isolation_level="read_committed"))


def rows(prefix: str, count: int = 100) -> pa.RecordBatch:
    values = [f"{prefix}{number}" for number in range(count)]
    return pa.record_batch({"key": values, "value": values})


def run_task(
    monkeypatch: pytest.MonkeyPatch, options: WriteOptions, job: str, task: int, prefix: str
) -> OpenTransaction:
    """A task as an executor runs it, in this process; its transaction is open afterwards."""
    monkeypatch.setattr(write_task, "_context", lambda: Attempt(task))
    written = write_batch(iter([rows(prefix)]), options, job)
    assert written.rows == 100 and written.transaction is not None
    return written.transaction


def test_nothing_before_the_driver_commits(
    monkeypatch: pytest.MonkeyPatch, broker: Broker, java: Java, options: WriteOptions, topic: str
) -> None:
    transactions = [run_task(monkeypatch, options, f"job-{topic}", task, f"{task}-") for task in range(2)]
    for task, one in enumerate(transactions):
        assert one.transactional_id.startswith(f"kafkawire-job-{topic}-{task}-")
    with Client(options.config) as client:
        # An open transaction's records are there, but no reader of committed ones gets past them.
        assert all(
            end is not None and end.offset == 0
            for end in client.list_offsets(
                {(topic, number): "latest" for number in range(3)},  # type: ignore[misc]
                isolation_level="read_committed",
            ).values()
        )
    commit_all(options, transactions, f"job-{topic}")
    assert visible(java, broker, topic) == Counter(f"{task}-{n}".encode() for task in range(2) for n in range(100))


@pytest.mark.parametrize("counts", [0, 1])
def test_of_two_attempts_the_one_that_spark_tells_counts(
    monkeypatch: pytest.MonkeyPatch, broker: Broker, java: Java, options: WriteOptions, topic: str, counts: int
) -> None:
    attempts = [run_task(monkeypatch, options, topic, 0, f"{number}-") for number in range(2)]
    commit_all(options, [attempts[counts]], topic)
    # The other one does not keep readers waiting either.
    assert visible(java, broker, topic) == Counter(f"{counts}-{n}".encode() for n in range(100))


def test_a_transaction_that_is_not_open_any_more(
    monkeypatch: pytest.MonkeyPatch, broker: Broker, java: Java, options: WriteOptions, topic: str
) -> None:
    good, timed_out, silent = (run_task(monkeypatch, options, topic, task, f"{task}-") for task in range(3))
    with Client(options.config) as client:
        client.init_producer_id(timed_out.transactional_id)  # raises the epoch, as the coordinator does after the time
    with pytest.raises(ClientError, match=r"none of the job's 2 transactions was committed: .*-1-\d+' is not open"):
        commit_all(options, [good, timed_out], topic)
    abort_all(options, [good, timed_out], topic)
    with Client(options.config) as client:
        mine = [one for one in client.list_transactions() if f"-{topic}-" in one.transactional_id]
        assert {one.transactional_id for one in mine} >= {good.transactional_id, silent.transactional_id}
        assert not [one for one in mine if one.state == "Ongoing"]
    assert visible(java, broker, topic) == Counter()


def test_a_commit_that_fails_is_counted(
    monkeypatch: pytest.MonkeyPatch, broker: Broker, java: Java, options: WriteOptions, topic: str
) -> None:
    transactions = [run_task(monkeypatch, options, topic, task, f"{task}-") for task in range(2)]
    end_txn = Client.end_txn

    def broken(client: Client, name: str, producer: ProducerId, *, committed: bool) -> None:
        if name == transactions[0].transactional_id:
            raise ClientError("out of order")
        end_txn(client, name, producer, committed=committed)

    with monkeypatch.context() as patched:
        patched.setattr(Client, "end_txn", broken)
        with pytest.raises(ClientError, match=r"1 of the job's 2 transactions were .*-0-\d+'.*out of order"):
            commit_all(options, transactions, topic)
    abort_all(options, transactions, topic)  # as Spark asks for then; what is committed stays
    assert visible(java, broker, topic) == Counter(f"1-{n}".encode() for n in range(100))


def test_a_task_that_fails_aborts(
    monkeypatch: pytest.MonkeyPatch, broker: Broker, java: Java, options: WriteOptions, topic: str
) -> None:
    def batches():  # type: ignore[no-untyped-def]
        yield rows("lost-", 1000)
        raise RuntimeError("upstream")

    small = replace(options, config=replace(options.config, batch_size=1000))
    monkeypatch.setattr(write_task, "_context", lambda: Attempt(0))
    with pytest.raises(RuntimeError, match="upstream"):
        write_batch(batches(), small, topic)
    plain = parse_write_options({"kafka.bootstrap.servers": broker.bootstrap, "topic": topic})
    write_batch(iter([rows("after-")]), plain, "")
    # An open transaction would keep these back.
    assert visible(java, broker, topic) == Counter(f"after-{n}".encode() for n in range(100))


def test_a_job(spark: SparkSession, broker: Broker, java: Java, topic: str) -> None:
    register(spark)

    def write(column: str) -> None:
        writer = spark.range(0, 1000, 1, 4).selectExpr(column).write.format("kafkawire").mode("append")
        writer = writer.option("kafka.bootstrap.servers", broker.bootstrap).option("topic", topic)
        writer.option("transactional", "true").option("transactionalIdPrefix", "mine").save()

    with pytest.raises(Exception, match="on purpose"):
        write("if(id = 999, raise_error('on purpose'), cast(id as string)) value")
    write("concat('good-', id) value")
    assert visible(java, broker, topic) == Counter(f"good-{n}".encode() for n in range(1000))


PROGRAM = """
import os, sys, time
from functools import partial
from pathlib import Path
os.environ["PYSPARK_PYTHON"] = sys.executable
from pyspark.sql import SparkSession
import kafkawire.spark
from kafkawire.client import Client, TopicPartition

bootstrap, directory, *topics = sys.argv[1:]

def fail_once(batches, topic):
    marker = os.path.join(directory, topic)
    for batch in batches:
        if int(batch.column(0)[0].as_py()) == 900 and not Path(marker).exists():
            # As soon as something of this task, too, is in the topic.
            with Client({"bootstrap.servers": bootstrap}) as client:
                until = time.monotonic() + 60
                at = TopicPartition(topic, 1)
                while client.list_offsets({at: "latest"})[at].offset == 0 and time.monotonic() < until:
                    time.sleep(0.02)
            Path(marker).touch()
            raise RuntimeError("on purpose, once")
        yield batch

builder = SparkSession.builder.master("local[2,2]").config("spark.ui.enabled", "false")
builder = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", "50").config("spark.log.level", "OFF")
spark = builder.getOrCreate()
kafkawire.spark.register(spark)
df = spark.range(0, 1000, 1, 2).selectExpr("concat(id, repeat(' ', 3000)) value", "cast(id >= 500 as int) partition")
for topic, transactional in zip(topics, ("true", "false")):
    written = df.mapInArrow(partial(fail_once, topic=topic), "value string, partition int")
    writer = written.write.format("kafkawire").mode("append").option("kafka.bootstrap.servers", bootstrap)
    writer.option("topic", topic).option("transactional", transactional).option("kafka.batch.size", "10000").save()
spark.stop()
"""


def test_a_task_that_is_tried_again(
    spark: SparkSession, broker: Broker, java: Java, topic: str, tmp_path: Path
) -> None:
    # Only a session of its own has tasks that are tried again.
    plain = f"{topic}-plain"
    java.create_topic(broker.bootstrap, plain, partitions=3)
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, broker.bootstrap, str(tmp_path), topic, plain],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == [topic, plain]
    assert len(java.consume(broker.bootstrap, topic)) > 1000  # the first attempt had written already
    assert Counter(int(value or b"") for value in visible(java, broker, topic).elements()) == Counter(range(1000))
    twice = Counter(int(value or b"") for value in visible(java, broker, plain).elements())
    assert set(twice) == set(range(1000)) and twice.total() > 1000  # at least once
