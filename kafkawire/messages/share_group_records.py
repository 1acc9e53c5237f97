"""Keys and values of share groups in __consumer_offsets and __share_group_state. On the wire an int16 goes before
each: for keys the record type, for values the version.
"""

from kafkawire.schema import Int8, Int16, Int32, Int64, Message, String, Struct, Uuid, field


class ShareGroupPartitionMetadataKey(Message, versions="9"):
    """Key of record type 9 of Kafka 3.9's early share groups."""

    group_id: String = field()


class ShareGroupPartitionMetadataValue(Message, versions="0", flexible="0+"):
    """The topics of one of Kafka 3.9's early share groups."""

    class TopicPartitionsInfo(Struct):
        topic_id: Uuid = field()
        topic_name: String = field()
        partitions: list[Int32] = field()

    class TopicInfo(Struct):
        topic_id: Uuid = field()
        topic_name: String = field()

    initialized_topics: list[TopicPartitionsInfo] = field()
    deleting_topics: list[TopicInfo] = field()


class ShareGroupMemberMetadataKey(Message, key=10, versions="0,10"):
    """Key of a share group member, record type 10."""

    group_id: String = field()
    member_id: String = field()


class ShareGroupMemberMetadataValue(Message, key=10, versions="0", flexible="0+"):
    """What a member of a share group said about itself."""

    rack_id: String | None = field()
    client_id: String = field()
    client_host: String = field()
    subscribed_topic_names: list[String] = field()


class ShareGroupMetadataKey(Message, key=11, versions="0,11"):
    """Key of a share group's epoch, record type 11."""

    group_id: String = field()


class ShareGroupMetadataValue(Message, key=11, versions="0", flexible="0+"):
    """A share group's epoch, as Kafka 4 writes it; the layout of 3.9, without the hash, is
    ShareGroupMetadataValue39.
    """

    epoch: Int32 = field()
    metadata_hash: Int64 = field()  # of the topics subscribed to, which changes when they do


class ShareGroupMetadataValue39(Message, versions="0", flexible="0+"):
    """ShareGroupMetadataValue in the layout of Kafka 3.9, whose version 0 has no metadata_hash."""

    epoch: Int32 = field()


class ShareGroupTargetAssignmentMetadataKey(Message, key=12, versions="0"):
    """Key of a share group's target assignment, record type 12."""

    group_id: String = field()


class ShareGroupTargetAssignmentMetadataValue(Message, key=12, versions="0", flexible="0+"):
    """The epoch of a share group's target assignment."""

    assignment_epoch: Int32 = field()
    assignment_timestamp: Int64 = field(tag=0)  # ms since the epoch


class ShareGroupTargetAssignmentMemberKey(Message, key=13, versions="0"):
    """Key of a member's target assignment, record type 13."""

    group_id: String = field()
    member_id: String = field()


class ShareGroupTargetAssignmentMemberValue(Message, key=13, versions="0", flexible="0+"):
    """The partitions that a member shall have."""

    class TopicPartition(Struct):
        topic_id: Uuid = field()
        partitions: list[Int32] = field()

    topic_partitions: list[TopicPartition] = field()


class ShareGroupCurrentMemberAssignmentKey(Message, key=14, versions="0"):
    """Key of a member's current assignment, record type 14."""

    group_id: String = field()
    member_id: String = field()


class ShareGroupCurrentMemberAssignmentValue(Message, key=14, versions="0", flexible="0+"):
    """The partitions that a member has."""

    class TopicPartitions(Struct):
        topic_id: Uuid = field()
        partitions: list[Int32] = field()

    member_epoch: Int32 = field()
    previous_member_epoch: Int32 = field()
    state: Int8 = field()
    assigned_partitions: list[TopicPartitions] = field()


class ShareGroupStatePartitionMetadataKey(Message, key=15, versions="0"):
    """Key of the share partitions that have state, record type 15."""

    group_id: String = field()


class ShareGroupStatePartitionMetadataValue(Message, key=15, versions="0", flexible="0+"):
    """Which share partitions have state, get it, or lose it."""

    class TopicPartitionsInfo(Struct):
        topic_id: Uuid = field()
        topic_name: String = field()
        partitions: list[Int32] = field()

    class TopicInfo(Struct):
        topic_id: Uuid = field()
        topic_name: String = field()

    initializing_topics: list[TopicPartitionsInfo] = field()
    initialized_topics: list[TopicPartitionsInfo] = field()
    deleting_topics: list[TopicInfo] = field()


class ShareSnapshotKey(Message, key=0, versions="0"):
    """Key of a share partition's whole state in __share_group_state, record type 0."""

    group_id: String = field()
    topic_id: Uuid = field()
    partition: Int32 = field()


class ShareSnapshotValue(Message, key=0, versions="0", flexible="0+"):
    """A share partition's whole state."""

    class StateBatch(Struct):
        first_offset: Int64 = field()
        last_offset: Int64 = field()
        delivery_state: Int8 = field()  # 0 available, 2 acknowledged, 4 archived
        delivery_count: Int16 = field()  # how often it was handed out

    snapshot_epoch: Int32 = field()
    state_epoch: Int32 = field()  # goes up with every initialization of the state
    leader_epoch: Int32 = field()
    start_offset: Int64 = field()
    # records beyond the start offset that need no more delivery
    delivery_complete_count: Int32 = field(default=-1, tag=0)
    create_timestamp: Int64 = field()
    write_timestamp: Int64 = field()
    state_batches: list[StateBatch] = field()


class ShareUpdateKey(Message, key=1, versions="0"):
    """Key of a change to a share partition's state in __share_group_state, record type 1."""

    group_id: String = field()
    topic_id: Uuid = field()
    partition: Int32 = field()


class ShareUpdateValue(Message, key=1, versions="0", flexible="0+"):
    """A change to the share partition's last snapshot."""

    class StateBatch(Struct):
        first_offset: Int64 = field()
        last_offset: Int64 = field()
        delivery_state: Int8 = field()  # 0 available, 2 acknowledged, 4 archived
        delivery_count: Int16 = field()  # how often it was handed out

    snapshot_epoch: Int32 = field()
    leader_epoch: Int32 = field()
    start_offset: Int64 = field()
    # records beyond the start offset that need no more delivery
    delivery_complete_count: Int32 = field(default=-1, tag=0)
    state_batches: list[StateBatch] = field()
