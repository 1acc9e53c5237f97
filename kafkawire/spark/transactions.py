"""Transactions of a write: each task has one of its own, and the driver ends all of them.

A task's transactional id is made of the job and the number of the task's partition, so that a task which is run again
fences off its predecessor and ends what that left open (InitProducerId, KIP-98). A task writes everything and leaves
its transaction open; when all tasks are done, the driver first makes sure that every transaction is still open and the
latest of its id, and only then commits one after the other.

Kafka has no transaction of several producers. What follows from it: between the first and the last commit, some
milliseconds for each task, a reader may see some of the tasks' records; and a driver that dies in that time leaves the
rest uncommitted, which ends as aborted after transaction.timeout.ms.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kafkawire.client import Client, ClientError, ProducerId, TopicPartition
from kafkawire.spark.clients import borrowed
from kafkawire.spark.write_options import WriteOptions

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class OpenTransaction:
    """What a task has written and the driver is to commit; ``partition``: one of those in it."""

    transactional_id: str
    producer: ProducerId
    partition: TopicPartition


def transactional_id(options: WriteOptions, job: str, task: int) -> str:
    """That of a task: ``job`` is a batch job's own, or a stream's query."""
    return f"{options.transactional_id_prefix}-{job}-{task}"


def commit_all(options: WriteOptions, transactions: Sequence[OpenTransaction]) -> None:
    """Commit all of them; on the driver.

    Raises ClientError where one is not open any more, with nothing committed then; and where commits fail for longer
    than transaction.timeout.ms, saying how many were done.
    """
    with borrowed(options.config) as client:
        for one in transactions:
            _check(client, one, len(transactions))
    # From here on there is no way back: what has begun to be visible is worth trying for as long as it can succeed.
    patient = max(options.config.default_api_timeout_ms, options.config.transaction_timeout_ms)
    failures: list[tuple[OpenTransaction, ClientError]] = []
    with borrowed(replace(options.config, default_api_timeout_ms=patient)) as client:
        for one in transactions:
            try:
                client.end_txn(one.transactional_id, one.producer, committed=True)
            except ClientError as error:
                failures.append((one, error))
    if failures:
        first, cause = failures[0]
        done = len(transactions) - len(failures)
        raise ClientError(
            f"{done} of the job's {len(transactions)} transactions were committed, of {len(failures)} it is not known; "
            f"the first of these is {first.transactional_id!r}"
        ) from cause


def abort_all(
    options: WriteOptions, transactions: Sequence[OpenTransaction], unknown: Sequence[str] = ()
) -> None:
    """Abort all of them, as far as it can be done; ``unknown``: transactional ids of tasks that did not report.

    What fails is said in the log, and ends as aborted after transaction.timeout.ms.
    """
    with borrowed(options.config) as client:
        for one in transactions:
            with _logged(one.transactional_id):
                client.end_txn(one.transactional_id, one.producer, committed=False)
        for name in unknown:
            with _logged(name):
                client.init_producer_id(name)


def _check(client: Client, one: OpenTransaction, count: int) -> None:
    """Raise unless the transaction is open, and nobody else has its id."""
    try:
        # Its partition is in it already: this changes nothing, and is refused where the transaction was ended.
        client.add_partitions_to_txn(one.transactional_id, one.producer, [one.partition])
    except ClientError as error:
        raise ClientError(
            f"none of the job's {count} transactions was committed: {one.transactional_id!r} is not open any more. "
            "Either transaction.timeout.ms passed before the job's last task had ended, or the task was run a second "
            "time when its first run had ended already (speculation)"
        ) from error


@contextlib.contextmanager
def _logged(name: str) -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        log.warning("the transaction %r could not be aborted: %s", name, error)
