"""Share groups: consumers that share partitions record by record, as a queue (KIP-932)."""

from kafkawire.schema import Bool, Int8, Int16, Int32, Int64, Records, Request, Response, String, Struct, Uuid, field


class ShareGroupHeartbeatRequest(Request, key=76, versions="0-1", flexible="0+"):
    """Join, stay in or leave a share group. Epoch 0 joins, -1 leaves."""

    group_id: String = field()
    member_id: String = field()
    member_epoch: Int32 = field()
    rack_id: String | None = field(default=None)
    subscribed_topic_names: list[String] | None = field(default=None)


class ShareGroupHeartbeatResponse(Response, key=76, versions="0-1", flexible="0+"):
    """The member's epoch, and its assignment when that changed."""

    class Assignment(Struct):
        class TopicPartitions(Struct):
            topic_id: Uuid = field()
            partitions: list[Int32] = field()

        topic_partitions: list[TopicPartitions] = field()

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    error_message: String | None = field(default=None)
    member_id: String | None = field(default=None)
    member_epoch: Int32 = field()
    heartbeat_interval_ms: Int32 = field()
    assignment: Assignment | None = field(default=None)


class ShareGroupDescribeRequest(Request, key=77, versions="0-1", flexible="0+"):
    """Ask for the state and members of share groups."""

    group_ids: list[String] = field()
    include_authorized_operations: Bool = field()


class ShareGroupDescribeResponse(Response, key=77, versions="0-1", flexible="0+"):
    """State, epochs and members of each share group."""

    class Group(Struct):
        class Member(Struct):
            class Assignment(Struct):
                class TopicPartitions(Struct):
                    topic_id: Uuid = field()
                    topic_name: String = field()
                    partitions: list[Int32] = field()

                topic_partitions: list[TopicPartitions] = field()

            member_id: String = field()
            rack_id: String | None = field(default=None)
            member_epoch: Int32 = field()
            client_id: String = field()
            client_host: String = field()
            subscribed_topic_names: list[String] = field()
            assignment: Assignment = field()

        error_code: Int16 = field()
        error_message: String | None = field(default=None)
        group_id: String = field()
        group_state: String = field()
        group_epoch: Int32 = field()
        assignment_epoch: Int32 = field()
        assignor_name: String = field()
        members: list[Member] = field()
        # a bit for each operation allowed, -2147483648 if not asked for
        authorized_operations: Int32 = field(default=-2147483648)

    throttle_time_ms: Int32 = field()
    groups: list[Group] = field()


class ShareFetchRequest(Request, key=78, versions="0-2", flexible="0+"):
    """Acquire records for a member of a share group, and acknowledge earlier ones along the way."""

    class Topic(Struct):
        class Partition(Struct):
            class AcknowledgementBatch(Struct):
                first_offset: Int64 = field()
                last_offset: Int64 = field()
                # 0 gap, 1 accept, 2 release, 3 reject, 4 renew; one for all records or one for each
                acknowledge_types: list[Int8] = field()

            partition_index: Int32 = field()
            partition_max_bytes: Int32 = field("0")
            acknowledgement_batches: list[AcknowledgementBatch] = field()

        topic_id: Uuid = field()
        partitions: list[Partition] = field()

    class ForgottenTopicsData(Struct):
        topic_id: Uuid = field()
        partitions: list[Int32] = field()

    group_id: String | None = field(default=None)
    member_id: String | None = field()
    share_session_epoch: Int32 = field()  # 0 opens a session, -1 closes it
    max_wait_ms: Int32 = field()
    min_bytes: Int32 = field()
    max_bytes: Int32 = field(default=0x7FFFFFFF)
    max_records: Int32 = field("1+")
    batch_size: Int32 = field("1+")
    share_acquire_mode: Int8 = field("2+", ignorable=True)  # 0 batch optimized, 1 record limit
    is_renew_ack: Bool = field("2+")  # some acknowledgements renew the lock
    topics: list[Topic] = field()
    forgotten_topics_data: list[ForgottenTopicsData] = field()  # to be dropped from the session


class ShareFetchResponse(Response, key=78, versions="0-2", flexible="0+"):
    """Records, and the ranges of them that the member has acquired."""

    class Topic(Struct):
        class Partition(Struct):
            class CurrentLeader(Struct):
                leader_id: Int32 = field()
                leader_epoch: Int32 = field()

            class AcquiredRecord(Struct):
                first_offset: Int64 = field()
                last_offset: Int64 = field()
                delivery_count: Int16 = field()  # how often it was handed out

            partition_index: Int32 = field()
            error_code: Int16 = field()
            error_message: String | None = field(default=None)
            acknowledge_error_code: Int16 = field()
            acknowledge_error_message: String | None = field(default=None)
            current_leader: CurrentLeader = field()
            records: Records | None = field(nullable="0")
            acquired_records: list[AcquiredRecord] = field()

        topic_id: Uuid = field()
        partitions: list[Partition] = field()

    class NodeEndpoint(Struct):
        node_id: Int32 = field()
        host: String = field()
        port: Int32 = field()
        rack: String | None = field(default=None)

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    error_message: String | None = field(default=None)
    acquisition_lock_timeout_ms: Int32 = field("1+")  # how long the member has to acknowledge
    responses: list[Topic] = field()
    node_endpoints: list[NodeEndpoint] = field()  # of the leaders named above


class ShareAcknowledgeRequest(Request, key=79, versions="0-2", flexible="0+"):
    """Accept, release, reject or renew acquired records."""

    class Topic(Struct):
        class Partition(Struct):
            class AcknowledgementBatch(Struct):
                first_offset: Int64 = field()
                last_offset: Int64 = field()
                # 0 gap, 1 accept, 2 release, 3 reject, 4 renew; one for all records or one for each
                acknowledge_types: list[Int8] = field()

            partition_index: Int32 = field()
            acknowledgement_batches: list[AcknowledgementBatch] = field()

        topic_id: Uuid = field()
        partitions: list[Partition] = field()

    group_id: String | None = field(default=None)
    member_id: String | None = field()
    share_session_epoch: Int32 = field()  # 0 opens a session, -1 closes it
    is_renew_ack: Bool = field("2+")  # some acknowledgements renew the lock
    topics: list[Topic] = field()


class ShareAcknowledgeResponse(Response, key=79, versions="0-2", flexible="0+"):
    """Whether each acknowledgement was taken."""

    class Topic(Struct):
        class Partition(Struct):
            class CurrentLeader(Struct):
                leader_id: Int32 = field()
                leader_epoch: Int32 = field()

            partition_index: Int32 = field()
            error_code: Int16 = field()
            error_message: String | None = field(default=None)
            current_leader: CurrentLeader = field()

        topic_id: Uuid = field()
        partitions: list[Partition] = field()

    class NodeEndpoint(Struct):
        node_id: Int32 = field()
        host: String = field()
        port: Int32 = field()
        rack: String | None = field(default=None)

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    error_message: String | None = field(default=None)
    acquisition_lock_timeout_ms: Int32 = field("2+", ignorable=True)  # how long the member has to acknowledge
    responses: list[Topic] = field()
    node_endpoints: list[NodeEndpoint] = field()  # of the leaders named above


class DescribeShareGroupOffsetsRequest(Request, key=90, versions="0-1", flexible="0+"):
    """Ask where share groups start to read. None as topics asks for all."""

    class Group(Struct):
        class Topic(Struct):
            topic_name: String = field()
            partitions: list[Int32] = field()

        group_id: String = field()
        topics: list[Topic] | None = field()

    groups: list[Group] = field()


class DescribeShareGroupOffsetsResponse(Response, key=90, versions="0-1", flexible="0+"):
    """The start offset of each share partition."""

    class Group(Struct):
        class Topic(Struct):
            class Partition(Struct):
                partition_index: Int32 = field()
                start_offset: Int64 = field()
                leader_epoch: Int32 = field()
                lag: Int64 = field("1+", default=-1, ignorable=True)
                error_code: Int16 = field()
                error_message: String | None = field(default=None)

            topic_name: String = field()
            topic_id: Uuid = field()
            partitions: list[Partition] = field()

        group_id: String = field()
        topics: list[Topic] = field()
        error_code: Int16 = field()
        error_message: String | None = field(default=None)

    throttle_time_ms: Int32 = field()
    groups: list[Group] = field()


class AlterShareGroupOffsetsRequest(Request, key=91, versions="0", flexible="0+"):
    """Set the start offsets of an empty share group."""

    class Topic(Struct):
        class Partition(Struct):
            partition_index: Int32 = field()
            start_offset: Int64 = field()

        topic_name: String = field()
        partitions: list[Partition] = field()

    group_id: String = field()
    topics: list[Topic] = field()


class AlterShareGroupOffsetsResponse(Response, key=91, versions="0", flexible="0+"):
    """Whether each start offset was set."""

    class Topic(Struct):
        class Partition(Struct):
            partition_index: Int32 = field()
            error_code: Int16 = field()
            error_message: String | None = field(default=None)

        topic_name: String = field()
        topic_id: Uuid = field()
        partitions: list[Partition] = field()

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    error_message: String | None = field(default=None)
    responses: list[Topic] = field()


class DeleteShareGroupOffsetsRequest(Request, key=92, versions="0", flexible="0+"):
    """Forget the offsets of topics in an empty share group."""

    class Topic(Struct):
        topic_name: String = field()

    group_id: String = field()
    topics: list[Topic] = field()


class DeleteShareGroupOffsetsResponse(Response, key=92, versions="0", flexible="0+"):
    """Whether each topic's offsets were forgotten."""

    class Topic(Struct):
        topic_name: String = field()
        topic_id: Uuid = field()
        error_code: Int16 = field()
        error_message: String | None = field(default=None)

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    error_message: String | None = field(default=None)
    responses: list[Topic] = field()
