"""TODO"""

from kafkawire.schema import Int8, Int16, Int32, Int64, Records, Request, Response, String, Struct, Uuid, field


class ProduceRequest(Request, key=0, versions="0-13", flexible="9+"):
    """TODO"""

    class TopicData(Struct):
        class PartitionData(Struct):
            index: Int32 = field()
            records: Records | None = field()

        name: String = field("0-12", ignorable=True)
        topic_id: Uuid = field("13+", ignorable=True)
        partition_data: list[PartitionData] = field()

    transactional_id: String | None = field("3+", default=None)
    acks: Int16 = field()
    timeout_ms: Int32 = field()
    topic_data: list[TopicData] = field()


class ProduceResponse(Response, key=0, versions="0-13", flexible="9+"):
    """TODO"""

    class Topic(Struct):
        class PartitionResponse(Struct):
            class RecordError(Struct):
                batch_index: Int32 = field()
                batch_index_error_message: String | None = field(default=None)

            class CurrentLeader(Struct):
                leader_id: Int32 = field(default=-1)
                leader_epoch: Int32 = field(default=-1)

            index: Int32 = field()
            error_code: Int16 = field()
            base_offset: Int64 = field()
            log_append_time_ms: Int64 = field("2+", default=-1, ignorable=True)
            log_start_offset: Int64 = field("5+", default=-1, ignorable=True)
            record_errors: list[RecordError] = field("8+", ignorable=True)
            error_message: String | None = field("8+", default=None, ignorable=True)
            current_leader: CurrentLeader = field("10+", tag=0)

        name: String = field("0-12", ignorable=True)
        topic_id: Uuid = field("13+", ignorable=True)
        partition_responses: list[PartitionResponse] = field()

    class NodeEndpoint(Struct):
        node_id: Int32 = field()
        host: String = field()
        port: Int32 = field()
        rack: String | None = field(default=None)

    responses: list[Topic] = field()
    throttle_time_ms: Int32 = field("1+", ignorable=True)
    node_endpoints: list[NodeEndpoint] = field("10+", tag=0)


class FetchRequest(Request, key=1, versions="0-18", flexible="12+"):
    """TODO"""

    class ReplicaState(Struct):
        replica_id: Int32 = field(default=-1)
        replica_epoch: Int64 = field(default=-1)

    class Topic(Struct):
        class Partition(Struct):
            partition: Int32 = field()
            current_leader_epoch: Int32 = field("9+", default=-1, ignorable=True)
            fetch_offset: Int64 = field()
            last_fetched_epoch: Int32 = field("12+", default=-1)
            log_start_offset: Int64 = field("5+", default=-1, ignorable=True)
            partition_max_bytes: Int32 = field()
            replica_directory_id: Uuid = field("17+", tag=0, ignorable=True)
            high_watermark: Int64 = field("18+", default=9223372036854775807, tag=1, ignorable=True, lenient=True)

        topic: String = field("0-12", ignorable=True)
        topic_id: Uuid = field("13+", ignorable=True)
        partitions: list[Partition] = field()

    class ForgottenTopicsData(Struct):
        topic: String = field("7-12", ignorable=True)
        topic_id: Uuid = field("13+", ignorable=True)
        partitions: list[Int32] = field()

    cluster_id: String | None = field("12+", default=None, tag=0, ignorable=True)
    replica_id: Int32 = field("0-14", default=-1)
    replica_state: ReplicaState = field("15+", tag=1)
    max_wait_ms: Int32 = field()
    min_bytes: Int32 = field()
    max_bytes: Int32 = field("3+", default=0x7fffffff, ignorable=True)
    isolation_level: Int8 = field("4+", ignorable=True)
    session_id: Int32 = field("7+", ignorable=True)
    session_epoch: Int32 = field("7+", default=-1, ignorable=True)
    topics: list[Topic] = field()
    forgotten_topics_data: list[ForgottenTopicsData] = field("7+")
    rack_id: String = field("11+", ignorable=True)


class FetchResponse(Response, key=1, versions="0-18", flexible="12+"):
    """TODO"""

    class Topic(Struct):
        class Partition(Struct):
            class DivergingEpoch(Struct):
                epoch: Int32 = field(default=-1)
                end_offset: Int64 = field(default=-1)

            class CurrentLeader(Struct):
                leader_id: Int32 = field(default=-1)
                leader_epoch: Int32 = field(default=-1)

            class SnapshotId(Struct):
                end_offset: Int64 = field(default=-1)
                epoch: Int32 = field(default=-1)

            class AbortedTransaction(Struct):
                producer_id: Int64 = field()
                first_offset: Int64 = field()

            partition_index: Int32 = field()
            error_code: Int16 = field()
            high_watermark: Int64 = field()
            last_stable_offset: Int64 = field("4+", default=-1, ignorable=True)
            log_start_offset: Int64 = field("5+", default=-1, ignorable=True)
            diverging_epoch: DivergingEpoch = field("12+", tag=0)
            current_leader: CurrentLeader = field("12+", tag=1)
            snapshot_id: SnapshotId = field("12+", tag=2)
            aborted_transactions: list[AbortedTransaction] | None = field("4+", ignorable=True)
            preferred_read_replica: Int32 = field("11+", default=-1)
            records: Records | None = field()

        topic: String = field("0-12", ignorable=True)
        topic_id: Uuid = field("13+", ignorable=True)
        partitions: list[Partition] = field()

    class NodeEndpoint(Struct):
        node_id: Int32 = field()
        host: String = field()
        port: Int32 = field()
        rack: String | None = field(default=None)

    throttle_time_ms: Int32 = field("1+", ignorable=True)
    error_code: Int16 = field("7+", ignorable=True)
    session_id: Int32 = field("7+")
    responses: list[Topic] = field()
    node_endpoints: list[NodeEndpoint] = field("16+", tag=0)


class ListOffsetsRequest(Request, key=2, versions="0-11", flexible="6+"):
    """TODO"""

    class Topic(Struct):
        class Partition(Struct):
            partition_index: Int32 = field()
            current_leader_epoch: Int32 = field("4+", default=-1, ignorable=True)
            timestamp: Int64 = field()
            max_num_offsets: Int32 = field("0", default=1)

        name: String = field()
        partitions: list[Partition] = field()

    replica_id: Int32 = field()
    isolation_level: Int8 = field("2+")
    topics: list[Topic] = field()
    timeout_ms: Int32 = field("10+", ignorable=True)


class ListOffsetsResponse(Response, key=2, versions="0-11", flexible="6+"):
    """TODO"""

    class Topic(Struct):
        class Partition(Struct):
            partition_index: Int32 = field()
            error_code: Int16 = field()
            old_style_offsets: list[Int64] = field("0")
            timestamp: Int64 = field("1+", default=-1)
            offset: Int64 = field("1+", default=-1)
            leader_epoch: Int32 = field("4+", default=-1)

        name: String = field()
        partitions: list[Partition] = field()

    throttle_time_ms: Int32 = field("2+", ignorable=True)
    topics: list[Topic] = field()


class OffsetForLeaderEpochRequest(Request, key=23, versions="0-4", flexible="4+"):
    """TODO"""

    class Topic(Struct):
        class Partition(Struct):
            partition: Int32 = field()
            current_leader_epoch: Int32 = field("2+", default=-1, ignorable=True)
            leader_epoch: Int32 = field()

        topic: String = field()
        partitions: list[Partition] = field()

    replica_id: Int32 = field("3+", default=-2, ignorable=True)
    topics: list[Topic] = field()


class OffsetForLeaderEpochResponse(Response, key=23, versions="0-4", flexible="4+"):
    """TODO"""

    class Topic(Struct):
        class Partition(Struct):
            error_code: Int16 = field()
            partition: Int32 = field()
            leader_epoch: Int32 = field("1+", default=-1, ignorable=True)
            end_offset: Int64 = field(default=-1)

        topic: String = field()
        partitions: list[Partition] = field()

    throttle_time_ms: Int32 = field("2+", ignorable=True)
    topics: list[Topic] = field()


class DeleteRecordsRequest(Request, key=21, versions="0-2", flexible="2+"):
    """TODO"""

    class Topic(Struct):
        class Partition(Struct):
            partition_index: Int32 = field()
            offset: Int64 = field()

        name: String = field()
        partitions: list[Partition] = field()

    topics: list[Topic] = field()
    timeout_ms: Int32 = field()


class DeleteRecordsResponse(Response, key=21, versions="0-2", flexible="2+"):
    """TODO"""

    class Topic(Struct):
        class Partition(Struct):
            partition_index: Int32 = field()
            low_watermark: Int64 = field()
            error_code: Int16 = field()

        name: String = field()
        partitions: list[Partition] = field()

    throttle_time_ms: Int32 = field()
    topics: list[Topic] = field()
