"""The client: Kafka's operations as methods that block, each for a bounded time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from uuid import UUID

from kafkawire.client import admin, offsets, transactions
from kafkawire.client.admin import NewTopic
from kafkawire.client.broker import Broker
from kafkawire.client.cluster import (
    GROUP,
    TRANSACTION,
    UNKNOWN_TOPIC,
    UNKNOWN_TOPIC_PATIENCE,
    Cluster,
    ClusterMetadata,
    Node,
    TopicMetadata,
    TopicPartition,
)
from kafkawire.client.config import ClientConfig, IsolationLevel
from kafkawire.client.errors import RefusedError
from kafkawire.client.fetching import FetchedPartition, Fetcher
from kafkawire.client.offsets import CommittedOffset, Moment, OffsetAndTimestamp
from kafkawire.client.producing import Produced, produce
from kafkawire.client.transactions import IdempotentProducer, ProducerId
from kafkawire.client.waiting import Deadline
from kafkawire.connection import VersionTable
from kafkawire.messages import BrokerError, DescribeGroupsResponse, error_class
from kafkawire.schema import Request, Response

if TYPE_CHECKING:
    from typing_extensions import Self

CoordinatorType: TypeAlias = Literal["group", "transaction"]
# Codes of a whole response that say: not I, or not yet (the coordinator loads, is not there, is another; the
# controller).
_ELSEWHERE = (14, 15, 16, 41)
_COORDINATORS = {"group": GROUP, "transaction": TRANSACTION}


class Client:
    """A client of one cluster.

    ``config``: a ClientConfig, or Kafka's properties (``{"bootstrap.servers": "host:9092", ...}``). Nothing is sent
    before the first operation. ``with Client(...) as client`` closes it at the end.

    Threads may share a client: requests to one broker take turns then, also while one of them waits for records; who
    wants to fetch and produce at the same time takes two clients. Fetchers and producers serve one thread at a time.
    After a fork, a process needs clients of its own. KeyboardInterrupt closes the connection that was in use, and the
    client goes on with a new one.

    All operations raise ClientError with its subclasses, see :mod:`kafkawire.client.errors`, and UnsupportedError where
    the broker is too old (or too new) for them. What may succeed later (a leader that moves, a broker that is down, a
    timeout) is tried again until default.api.timeout.ms has passed (delivery.timeout.ms for produce).
    """

    def __init__(self, config: ClientConfig | Mapping[str, Any]) -> None:
        self.config = config if isinstance(config, ClientConfig) else ClientConfig.from_properties(config)
        self._cluster = Cluster(self.config)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Client of {', '.join(self.config.bootstrap_servers)}>"

    def close(self) -> None:
        """Close all connections; what is under way in other threads fails with ClosedError."""
        self._cluster.close()

    # ---- the cluster ----

    def metadata(
        self, topics: Collection[str] | None = None, *, allow_auto_topic_creation: bool = False
    ) -> ClusterMetadata:
        """Brokers, and topics with their partitions: those named, or all. A topic that is not there has an error
        code."""
        return self._cluster.attempt(
            "getting metadata",
            lambda deadline: self._cluster.refresh(topics, deadline, create=allow_auto_topic_creation),
        )

    def topic(self, name: str, *, create: bool = False) -> TopicMetadata:
        """A topic with its partitions, from memory where it was asked for within metadata.max.age.ms. ``create``: let
        the broker create it. RefusedError, after some seconds of asking, for one that is not there."""
        patience = Deadline(UNKNOWN_TOPIC_PATIENCE)

        def ask(deadline: Deadline) -> TopicMetadata:
            try:
                return self._cluster.topic(name, deadline, create=create)
            except BrokerError as error:
                if error.code == UNKNOWN_TOPIC and patience.expired:
                    raise RefusedError("there is no such topic", topic=name) from error
                raise

        return self._cluster.attempt(f"finding the topic {name!r}", ask)

    def api_versions(self, broker: int | None = None) -> VersionTable:
        """API key to (lowest, highest) version, of any broker or of a node id."""
        return self._cluster.attempt(
            "getting versions", lambda deadline: self._choose(broker, deadline).versions(deadline)
        )

    def find_coordinator(self, key: str, kind: CoordinatorType = "group") -> Node:
        """The broker that coordinates a group or a transactional id, asked for anew."""
        self._cluster.forget_coordinator(key, _COORDINATORS[kind])

        def run(deadline: Deadline) -> Node:
            found = self._cluster.coordinator(key, _COORDINATORS[kind], deadline)
            assert found.node_id is not None
            return Node(found.node_id, found.host, found.port)

        return self._cluster.attempt(f"finding the coordinator of {key!r}", run)

    def call(
        self,
        request: Request,
        *,
        broker: int | None = None,
        controller: bool = False,
        coordinator: str | None = None,
        coordinator_type: CoordinatorType = "group",
        version: int | None = None,
        timeout_ms: int | None = None,
    ) -> Response | None:
        """Send any request, and give its response (None for acks=0) as it is, error codes included.

        To a node id, to the controller, to the coordinator of a group or transactional id, or to any broker.
        ``version``: instead of the highest common one. Where nobody can be reached, or the connection breaks, it is
        tried again; and where the response as a whole has a code that says so (NOT_COORDINATOR, NOT_CONTROLLER, ...),
        elsewhere.
        ``timeout_ms``: for each response, instead of request.timeout.ms.
        """
        if sum((broker is not None, controller, coordinator is not None)) > 1:
            raise ValueError("one of broker, controller and coordinator")

        def ask(chosen: Broker, deadline: Deadline) -> Response | None:
            response = chosen.send(request, deadline, version=version, timeout_ms=timeout_ms).result()
            code = getattr(response, "error_code", 0)
            if code in _ELSEWHERE:
                raise error_class(code)(getattr(response, "error_message", None))
            return response

        what = type(request).__name__
        if coordinator is not None:
            return self._cluster.with_coordinator(what, coordinator, _COORDINATORS[coordinator_type], ask)
        if controller:
            return self._cluster.with_controller(what, ask)
        return self._cluster.attempt(what, lambda until: ask(self._choose(broker, until), until))

    # ---- records ----

    def list_offsets(
        self,
        moments: Mapping[TopicPartition, Moment],
        *,
        isolation_level: IsolationLevel | None = None,
        timeout_ms: int | None = None,
    ) -> dict[TopicPartition, OffsetAndTimestamp | None]:
        """Offsets by time: "earliest", "latest" (the next to be written; with read_committed the last stable one),
        "max_timestamp", or milliseconds since the epoch for the first record at or after them. None where there is no
        such record."""
        return offsets.list_offsets(
            self._cluster, _partitions(moments), isolation_level or self.config.isolation_level, timeout_ms
        )

    def fetch(
        self, positions: Mapping[TopicPartition, int], *, timeout_ms: int | None = None, **options: Any
    ) -> dict[TopicPartition, FetchedPartition]:
        """Fetch once, without a session; see ``Fetcher.fetch``. ``options``: those of ``fetcher``."""
        return self.fetcher(**{"sessions": False, **options}).fetch(_partitions(positions), timeout_ms)

    def fetcher(
        self,
        *,
        isolation_level: IsolationLevel | None = None,
        min_bytes: int | None = None,
        max_bytes: int | None = None,
        max_wait_ms: int | None = None,
        partition_max_bytes: int | None = None,
        rack: str | None = None,
        sessions: bool = True,
    ) -> Fetcher:
        """For fetching again and again; what is not given is the configuration's."""
        config = self.config
        return Fetcher(
            self._cluster,
            isolation_level=isolation_level or config.isolation_level,
            min_bytes=config.fetch_min_bytes if min_bytes is None else min_bytes,
            max_bytes=config.fetch_max_bytes if max_bytes is None else max_bytes,
            max_wait_ms=config.fetch_max_wait_ms if max_wait_ms is None else max_wait_ms,
            partition_max_bytes=config.max_partition_fetch_bytes
            if partition_max_bytes is None
            else partition_max_bytes,
            rack=config.client_rack if rack is None else rack,
            sessions=sessions,
        )

    def produce(
        self,
        records: Mapping[TopicPartition, bytes],
        *,
        acks: int | None = None,
        transactional_id: str | None = None,
        timeout_ms: int | None = None,
    ) -> dict[TopicPartition, list[Produced]]:
        """Write whole batches, as RecordBatchBuilder and write_columns build them, each partition's in their order.

        Gives where each batch is. A batch is tried again, the same bytes, until it is known to be written: one with a
        producer id and sequence numbers is then there once (see ``idempotent_producer``), another may be there twice.
        ``acks``: -1 all replicas in sync, 1 the leader, 0 nobody, and nothing is known. ``transactional_id``: the
        batches' transaction, to which their partitions have been added.

        Raises PartitionError for a refusal; ``completed`` has the batches of that turn which were written.
        """
        return produce(
            self._cluster,
            _partitions(records),
            self.config.acks if acks is None else acks,
            transactional_id,
            timeout_ms,
        )

    def idempotent_producer(self, transactional_id: str | None = None) -> IdempotentProducer:
        """A producer whose retries write nothing twice, and with an id of its own one that writes in transactions."""
        return IdempotentProducer(self._cluster, transactional_id)

    # ---- transactions, for those who keep the state themselves ----

    def init_producer_id(self, transactional_id: str | None = None, current: ProducerId | None = None) -> ProducerId:
        """A producer id and epoch. With a transactional id: aborts what an earlier producer left open and fences it
        off;
        ``current`` raises the epoch of a producer that still is the latest (KIP-360)."""
        return transactions.init_producer_id(self._cluster, transactional_id, current)

    def add_partitions_to_txn(
        self, transactional_id: str, producer: ProducerId, partitions: Iterable[TopicPartition]
    ) -> None:
        """Bring partitions into the open transaction, or open one with them."""
        transactions.add_partitions_to_txn(
            self._cluster, transactional_id, producer, [TopicPartition(*at) for at in partitions]
        )

    def end_txn(self, transactional_id: str, producer: ProducerId, *, committed: bool) -> None:
        """Commit or abort the open transaction; the same again is no error."""
        transactions.end_txn(self._cluster, transactional_id, producer, committed)

    # ---- groups ----

    def commit_offsets(
        self,
        group: str,
        committed: Mapping[TopicPartition, int | CommittedOffset],
        *,
        generation: int = -1,
        member_id: str = "",
        group_instance_id: str | None = None,
    ) -> None:
        """Store how far a group has read: the next offset of each partition. Without a generation and a member id the
        group must have no members."""
        offsets.commit_offsets(self._cluster, group, _partitions(committed), generation, member_id, group_instance_id)

    def fetch_offsets(
        self, group: str, partitions: Collection[TopicPartition] | None = None, *, require_stable: bool = False
    ) -> dict[TopicPartition, CommittedOffset | None]:
        """What a group has committed, of these partitions or of all that it has; None where it has not.
        ``require_stable``: wait for open transactions that may change it (KIP-447)."""
        wanted = None if partitions is None else [TopicPartition(*at) for at in partitions]
        return offsets.fetch_offsets(self._cluster, group, wanted, require_stable)

    def describe_groups(self, groups: Collection[str]) -> dict[str, DescribeGroupsResponse.Group]:
        """State, protocol and members of groups, each with an error code of its own; one that is not there is
        "Dead"."""
        return admin.describe_groups(self._cluster, groups)

    # ---- topics ----

    def create_topics(
        self, topics: Collection[NewTopic], *, timeout_ms: int = 30_000, validate_only: bool = False
    ) -> dict[str, UUID]:
        """Create topics; gives their ids (zero from brokers before 2.8). ``timeout_ms``: until all brokers know of
        them. RefusedError for one that cannot be; ``completed`` has those before it."""
        return admin.create_topics(self._cluster, topics, timeout_ms, validate_only)

    def delete_topics(self, names: Collection[str], *, timeout_ms: int = 30_000) -> None:
        """Delete topics. RefusedError for one that is not there."""
        admin.delete_topics(self._cluster, names, timeout_ms)

    # ---- inside ----

    def _choose(self, broker: int | None, deadline: Deadline) -> Broker:
        if broker is None:
            return self._cluster.any_broker(deadline)
        return self._cluster.node(broker, deadline)


def _partitions(given: Mapping[TopicPartition, Any]) -> dict[TopicPartition, Any]:
    """Bare tuples are welcome as partitions."""
    return {TopicPartition(*at): value for at, value in given.items()}
