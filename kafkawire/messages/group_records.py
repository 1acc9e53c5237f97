"""TODO"""

from kafkawire.schema import Bytes, Int8, Int32, Int64, Message, String, Struct, Uuid, field


class LegacyOffsetCommitKey(Message, key=0, versions="0"):
    """TODO"""

    group: String = field()
    topic: String = field()
    partition: Int32 = field()


class LegacyOffsetCommitValue(Message, key=0, versions="0"):
    """TODO"""

    offset: Int64 = field()
    metadata: String = field()
    commit_timestamp: Int64 = field()


class OffsetCommitKey(Message, key=1, versions="0-1"):
    """TODO"""

    group: String = field()
    topic: String = field()
    partition: Int32 = field()


class OffsetCommitValue(Message, key=1, versions="0-4", flexible="4+"):
    """TODO"""

    offset: Int64 = field()
    leader_epoch: Int32 = field("3+", default=-1, ignorable=True)
    metadata: String = field()
    commit_timestamp: Int64 = field()
    expire_timestamp: Int64 = field("1", default=-1, ignorable=True)
    topic_id: Uuid = field("4+", tag=0, ignorable=True)


class GroupMetadataKey(Message, key=2, versions="0,2"):
    """TODO"""

    group: String = field()


class GroupMetadataValue(Message, key=2, versions="0-4", flexible="4+"):
    """TODO"""

    class MemberMetadata(Struct):
        member_id: String = field()
        group_instance_id: String | None = field("3+", default=None, ignorable=True)
        client_id: String = field()
        client_host: String = field()
        rebalance_timeout: Int32 = field("1+", default=-1, ignorable=True)
        session_timeout: Int32 = field()
        subscription: Bytes = field()
        assignment: Bytes = field()

    protocol_type: String = field()
    generation: Int32 = field()
    protocol: String | None = field()
    leader: String | None = field()
    current_state_timestamp: Int64 = field("2+", default=-1, ignorable=True)
    members: list[MemberMetadata] = field()


class ConsumerGroupMetadataKey(Message, key=3, versions="0,3"):
    """TODO"""

    group_id: String = field()


class ConsumerGroupMetadataValue(Message, key=3, versions="0", flexible="0+"):
    """TODO"""

    epoch: Int32 = field()
    metadata_hash: Int64 = field(tag=0)


class ConsumerGroupPartitionMetadataKey(Message, key=4, versions="0,4"):
    """TODO"""

    group_id: String = field()


class ConsumerGroupPartitionMetadataValue(Message, key=4, versions="0", flexible="0+"):
    """TODO"""

    class Topic(Struct):
        class PartitionMetadata(Struct):
            partition: Int32 = field()
            racks: list[String] = field()

        topic_id: Uuid = field()
        topic_name: String = field()
        num_partitions: Int32 = field()
        partition_metadata: list[PartitionMetadata] = field()

    topics: list[Topic] = field()


class ConsumerGroupMemberMetadataKey(Message, key=5, versions="0,5"):
    """TODO"""

    group_id: String = field()
    member_id: String = field()


class ConsumerGroupMemberMetadataValue(Message, key=5, versions="0", flexible="0+"):
    """TODO"""

    class ClassicMemberMetadata(Struct):
        class SupportedProtocol(Struct):
            name: String = field()
            metadata: Bytes = field()

        session_timeout_ms: Int32 = field()
        supported_protocols: list[SupportedProtocol] = field()

    instance_id: String | None = field()
    rack_id: String | None = field()
    client_id: String = field()
    client_host: String = field()
    subscribed_topic_names: list[String] = field()
    subscribed_topic_regex: String | None = field()
    rebalance_timeout_ms: Int32 = field(default=-1)
    server_assignor: String | None = field()
    classic_member_metadata: ClassicMemberMetadata | None = field(tag=0)


class ConsumerGroupTargetAssignmentMetadataKey(Message, key=6, versions="0,6"):
    """TODO"""

    group_id: String = field()


class ConsumerGroupTargetAssignmentMetadataValue(Message, key=6, versions="0", flexible="0+"):
    """TODO"""

    assignment_epoch: Int32 = field()
    assignment_timestamp: Int64 = field(tag=0)


class ConsumerGroupTargetAssignmentMemberKey(Message, key=7, versions="0,7"):
    """TODO"""

    group_id: String = field()
    member_id: String = field()


class ConsumerGroupTargetAssignmentMemberValue(Message, key=7, versions="0", flexible="0+"):
    """TODO"""

    class TopicPartition(Struct):
        topic_id: Uuid = field()
        partitions: list[Int32] = field()

    topic_partitions: list[TopicPartition] = field()


class ConsumerGroupCurrentMemberAssignmentKey(Message, key=8, versions="0,8"):
    """TODO"""

    group_id: String = field()
    member_id: String = field()


class ConsumerGroupCurrentMemberAssignmentValue(Message, key=8, versions="0", flexible="0+"):
    """TODO"""

    class TopicPartitions(Struct):
        topic_id: Uuid = field()
        partitions: list[Int32] = field()
        assignment_epochs: list[Int32] | None = field(tag=0)

    member_epoch: Int32 = field()
    previous_member_epoch: Int32 = field()
    state: Int8 = field()
    assigned_partitions: list[TopicPartitions] = field()
    partitions_pending_revocation: list[TopicPartitions] = field()


class ConsumerGroupRegularExpressionKey(Message, key=16, versions="0"):
    """TODO"""

    group_id: String = field()
    regular_expression: String = field()


class ConsumerGroupRegularExpressionValue(Message, key=16, versions="0", flexible="0+"):
    """TODO"""

    topics: list[String] = field()
    version: Int64 = field()
    timestamp: Int64 = field()
