"""Records of __remote_log_metadata, where tiered storage keeps its books (KIP-405). On the wire the record type
(API_KEY) and the version, each an unsigned varint, go before the body.
"""

from kafkawire.schema import Bool, Bytes, Int8, Int32, Int64, Message, String, Struct, Uuid, field


class RemoteLogSegmentMetadataRecord(Message, key=0, versions="0", flexible="0+"):
    """A segment was copied to remote storage, or is about to be."""

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
    custom_metadata: Bytes | None = field(default=None)  # of the remote storage plugin
    remote_log_segment_state: Int8 = field()  # 0 copying, 1 copied, 2 deleting, 3 deleted
    txn_index_empty: Bool = field(tag=0)  # no transaction index was copied


class RemoteLogSegmentMetadataUpdateRecord(Message, key=1, versions="0", flexible="0+"):
    """The state of a remote segment changed."""

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
    custom_metadata: Bytes | None = field(default=None)  # of the remote storage plugin
    remote_log_segment_state: Int8 = field()  # 0 copying, 1 copied, 2 deleting, 3 deleted


class RemotePartitionDeleteMetadataRecord(Message, key=2, versions="0", flexible="0+"):
    """How far the deletion of a partition's remote segments is."""

    class TopicIdPartition(Struct):
        name: String = field()
        id: Uuid = field()
        partition: Int32 = field()

    topic_id_partition: TopicIdPartition = field()
    broker_id: Int32 = field()
    event_timestamp_ms: Int64 = field()
    remote_partition_delete_state: Int8 = field()  # 0 marked, 1 started, 2 finished


class RemoteLogSegmentMetadataSnapshotRecord(Message, key=3, versions="0", flexible="0+"):
    """A remote segment in a broker's local snapshot of these books."""

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
    custom_metadata: Bytes | None = field(default=None)  # of the remote storage plugin
    remote_log_segment_state: Int8 = field()  # 0 copying, 1 copied, 2 deleting, 3 deleted
    txn_index_empty: Bool = field(tag=0)  # no transaction index was copied
