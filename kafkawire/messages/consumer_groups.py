"""TODO"""

from kafkawire.schema import Bool, Int8, Int16, Int32, Request, Response, String, Struct, Uuid, field


class ConsumerGroupHeartbeatRequest(Request, key=68, versions="0-1", flexible="0+"):
    """TODO"""

    class TopicPartition(Struct):
        topic_id: Uuid = field()
        partitions: list[Int32] = field()

    group_id: String = field()
    member_id: String = field()
    member_epoch: Int32 = field()
    instance_id: String | None = field(default=None)
    rack_id: String | None = field(default=None)
    rebalance_timeout_ms: Int32 = field(default=-1)
    subscribed_topic_names: list[String] | None = field(default=None)
    subscribed_topic_regex: String | None = field("1+", default=None)
    server_assignor: String | None = field(default=None)
    topic_partitions: list[TopicPartition] | None = field(default=None)


class ConsumerGroupHeartbeatResponse(Response, key=68, versions="0-1", flexible="0+"):
    """TODO"""

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


class ConsumerGroupDescribeRequest(Request, key=69, versions="0-1", flexible="0+"):
    """TODO"""

    group_ids: list[String] = field()
    include_authorized_operations: Bool = field()


class ConsumerGroupDescribeResponse(Response, key=69, versions="0-1", flexible="0+"):
    """TODO"""

    class Group(Struct):
        class Member(Struct):
            class Assignment(Struct):
                class TopicPartitions(Struct):
                    topic_id: Uuid = field()
                    topic_name: String = field()
                    partitions: list[Int32] = field()

                topic_partitions: list[TopicPartitions] = field()

            member_id: String = field()
            instance_id: String | None = field(default=None)
            rack_id: String | None = field(default=None)
            member_epoch: Int32 = field()
            client_id: String = field()
            client_host: String = field()
            subscribed_topic_names: list[String] = field()
            subscribed_topic_regex: String | None = field(default=None)
            assignment: Assignment = field()
            target_assignment: Assignment = field()
            member_type: Int8 = field("1+", default=-1, ignorable=True)

        error_code: Int16 = field()
        error_message: String | None = field(default=None)
        group_id: String = field()
        group_state: String = field()
        group_epoch: Int32 = field()
        assignment_epoch: Int32 = field()
        assignor_name: String = field()
        members: list[Member] = field()
        authorized_operations: Int32 = field(default=-2147483648)

    throttle_time_ms: Int32 = field()
    groups: list[Group] = field()
