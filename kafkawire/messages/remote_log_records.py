"""TODO"""

from kafkawire.schema import Bool, Bytes, Int8, Int32, Int64, Message, String, Struct, Uuid, field


class RemoteLogSegmentMetadataRecord(Message, key=0, versions="0", flexible="0+"):
    """TODO"""

    class RemoteLogSegmentId(Struct):
        class TopicIdPartition(Struct):
            name: String = field()
            id: Uuid = field()
            partition: Int32 = field()

        topic_id_partition: TopicIdPartition = field()
        id: Uuid = field()

    class SegmentLeaderEpoch(Struct):
        leader_epoch: Int32 = field()
        offset: Int64 = field()

    remote_log_segment_id: RemoteLogSegmentId = field()
    start_offset: Int64 = field()
    end_offset: Int64 = field()
    broker_id: Int32 = field()
    max_timestamp_ms: Int64 = field()
    event_timestamp_ms: Int64 = field()
    segment_leader_epochs: list[SegmentLeaderEpoch] = field()
    segment_size_in_bytes: Int32 = field()
    custom_metadata: Bytes | None = field(default=None)
    remote_log_segment_state: Int8 = field()
    txn_index_empty: Bool = field(tag=0)


class RemoteLogSegmentMetadataUpdateRecord(Message, key=1, versions="0", flexible="0+"):
    """TODO"""

    class RemoteLogSegmentId(Struct):
        class TopicIdPartition(Struct):
            name: String = field()
            id: Uuid = field()
            partition: Int32 = field()

        topic_id_partition: TopicIdPartition = field()
        id: Uuid = field()

    remote_log_segment_id: RemoteLogSegmentId = field()
    broker_id: Int32 = field()
    event_timestamp_ms: Int64 = field()
    custom_metadata: Bytes | None = field(default=None)
    remote_log_segment_state: Int8 = field()


class RemotePartitionDeleteMetadataRecord(Message, key=2, versions="0", flexible="0+"):
    """TODO"""

    class TopicIdPartition(Struct):
        name: String = field()
        id: Uuid = field()
        partition: Int32 = field()

    topic_id_partition: TopicIdPartition = field()
    broker_id: Int32 = field()
    event_timestamp_ms: Int64 = field()
    remote_partition_delete_state: Int8 = field()


class RemoteLogSegmentMetadataSnapshotRecord(Message, key=3, versions="0", flexible="0+"):
    """TODO"""

    class SegmentLeaderEpoch(Struct):
        leader_epoch: Int32 = field()
        offset: Int64 = field()

    segment_id: Uuid = field()
    start_offset: Int64 = field()
    end_offset: Int64 = field()
    broker_id: Int32 = field()
    max_timestamp_ms: Int64 = field()
    event_timestamp_ms: Int64 = field()
    segment_leader_epochs: list[SegmentLeaderEpoch] = field()
    segment_size_in_bytes: Int32 = field()
    custom_metadata: Bytes | None = field(default=None)
    remote_log_segment_state: Int8 = field()
    txn_index_empty: Bool = field(tag=0)
