"""Kafka Streams groups whose tasks the broker assigns (KIP-1071)."""

from kafkawire.schema import Bool, Int8, Int16, Int32, Int64, Request, Response, String, Struct, UInt16, field


class StreamsGroupHeartbeatKeyValue(Struct):
    key: String = field()
    value: String = field()


class StreamsGroupHeartbeatRequest(Request, key=88, versions="0-1", flexible="0+"):
    """Join, stay in or leave a streams group. What did not change since the last heartbeat is null."""

    class Topology(Struct):
        class Subtopology(Struct):
            class TopicInfo(Struct):
                name: String = field()
                partitions: Int32 = field()
                replication_factor: Int16 = field()
                topic_configs: list[StreamsGroupHeartbeatKeyValue] = field()

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

    class TaskIds(Struct):
        subtopology_id: String = field()
        partitions: list[Int32] = field()

    class Endpoint(Struct):
        host: String = field()
        port: UInt16 = field()

    class TaskOffset(Struct):
        subtopology_id: String = field()
        partition: Int32 = field()
        offset: Int64 = field()

    group_id: String = field()
    member_id: String = field()
    member_epoch: Int32 = field()
    endpoint_information_epoch: Int32 = field()
    instance_id: String | None = field(default=None)  # set by static members (KIP-345)
    rack_id: String | None = field(default=None)
    rebalance_timeout_ms: Int32 = field(default=-1)
    topology: Topology | None = field(default=None)
    active_tasks: list[TaskIds] | None = field(default=None)
    standby_tasks: list[TaskIds] | None = field(default=None)  # tasks that keep a copy of the state
    warmup_tasks: list[TaskIds] | None = field(default=None)  # tasks that rebuild state before they move here
    process_id: String | None = field(default=None)  # the client process, which may run several members
    user_endpoint: Endpoint | None = field(default=None)  # where the application answers queries about its state
    client_tags: list[StreamsGroupHeartbeatKeyValue] | None = field(default=None)
    task_offsets: list[TaskOffset] | None = field(default=None)  # how far each task's state has come
    task_end_offsets: list[TaskOffset] | None = field(default=None)  # the ends of the tasks' changelogs
    shutdown_application: Bool = field()


class StreamsGroupHeartbeatResponse(Response, key=88, versions="0-1", flexible="0+"):
    """The member's epoch, its tasks when those changed, and where other clients' tasks run."""

    class Status(Struct):
        # 0 stale topology, 1 missing source topics, 2 wrong partitions, 3 missing internal topics, 4 shut down
        status_code: Int8 = field()
        status_detail: String = field()

    class TaskIds(Struct):
        subtopology_id: String = field()
        partitions: list[Int32] = field()

    class PartitionsByUserEndpoint(Struct):
        class Endpoint(Struct):
            host: String = field()
            port: UInt16 = field()

        class TopicPartition(Struct):
            topic: String = field()
            partitions: list[Int32] = field()

        user_endpoint: Endpoint = field()  # where the application answers queries about its state
        active_partitions: list[TopicPartition] = field()
        standby_partitions: list[TopicPartition] = field()

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    error_message: String | None = field(default=None)
    member_id: String = field()
    member_epoch: Int32 = field()
    heartbeat_interval_ms: Int32 = field()
    acceptable_recovery_lag_legacy: Int32 = field("0")
    task_offset_interval_ms: Int32 = field()
    acceptable_recovery_lag: Int64 = field("1+", default=-1, ignorable=True)
    status: list[Status] | None = field()
    active_tasks: list[TaskIds] | None = field(default=None)
    standby_tasks: list[TaskIds] | None = field(default=None)  # tasks that keep a copy of the state
    warmup_tasks: list[TaskIds] | None = field(default=None)  # tasks that rebuild state before they move here
    topology_description_required: Bool = field("1+")
    endpoint_information_epoch: Int32 = field()
    partitions_by_user_endpoint: list[PartitionsByUserEndpoint] | None = field(default=None)


class StreamsGroupDescribeRequest(Request, key=89, versions="0-1", flexible="0+"):
    """Ask for the state, topology and members of streams groups."""

    group_ids: list[String] = field()
    include_authorized_operations: Bool = field()
    include_topology_description: Bool = field("1+")


class StreamsGroupDescribeKeyValue(Struct):
    key: String = field()
    value: String = field()


class StreamsGroupDescribeTopologyDescriptionNode(Struct):
    name: String = field("1+")
    node_type: Int8 = field("1+")  # 1 source, 2 processor, 3 sink
    source_topics: list[String] = field("1+")
    sink_topic: String | None = field("1+", default=None)
    stores: list[String] = field("1+")
    successors: list[String] = field("1+")


class StreamsGroupDescribeResponse(Response, key=89, versions="0-1", flexible="0+"):
    """State, epochs, topology, members and their tasks."""

    class Group(Struct):
        class Topology(Struct):
            class Subtopology(Struct):
                class TopicInfo(Struct):
                    name: String = field()
                    partitions: Int32 = field()
                    replication_factor: Int16 = field()
                    topic_configs: list[StreamsGroupDescribeKeyValue] = field()

                subtopology_id: String = field()
                source_topics: list[String] = field()
                repartition_sink_topics: list[String] = field()  # topics written for other subtopologies
                state_changelog_topics: list[TopicInfo] = field()  # topics that back the state stores
                repartition_source_topics: list[TopicInfo] = field()  # topics read that other subtopologies write

            epoch: Int32 = field()
            subtopologies: list[Subtopology] | None = field(default=None)

        class Member(Struct):
            class Endpoint(Struct):
                host: String = field()
                port: UInt16 = field()

            class TaskOffset(Struct):
                subtopology_id: String = field()
                partition: Int32 = field()
                offset: Int64 = field()

            class Assignment(Struct):
                class TaskIds(Struct):
                    subtopology_id: String = field()
                    partitions: list[Int32] = field()

                active_tasks: list[TaskIds] = field()
                standby_tasks: list[TaskIds] = field()  # tasks that keep a copy of the state
                warmup_tasks: list[TaskIds] = field()  # tasks that rebuild state before they move here

            member_id: String = field()
            member_epoch: Int32 = field()
            instance_id: String | None = field(default=None)  # set by static members (KIP-345)
            rack_id: String | None = field(default=None)
            client_id: String = field()
            client_host: String = field()
            topology_epoch: Int32 = field()  # goes up with every change of the topology
            process_id: String = field()  # the client process, which may run several members
            # where the application answers queries about its state
            user_endpoint: Endpoint | None = field(default=None)
            client_tags: list[StreamsGroupDescribeKeyValue] = field()
            task_offsets: list[TaskOffset] = field()  # how far each task's state has come
            task_end_offsets: list[TaskOffset] = field()  # the ends of the tasks' changelogs
            assignment: Assignment = field()
            target_assignment: Assignment = field()
            is_classic: Bool = field()

        class TopologyDescription(Struct):
            class TopologyDescriptionSubtopology(Struct):
                subtopology_id: String = field("1+")
                nodes: list[StreamsGroupDescribeTopologyDescriptionNode] = field("1+")

            class TopologyDescriptionGlobalStore(Struct):
                source: StreamsGroupDescribeTopologyDescriptionNode = field("1+")
                processor: StreamsGroupDescribeTopologyDescriptionNode = field("1+")

            subtopologies: list[TopologyDescriptionSubtopology] = field("1+")
            global_stores: list[TopologyDescriptionGlobalStore] = field("1+")

        error_code: Int16 = field()
        error_message: String | None = field(default=None)
        group_id: String = field()
        group_state: String = field()
        group_epoch: Int32 = field()
        assignment_epoch: Int32 = field()
        topology: Topology | None = field(default=None)
        members: list[Member] = field()
        # a bit for each operation allowed, -2147483648 if not asked for
        authorized_operations: Int32 = field(default=-2147483648)
        topology_description: TopologyDescription | None = field("1+", default=None)
        topology_description_status: Int8 = field("1+")
        assignor_name: String | None = field("1+", default=None, ignorable=True)

    throttle_time_ms: Int32 = field()
    groups: list[Group] = field()


class StreamsGroupTopologyDescriptionUpdateTopologyDescriptionNode(Struct):
    name: String = field()
    node_type: Int8 = field()  # 1 source, 2 processor, 3 sink
    source_topics: list[String] = field()
    sink_topic: String | None = field(default=None)
    stores: list[String] = field()
    successors: list[String] = field()


class StreamsGroupTopologyDescriptionUpdateRequest(Request, key=93, versions="0", flexible="0+"):
    """Hand in the full description of a topology, for people to look at."""

    class TopologyDescription(Struct):
        class TopologyDescriptionSubtopology(Struct):
            subtopology_id: String = field()
            nodes: list[StreamsGroupTopologyDescriptionUpdateTopologyDescriptionNode] = field()

        class TopologyDescriptionGlobalStore(Struct):
            source: StreamsGroupTopologyDescriptionUpdateTopologyDescriptionNode = field()
            processor: StreamsGroupTopologyDescriptionUpdateTopologyDescriptionNode = field()

        subtopologies: list[TopologyDescriptionSubtopology] = field()
        global_stores: list[TopologyDescriptionGlobalStore] = field()

    group_id: String = field()
    member_id: String = field()
    topology_epoch: Int32 = field()  # goes up with every change of the topology
    topology_description: TopologyDescription = field()


class StreamsGroupTopologyDescriptionUpdateResponse(Response, key=93, versions="0", flexible="0+"):
    """Whether the description was stored."""

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    error_message: String | None = field(default=None)
