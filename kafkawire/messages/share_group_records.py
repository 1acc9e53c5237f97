"""TODO"""

from kafkawire.schema import Int8, Int16, Int32, Int64, Message, String, Struct, Uuid, field


class ShareGroupPartitionMetadataKey(Message, versions="9"):
    """TODO"""

    group_id: String = field()


class ShareGroupPartitionMetadataValue(Message, versions="0", flexible="0+"):
    """TODO"""

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
    """TODO"""

    group_id: String = field()
    member_id: String = field()


class ShareGroupMemberMetadataValue(Message, key=10, versions="0", flexible="0+"):
    """TODO"""

    rack_id: String | None = field()
    client_id: String = field()
    client_host: String = field()
    subscribed_topic_names: list[String] = field()


class ShareGroupMetadataKey(Message, key=11, versions="0,11"):
    """TODO"""

    group_id: String = field()


class ShareGroupMetadataValue(Message, key=11, versions="0", flexible="0+"):
    """TODO"""

    epoch: Int32 = field()
    metadata_hash: Int64 = field()


class ShareGroupMetadataValue39(Message, versions="0", flexible="0+"):
    """TODO"""

    epoch: Int32 = field()


class ShareGroupTargetAssignmentMetadataKey(Message, key=12, versions="0"):
    """TODO"""

    group_id: String = field()


class ShareGroupTargetAssignmentMetadataValue(Message, key=12, versions="0", flexible="0+"):
    """TODO"""

    assignment_epoch: Int32 = field()
    assignment_timestamp: Int64 = field(tag=0)


class ShareGroupTargetAssignmentMemberKey(Message, key=13, versions="0"):
    """TODO"""

    group_id: String = field()
    member_id: String = field()


class ShareGroupTargetAssignmentMemberValue(Message, key=13, versions="0", flexible="0+"):
    """TODO"""

    class TopicPartition(Struct):
        topic_id: Uuid = field()
        partitions: list[Int32] = field()

    topic_partitions: list[TopicPartition] = field()


class ShareGroupCurrentMemberAssignmentKey(Message, key=14, versions="0"):
    """TODO"""

    group_id: String = field()
    member_id: String = field()


class ShareGroupCurrentMemberAssignmentValue(Message, key=14, versions="0", flexible="0+"):
    """TODO"""

    class TopicPartitions(Struct):
        topic_id: Uuid = field()
        partitions: list[Int32] = field()

    member_epoch: Int32 = field()
    previous_member_epoch: Int32 = field()
    state: Int8 = field()
    assigned_partitions: list[TopicPartitions] = field()


class ShareGroupStatePartitionMetadataKey(Message, key=15, versions="0"):
    """TODO"""

    group_id: String = field()


class ShareGroupStatePartitionMetadataValue(Message, key=15, versions="0", flexible="0+"):
    """TODO"""

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
    """TODO"""

    group_id: String = field()
    topic_id: Uuid = field()
    partition: Int32 = field()


class ShareSnapshotValue(Message, key=0, versions="0", flexible="0+"):
    """TODO"""

    class StateBatch(Struct):
        first_offset: Int64 = field()
        last_offset: Int64 = field()
        delivery_state: Int8 = field()
        delivery_count: Int16 = field()

    snapshot_epoch: Int32 = field()
    state_epoch: Int32 = field()
    leader_epoch: Int32 = field()
    start_offset: Int64 = field()
    delivery_complete_count: Int32 = field(default=-1, tag=0)
    create_timestamp: Int64 = field()
    write_timestamp: Int64 = field()
    state_batches: list[StateBatch] = field()


class ShareUpdateKey(Message, key=1, versions="0"):
    """TODO"""

    group_id: String = field()
    topic_id: Uuid = field()
    partition: Int32 = field()


class ShareUpdateValue(Message, key=1, versions="0", flexible="0+"):
    """TODO"""

    class StateBatch(Struct):
        first_offset: Int64 = field()
        last_offset: Int64 = field()
        delivery_state: Int8 = field()
        delivery_count: Int16 = field()

    snapshot_epoch: Int32 = field()
    leader_epoch: Int32 = field()
    start_offset: Int64 = field()
    delivery_complete_count: Int32 = field(default=-1, tag=0)
    state_batches: list[StateBatch] = field()
