"""Keys and values of streams groups in __consumer_offsets. On the wire an int16 goes before each: for keys the
record type, for values the version.
"""

from kafkawire.schema import Int8, Int16, Int32, Int64, Message, String, Struct, UInt16, field


class StreamsGroupMetadataKey(Message, key=17, versions="0"):
    """Key of a streams group's epoch, record type 17."""

    group_id: String = field()


class StreamsGroupMetadataValue(Message, key=17, versions="0", flexible="0+"):
    """A streams group's epoch and topology epochs."""

    class LastAssignmentConfig(Struct):
        key: String = field()
        value: String = field()

    epoch: Int32 = field()
    metadata_hash: Int64 = field()  # of the topics subscribed to, which changes when they do
    validated_topology_epoch: Int32 = field(default=-1, tag=0)
    last_assignment_configs: list[LastAssignmentConfig] | None = field(tag=1)
    stored_description_topology_epoch: Int32 = field(default=-1, tag=2)
    failed_description_topology_epoch: Int32 = field(default=-1, tag=3)


class StreamsGroupMemberMetadataKey(Message, key=19, versions="0"):
    """Key of a streams group member, record type 19."""

    group_id: String = field()
    member_id: String = field()


class StreamsGroupMemberMetadataValue(Message, key=19, versions="0", flexible="0+"):
    """What a member of a streams group said about itself."""

    class Endpoint(Struct):
        host: String = field()
        port: UInt16 = field()

    class KeyValue(Struct):
        key: String = field()
        value: String = field()

    instance_id: String | None = field()  # set by static members (KIP-345)
    rack_id: String | None = field()
    client_id: String = field()
    client_host: String = field()
    rebalance_timeout_ms: Int32 = field(default=-1)
    topology_epoch: Int32 = field()  # goes up with every change of the topology
    process_id: String = field()  # the client process, which may run several members
    user_endpoint: Endpoint | None = field(default=None)  # where the application answers queries about its state
    client_tags: list[KeyValue] = field()


class StreamsGroupTargetAssignmentMetadataKey(Message, key=20, versions="0"):
    """Key of a streams group's target assignment, record type 20."""

    group_id: String = field()


class StreamsGroupTargetAssignmentMetadataValue(Message, key=20, versions="0", flexible="0+"):
    """The epoch of a streams group's target assignment."""

    assignment_epoch: Int32 = field()
    assignment_timestamp: Int64 = field(tag=0)  # ms since the epoch


class StreamsGroupTargetAssignmentMemberKey(Message, key=21, versions="0"):
    """Key of a member's target tasks, record type 21."""

    group_id: String = field()
    member_id: String = field()


class StreamsGroupTargetAssignmentMemberValue(Message, key=21, versions="0", flexible="0+"):
    """The tasks that a member shall have."""

    class TaskIds(Struct):
        subtopology_id: String = field()
        partitions: list[Int32] = field()

    active_tasks: list[TaskIds] = field()
    standby_tasks: list[TaskIds] = field()  # tasks that keep a copy of the state
    warmup_tasks: list[TaskIds] = field()  # tasks that rebuild state before they move here


class StreamsGroupCurrentMemberAssignmentKey(Message, key=22, versions="0"):
    """Key of a member's current tasks, record type 22."""

    group_id: String = field()
    member_id: String = field()


class StreamsGroupCurrentMemberAssignmentValue(Message, key=22, versions="0", flexible="0+"):
    """The tasks that a member has, and those that it has yet to give back."""

    class TaskIds(Struct):
        subtopology_id: String = field()
        partitions: list[Int32] = field()
        assignment_epochs: list[Int32] | None = field(tag=0)  # the epoch in which each partition was assigned

    member_epoch: Int32 = field()
    previous_member_epoch: Int32 = field()
    state: Int8 = field()
    active_tasks: list[TaskIds] = field()
    standby_tasks: list[TaskIds] = field()  # tasks that keep a copy of the state
    warmup_tasks: list[TaskIds] = field()  # tasks that rebuild state before they move here
    active_tasks_pending_revocation: list[TaskIds] = field()
    standby_tasks_pending_revocation: list[TaskIds] = field()
    warmup_tasks_pending_revocation: list[TaskIds] = field()


class StreamsGroupTopologyKey(Message, key=23, versions="0"):
    """Key of a streams group's topology, record type 23."""

    group_id: String = field()


class StreamsGroupTopologyValue(Message, key=23, versions="0", flexible="0+"):
    """A streams group's topology: its subtopologies and their topics."""

    class Subtopology(Struct):
        class TopicInfo(Struct):
            class TopicConfig(Struct):
                key: String = field()
                value: String = field()

            name: String = field()
            partitions: Int32 = field()
            replication_factor: Int16 = field()
            topic_configs: list[TopicConfig] = field()

        class CopartitionGroup(Struct):
            source_topics: list[Int16] = field()
            source_topic_regex: list[Int16] = field()  # in the syntax of RE2/J
            repartition_source_topics: list[Int16] = field()  # topics read that other subtopologies write

        subtopology_id: String = field()
        source_topics: list[String] = field()
        source_topic_regex: list[String] = field()  # in the syntax of RE2/J
        state_changelog_topics: list[TopicInfo] = field()  # topics that back the state stores
        repartition_sink_topics: list[String] = field()  # topics written for other subtopologies
        repartition_source_topics: list[TopicInfo] = field()  # topics read that other subtopologies write
        # source topics, by index, that need equal partition counts
        copartition_groups: list[CopartitionGroup] = field()

    epoch: Int32 = field()
    subtopologies: list[Subtopology] = field()
