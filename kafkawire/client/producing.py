"""Writing record batches that the caller has built."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kafkawire.client.broker import Broker, Pending
from kafkawire.client.cluster import Answer, Cluster, TopicPartition
from kafkawire.client.waiting import Deadline
from kafkawire.errors import EncodeError
from kafkawire.messages import ProduceRequest, ProduceResponse
from kafkawire.records.batch import split
from kafkawire.schema import ZERO_UUID

# Transactions whose partitions are added by hand: from 12 on the broker adds them where transaction.version is 2
# (KIP-890).
_LAST_WITH_ADDED_PARTITIONS = 11
# From 13 on topics have ids; those that a broker has not given one, names.
_LAST_WITH_NAMES = 12
# From 3 on a request holds one batch of magic 2 for each partition, before whole message sets of magic 0 or 1.
_FIRST_WITH_BATCHES = 3

_DUPLICATE_SEQUENCE = 46


@dataclass(frozen=True)
class Produced:
    """A batch that was written: the offset of its first record, -1 where the broker did not say (acks=0, or a batch
    that an earlier try had written). ``log_append_time_ms`` is -1 unless the topic has LogAppendTime."""

    base_offset: int
    log_append_time_ms: int = -1
    log_start_offset: int = -1


def produce(
    cluster: Cluster,
    records: Mapping[TopicPartition, bytes | bytearray | memoryview],
    acks: int,
    transactional_id: str | None,
    timeout_ms: int | None,
) -> dict[TopicPartition, list[Produced]]:
    queues = {at: _pieces(data) for at, data in records.items()}
    done: dict[TopicPartition, list[Produced]] = {at: [] for at in queues}
    request_timeout = cluster.config.request_timeout_ms

    def send(broker: Broker, mine: dict[TopicPartition, memoryview], deadline: Deadline) -> list[Pending]:
        cap = None if transactional_id is None else _LAST_WITH_ADDED_PARTITIONS
        if any(cluster.topic_id(at.topic) == ZERO_UUID for at in mine):
            cap = _LAST_WITH_NAMES if cap is None else cap
        version = broker.version(ProduceRequest, deadline, cap)
        pendings = []
        for share in _shares(mine, cluster.config.max_request_size):
            topics: dict[str, ProduceRequest.TopicData] = {}
            for at, piece in share.items():
                magic = piece[16]
                if (magic == 2) != (version >= _FIRST_WITH_BATCHES):
                    raise EncodeError(f"records of magic {magic} do not go into Produce v{version} ({broker})")
                topic = topics.get(at.topic)
                if topic is None:
                    topic = ProduceRequest.TopicData(name=at.topic, topic_id=cluster.topic_id(at.topic))
                    topics[at.topic] = topic
                topic.partition_data.append(ProduceRequest.TopicData.PartitionData(index=at.partition, records=piece))
            request = ProduceRequest(acks=acks, timeout_ms=request_timeout, topic_data=list(topics.values()))
            if transactional_id is not None:
                request.transactional_id = transactional_id
            pendings.append(broker.send(request, deadline, version=version))
        return pendings

    def read(pending: Pending) -> Iterator[tuple[TopicPartition, Answer[Produced]]]:
        response = pending.result()
        assert isinstance(pending.request, ProduceRequest)
        names = {topic.topic_id: topic.name for topic in pending.request.topic_data}
        if response is None:  # acks=0
            for asked in pending.request.topic_data:
                for data in asked.partition_data:
                    yield TopicPartition(asked.name, data.index), Answer(0, Produced(-1))
            return
        assert isinstance(response, ProduceResponse)
        for topic in response.responses:
            name = topic.name or names[topic.topic_id]
            for one in topic.partition_responses:
                code, result = one.error_code, Produced(one.base_offset, one.log_append_time_ms, one.log_start_offset)
                if code == _DUPLICATE_SEQUENCE:
                    code, result = 0, Produced(-1)
                message = one.error_message
                if one.record_errors:
                    reasons = (
                        f"record {bad.batch_index}: {bad.batch_index_error_message}" for bad in one.record_errors
                    )
                    message = "; ".join([message or "", *reasons]).lstrip("; ")
                yield TopicPartition(name, one.index), Answer(code, result, message)

    # One batch after the other in each partition, so that a retry cannot change their order.
    for turn in range(max(map(len, queues.values()), default=0)):
        heads = {at: queue[turn] for at, queue in queues.items() if turn < len(queue)}
        written = cluster.per_partition(
            "producing",
            heads,
            send,
            read,
            timeout_ms=cluster.config.delivery_timeout_ms if timeout_ms is None else timeout_ms,
            create=cluster.config.allow_auto_create_topics,
            retries=cluster.config.retries,
        )
        for at, result in written.items():
            done[at].append(result)
    return done


def _pieces(data: bytes | bytearray | memoryview) -> list[memoryview]:
    """What may go into one request each: a batch of magic 2, or a message set of magic 0 and 1 as a whole."""
    view = memoryview(data).cast("B")
    found = split(view)
    if found.complete != len(view):
        raise EncodeError(f"{len(view) - found.complete} bytes at the end are no whole batch")
    if any(batch.magic < 2 for batch in found.batches):
        return [view]
    return [_from_zero(view[batch.position : batch.position + batch.size]) for batch in found.batches]


def _from_zero(batch: memoryview) -> memoryview:
    """The batch with offsets from 0, as brokers want compressed ones; the first offset is in no checksum."""
    if not any(batch[:8]):
        return batch
    return memoryview(bytes(8) + batch[8:])


def _shares(mine: dict[TopicPartition, memoryview], limit: int) -> Iterator[dict[TopicPartition, memoryview]]:
    """Divide among requests of up to ``limit`` bytes; a piece that is larger goes alone."""
    share: dict[TopicPartition, memoryview] = {}
    size = 0
    for at, piece in mine.items():
        if share and size + len(piece) > limit:
            yield share
            share, size = {}, 0
        share[at] = piece
        size += len(piece)
    if share:
        yield share
