"""Producer ids and transactions: the requests, and a helper that keeps an idempotent producer's state.

Sources: KIP-98 (idempotence and transactions), KIP-360 (epochs that are raised), KIP-447 (offsets of a group).
Partitions are added to a transaction by hand, which all brokers since 0.11 understand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypedDict

from kafkawire.client.broker import Broker
from kafkawire.client.cluster import TRANSACTION, Cluster, TopicPartition, expect
from kafkawire.client.errors import PartitionError
from kafkawire.client.offsets import CommittedOffset
from kafkawire.client.producing import Produced, produce
from kafkawire.client.waiting import Deadline
from kafkawire.errors import LocalProtocolError
from kafkawire.messages import (
    AddOffsetsToTxnRequest,
    AddOffsetsToTxnResponse,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    EndTxnRequest,
    EndTxnResponse,
    InitProducerIdRequest,
    InitProducerIdResponse,
    TxnOffsetCommitRequest,
    TxnOffsetCommitResponse,
    error_class,
    raise_for_code,
)
from kafkawire.messages.transactions import AddPartitionsToTxnAddPartitionsToTxnTopic
from kafkawire.records.batch import read_batches

# The highest versions in which a client adds partitions and offsets itself; later ones are for brokers, or imply
# transaction.version=2 (KIP-890).
_ADD_PARTITIONS, _END_TXN, _TXN_OFFSET_COMMIT = 3, 4, 4

_OPERATION_NOT_ATTEMPTED = 55
_TOO_LARGE = (10, 18)  # MESSAGE_TOO_LARGE, RECORD_LIST_TOO_LARGE


@dataclass(frozen=True)
class ProducerId:
    """What InitProducerId gives."""

    producer_id: int
    producer_epoch: int


class BatchSettings(TypedDict):
    """Arguments for RecordBatchBuilder and write_columns."""

    producer_id: int
    producer_epoch: int
    base_sequence: int
    is_transactional: bool


def init_producer_id(cluster: Cluster, transactional_id: str | None, current: ProducerId | None) -> ProducerId:
    def ask(broker: Broker, deadline: Deadline) -> ProducerId:
        version = broker.version(InitProducerIdRequest, deadline)
        request = InitProducerIdRequest(
            transactional_id=transactional_id, transaction_timeout_ms=cluster.config.transaction_timeout_ms
        )
        if version >= 3 and current is not None:
            request.producer_id, request.producer_epoch = current.producer_id, current.producer_epoch
        response = expect(InitProducerIdResponse, broker.send(request, deadline, version=version))
        raise_for_code(response.error_code)
        return ProducerId(response.producer_id, response.producer_epoch)

    if transactional_id is None:
        return cluster.attempt("getting a producer id", lambda deadline: ask(cluster.any_broker(deadline), deadline))
    what = f"getting a producer id for {transactional_id!r}"
    return cluster.with_coordinator(what, transactional_id, TRANSACTION, ask)


def add_partitions_to_txn(
    cluster: Cluster, transactional_id: str, producer: ProducerId, partitions: Iterable[TopicPartition]
) -> None:
    by_topic: dict[str, list[int]] = {}
    for at in partitions:
        by_topic.setdefault(at.topic, []).append(at.partition)
    row = AddPartitionsToTxnAddPartitionsToTxnTopic

    def ask(broker: Broker, deadline: Deadline) -> None:
        request = AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=transactional_id,
            v3_and_below_producer_id=producer.producer_id,
            v3_and_below_producer_epoch=producer.producer_epoch,
            v3_and_below_topics=[row(name=name, partitions=indexes) for name, indexes in by_topic.items()],
        )
        version = broker.version(AddPartitionsToTxnRequest, deadline, _ADD_PARTITIONS)
        response = expect(AddPartitionsToTxnResponse, broker.send(request, deadline, version=version))
        results = [
            (one.partition_error_code, topic.name, one.partition_index)
            for topic in response.results_by_topic_v3_and_below
            for one in topic.results_by_partition
            if one.partition_error_code != 0
        ]
        # Of several, the one that is a reason, and not the echo of another's.
        for code, topic, partition in sorted(results, key=lambda result: result[0] == _OPERATION_NOT_ATTEMPTED):
            failure = error_class(code)()
            if failure.retriable:
                raise failure
            raise PartitionError(
                "adding a partition to a transaction was refused", broker=str(broker), topic=topic, partition=partition
            ) from failure

    what = f"adding partitions to the transaction {transactional_id!r}"
    cluster.with_coordinator(what, transactional_id, TRANSACTION, ask)


def add_offsets_to_txn(cluster: Cluster, transactional_id: str, producer: ProducerId, group: str) -> None:
    def ask(broker: Broker, deadline: Deadline) -> None:
        request = AddOffsetsToTxnRequest(
            transactional_id=transactional_id,
            producer_id=producer.producer_id,
            producer_epoch=producer.producer_epoch,
            group_id=group,
        )
        version = broker.version(AddOffsetsToTxnRequest, deadline, 3)
        raise_for_code(expect(AddOffsetsToTxnResponse, broker.send(request, deadline, version=version)).error_code)

    what = f"adding the group {group!r} to the transaction {transactional_id!r}"
    cluster.with_coordinator(what, transactional_id, TRANSACTION, ask)


def txn_offset_commit(
    cluster: Cluster,
    transactional_id: str,
    producer: ProducerId,
    group: str,
    offsets: Mapping[TopicPartition, int | CommittedOffset],
    generation: int,
    member_id: str,
) -> None:
    def ask(broker: Broker, deadline: Deadline) -> None:
        topics: dict[str, TxnOffsetCommitRequest.Topic] = {}
        version = broker.version(TxnOffsetCommitRequest, deadline, _TXN_OFFSET_COMMIT)
        for at, given in offsets.items():
            wanted = given if isinstance(given, CommittedOffset) else CommittedOffset(given)
            one = TxnOffsetCommitRequest.Topic.Partition(
                partition_index=at.partition,
                committed_offset=wanted.offset,
                committed_leader_epoch=wanted.leader_epoch,
                committed_metadata=wanted.metadata,
            )
            topics.setdefault(at.topic, TxnOffsetCommitRequest.Topic(name=at.topic)).partitions.append(one)
        request = TxnOffsetCommitRequest(
            transactional_id=transactional_id,
            group_id=group,
            producer_id=producer.producer_id,
            producer_epoch=producer.producer_epoch,
            topics=list(topics.values()),
        )
        if version >= 3:
            request.generation_id_or_member_epoch, request.member_id = generation, member_id
        response = expect(TxnOffsetCommitResponse, broker.send(request, deadline, version=version))
        for topic in response.topics:
            for answer in topic.partitions:
                raise_for_code(answer.error_code)

    cluster.with_coordinator(f"committing offsets of the group {group!r} in a transaction", group, 0, ask)


def end_txn(cluster: Cluster, transactional_id: str, producer: ProducerId, committed: bool) -> None:
    def ask(broker: Broker, deadline: Deadline) -> None:
        request = EndTxnRequest(
            transactional_id=transactional_id,
            producer_id=producer.producer_id,
            producer_epoch=producer.producer_epoch,
            committed=committed,
        )
        version = broker.version(EndTxnRequest, deadline, _END_TXN)
        raise_for_code(expect(EndTxnResponse, broker.send(request, deadline, version=version)).error_code)

    what = f"{'committing' if committed else 'aborting'} the transaction {transactional_id!r}"
    cluster.with_coordinator(what, transactional_id, TRANSACTION, ask)


class IdempotentProducer:
    """Sequence numbers and transactions of one producer; made by ``Client.idempotent_producer``. For one thread.

    Batches are built with ``settings(topic, partition)``, which number their records, and given to ``produce`` in that
    order, each partition's before its next are built. A retry sends the same bytes: the broker knows what it has.

    After an error from ``produce`` it is not known what was written. A producer without transactions has to ``reset``:
    its unfinished batches are built anew, and what was written of them is then there twice. One with transactions has
    to
    ``abort``, which leaves nothing of them.
    """

    def __init__(self, cluster: Cluster, transactional_id: str | None = None) -> None:
        self.transactional_id = transactional_id
        self._cluster = cluster
        self._id = init_producer_id(cluster, transactional_id, None)
        self._sequences: dict[TopicPartition, int] = {}
        self._in_transaction = False
        self._added: set[TopicPartition] = set()
        self._touched = False  # whether the coordinator knows of the transaction
        self._failed = False

    @property
    def id(self) -> ProducerId:
        """Producer id and epoch."""
        return self._id

    def settings(self, topic: str, partition: int) -> BatchSettings:
        """For RecordBatchBuilder and write_columns: producer id, epoch, and the next record's sequence number."""
        return {
            "producer_id": self._id.producer_id,
            "producer_epoch": self._id.producer_epoch,
            "base_sequence": self._sequences.get(TopicPartition(topic, partition), 0),
            "is_transactional": self.transactional_id is not None,
        }

    def produce(
        self, records: Mapping[TopicPartition, bytes], timeout_ms: int | None = None
    ) -> dict[TopicPartition, list[Produced]]:
        """Write batches; see ``Client.produce``. LocalProtocolError for batches that are not the next of this producer,
        and in a transactional producer outside of a transaction.

        After a PartitionError that a batch is too large the producer goes on: give it the same records in smaller
        batches, and the same bytes for the other partitions which are not among the error's ``completed``. For this one
        batch for each partition has to be given at once."""
        self._need_health()
        if self.transactional_id is not None and not self._in_transaction:
            raise LocalProtocolError("a transactional producer writes in transactions only: begin() one")
        after = {at: self._checked(at, data) for at, data in records.items()}
        try:
            if self.transactional_id is not None:
                new = records.keys() - self._added
                if new:
                    self._touched = True
                    add_partitions_to_txn(self._cluster, self.transactional_id, self._id, new)
                    self._added |= new
            written = produce(self._cluster, records, -1, self.transactional_id, timeout_ms)
        except PartitionError as error:
            self._sequences |= {at: after[at] for at in error.completed}
            self._failed = error.code not in _TOO_LARGE
            raise
        except BaseException:
            self._failed = True
            raise
        self._sequences |= after
        return written

    def begin(self) -> None:
        """Begin a transaction."""
        self._need_health()
        if self.transactional_id is None:
            raise LocalProtocolError("this producer has no transactional id")
        if self._in_transaction:
            raise LocalProtocolError("a transaction is open already")
        self._in_transaction = True

    def send_offsets(
        self,
        group: str,
        offsets: Mapping[TopicPartition, int | CommittedOffset],
        *,
        generation: int = -1,
        member_id: str = "",
    ) -> None:
        """Commit a group's offsets with the transaction; read them back with ``require_stable``."""
        self._need_health()
        if self.transactional_id is None or not self._in_transaction:
            raise LocalProtocolError("offsets go with a transaction only: begin() one")
        self._touched = True
        try:
            add_offsets_to_txn(self._cluster, self.transactional_id, self._id, group)
            txn_offset_commit(self._cluster, self.transactional_id, self._id, group, offsets, generation, member_id)
        except BaseException:
            self._failed = True
            raise

    def commit(self) -> None:
        """Make all of the transaction visible. After an error it is not known whether it is: commit() again tells."""
        self._need_health()
        self._end(committed=True)

    def abort(self) -> None:
        """End the transaction without a trace; also after errors, where it takes a new epoch."""
        if self._failed and self.transactional_id is not None:
            # A raised epoch aborts what is open, and fences off requests that are still under way.
            self._id = init_producer_id(self._cluster, self.transactional_id, self._id)
            self._finish()
            return
        self._end(committed=False)

    def reset(self) -> None:
        """After an error, without transactions: begin anew, with an id of its own and sequence numbers from 0."""
        if self.transactional_id is not None:
            raise LocalProtocolError("a transactional producer aborts instead")
        self._id = init_producer_id(self._cluster, None, None)
        self._finish()

    def _end(self, *, committed: bool) -> None:
        if self.transactional_id is None or not self._in_transaction:
            raise LocalProtocolError("no transaction is open")
        if self._touched:
            end_txn(self._cluster, self.transactional_id, self._id, committed)
        self._in_transaction = self._touched = False
        self._added.clear()

    def _finish(self) -> None:
        self._sequences.clear()
        self._added.clear()
        self._in_transaction = self._touched = self._failed = False

    def _need_health(self) -> None:
        if self._failed:
            cure = "reset()" if self.transactional_id is None else "abort()"
            raise LocalProtocolError(f"what the last call did is not known: {cure} first")

    def _checked(self, at: TopicPartition, data: bytes) -> int:
        """The sequence number after these batches, which have to be the partition's next."""
        sequence = self._sequences.get(at, 0)
        for batch in read_batches(data, check_crc=False):
            if (batch.producer_id, batch.producer_epoch) != (self._id.producer_id, self._id.producer_epoch):
                raise LocalProtocolError(f"a batch for {at.topic}-{at.partition} that was built with other settings")
            if batch.base_sequence != sequence:
                raise LocalProtocolError(
                    f"a batch for {at.topic}-{at.partition} has sequence {batch.base_sequence}, {sequence} is next"
                )
            if batch.is_transactional != (self.transactional_id is not None):
                raise LocalProtocolError(f"a batch for {at.topic}-{at.partition} that was built with other settings")
            sequence = (sequence + batch.record_count) & 0x7FFFFFFF
        return sequence
