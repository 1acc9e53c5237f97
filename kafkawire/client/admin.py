"""Topics and groups: create, delete, describe."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from kafkawire.client.broker import Broker
from kafkawire.client.cluster import GROUP, Cluster, expect
from kafkawire.client.errors import RefusedError
from kafkawire.client.waiting import Deadline
from kafkawire.messages import (
    CreateTopicsRequest,
    CreateTopicsResponse,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
    error_class,
)

_UNKNOWN_TOPIC = 3
_TOPIC_ALREADY_EXISTS = 36


@dataclass(frozen=True)
class NewTopic:
    """A topic to create; -1 leaves a number to the broker. ``assignments``: partition to replicas, instead of
    numbers."""

    name: str
    num_partitions: int = -1
    replication_factor: int = -1
    configs: Mapping[str, str] = field(default_factory=dict)
    assignments: Mapping[int, Sequence[int]] = field(default_factory=dict)


def create_topics(
    cluster: Cluster, topics: Collection[NewTopic], timeout_ms: int, validate_only: bool
) -> dict[str, UUID]:
    row, pair, assignment = (
        CreateTopicsRequest.Topic,
        CreateTopicsRequest.Topic.Config,
        CreateTopicsRequest.Topic.Assignment,
    )
    remaining = {topic.name: topic for topic in topics}
    created: dict[str, UUID] = {}
    ambiguous = False

    def run(broker: Broker, deadline: Deadline) -> None:
        nonlocal ambiguous
        version = broker.version(CreateTopicsRequest, deadline)
        rows = [
            row(
                name=topic.name,
                num_partitions=-1 if topic.assignments else topic.num_partitions,
                replication_factor=-1 if topic.assignments else topic.replication_factor,
                assignments=[assignment(partition_index=n, broker_ids=list(to)) for n, to in topic.assignments.items()],
                configs=[pair(name=name, value=value) for name, value in topic.configs.items()],
            )
            for topic in remaining.values()
        ]
        request = CreateTopicsRequest(topics=rows, timeout_ms=timeout_ms)
        if validate_only:
            request.validate_only = True
        again, ambiguous = ambiguous, True
        pending = broker.send(request, deadline, version=version, timeout_ms=_answer_within(cluster, timeout_ms))
        response = expect(CreateTopicsResponse, pending)
        ambiguous = False
        for one in response.topics:
            # After a try whose answer was lost, "exists already" is that try's success.
            if one.error_code not in (0, _TOPIC_ALREADY_EXISTS if again else 0):
                _raise_for_topic("creating a topic", one.error_code, one.error_message, broker, one.name, created)
            created[one.name] = one.topic_id
            remaining.pop(one.name, None)

    cluster.with_controller("creating topics", run)
    return created


def delete_topics(cluster: Cluster, names: Collection[str], timeout_ms: int) -> None:
    remaining = dict.fromkeys(names)
    ambiguous = False

    def run(broker: Broker, deadline: Deadline) -> None:
        nonlocal ambiguous
        version = broker.version(DeleteTopicsRequest, deadline)
        request = DeleteTopicsRequest(timeout_ms=timeout_ms)
        if version >= 6:
            request.topics = [DeleteTopicsRequest.Topic(name=name) for name in remaining]
        else:
            request.topic_names = list(remaining)
        again, ambiguous = ambiguous, True
        pending = broker.send(request, deadline, version=version, timeout_ms=_answer_within(cluster, timeout_ms))
        response = expect(DeleteTopicsResponse, pending)
        ambiguous = False
        for one in response.responses:
            name = one.name or ""
            if one.error_code not in (0, _UNKNOWN_TOPIC if again else 0):
                failure = error_class(one.error_code)(one.error_message)
                if one.error_code == _UNKNOWN_TOPIC:  # not worth another try: there is nothing to delete
                    raise RefusedError("deleting a topic was refused", broker=str(broker), topic=name) from failure
                _raise_for_topic("deleting a topic", one.error_code, one.error_message, broker, name, {})
            remaining.pop(name, None)
            cluster.forget_topic(name)

    cluster.with_controller("deleting topics", run)


def describe_groups(cluster: Cluster, groups: Collection[str]) -> dict[str, DescribeGroupsResponse.Group]:
    described = {}
    for group in groups:

        def run(broker: Broker, deadline: Deadline, group: str = group) -> DescribeGroupsResponse.Group:
            pending = broker.send(DescribeGroupsRequest(groups=[group]), deadline)
            found = expect(DescribeGroupsResponse, pending).groups[0]
            if found.error_code != 0 and error_class(found.error_code).retriable:
                raise error_class(found.error_code)()
            return found

        described[group] = cluster.with_coordinator(f"describing the group {group!r}", group, GROUP, run)
    return described


def _answer_within(cluster: Cluster, timeout_ms: int) -> int:
    return max(cluster.config.request_timeout_ms, timeout_ms + 1000)


def _raise_for_topic(
    doing: str, code: int, message: str | None, broker: Broker, topic: str, completed: Mapping[str, object]
) -> None:
    failure = error_class(code)(message)
    if failure.retriable:
        raise failure
    error = RefusedError(f"{doing} was refused", broker=str(broker), topic=topic)
    error.completed = dict(completed)
    raise error from failure
