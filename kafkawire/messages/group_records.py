"""Keys and values in __consumer_offsets of classic and consumer groups. On the wire an int16 goes before each: for
keys the record type, for values the version. Kafka 3.9 calls the record type of a key its version, so both numbers
decode.
"""

from kafkawire.schema import Bytes, Int8, Int32, Int64, Message, String, Struct, Uuid, field


class LegacyOffsetCommitKey(Message, key=0, versions="0"):
    """Key of a committed offset, record type 0: of Kafka 0.8.2."""

    group: String = field()
    topic: String = field()
    partition: Int32 = field()


class LegacyOffsetCommitValue(Message, key=0, versions="0"):
    """Value of a committed offset of record type 0."""

    offset: Int64 = field()
    metadata: String = field()
    commit_timestamp: Int64 = field()


class OffsetCommitKey(Message, key=1, versions="0-1"):
    """Key of a committed offset. Kafka 4 has record type 1 (version 0 here); 3.9 calls 0 and 1 its versions."""

    group: String = field()
    topic: String = field()
    partition: Int32 = field()


class OffsetCommitValue(Message, key=1, versions="0-4", flexible="4+"):
    """Value of a committed offset."""

    offset: Int64 = field()
    leader_epoch: Int32 = field("3+", default=-1, ignorable=True)
    metadata: String = field()
    commit_timestamp: Int64 = field()
    expire_timestamp: Int64 = field("1", default=-1, ignorable=True)
    topic_id: Uuid = field("4+", tag=0, ignorable=True)


class GroupMetadataKey(Message, key=2, versions="0,2"):
    """Key of a classic group, record type 2."""

    group: String = field()


class GroupMetadataValue(Message, key=2, versions="0-4", flexible="4+"):
    """A classic group with its members and their assignments."""

    class MemberMetadata(Struct):
        member_id: String = field()
        group_instance_id: String | None = field("3+", default=None, ignorable=True)  # set by static members (KIP-345)
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
    """Key of a consumer group's epoch, record type 3."""

    group_id: String = field()


class ConsumerGroupMetadataValue(Message, key=3, versions="0", flexible="0+"):
    """A consumer group's epoch."""

    epoch: Int32 = field()
    metadata_hash: Int64 = field(tag=0)  # of the topics subscribed to, which changes when they do


class ConsumerGroupPartitionMetadataKey(Message, key=4, versions="0,4"):
    """Key of the partition counts that a consumer group has seen, record type 4."""

    group_id: String = field()


class ConsumerGroupPartitionMetadataValue(Message, key=4, versions="0", flexible="0+"):
    """The topics that a consumer group has seen. Kafka 4 replaced it by a hash in ConsumerGroupMetadataValue."""

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
    """Key of a consumer group member, record type 5."""

    group_id: String = field()
    member_id: String = field()


class ConsumerGroupMemberMetadataValue(Message, key=5, versions="0", flexible="0+"):
    """What a member of a consumer group said about itself."""

    class ClassicMemberMetadata(Struct):
        class SupportedProtocol(Struct):
            name: String = field()
            metadata: Bytes = field()

        session_timeout_ms: Int32 = field()
        supported_protocols: list[SupportedProtocol] = field()

    instance_id: String | None = field()  # set by static members (KIP-345)
    rack_id: String | None = field()
    client_id: String = field()
    client_host: String = field()
    subscribed_topic_names: list[String] = field()
    subscribed_topic_regex: String | None = field()  # in the syntax of RE2/J
    rebalance_timeout_ms: Int32 = field(default=-1)
    server_assignor: String | None = field()  # the broker's assignor to use, null for its default
    classic_member_metadata: ClassicMemberMetadata | None = field(tag=0)


class ConsumerGroupTargetAssignmentMetadataKey(Message, key=6, versions="0,6"):
    """Key of a consumer group's target assignment, record type 6."""

    group_id: String = field()


class ConsumerGroupTargetAssignmentMetadataValue(Message, key=6, versions="0", flexible="0+"):
    """The epoch of a consumer group's target assignment."""

    assignment_epoch: Int32 = field()
    assignment_timestamp: Int64 = field(tag=0)  # ms since the epoch


class ConsumerGroupTargetAssignmentMemberKey(Message, key=7, versions="0,7"):
    """Key of a member's target assignment, record type 7."""

    group_id: String = field()
    member_id: String = field()


class ConsumerGroupTargetAssignmentMemberValue(Message, key=7, versions="0", flexible="0+"):
    """The partitions that a member shall have."""

    class TopicPartition(Struct):
        topic_id: Uuid = field()
        partitions: list[Int32] = field()

    topic_partitions: list[TopicPartition] = field()


class ConsumerGroupCurrentMemberAssignmentKey(Message, key=8, versions="0,8"):
    """Key of a member's current assignment, record type 8."""

    group_id: String = field()
    member_id: String = field()


class ConsumerGroupCurrentMemberAssignmentValue(Message, key=8, versions="0", flexible="0+"):
    """The partitions that a member has, and those that it has yet to give back."""

    class TopicPartitions(Struct):
        topic_id: Uuid = field()
        partitions: list[Int32] = field()
        assignment_epochs: list[Int32] | None = field(tag=0)  # the epoch in which each partition was assigned

    member_epoch: Int32 = field()
    previous_member_epoch: Int32 = field()
    state: Int8 = field()
    assigned_partitions: list[TopicPartitions] = field()
    partitions_pending_revocation: list[TopicPartitions] = field()


class ConsumerGroupRegularExpressionKey(Message, key=16, versions="0"):
    """Key of a regular expression's matches, record type 16."""

    group_id: String = field()
    regular_expression: String = field()


class ConsumerGroupRegularExpressionValue(Message, key=16, versions="0", flexible="0+"):
    """The topics that a regular expression matched."""

    topics: list[String] = field()
    version: Int64 = field()
    timestamp: Int64 = field()
