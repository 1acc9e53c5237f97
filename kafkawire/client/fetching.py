"""Reading record batches: from leaders or the nearest replicas, in sessions, several brokers at the same time."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kafkawire.client.broker import Broker, Pending
from kafkawire.client.cluster import UNKNOWN_TOPIC, UNKNOWN_TOPIC_PATIENCE, Cluster, TopicPartition, expect
from kafkawire.client.config import IsolationLevel
from kafkawire.client.errors import (
    ClientError,
    DeadlineError,
    OffsetOutOfRangeError,
    PartitionError,
    is_invalid_metadata,
    is_retriable,
)
from kafkawire.client.sessions import FetchSession, Wanted
from kafkawire.client.waiting import Backoff, Deadline
from kafkawire.messages import BrokerError, FetchRequest, FetchResponse, error_class
from kafkawire.schema import ZERO_UUID

_FIRST_WITH_SESSIONS = 7
_LAST_WITH_NAMES = 12
_OFFSET_OUT_OF_RANGE = 1
# Of the whole response: the session is of no more use.
_SESSION_ERRORS = (70, 71, 106)


@dataclass(frozen=True)
class FetchedPartition:
    """What a broker gave of a partition.

    ``records``: batches as they lie in the log, a memoryview without a copy, empty where there is nothing new; the
    first batch may begin before the offset asked for, and before Fetch v3 (Kafka 0.10) the last may be cut off.
    ``high_watermark``: the end of what all replicas in sync have; ``last_stable_offset``: of what is not in an open
    transaction, -1 where the broker does not say; ``log_start_offset`` likewise. ``aborted_transactions``: (producer
    id, first offset), with read_committed, of those in the range: the records in them are there, and for the reader to
    leave out.
    ``broker``: who gave it, a node id.
    """

    records: memoryview
    high_watermark: int
    last_stable_offset: int
    log_start_offset: int
    aborted_transactions: tuple[tuple[int, int], ...]
    broker: int


class _Trouble:
    """A partition that cannot be fetched at the moment: since when, why, and when to try again."""

    def __init__(self, backoff: Backoff) -> None:
        self.since = time.monotonic()
        self.retry_at = 0.0
        self.error: BrokerError | ClientError | None = None
        self._backoff = backoff

    def again(self, error: BrokerError | ClientError) -> None:
        self.error = error
        self.retry_at = time.monotonic() + self._backoff.next()


class StartedFetch:
    """Requests that are under way; ``result`` waits for them."""

    def __init__(
        self, fetcher: Fetcher, asked: list[tuple[int, Broker, dict[TopicPartition, Wanted], Pending]]
    ) -> None:
        self._fetcher = fetcher
        self._asked = asked

    def result(self) -> dict[TopicPartition, FetchedPartition]:
        """What came, without the partitions that have trouble at the moment. Raises as ``Fetcher.fetch`` does."""
        asked, self._asked = self._asked, []
        return self._fetcher._finish(asked)


class Fetcher:
    """Fetches from a set of partitions again and again; made by ``Client.fetcher``. For one thread.

    Positions are the caller's: nothing is lost with an error or an interruption, the same positions are asked for
    again.
    ``min_bytes``, ``max_wait_ms``: a broker answers when it has so much, or after so long. ``max_bytes``: of a
    response,
    ``partition_max_bytes``: of each partition in it; a single larger batch comes nonetheless. ``rack``: where this
    client is; "" reads from leaders only. ``sessions``: False names all partitions each time.
    """

    def __init__(
        self,
        cluster: Cluster,
        *,
        isolation_level: IsolationLevel,
        min_bytes: int,
        max_bytes: int,
        max_wait_ms: int,
        partition_max_bytes: int,
        rack: str,
        sessions: bool,
    ) -> None:
        self._cluster = cluster
        self._isolation_level = isolation_level
        self._min_bytes, self._max_bytes, self._max_wait_ms = min_bytes, max_bytes, max_wait_ms
        self._partition_max_bytes = partition_max_bytes
        self._rack = rack
        self._use_sessions = sessions
        self._sessions: dict[int, FetchSession] = {}
        self._preferred: dict[TopicPartition, tuple[int, float]] = {}  # node id, until when
        self._troubles: dict[TopicPartition, _Trouble] = {}

    def fetch(
        self, positions: Mapping[TopicPartition, int], timeout_ms: int | None = None
    ) -> dict[TopicPartition, FetchedPartition]:
        """Fetch once from each partition, from the given offsets on.

        Partitions without news are absent or have no records; so are those that have trouble at the moment (a leader
        that moves), unless all have: then this waits and tries again. Empty means that nothing came within
        ``max_wait_ms``.

        Raises OffsetOutOfRangeError and PartitionError for what a broker refuses, DeadlineError for a partition that
        has had trouble for default.api.timeout.ms (or ``timeout_ms``), BrokerAuthenticationError.
        """
        limit = (self._cluster.config.default_api_timeout_ms if timeout_ms is None else timeout_ms) / 1000
        deadline = Deadline(limit)
        while positions:
            self._check_patience(positions, limit)
            preferred = dict(self._preferred)
            fetched = self._start(positions, deadline).result()
            if any(one.records for one in fetched.values()):
                return fetched
            if self._preferred != preferred and not deadline.expired:
                continue  # sent to another replica, or back to the leader: ask there at once
            if fetched or not all(at in self._troubles for at in positions):
                return fetched
            first = min(positions, key=lambda at: self._troubles[at].retry_at)
            pause = self._troubles[first].retry_at - time.monotonic()
            if pause >= deadline.remaining:
                raise self._given_up(first, limit)
            time.sleep(max(0.0, pause))
        return {}

    def start(self, positions: Mapping[TopicPartition, int]) -> StartedFetch:
        """Send the requests of one ``fetch`` and do not wait: the next responses travel while the last are decoded.

        Only one may be under way at a time.
        """
        return self._start(positions, Deadline(self._cluster.config.default_api_timeout_ms / 1000))

    def _start(self, positions: Mapping[TopicPartition, int], deadline: Deadline) -> StartedFetch:
        self._troubles = {at: trouble for at, trouble in self._troubles.items() if at in positions}
        asked = []
        for node_id, wanted in self._by_node(positions, deadline).items():
            try:
                broker = self._cluster.broker(node_id)
                pending = self._send(broker, node_id, wanted, deadline)
            except ClientError as error:
                self._failed(node_id, wanted, error)
                continue
            asked.append((node_id, broker, wanted, pending))
        return StartedFetch(self, asked)

    # ---- asking ----

    def _by_node(
        self, positions: Mapping[TopicPartition, int], deadline: Deadline
    ) -> dict[int, dict[TopicPartition, Wanted]]:
        now = time.monotonic()
        nodes: dict[int, dict[TopicPartition, Wanted]] = {}
        for at, offset in positions.items():
            trouble = self._troubles.get(at)
            if trouble is not None and now < trouble.retry_at:
                continue
            try:
                known = self._cluster.partition(at, deadline)
            except (BrokerError, ClientError) as error:
                self._in_trouble(at, error, None)
                continue
            node_id, until = self._preferred.get(at, (known.leader, now))
            if until < now:
                del self._preferred[at]
                node_id = known.leader
            nodes.setdefault(node_id, {})[at] = Wanted(
                offset, self._partition_max_bytes, known.leader_epoch, self._cluster.topic_id(at.topic)
            )
        return nodes

    def _send(self, broker: Broker, node_id: int, wanted: dict[TopicPartition, Wanted], deadline: Deadline) -> Pending:
        cap = _LAST_WITH_NAMES if any(one.topic_id == ZERO_UUID for one in wanted.values()) else None
        version = broker.version(FetchRequest, deadline, cap)
        request = FetchRequest(
            max_wait_ms=self._max_wait_ms,
            min_bytes=self._min_bytes,
            max_bytes=self._max_bytes,
            isolation_level=1 if self._isolation_level == "read_committed" else 0,
            rack_id=self._rack,
        )
        session = self._sessions.setdefault(node_id, FetchSession())
        session.enabled = self._use_sessions and version >= _FIRST_WITH_SESSIONS
        session.fill(request, wanted, version > _LAST_WITH_NAMES)
        timeout = self._cluster.config.request_timeout_ms + self._max_wait_ms
        return broker.send(request, deadline, version=version, timeout_ms=timeout)

    # ---- reading ----

    def _finish(
        self, asked: Iterable[tuple[int, Broker, dict[TopicPartition, Wanted], Pending]]
    ) -> dict[TopicPartition, FetchedPartition]:
        fetched: dict[TopicPartition, FetchedPartition] = {}
        refused: ClientError | None = None
        for node_id, broker, wanted, pending in asked:
            try:
                response = expect(FetchResponse, pending)
            except ClientError as error:
                self._failed(node_id, wanted, error)
                continue
            try:
                self._read(node_id, broker, wanted, response, fetched)
            except ClientError as error:
                refused = error  # after all brokers' answers are read: their sessions have gone on
        if refused is not None:
            refused.completed = dict(fetched)
            raise refused
        return fetched

    def _read(
        self,
        node_id: int,
        broker: Broker,
        wanted: dict[TopicPartition, Wanted],
        response: FetchResponse,
        fetched: dict[TopicPartition, FetchedPartition],
    ) -> None:
        session = self._sessions[node_id]
        if response.error_code != 0:
            session.reset()
            failure = error_class(response.error_code)()
            for at in wanted:
                # A session that the broker has forgotten is begun anew at once; only if that fails is it trouble.
                if response.error_code not in _SESSION_ERRORS or at in self._troubles:
                    self._in_trouble(at, failure, node_id)
                else:
                    self._troubles[at] = self._trouble(at)
                    self._troubles[at].error = failure
            return
        refused: ClientError | None = None
        silent = dict(wanted)
        for topic in response.responses:
            name = topic.topic or session.name_of(topic.topic_id)
            for one in topic.partitions:
                at = TopicPartition(name or "", one.partition_index)
                if silent.pop(at, None) is None:
                    continue  # of a partition that was forgotten in the meantime
                if one.error_code != 0:
                    refused = self._partition_failed(at, one.error_code, node_id, broker, wanted[at]) or refused
                    continue
                self._troubles.pop(at, None)
                if one.preferred_read_replica >= 0 and one.preferred_read_replica != node_id:
                    seconds = self._cluster.config.metadata_max_age_ms / 1000
                    self._preferred[at] = (one.preferred_read_replica, time.monotonic() + seconds)
                records = one.records if one.records is not None else b""
                fetched[at] = FetchedPartition(
                    records if isinstance(records, memoryview) else memoryview(records),
                    one.high_watermark,
                    one.last_stable_offset,
                    one.log_start_offset,
                    tuple((gone.producer_id, gone.first_offset) for gone in one.aborted_transactions or ()),
                    node_id,
                )
        for at in silent:
            self._troubles.pop(at, None)
        session.answered(response)
        if refused is not None:
            raise refused

    def _partition_failed(
        self, at: TopicPartition, code: int, node_id: int, broker: Broker, wanted: Wanted
    ) -> ClientError | None:
        failure = error_class(code)()
        followed = self._preferred.pop(at, None) is not None
        if failure.retriable or (code == _OFFSET_OUT_OF_RANGE and followed):
            # A follower may lag behind, or keep less: the leader knows.
            self._in_trouble(at, failure, node_id)
            return None
        kind = OffsetOutOfRangeError if code == _OFFSET_OUT_OF_RANGE else PartitionError
        error = kind(
            f"fetching from offset {wanted.offset} was refused",
            broker=str(broker),
            topic=at.topic,
            partition=at.partition,
        )
        error.__cause__ = failure
        return error

    # ---- trouble ----

    def _trouble(self, at: TopicPartition) -> _Trouble:
        config = self._cluster.config
        return self._troubles.get(at) or _Trouble(Backoff(config.retry_backoff_ms, config.retry_backoff_max_ms))

    def _in_trouble(self, at: TopicPartition, error: BrokerError | ClientError, node_id: int | None) -> None:
        """Remember to try again later; what is not retriable is raised."""
        if not is_retriable(error) and not (isinstance(error, BrokerError) and error.code == _OFFSET_OUT_OF_RANGE):
            if isinstance(error, BrokerError):
                raise PartitionError("fetching was refused", topic=at.topic, partition=at.partition) from error
            raise error
        trouble = self._trouble(at)
        trouble.again(error)
        self._troubles[at] = trouble
        if is_invalid_metadata(error):
            self._cluster.forget_topic(at.topic)

    def _failed(self, node_id: int, wanted: Iterable[TopicPartition], error: ClientError) -> None:
        """A whole broker: its session is over, its partitions are looked for elsewhere."""
        if node_id in self._sessions:
            self._sessions[node_id].reset()
        for at in wanted:
            self._preferred.pop(at, None)
            self._in_trouble(at, error, node_id)

    def _check_patience(self, positions: Iterable[TopicPartition], limit: float) -> None:
        for at in positions:
            trouble = self._troubles.get(at)
            if trouble is None:
                continue
            unknown = getattr(trouble.error, "code", None) == UNKNOWN_TOPIC
            patience = min(limit, UNKNOWN_TOPIC_PATIENCE) if unknown else limit
            if time.monotonic() - trouble.since > patience:
                raise self._given_up(at, patience)

    def _given_up(self, at: TopicPartition, limit: float) -> DeadlineError:
        trouble = self._troubles[at]
        self._troubles = {}  # who asks again, after this error, has the whole time again
        error = DeadlineError(f"fetching: given up after {limit:g} seconds", topic=at.topic, partition=at.partition)
        error.__cause__ = trouble.error
        return error
