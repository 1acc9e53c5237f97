"""Consumer groups whose assignment the broker computes (KIP-848)."""

from kafkawire.schema import Bool, Int8, Int16, Int32, Request, Response, String, Struct, Uuid, field


class ConsumerGroupHeartbeatRequest(Request, key=68, versions="0-1", flexible="0+"):
    """Join, stay in or leave a group of the new protocol. What did not change since the last heartbeat is null.
    Epoch 0 joins, -1 leaves, -2 leaves for a while as a static member.
    """

    class TopicPartition(Struct):
        topic_id: Uuid = field()
        partitions: list[Int32] = field()

    group_id: String = field()
    member_id: String = field()
    member_epoch: Int32 = field()  # 0 joins, -1 leaves, -2 leaves as a static member that comes back
    instance_id: String | None = field(default=None)  # set by static members (KIP-345)
    rack_id: String | None = field(default=None)
    rebalance_timeout_ms: Int32 = field(default=-1)
    subscribed_topic_names: list[String] | None = field(default=None)
    subscribed_topic_regex: String | None = field("1+", default=None)  # in the syntax of RE2/J
    server_assignor: String | None = field(default=None)  # the broker's assignor to use, null for its default
    topic_partitions: list[TopicPartition] | None = field(default=None)


class ConsumerGroupHeartbeatResponse(Response, key=68, versions="0-1", flexible="0+"):
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


class ConsumerGroupDescribeRequest(Request, key=69, versions="0-1", flexible="0+"):
    """Ask for the state and members of groups of the new protocol."""

    group_ids: list[String] = field()
    include_authorized_operations: Bool = field()


class ConsumerGroupDescribeResponse(Response, key=69, versions="0-1", flexible="0+"):
    """State, epochs, members, and both their current and their target assignment."""

    class Group(Struct):
        class Member(Struct):
            class Assignment(Struct):
                class TopicPartitions(Struct):
                    topic_id: Uuid = field()
                    topic_name: String = field()
                    partitions: list[Int32] = field()

                topic_partitions: list[TopicPartitions] = field()

            member_id: String = field()
            instance_id: String | None = field(default=None)  # set by static members (KIP-345)
            rack_id: String | None = field(default=None)
            member_epoch: Int32 = field()
            client_id: String = field()
            client_host: String = field()
            subscribed_topic_names: list[String] = field()
            subscribed_topic_regex: String | None = field(default=None)  # in the syntax of RE2/J
            assignment: Assignment = field()
            target_assignment: Assignment = field()
            member_type: Int8 = field("1+", default=-1, ignorable=True)  # -1 unknown, 0 classic, 1 consumer

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
