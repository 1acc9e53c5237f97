"""TODO"""

from kafkawire.schema import Bool, Int8, Int16, Int32, Int64, Request, Response, String, Struct, UInt16, field


class StreamsGroupHeartbeatKeyValue(Struct):
    key: String = field()
    value: String = field()


class StreamsGroupHeartbeatRequest(Request, key=88, versions="0-1", flexible="0+"):
    """TODO"""

    class Topology(Struct):
        class Subtopology(Struct):
            class TopicInfo(Struct):
                name: String = field()
                partitions: Int32 = field()
                replication_factor: Int16 = field()
                topic_configs: list[StreamsGroupHeartbeatKeyValue] = field()

            class CopartitionGroup(Struct):
                source_topics: list[Int16] = field()
                source_topic_regex: list[Int16] = field()
                repartition_source_topics: list[Int16] = field()

            subtopology_id: String = field()
            source_topics: list[String] = field()
            source_topic_regex: list[String] = field()
            state_changelog_topics: list[TopicInfo] = field()
            repartition_sink_topics: list[String] = field()
            repartition_source_topics: list[TopicInfo] = field()
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
    instance_id: String | None = field(default=None)
    rack_id: String | None = field(default=None)
    rebalance_timeout_ms: Int32 = field(default=-1)
    topology: Topology | None = field(default=None)
    active_tasks: list[TaskIds] | None = field(default=None)
    standby_tasks: list[TaskIds] | None = field(default=None)
    warmup_tasks: list[TaskIds] | None = field(default=None)
    process_id: String | None = field(default=None)
    user_endpoint: Endpoint | None = field(default=None)
    client_tags: list[StreamsGroupHeartbeatKeyValue] | None = field(default=None)
    task_offsets: list[TaskOffset] | None = field(default=None)
    task_end_offsets: list[TaskOffset] | None = field(default=None)
    shutdown_application: Bool = field()


class StreamsGroupHeartbeatResponse(Response, key=88, versions="0-1", flexible="0+"):
    """TODO"""

    class Status(Struct):
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

        user_endpoint: Endpoint = field()
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
    standby_tasks: list[TaskIds] | None = field(default=None)
    warmup_tasks: list[TaskIds] | None = field(default=None)
    topology_description_required: Bool = field("1+")
    endpoint_information_epoch: Int32 = field()
    partitions_by_user_endpoint: list[PartitionsByUserEndpoint] | None = field(default=None)


class StreamsGroupDescribeRequest(Request, key=89, versions="0-1", flexible="0+"):
    """TODO"""

    group_ids: list[String] = field()
    include_authorized_operations: Bool = field()
    include_topology_description: Bool = field("1+")


class StreamsGroupDescribeKeyValue(Struct):
    key: String = field()
    value: String = field()


class StreamsGroupDescribeTopologyDescriptionNode(Struct):
    name: String = field("1+")
    node_type: Int8 = field("1+")
    source_topics: list[String] = field("1+")
    sink_topic: String | None = field("1+", default=None)
    stores: list[String] = field("1+")
    successors: list[String] = field("1+")


class StreamsGroupDescribeResponse(Response, key=89, versions="0-1", flexible="0+"):
    """TODO"""

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
                repartition_sink_topics: list[String] = field()
                state_changelog_topics: list[TopicInfo] = field()
                repartition_source_topics: list[TopicInfo] = field()

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
                standby_tasks: list[TaskIds] = field()
                warmup_tasks: list[TaskIds] = field()

            member_id: String = field()
            member_epoch: Int32 = field()
            instance_id: String | None = field(default=None)
            rack_id: String | None = field(default=None)
            client_id: String = field()
            client_host: String = field()
            topology_epoch: Int32 = field()
            process_id: String = field()
            user_endpoint: Endpoint | None = field(default=None)
            client_tags: list[StreamsGroupDescribeKeyValue] = field()
            task_offsets: list[TaskOffset] = field()
            task_end_offsets: list[TaskOffset] = field()
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
        authorized_operations: Int32 = field(default=-2147483648)
        topology_description: TopologyDescription | None = field("1+", default=None)
        topology_description_status: Int8 = field("1+")
        assignor_name: String | None = field("1+", default=None, ignorable=True)

    throttle_time_ms: Int32 = field()
    groups: list[Group] = field()


class StreamsGroupTopologyDescriptionUpdateTopologyDescriptionNode(Struct):
    name: String = field()
    node_type: Int8 = field()
    source_topics: list[String] = field()
    sink_topic: String | None = field(default=None)
    stores: list[String] = field()
    successors: list[String] = field()


class StreamsGroupTopologyDescriptionUpdateRequest(Request, key=93, versions="0", flexible="0+"):
    """TODO"""

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
    topology_epoch: Int32 = field()
    topology_description: TopologyDescription = field()


class StreamsGroupTopologyDescriptionUpdateResponse(Response, key=93, versions="0", flexible="0+"):
    """TODO"""

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    error_message: String | None = field(default=None)
