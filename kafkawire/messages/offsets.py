"""Committed offsets of consumer groups."""

from kafkawire.schema import Bool, Int16, Int32, Int64, Request, Response, String, Struct, Uuid, field


class OffsetCommitRequest(Request, key=8, versions="0-10", flexible="8+"):
    """Store how far a group has read."""

    class Topic(Struct):
        class Partition(Struct):
            partition_index: Int32 = field()
            committed_offset: Int64 = field()
            # of the last record read, -1 if not known
            committed_leader_epoch: Int32 = field("6+", default=-1, ignorable=True)
            commit_timestamp: Int64 = field("1", default=-1)
            committed_metadata: String | None = field()

        name: String = field("0-9", ignorable=True)
        topic_id: Uuid = field("10+", ignorable=True)
        partitions: list[Partition] = field()

    group_id: String = field()
    # generation in classic groups, member epoch in others, -1 outside of groups
    generation_id_or_member_epoch: Int32 = field("1+", default=-1, ignorable=True)
    member_id: String = field("1+", ignorable=True)
    group_instance_id: String | None = field("7+", default=None)  # set by static members (KIP-345)
    retention_time_ms: Int64 = field("2-4", default=-1, ignorable=True)  # -1 for the broker's default
    topics: list[Topic] = field()


class OffsetCommitResponse(Response, key=8, versions="0-10", flexible="8+"):
    """Whether each offset was stored."""

    class Topic(Struct):
        class Partition(Struct):
            partition_index: Int32 = field()
            error_code: Int16 = field()

        name: String = field("0-9", ignorable=True)
        topic_id: Uuid = field("10+", ignorable=True)
        partitions: list[Partition] = field()

    throttle_time_ms: Int32 = field("3+", ignorable=True)
    topics: list[Topic] = field()


class OffsetFetchRequest(Request, key=9, versions="0-10", flexible="6+"):
    """Read back how far groups have read; from version 8 on several groups at once. From version 2 on, None as
    topics asks for all.
    """

    class Topic(Struct):
        name: String = field()
        partition_indexes: list[Int32] = field()

    class Group(Struct):
        class Topic(Struct):
            name: String = field("8-9", ignorable=True)
            topic_id: Uuid = field("10+", ignorable=True)
            partition_indexes: list[Int32] = field()

        group_id: String = field()
        member_id: String | None = field("9+", default=None, ignorable=True)
        member_epoch: Int32 = field("9+", default=-1, ignorable=True)
        topics: list[Topic] | None = field()

    group_id: String = field("0-7")
    topics: list[Topic] | None = field("0-7", nullable="2+")
    groups: list[Group] = field("8+")
    require_stable: Bool = field("7+")  # wait until open transactions have settled these offsets (KIP-447)


class OffsetFetchResponse(Response, key=9, versions="0-10", flexible="6+"):
    """The offsets stored; -1 where there is none."""

    class Topic(Struct):
        class Partition(Struct):
            partition_index: Int32 = field()
            committed_offset: Int64 = field()
            # of the last record read, -1 if not known
            committed_leader_epoch: Int32 = field("5+", default=-1, ignorable=True)
            metadata: String | None = field()
            error_code: Int16 = field()

        name: String = field()
        partitions: list[Partition] = field()

    class Group(Struct):
        class Topic(Struct):
            class Partition(Struct):
                partition_index: Int32 = field()
                committed_offset: Int64 = field()
                # of the last record read, -1 if not known
                committed_leader_epoch: Int32 = field(default=-1, ignorable=True)
                metadata: String | None = field()
                error_code: Int16 = field()

            name: String = field("8-9", ignorable=True)
            topic_id: Uuid = field("10+", ignorable=True)
            partitions: list[Partition] = field()

        group_id: String = field()
        topics: list[Topic] = field()
        error_code: Int16 = field()

    throttle_time_ms: Int32 = field("3+", ignorable=True)
    topics: list[Topic] = field("0-7")
    error_code: Int16 = field("2-7", ignorable=True)
    groups: list[Group] = field("8+")


class OffsetDeleteRequest(Request, key=47, versions="0"):
    """Forget committed offsets of topics that the group no longer subscribes to. Never flexible."""

    class Topic(Struct):
        class Partition(Struct):
            partition_index: Int32 = field()

        name: String = field()
        partitions: list[Partition] = field()

    group_id: String = field()
    topics: list[Topic] = field()


class OffsetDeleteResponse(Response, key=47, versions="0"):
    """Whether each offset was forgotten."""

    class Topic(Struct):
        class Partition(Struct):
            partition_index: Int32 = field()
            error_code: Int16 = field()

        name: String = field()
        partitions: list[Partition] = field()

    error_code: Int16 = field()
    throttle_time_ms: Int32 = field()
    topics: list[Topic] = field()
