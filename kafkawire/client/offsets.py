"""Offsets: those that a partition has, by time, and those that a group has committed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from kafkawire.client.broker import Broker, Pending
from kafkawire.client.cluster import GROUP, Answer, Cluster, TopicPartition, expect
from kafkawire.client.config import IsolationLevel
from kafkawire.client.errors import PartitionError
from kafkawire.client.waiting import Deadline
from kafkawire.errors import UnsupportedError
from kafkawire.messages import (
    ListOffsetsRequest,
    ListOffsetsResponse,
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetFetchRequest,
    OffsetFetchResponse,
    error_class,
    raise_for_code,
)

Moment: TypeAlias = Literal["earliest", "latest", "max_timestamp", "earliest_local", "latest_tiered"] | int

# The special timestamp of each name, and the first version of ListOffsets that has it.
_NAMED = {
    "latest": (-1, 0),
    "earliest": (-2, 0),
    "max_timestamp": (-3, 7),
    "earliest_local": (-4, 8),
    "latest_tiered": (-5, 9),
}
# With topic ids instead of names from 10 on; names do.
_LAST_WITH_NAMES = 9


@dataclass(frozen=True)
class OffsetAndTimestamp:
    """An offset, the timestamp of the record there (ms since epoch, -1 where not asked by time) and its leader
    epoch."""

    offset: int
    timestamp: int = -1
    leader_epoch: int = -1


@dataclass(frozen=True)
class CommittedOffset:
    """The next offset that a group wants to read, as it was committed."""

    offset: int
    leader_epoch: int = -1
    metadata: str = ""


def list_offsets(
    cluster: Cluster,
    moments: Mapping[TopicPartition, Moment],
    isolation_level: IsolationLevel,
    timeout_ms: int | None = None,
) -> dict[TopicPartition, OffsetAndTimestamp | None]:
    timestamps = {at: _NAMED[moment][0] if isinstance(moment, str) else moment for at, moment in moments.items()}
    needed = max((_NAMED[moment][1] for moment in moments.values() if isinstance(moment, str)), default=0)
    by_time = {at for at, moment in moments.items() if not isinstance(moment, str)}

    def send(broker: Broker, mine: dict[TopicPartition, int], deadline: Deadline) -> list[Pending]:
        version = broker.version(ListOffsetsRequest, deadline)
        if version < needed or (by_time & mine.keys() and version == 0):
            raise UnsupportedError(f"{broker} cannot look for such offsets", expected=f"ListOffsets v{max(needed, 1)}")
        topics: dict[str, ListOffsetsRequest.Topic] = {}
        for at, timestamp in mine.items():
            topic = topics.setdefault(at.topic, ListOffsetsRequest.Topic(name=at.topic))
            topic.partitions.append(
                ListOffsetsRequest.Topic.Partition(
                    partition_index=at.partition,
                    current_leader_epoch=cluster.partition(at, deadline).leader_epoch,
                    timestamp=timestamp,
                )
            )
        request = ListOffsetsRequest(replica_id=-1, topics=list(topics.values()))
        if version >= 2:
            request.isolation_level = 1 if isolation_level == "read_committed" else 0
        request.timeout_ms = cluster.config.request_timeout_ms
        return [broker.send(request, deadline, version=version)]

    def read(pending: Pending) -> Iterator[tuple[TopicPartition, Answer[OffsetAndTimestamp | None]]]:
        for topic in expect(ListOffsetsResponse, pending).topics:
            for one in topic.partitions:
                offset = one.old_style_offsets[0] if one.old_style_offsets else one.offset
                found = None if offset < 0 else OffsetAndTimestamp(offset, one.timestamp, one.leader_epoch)
                yield TopicPartition(topic.name, one.partition_index), Answer(one.error_code, found)

    return cluster.per_partition("listing offsets", timestamps, send, read, timeout_ms=timeout_ms)


def commit_offsets(
    cluster: Cluster,
    group: str,
    offsets: Mapping[TopicPartition, int | CommittedOffset],
    generation: int,
    member_id: str,
    group_instance_id: str | None,
) -> None:
    def run(broker: Broker, deadline: Deadline) -> None:
        version = broker.version(OffsetCommitRequest, deadline, _LAST_WITH_NAMES)
        topics: dict[str, OffsetCommitRequest.Topic] = {}
        for at, given in offsets.items():
            wanted = given if isinstance(given, CommittedOffset) else CommittedOffset(given)
            topics.setdefault(at.topic, OffsetCommitRequest.Topic(name=at.topic)).partitions.append(
                OffsetCommitRequest.Topic.Partition(
                    partition_index=at.partition,
                    committed_offset=wanted.offset,
                    committed_leader_epoch=wanted.leader_epoch,
                    committed_metadata=wanted.metadata,
                )
            )
        request = OffsetCommitRequest(
            group_id=group,
            generation_id_or_member_epoch=generation,
            member_id=member_id,
            topics=list(topics.values()),
        )
        if group_instance_id is not None:
            request.group_instance_id = group_instance_id
        response = expect(OffsetCommitResponse, broker.send(request, deadline, version=version))
        for topic in response.topics:
            for one in topic.partitions:
                _raise_for_partition("committing", one.error_code, broker, topic.name, one.partition_index)

    cluster.with_coordinator(f"committing offsets of the group {group!r}", group, GROUP, run)


def fetch_offsets(
    cluster: Cluster, group: str, partitions: Collection[TopicPartition] | None, require_stable: bool
) -> dict[TopicPartition, CommittedOffset | None]:
    by_topic: dict[str, list[int]] = {}
    for at in partitions or ():
        by_topic.setdefault(at.topic, []).append(at.partition)

    def run(broker: Broker, deadline: Deadline) -> dict[TopicPartition, CommittedOffset | None]:
        version = broker.version(OffsetFetchRequest, deadline, _LAST_WITH_NAMES)
        if version >= 8:
            one_topic = OffsetFetchRequest.Group.Topic
            topics = [one_topic(name=name, partition_indexes=indexes) for name, indexes in by_topic.items()]
            asked = OffsetFetchRequest.Group(group_id=group, topics=None if partitions is None else topics)
            request = OffsetFetchRequest(groups=[asked])
        else:
            if partitions is None and version < 2:
                raise UnsupportedError(f"{broker} cannot list all offsets of a group", expected="OffsetFetch v2")
            old_topic = OffsetFetchRequest.Topic
            old_topics = [old_topic(name=name, partition_indexes=indexes) for name, indexes in by_topic.items()]
            request = OffsetFetchRequest(group_id=group, topics=None if partitions is None else old_topics)
        if version >= 7:
            request.require_stable = require_stable
        response = expect(OffsetFetchResponse, broker.send(request, deadline, version=version))
        found = response.groups[0] if response.groups else response
        raise_for_code(found.error_code)
        committed: dict[TopicPartition, CommittedOffset | None] = {}
        for topic in found.topics:
            for one in topic.partitions:
                if one.error_code != _UNKNOWN_TOPIC:
                    _raise_for_partition("reading back", one.error_code, broker, topic.name, one.partition_index)
                committed[TopicPartition(topic.name, one.partition_index)] = (
                    None
                    if one.committed_offset < 0
                    else CommittedOffset(one.committed_offset, one.committed_leader_epoch, one.metadata or "")
                )
        return committed

    return cluster.with_coordinator(f"reading back offsets of the group {group!r}", group, GROUP, run)


# Brokers before 0.9 say so of what was never committed.
_UNKNOWN_TOPIC = 3


def _raise_for_partition(doing: str, code: int, broker: Broker, topic: str, partition: int) -> None:
    """Nothing for 0; the bare BrokerError for what may be tried again, else a PartitionError."""
    if code == 0:
        return
    failure = error_class(code)()
    if failure.retriable:
        raise failure
    raise PartitionError(
        f"{doing} an offset was refused", broker=str(broker), topic=topic, partition=partition
    ) from failure
