"""Idempotent producers and transactions (KIP-98, KIP-360, KIP-890, KIP-939)."""

from kafkawire.schema import Bool, Int8, Int16, Int32, Int64, Request, Response, String, Struct, Uuid, field


class InitProducerIdRequest(Request, key=22, versions="0-6", flexible="2+"):
    """Get a producer id and epoch; with a transactional id, end what an earlier producer left open and fence it off."""

    transactional_id: String | None = field()
    transaction_timeout_ms: Int32 = field()
    producer_id: Int64 = field("3+", default=-1)
    producer_epoch: Int16 = field("3+", default=-1)
    enable2_pc: Bool = field("6+")  # two-phase commit by an external coordinator (KIP-939)
    keep_prepared_txn: Bool = field("6+")  # do not abort a prepared transaction (KIP-939)


class InitProducerIdResponse(Response, key=22, versions="0-6", flexible="2+"):
    """The producer id and epoch."""

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    producer_id: Int64 = field(default=-1)
    producer_epoch: Int16 = field()
    ongoing_txn_producer_id: Int64 = field("6+", default=-1)  # of a prepared transaction that was kept, or -1
    ongoing_txn_producer_epoch: Int16 = field("6+", default=-1)  # of a prepared transaction that was kept, or -1


class AddPartitionsToTxnAddPartitionsToTxnTopic(Struct):
    name: String = field()
    partitions: list[Int32] = field()


class AddPartitionsToTxnRequest(Request, key=24, versions="0-5", flexible="3+"):
    """Bring partitions into a transaction before writing to them. From version 4 on brokers send it for many
    transactions at once, to verify them.
    """

    class Transaction(Struct):
        transactional_id: String = field()
        producer_id: Int64 = field()
        producer_epoch: Int16 = field()
        verify_only: Bool = field()
        topics: list[AddPartitionsToTxnAddPartitionsToTxnTopic] = field()

    transactions: list[Transaction] = field("4+")
    v3_and_below_transactional_id: String = field("0-3")
    v3_and_below_producer_id: Int64 = field("0-3")
    v3_and_below_producer_epoch: Int16 = field("0-3")
    v3_and_below_topics: list[AddPartitionsToTxnAddPartitionsToTxnTopic] = field("0-3")


class AddPartitionsToTxnAddPartitionsToTxnTopicResult(Struct):
    class AddPartitionsToTxnPartitionResult(Struct):
        partition_index: Int32 = field()
        partition_error_code: Int16 = field()

    name: String = field()
    results_by_partition: list[AddPartitionsToTxnPartitionResult] = field()


class AddPartitionsToTxnResponse(Response, key=24, versions="0-5", flexible="3+"):
    """Whether each partition was taken in."""

    class ResultsByTransaction(Struct):
        transactional_id: String = field()
        topic_results: list[AddPartitionsToTxnAddPartitionsToTxnTopicResult] = field()

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field("4+", ignorable=True)
    results_by_transaction: list[ResultsByTransaction] = field("4+")
    results_by_topic_v3_and_below: list[AddPartitionsToTxnAddPartitionsToTxnTopicResult] = field("0-3")


class AddOffsetsToTxnRequest(Request, key=25, versions="0-4", flexible="3+"):
    """Bring a group's committed offsets into a transaction."""

    transactional_id: String = field()
    producer_id: Int64 = field()
    producer_epoch: Int16 = field()
    group_id: String = field()


class AddOffsetsToTxnResponse(Response, key=25, versions="0-4", flexible="3+"):
    """Whether the group was taken in."""

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()


class EndTxnRequest(Request, key=26, versions="0-5", flexible="3+"):
    """Commit or abort a transaction."""

    transactional_id: String = field()
    producer_id: Int64 = field()
    producer_epoch: Int16 = field()
    committed: Bool = field()


class EndTxnResponse(Response, key=26, versions="0-5", flexible="3+"):
    """Whether the transaction ends so; from version 5 on the producer's next id and epoch."""

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    producer_id: Int64 = field("5+", default=-1, ignorable=True)
    producer_epoch: Int16 = field("5+", default=-1, ignorable=True)


class WriteTxnMarkersRequest(Request, key=27, versions="0-2", flexible="1+"):
    """The coordinator has leaders write the markers that end a transaction."""

    class Marker(Struct):
        class Topic(Struct):
            name: String = field()
            partition_indexes: list[Int32] = field()

        producer_id: Int64 = field()
        producer_epoch: Int16 = field()
        transaction_result: Bool = field()  # true commit, false abort
        topics: list[Topic] = field()
        coordinator_epoch: Int32 = field()  # fences off former coordinators
        transaction_version: Int8 = field("2+", ignorable=True)

    markers: list[Marker] = field()


class WriteTxnMarkersResponse(Response, key=27, versions="0-2", flexible="1+"):
    """Whether each marker was written."""

    class Marker(Struct):
        class Topic(Struct):
            class Partition(Struct):
                partition_index: Int32 = field()
                error_code: Int16 = field()

            name: String = field()
            partitions: list[Partition] = field()

        producer_id: Int64 = field()
        topics: list[Topic] = field()

    markers: list[Marker] = field()


class TxnOffsetCommitRequest(Request, key=28, versions="0-6", flexible="3+"):
    """Commit a group's offsets inside of a transaction."""

    class Topic(Struct):
        class Partition(Struct):
            partition_index: Int32 = field()
            committed_offset: Int64 = field()
            # of the last record read, -1 if not known
            committed_leader_epoch: Int32 = field("2+", default=-1, ignorable=True)
            committed_metadata: String | None = field()

        name: String = field("0-5", ignorable=True)
        topic_id: Uuid = field("6+", ignorable=True)
        partitions: list[Partition] = field()

    transactional_id: String = field()
    group_id: String = field()
    producer_id: Int64 = field()
    producer_epoch: Int16 = field()
    # generation in classic groups, member epoch in others, -1 outside of groups
    generation_id_or_member_epoch: Int32 = field("3+", default=-1, was="generationId")
    member_id: String = field("3+")
    group_instance_id: String | None = field("3+", default=None)  # set by static members (KIP-345)
    topics: list[Topic] = field()


class TxnOffsetCommitResponse(Response, key=28, versions="0-6", flexible="3+"):
    """Whether each offset was taken."""

    class Topic(Struct):
        class Partition(Struct):
            partition_index: Int32 = field()
            error_code: Int16 = field()

        name: String = field("0-5", ignorable=True)
        topic_id: Uuid = field("6+", ignorable=True)
        partitions: list[Partition] = field()

    throttle_time_ms: Int32 = field()
    topics: list[Topic] = field()


class DescribeProducersRequest(Request, key=61, versions="0", flexible="0+"):
    """Ask which producers a partition knows."""

    class Topic(Struct):
        name: String = field()
        partition_indexes: list[Int32] = field()

    topics: list[Topic] = field()


class DescribeProducersResponse(Response, key=61, versions="0", flexible="0+"):
    """The producers with their last sequence and open transactions."""

    class Topic(Struct):
        class Partition(Struct):
            class ActiveProducer(Struct):
                producer_id: Int64 = field()
                producer_epoch: Int32 = field()
                last_sequence: Int32 = field(default=-1)
                last_timestamp: Int64 = field(default=-1)
                coordinator_epoch: Int32 = field()  # fences off former coordinators
                current_txn_start_offset: Int64 = field(default=-1)

            partition_index: Int32 = field()
            error_code: Int16 = field()
            error_message: String | None = field(default=None)
            active_producers: list[ActiveProducer] = field()

        name: String = field()
        partitions: list[Partition] = field()

    throttle_time_ms: Int32 = field()
    topics: list[Topic] = field()


class DescribeTransactionsRequest(Request, key=65, versions="0", flexible="0+"):
    """Ask for the state of transactions."""

    transactional_ids: list[String] = field()


class DescribeTransactionsResponse(Response, key=65, versions="0", flexible="0+"):
    """State, producer and partitions of each transaction."""

    class TransactionState(Struct):
        class Topic(Struct):
            topic: String = field()
            partitions: list[Int32] = field()

        error_code: Int16 = field()
        transactional_id: String = field()
        transaction_state: String = field()
        transaction_timeout_ms: Int32 = field()
        transaction_start_time_ms: Int64 = field()
        producer_id: Int64 = field()
        producer_epoch: Int16 = field()
        topics: list[Topic] = field()

    throttle_time_ms: Int32 = field()
    transaction_states: list[TransactionState] = field()


class ListTransactionsRequest(Request, key=66, versions="0-2", flexible="0+"):
    """List the transactions of a coordinator, filtered by state, producer, age or id."""

    state_filters: list[String] = field()
    producer_id_filters: list[Int64] = field()
    duration_filter: Int64 = field("1+", default=-1)  # ms; older transactions only, -1 for all
    transactional_id_pattern: String | None = field("2+", default=None)


class ListTransactionsResponse(Response, key=66, versions="0-2", flexible="0+"):
    """Id, producer and state of each transaction."""

    class TransactionState(Struct):
        transactional_id: String = field()
        producer_id: Int64 = field()
        transaction_state: String = field()

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    unknown_state_filters: list[String] = field()
    transaction_states: list[TransactionState] = field()


class AllocateProducerIdsRequest(Request, key=67, versions="0", flexible="0+"):
    """A broker asks the controller for a block of producer ids."""

    broker_id: Int32 = field()
    broker_epoch: Int64 = field(default=-1)  # of the broker's registration


class AllocateProducerIdsResponse(Response, key=67, versions="0", flexible="0+"):
    """The block of producer ids."""

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    producer_id_start: Int64 = field()
    producer_id_len: Int32 = field()
