"""The cluster as one client sees it: its brokers, who leads what, who coordinates whom; and how often to try."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar
from uuid import UUID

from kafkawire.client.broker import Broker, Pending
from kafkawire.client.config import ClientConfig, parse_address
from kafkawire.client.errors import (
    BrokerConnectionError,
    ClientError,
    ClosedError,
    DeadlineError,
    PartitionError,
    RefusedError,
    is_invalid_metadata,
    is_retriable,
)
from kafkawire.client.security import sasl_credentials, ssl_context
from kafkawire.client.waiting import Backoff, Deadline
from kafkawire.messages import (
    BrokerError,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
    MetadataRequest,
    MetadataResponse,
    error_class,
)
from kafkawire.schema import ZERO_UUID, Response

T = TypeVar("T")
Asked = TypeVar("Asked")
Result = TypeVar("Result")

#: FindCoordinator's key types.
GROUP, TRANSACTION = 0, 1

UNKNOWN_TOPIC = 3
_LEADER_NOT_AVAILABLE = 5
_UNKNOWN_SERVER_ERROR = -1
#: Seconds for which a topic that no broker knows may still appear: one that was just created.
UNKNOWN_TOPIC_PATIENCE = 5.0


class TopicPartition(NamedTuple):
    """A partition of a topic."""

    topic: str
    partition: int


@dataclass(frozen=True)
class Node:
    """A broker of the cluster, at the address that it advertises."""

    node_id: int
    host: str
    port: int
    rack: str | None = None


@dataclass(frozen=True)
class PartitionMetadata:
    """A partition's leader (-1: none at the moment), its epoch, and replicas as node ids."""

    partition: int
    leader: int
    leader_epoch: int = -1
    replicas: tuple[int, ...] = ()
    isr: tuple[int, ...] = ()
    offline_replicas: tuple[int, ...] = ()
    error_code: int = 0


@dataclass(frozen=True)
class TopicMetadata:
    """A topic; ``topic_id`` is all zero where the brokers have none. With an error code it has no partitions."""

    name: str
    topic_id: UUID
    partitions: Mapping[int, PartitionMetadata]
    is_internal: bool = False
    error_code: int = 0


@dataclass(frozen=True)
class ClusterMetadata:
    """What a broker knew of the cluster."""

    cluster_id: str | None
    controller_id: int
    nodes: Mapping[int, Node]
    topics: Mapping[str, TopicMetadata]


@dataclass
class Answer(Generic[Result]):
    """What a broker said about one partition: an error code, or a result."""

    error_code: int
    result: Result
    message: str | None = None


@dataclass
class _Known:
    """The cache, replaced piece by piece."""

    controller_id: int = -1
    nodes: dict[int, Node] = field(default_factory=dict)
    topics: dict[str, tuple[TopicMetadata, float]] = field(default_factory=dict)
    coordinators: dict[tuple[int, str], int] = field(default_factory=dict)


class Cluster:
    """Brokers, metadata and coordinators of one cluster. Threads may share it."""

    def __init__(self, config: ClientConfig) -> None:
        self.config = config
        self._tls = ssl_context(config) if config.uses_tls else None
        self._credentials = sasl_credentials(config) if config.uses_sasl else None
        self._lock = threading.Lock()
        self._known = _Known()
        self._brokers: dict[tuple[str, int], Broker] = {}
        self._closed = False
        self._bootstrap = [parse_address(server) for server in config.bootstrap_servers]
        random.shuffle(self._bootstrap)

    def close(self) -> None:
        """Close all connections; requests under way fail with ClosedError."""
        with self._lock:
            self._closed = True
            brokers = list(self._brokers.values())
        for broker in brokers:
            broker.close()

    # ---- brokers ----

    def any_broker(self, deadline: Deadline) -> Broker:
        """A broker that answers: one that is connected, else the first that can be reached.

        Raises BrokerConnectionError, caused by the last failure, where none of them can; BrokerAuthenticationError
        where that was it.
        """
        known = [(node.host, node.port) for node in self._known.nodes.values()]
        random.shuffle(known)
        brokers = [self._broker(*address) for address in dict.fromkeys([*known, *self._bootstrap])]
        brokers.sort(key=lambda broker: (not broker.is_connected, broker.backing_off))
        failure: ClientError | None = None
        for broker in brokers:
            try:
                broker.versions(deadline)
                return broker
            except ClientError as error:
                if not error.retriable:
                    raise
                failure = error
        raise BrokerConnectionError(f"none of {len(brokers)} brokers can be reached") from failure

    def broker(self, node_id: int) -> Broker:
        """The broker of an id; BrokerConnectionError for one that the cluster does not have at the moment."""
        node = self._known.nodes.get(node_id)
        if node is None:
            raise BrokerConnectionError(f"node {node_id} is not in the cluster at the moment")
        return self._broker(node.host, node.port, node_id)

    def node(self, node_id: int, deadline: Deadline) -> Broker:
        """The same, asking for metadata where the id is not known."""
        if node_id not in self._known.nodes:
            self.refresh([], deadline)
        return self.broker(node_id)

    def controller(self, deadline: Deadline) -> Broker:
        """The broker that takes what is meant for the controller; it passes it on where it is not the one itself."""
        if self._known.controller_id not in self._known.nodes:
            self.refresh([], deadline)
        if self._known.controller_id < 0:
            return self.any_broker(deadline)  # nobody says who it is: before 0.10, or during an election
        return self.broker(self._known.controller_id)

    def forget_controller(self) -> None:
        """Ask who it is next time."""
        with self._lock:
            self._known.controller_id = -1

    def coordinator(self, key: str, key_type: int, deadline: Deadline) -> Broker:
        """The coordinator of a group or a transactional id. Raises BrokerError where there is none at the moment."""
        node_id = self._known.coordinators.get((key_type, key))
        if node_id is not None and node_id in self._known.nodes:
            return self.broker(node_id)
        broker = self.any_broker(deadline)
        version = broker.version(FindCoordinatorRequest, deadline)
        request = FindCoordinatorRequest(coordinator_keys=[key]) if version >= 4 else FindCoordinatorRequest(key=key)
        if version >= 1:
            request.key_type = key_type
        response = expect(FindCoordinatorResponse, broker.send(request, deadline, version=version))
        found = response.coordinators[0] if response.coordinators else response
        if found.error_code != 0:
            raise error_class(found.error_code)(found.error_message)
        with self._lock:
            self._known.nodes.setdefault(found.node_id, Node(found.node_id, found.host, found.port))
            self._known.coordinators[key_type, key] = found.node_id
        return self._broker(found.host, found.port, found.node_id)

    def forget_coordinator(self, key: str, key_type: int) -> None:
        """Look for it again next time."""
        with self._lock:
            self._known.coordinators.pop((key_type, key), None)

    def _broker(self, host: str, port: int, node_id: int | None = None) -> Broker:
        with self._lock:
            if self._closed:
                raise ClosedError("the client was closed")
            broker = self._brokers.get((host, port))
            if broker is None:
                broker = Broker(host, port, self.config, self._tls, self._credentials, node_id)
                self._brokers[host, port] = broker
            if node_id is not None:
                broker.node_id = node_id
            return broker

    # ---- metadata ----

    def refresh(self, topics: Iterable[str] | None, deadline: Deadline, *, create: bool = False) -> ClusterMetadata:
        """Ask a broker, and keep what it says. ``topics``: names, None for all. ``create``: let it create unknown
        ones."""
        broker = self.any_broker(deadline)
        version = broker.version(MetadataRequest, deadline)
        names = None if topics is None else [MetadataRequest.Topic(name=name) for name in topics]
        if version == 0 and names is None:
            names = []  # all of them, in version 0
        request = MetadataRequest(topics=names)
        if version >= 4:
            request.allow_auto_topic_creation = create
        metadata = read_metadata(expect(MetadataResponse, broker.send(request, deadline, version=version)))
        now = time.monotonic()
        with self._lock:
            if metadata.nodes:
                self._known.nodes = dict(metadata.nodes)
            self._known.controller_id = metadata.controller_id
            for name, topic in metadata.topics.items():
                if topic.error_code == 0:
                    self._known.topics[name] = (topic, now)
                else:
                    self._known.topics.pop(name, None)
        return metadata

    def topic(self, name: str, deadline: Deadline, *, create: bool = False) -> TopicMetadata:
        """What is known of a topic, asked for where it is not, or not since metadata.max.age.ms.

        Raises BrokerError for a topic that cannot be had.
        """
        known = self._known.topics.get(name)
        if known is not None and time.monotonic() - known[1] < self.config.metadata_max_age_ms / 1000:
            return known[0]
        topic = self.refresh([name], deadline, create=create).topics.get(name)
        if topic is None:
            raise error_class(UNKNOWN_TOPIC)()
        if topic.error_code == _UNKNOWN_SERVER_ERROR:
            # So says 0.8 of a topic that it is about to create.
            failure = error_class(topic.error_code)()
            raise BrokerConnectionError("no broker can say who leads the topic at the moment", topic=name) from failure
        if topic.error_code != 0:
            raise error_class(topic.error_code)()
        return topic

    def partition(self, at: TopicPartition, deadline: Deadline, *, create: bool = False) -> PartitionMetadata:
        """What is known of a partition. Raises BrokerError where the topic, the partition or its leader is not
        there."""
        partition = self.topic(at.topic, deadline, create=create).partitions.get(at.partition)
        if partition is None:
            self.forget_topic(at.topic)
            raise error_class(UNKNOWN_TOPIC)(f"the topic {at.topic!r} has no partition {at.partition}")
        if partition.leader < 0:
            self.forget_topic(at.topic)
            raise error_class(_LEADER_NOT_AVAILABLE)()
        return partition

    def topic_id(self, name: str) -> UUID:
        """The id of a topic that is known, zero without one."""
        known = self._known.topics.get(name)
        return known[0].topic_id if known is not None else ZERO_UUID

    def forget_topic(self, name: str) -> None:
        """Ask for it again next time."""
        with self._lock:
            self._known.topics.pop(name, None)

    # ---- trying again ----

    def attempt(self, what: str, operation: Callable[[Deadline], T], timeout_ms: int | None = None) -> T:
        """Run an operation until it succeeds, fails for good, or the time is up (default.api.timeout.ms).

        Raises what is not retriable: a BrokerError as the cause of a RefusedError; DeadlineError at the end.
        """
        milliseconds = self.config.default_api_timeout_ms if timeout_ms is None else timeout_ms
        deadline = Deadline(milliseconds / 1000)
        backoff = Backoff(self.config.retry_backoff_ms, self.config.retry_backoff_max_ms)
        while True:
            try:
                return operation(deadline)
            except (BrokerError, ClientError) as error:
                if not is_retriable(error):
                    if isinstance(error, BrokerError):
                        raise RefusedError(f"{what} was refused") from error
                    raise
                pause = backoff.next()
                if pause >= deadline.remaining:
                    raise DeadlineError(f"{what} did not succeed in {milliseconds / 1000:g} seconds") from error
            time.sleep(pause)

    def with_controller(self, what: str, operation: Callable[[Broker, Deadline], T]) -> T:
        """``attempt`` with the controller, which is asked for again after each failure."""

        def run(deadline: Deadline) -> T:
            try:
                return operation(self.controller(deadline), deadline)
            except (BrokerError, ClientError) as error:
                if is_retriable(error):
                    self.forget_controller()
                raise

        return self.attempt(what, run)

    def with_coordinator(self, what: str, key: str, key_type: int, operation: Callable[[Broker, Deadline], T]) -> T:
        """``attempt`` with the coordinator, which is looked for again after each failure."""

        def run(deadline: Deadline) -> T:
            broker = self.coordinator(key, key_type, deadline)
            try:
                return operation(broker, deadline)
            except (BrokerError, ClientError) as error:
                if is_retriable(error):
                    self.forget_coordinator(key, key_type)
                raise

        return self.attempt(what, run)

    def per_partition(
        self,
        what: str,
        todo: Mapping[TopicPartition, Asked],
        send: Callable[[Broker, dict[TopicPartition, Asked], Deadline], list[Pending]],
        read: Callable[[Pending], Iterator[tuple[TopicPartition, Answer[Result]]]],
        *,
        timeout_ms: int | None = None,
        create: bool = False,
        retries: int | None = None,
    ) -> dict[TopicPartition, Result]:
        """Ask the leader of each partition, and again those that moved, until all have answered.

        ``send`` asks one broker about its partitions, ``read`` says what it answered. All brokers are asked at the same
        time. Raises PartitionError for a refusal and DeadlineError when the time is up, both with what is
        ``completed``.
        """
        milliseconds = self.config.default_api_timeout_ms if timeout_ms is None else timeout_ms
        began = time.monotonic()
        deadline = Deadline(milliseconds / 1000)
        patience = deadline.within(UNKNOWN_TOPIC_PATIENCE)
        backoff = Backoff(self.config.retry_backoff_ms, self.config.retry_backoff_max_ms)
        remaining = dict(todo)
        completed: dict[TopicPartition, Result] = {}
        while True:
            failures: dict[TopicPartition, BrokerError | ClientError] = {}
            asked: list[tuple[Broker, set[TopicPartition], Pending]] = []
            for broker, mine in self._by_leader(remaining, deadline, failures, create):
                try:
                    asked += [(broker, set(mine), pending) for pending in send(broker, mine, deadline)]
                except ClientError as error:
                    if not error.retriable:
                        error.completed = dict(completed)
                        raise
                    failures |= dict.fromkeys(mine, error)
            for broker, mine_too, pending in asked:
                try:
                    for at, answer in read(pending):
                        if answer.error_code == 0:
                            completed[at] = answer.result
                            remaining.pop(at, None)
                        else:
                            failure = error_class(answer.error_code)(answer.message)
                            if not failure.retriable:
                                raise _refusal(what, at, broker, failure, completed) from failure
                            failures[at] = failure
                except ClientError as error:
                    if not error.retriable:
                        error.completed = dict(completed)
                        raise
                    failures |= {at: error for at in mine_too if at in remaining}
            if not remaining:
                return completed
            pause = backoff.next()
            for at in remaining:
                trouble = failures.get(at)
                if trouble is None or is_invalid_metadata(trouble):
                    self.forget_topic(at.topic)
                out_of_patience = getattr(trouble, "code", None) == UNKNOWN_TOPIC and patience.expired
                out_of_tries = retries is not None and backoff.failures > retries
                if out_of_patience or out_of_tries or pause >= deadline.remaining:
                    raise _too_late(what, at, time.monotonic() - began, completed) from trouble
            time.sleep(pause)

    def _by_leader(
        self,
        todo: Mapping[TopicPartition, Asked],
        deadline: Deadline,
        failures: dict[TopicPartition, BrokerError | ClientError],
        create: bool,
    ) -> list[tuple[Broker, dict[TopicPartition, Asked]]]:
        missing = {at.topic for at in todo if at.topic not in self._known.topics}
        if len(missing) > 1:
            try:
                self.refresh(sorted(missing), deadline, create=create)  # in one request
            except ClientError as error:
                if not error.retriable:
                    raise
        groups: dict[int, dict[TopicPartition, Asked]] = {}
        for at, item in todo.items():
            try:
                groups.setdefault(self.partition(at, deadline, create=create).leader, {})[at] = item
            except (BrokerError, ClientError) as error:
                if not is_retriable(error):
                    if isinstance(error, BrokerError):
                        raise PartitionError(
                            "there is no such topic or partition to use", topic=at.topic, partition=at.partition
                        ) from error
                    raise
                failures[at] = error
        by_broker = []
        for node_id, mine in groups.items():
            try:
                by_broker.append((self.broker(node_id), mine))
            except ClientError as error:
                failures |= dict.fromkeys(mine, error)
        return by_broker


def _refusal(
    what: str, at: TopicPartition, broker: Broker, failure: BrokerError, completed: Mapping[TopicPartition, object]
) -> PartitionError:
    error = PartitionError(f"{what} was refused", broker=str(broker), topic=at.topic, partition=at.partition)
    error.completed = dict(completed)
    return error


def _too_late(
    what: str, at: TopicPartition, seconds: float, completed: Mapping[TopicPartition, object]
) -> DeadlineError:
    error = DeadlineError(f"{what}: given up after {seconds:.1f} seconds", topic=at.topic, partition=at.partition)
    error.completed = dict(completed)
    return error


def read_metadata(response: MetadataResponse) -> ClusterMetadata:
    """A metadata response as plain values; BrokerError where it is an error as a whole."""
    if response.error_code != 0:
        raise error_class(response.error_code)()
    nodes = {one.node_id: Node(one.node_id, one.host, one.port, one.rack) for one in response.brokers}
    topics = {
        topic.name: TopicMetadata(
            topic.name,
            topic.topic_id,
            {
                one.partition_index: PartitionMetadata(
                    one.partition_index,
                    one.leader_id,
                    one.leader_epoch,
                    tuple(one.replica_nodes),
                    tuple(one.isr_nodes),
                    tuple(one.offline_replicas),
                    one.error_code,
                )
                for one in topic.partitions
            },
            topic.is_internal,
            topic.error_code,
        )
        for topic in response.topics
        if topic.name is not None
    }
    return ClusterMetadata(response.cluster_id, response.controller_id, nodes, topics)


ResponseT = TypeVar("ResponseT", bound=Response)


def expect(cls: type[ResponseT], pending: Pending) -> ResponseT:
    """The response, of the class that it must have."""
    response = pending.result()
    assert isinstance(response, cls)
    return response
