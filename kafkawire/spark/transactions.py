"""Transactions of a write: each task has one of its own, and the driver ends all of them.

Every attempt of a task writes everything in a transaction of its own and leaves it open. When all tasks are done, the
driver, whom Spark tells which attempt of each task counts, first makes sure that every transaction is still open, and
only then commits one after the other. Then it fences off whatever else of the job is still open: attempts that died,
or that live on though nobody waits for them (InitProducerId raises the epoch and aborts, KIP-98).

An attempt that fenced off its predecessor itself would not do: the predecessor may be the one that counts
(speculation), and one that Spark has given up may begin later than its successor.

Kafka has no transaction of several producers. What follows from it: between the first and the last commit, some
milliseconds for each task, a reader may see some of the tasks' records; and a driver that dies in that time leaves the
rest uncommitted, which ends as aborted after transaction.timeout.ms.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kafkawire.client import Client, ClientError, ProducerId, TopicPartition
from kafkawire.errors import UnsupportedError, WireError
from kafkawire.spark.clients import borrowed
from kafkawire.spark.write_options import WriteOptions

log = logging.getLogger(__name__)

#: For which a job that has failed looks for attempts that go on: Spark does not wait for the tasks that it ends, and
#: kills their Python two seconds later. What they open holds up the readers of its partitions.
_STRAGGLER_SECONDS = 5.0
#: For which a commit waits for the brokers' markers. They are sure to come; a leader that moves takes seconds.
_MARKER_SECONDS = 30.0


@dataclass(frozen=True)
class OpenTransaction:
    """What a task has written and the driver is to commit; ``partition``: one of those in it."""

    transactional_id: str
    producer: ProducerId
    partition: TopicPartition


def job_prefix(options: WriteOptions, job: str) -> str:
    """What the transactional ids of a job begin with: ``job`` is a batch job's own name, or a stream's query."""
    return f"{options.transactional_id_prefix}-{job}-"


def commit_all(options: WriteOptions, transactions: Sequence[OpenTransaction], job: str) -> None:
    """Commit all of them, and abort everything else of the job; on the driver.

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
        failure = ClientError(
            f"{done} of the job's {len(transactions)} transactions were committed, of {len(failures)} it is not known; "
            f"the first of these is {first.transactional_id!r}: {cause}"
        )
        raise failure from cause
    _await_markers(options, {one.transactional_id for one in transactions})
    abort_others(options, job_prefix(options, job))


def _await_markers(options: WriteOptions, names: set[str]) -> None:
    """Wait until the records can be read: brokers answer a commit when it is sure, and write the markers then."""
    began = time.monotonic()
    with contextlib.suppress(UnsupportedError), borrowed(options.config) as client:
        while names & {one.transactional_id for one in client.list_transactions(["PrepareCommit"])}:
            if time.monotonic() - began > _MARKER_SECONDS:
                log.warning("committed, but brokers have not made all of it visible within %g seconds", _MARKER_SECONDS)
                return
            time.sleep(0.02)


def abort_all(options: WriteOptions, transactions: Sequence[OpenTransaction], job: str | None) -> None:
    """Abort all of them, and everything else of the job where it is known; on the driver.

    What fails is said in the log, and ends as aborted after transaction.timeout.ms.
    """
    with borrowed(options.config) as client:
        for one in transactions:
            with _logged(one.transactional_id):
                client.end_txn(one.transactional_id, one.producer, committed=False)
    if job is not None:
        abort_others(options, job_prefix(options, job), _STRAGGLER_SECONDS)


def abort_others(options: WriteOptions, prefix: str, seconds: float = 0.0) -> None:
    """Abort all open transactions whose ids begin so, as far as it can be done (brokers from 3.0 on list them), and
    those that are opened in so many seconds more."""
    until = time.monotonic() + seconds
    with _logged(f"{prefix}..."), borrowed(options.config) as client:
        while True:
            for one in client.list_transactions(["Ongoing"]):
                if one.transactional_id.startswith(prefix):
                    with _logged(one.transactional_id):
                        client.init_producer_id(one.transactional_id)
            if time.monotonic() >= until:
                return
            time.sleep(0.25)


def _check(client: Client, one: OpenTransaction, count: int) -> None:
    """Raise unless the transaction is open, and nobody else has its id."""
    try:
        # Its partition is in it already: this changes nothing, and is refused where the transaction was ended.
        client.add_partitions_to_txn(one.transactional_id, one.producer, [one.partition])
    except ClientError as error:
        raise ClientError(
            f"none of the job's {count} transactions was committed: {one.transactional_id!r} is not open any more. "
            "Most likely kafka.transaction.timeout.ms passed before the job's last task had ended"
        ) from error


@contextlib.contextmanager
def _logged(name: str) -> Iterator[None]:
    try:
        yield
    except (ClientError, WireError) as error:
        log.warning("the transaction %r could not be aborted: %s", name, error)
