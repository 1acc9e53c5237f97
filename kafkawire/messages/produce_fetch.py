"""Writing and reading records, and finding offsets."""

from kafkawire.schema import Int8, Int16, Int32, Int64, Records, Request, Response, String, Struct, Uuid, field


class ProduceRequest(Request, key=0, versions="0-13", flexible="9+"):
    """Append record batches to partitions; the broker answers unless acks is 0."""

    class TopicData(Struct):
        class PartitionData(Struct):
            index: Int32 = field()
            records: Records | None = field()

        name: String = field("0-12", ignorable=True)
        topic_id: Uuid = field("13+", ignorable=True)
        partition_data: list[PartitionData] = field()

    transactional_id: String | None = field("3+", default=None)
    acks: Int16 = field()  # -1 all replicas in sync, 1 the leader, 0 nobody and no response
    timeout_ms: Int32 = field()  # how long the broker may take
    topic_data: list[TopicData] = field()


class ProduceResponse(Response, key=0, versions="0-13", flexible="9+"):
    """The offset that each partition's batch got, or why it was refused. With acks 0 there is no response at all."""

    class Topic(Struct):
        class PartitionResponse(Struct):
            class RecordError(Struct):
                batch_index: Int32 = field()  # in the batch
                batch_index_error_message: String | None = field(default=None)

            class CurrentLeader(Struct):
                leader_id: Int32 = field(default=-1)
                leader_epoch: Int32 = field(default=-1)

            index: Int32 = field()
            error_code: Int16 = field()
            base_offset: Int64 = field()
            log_append_time_ms: Int64 = field("2+", default=-1, ignorable=True)  # -1 unless the topic has LogAppendTime
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
    node_endpoints: list[NodeEndpoint] = field("10+", tag=0)  # of the leaders named above


class FetchRequest(Request, key=1, versions="0-18", flexible="12+"):
    """Ask a broker for record batches, from given offsets on; followers copy their leader with it too. A session
    (KIP-227) lets later requests name only what changed.
    """

    class ReplicaState(Struct):
        replica_id: Int32 = field(default=-1)
        replica_epoch: Int64 = field(default=-1)

    class Topic(Struct):
        class Partition(Struct):
            partition: Int32 = field()
            # that the client believes in, to detect stale metadata
            current_leader_epoch: Int32 = field("9+", default=-1, ignorable=True)
            fetch_offset: Int64 = field()
            last_fetched_epoch: Int32 = field("12+", default=-1)  # of the follower's last record
            log_start_offset: Int64 = field("5+", default=-1, ignorable=True)  # of the follower
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

    cluster_id: String | None = field("12+", default=None, tag=0, ignorable=True)  # null unless this is a Raft voter
    replica_id: Int32 = field("0-14", default=-1)  # -1 for consumers
    replica_state: ReplicaState = field("15+", tag=1)  # set by followers
    max_wait_ms: Int32 = field()
    min_bytes: Int32 = field()  # wait for so many, or for max_wait_ms
    max_bytes: Int32 = field("3+", default=0x7FFFFFFF, ignorable=True)
    isolation_level: Int8 = field("4+", ignorable=True)  # 0 read uncommitted, 1 read committed
    session_id: Int32 = field("7+", ignorable=True)
    session_epoch: Int32 = field("7+", default=-1, ignorable=True)  # 0 opens a session, -1 has none
    topics: list[Topic] = field()
    forgotten_topics_data: list[ForgottenTopicsData] = field("7+")  # to be dropped from the session
    rack_id: String = field("11+", ignorable=True)  # where the consumer is, for follower fetching (KIP-392)


class FetchResponse(Response, key=1, versions="0-18", flexible="12+"):
    """Record batches for each partition asked for. The last batch of a partition may be cut off at the size limit;
    where there is none the records are empty or None.
    """

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
            # the end of the largest epoch in common, where the logs part ways
            diverging_epoch: DivergingEpoch = field("12+", tag=0)
            current_leader: CurrentLeader = field("12+", tag=1)
            snapshot_id: SnapshotId = field("12+", tag=2)
            # in the range, for read committed
            aborted_transactions: list[AbortedTransaction] | None = field("4+", ignorable=True)
            # fetch from this broker next (KIP-392), -1 for the leader
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
    node_endpoints: list[NodeEndpoint] = field("16+", tag=0)  # of the leaders named above


class ListOffsetsRequest(Request, key=2, versions="0-11", flexible="6+"):
    """Find offsets by time: the first record at or after a timestamp, or one of the special timestamps below 0."""

    class Topic(Struct):
        class Partition(Struct):
            partition_index: Int32 = field()
            # that the client believes in, to detect stale metadata
            current_leader_epoch: Int32 = field("4+", default=-1, ignorable=True)
            # ms since the epoch; -1 latest, -2 earliest, -3 largest timestamp, -4 earliest local, -5 latest tiered, -6
            # earliest not yet tiered
            timestamp: Int64 = field()
            max_num_offsets: Int32 = field("0", default=1)  # version 0 gives up to so many segment starts

        name: String = field()
        partitions: list[Partition] = field()

    replica_id: Int32 = field()  # -1 for consumers
    isolation_level: Int8 = field("2+")  # 0 read uncommitted, 1 read committed
    topics: list[Topic] = field()
    timeout_ms: Int32 = field("10+", ignorable=True)  # how long the broker may take


class ListOffsetsResponse(Response, key=2, versions="0-11", flexible="6+"):
    """The offset, and the timestamp of the record there, for each partition."""

    class Topic(Struct):
        class Partition(Struct):
            partition_index: Int32 = field()
            error_code: Int16 = field()
            old_style_offsets: list[Int64] = field("0")  # the segment starts of version 0
            timestamp: Int64 = field("1+", default=-1)
            offset: Int64 = field("1+", default=-1)
            leader_epoch: Int32 = field("4+", default=-1)

        name: String = field()
        partitions: list[Partition] = field()

    throttle_time_ms: Int32 = field("2+", ignorable=True)
    topics: list[Topic] = field()


class OffsetForLeaderEpochRequest(Request, key=23, versions="0-4", flexible="4+"):
    """Ask a leader where an epoch ended, to find out where a log diverged from it (KIP-101)."""

    class Topic(Struct):
        class Partition(Struct):
            partition: Int32 = field()
            current_leader_epoch: Int32 = field("2+", default=-1, ignorable=True)
            leader_epoch: Int32 = field()

        topic: String = field()
        partitions: list[Partition] = field()

    replica_id: Int32 = field("3+", default=-2, ignorable=True)  # -1 for consumers
    topics: list[Topic] = field()


class OffsetForLeaderEpochResponse(Response, key=23, versions="0-4", flexible="4+"):
    """The end offset of the largest epoch that is not above the one asked for."""

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
    """Drop all records before an offset."""

    class Topic(Struct):
        class Partition(Struct):
            partition_index: Int32 = field()
            offset: Int64 = field()  # -1 for the high watermark

        name: String = field()
        partitions: list[Partition] = field()

    topics: list[Topic] = field()
    timeout_ms: Int32 = field()  # how long the broker may take


class DeleteRecordsResponse(Response, key=21, versions="0-2", flexible="2+"):
    """The new first offset of each partition."""

    class Topic(Struct):
        class Partition(Struct):
            partition_index: Int32 = field()
            low_watermark: Int64 = field()
            error_code: Int16 = field()

        name: String = field()
        partitions: list[Partition] = field()

    throttle_time_ms: Int32 = field()
    topics: list[Topic] = field()
