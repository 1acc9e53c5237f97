"""TODO"""

from kafkawire.schema import Bool, Int8, Int16, Int32, Request, Response, String, Struct, Uuid, field


class MetadataRequest(Request, key=3, versions="0-13", flexible="9+"):
    """TODO"""

    class Topic(Struct):
        topic_id: Uuid = field("10+", ignorable=True)
        name: String | None = field(nullable="10+")

    topics: list[Topic] | None = field(nullable="1+")
    allow_auto_topic_creation: Bool = field("4+", default=True)
    include_cluster_authorized_operations: Bool = field("8-10")
    include_topic_authorized_operations: Bool = field("8+")


class MetadataResponse(Response, key=3, versions="0-13", flexible="9+"):
    """TODO"""

    class Broker(Struct):
        node_id: Int32 = field()
        host: String = field()
        port: Int32 = field()
        rack: String | None = field("1+", default=None, ignorable=True)

    class Topic(Struct):
        class Partition(Struct):
            error_code: Int16 = field()
            partition_index: Int32 = field()
            leader_id: Int32 = field()
            leader_epoch: Int32 = field("7+", default=-1, ignorable=True)
            replica_nodes: list[Int32] = field()
            isr_nodes: list[Int32] = field()
            offline_replicas: list[Int32] = field("5+", ignorable=True)

        error_code: Int16 = field()
        name: String | None = field(nullable="12+")
        topic_id: Uuid = field("10+", ignorable=True)
        is_internal: Bool = field("1+", ignorable=True)
        partitions: list[Partition] = field()
        topic_authorized_operations: Int32 = field("8+", default=-2147483648)

    throttle_time_ms: Int32 = field("3+", ignorable=True)
    brokers: list[Broker] = field()
    cluster_id: String | None = field("2+", default=None, ignorable=True)
    controller_id: Int32 = field("1+", default=-1, ignorable=True)
    topics: list[Topic] = field()
    cluster_authorized_operations: Int32 = field("8-10", default=-2147483648)
    error_code: Int16 = field("13+", ignorable=True)


class DescribeTopicPartitionsRequest(Request, key=75, versions="0", flexible="0+"):
    """TODO"""

    class Topic(Struct):
        name: String = field()

    class Cursor(Struct):
        topic_name: String = field()
        partition_index: Int32 = field()

    topics: list[Topic] = field()
    response_partition_limit: Int32 = field(default=2000)
    cursor: Cursor | None = field(default=None)


class DescribeTopicPartitionsResponse(Response, key=75, versions="0", flexible="0+"):
    """TODO"""

    class Topic(Struct):
        class Partition(Struct):
            error_code: Int16 = field()
            partition_index: Int32 = field()
            leader_id: Int32 = field()
            leader_epoch: Int32 = field(default=-1)
            replica_nodes: list[Int32] = field()
            isr_nodes: list[Int32] = field()
            eligible_leader_replicas: list[Int32] | None = field(default=None)
            last_known_elr: list[Int32] | None = field(default=None)
            offline_replicas: list[Int32] = field()

        error_code: Int16 = field()
        name: String | None = field()
        topic_id: Uuid = field()
        is_internal: Bool = field()
        partitions: list[Partition] = field()
        topic_authorized_operations: Int32 = field(default=-2147483648)

    class NextCursor(Struct):
        topic_name: String = field()
        partition_index: Int32 = field()

    throttle_time_ms: Int32 = field()
    topics: list[Topic] = field()
    next_cursor: NextCursor | None = field(default=None)


class DescribeClusterRequest(Request, key=60, versions="0-2", flexible="0+"):
    """TODO"""

    include_cluster_authorized_operations: Bool = field()
    endpoint_type: Int8 = field("1+", default=1)
    include_fenced_brokers: Bool = field("2+")


class DescribeClusterResponse(Response, key=60, versions="0-2", flexible="0+"):
    """TODO"""

    class Broker(Struct):
        broker_id: Int32 = field()
        host: String = field()
        port: Int32 = field()
        rack: String | None = field(default=None)
        is_fenced: Bool = field("2+")

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    error_message: String | None = field(default=None)
    endpoint_type: Int8 = field("1+", default=1)
    cluster_id: String = field()
    controller_id: Int32 = field(default=-1)
    brokers: list[Broker] = field()
    cluster_authorized_operations: Int32 = field(default=-2147483648)
