"""Who is in the cluster, and who leads which partition."""

from kafkawire.schema import Bool, Int8, Int16, Int32, Request, Response, String, Struct, Uuid, field


class MetadataRequest(Request, key=3, versions="0-13", flexible="9+"):
    """Ask which brokers there are and who leads the partitions of some topics. In version 0 an empty list of topics
    means all; from version 1 on None does, and an empty list means none.
    """

    class Topic(Struct):
        topic_id: Uuid = field("10+", ignorable=True)
        name: String | None = field(nullable="10+")

    topics: list[Topic] | None = field(nullable="1+")
    allow_auto_topic_creation: Bool = field("4+", default=True)  # create unknown topics, if the broker allows it
    include_cluster_authorized_operations: Bool = field("8-10")
    include_topic_authorized_operations: Bool = field("8+")


class MetadataResponse(Response, key=3, versions="0-13", flexible="9+"):
    """The brokers, the controller, and the partitions of each topic with leader, replicas and those in sync."""

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
            offline_replicas: list[Int32] = field("5+", ignorable=True)  # replicas on brokers or disks that are down

        error_code: Int16 = field()
        name: String | None = field(nullable="12+")
        topic_id: Uuid = field("10+", ignorable=True)
        is_internal: Bool = field("1+", ignorable=True)
        partitions: list[Partition] = field()
        # a bit for each operation allowed, -2147483648 if not asked for
        topic_authorized_operations: Int32 = field("8+", default=-2147483648)

    throttle_time_ms: Int32 = field("3+", ignorable=True)
    brokers: list[Broker] = field()
    cluster_id: String | None = field("2+", default=None, ignorable=True)
    controller_id: Int32 = field("1+", default=-1, ignorable=True)
    topics: list[Topic] = field()
    # a bit for each operation allowed, -2147483648 if not asked for
    cluster_authorized_operations: Int32 = field("8-10", default=-2147483648)
    error_code: Int16 = field("13+", ignorable=True)


class DescribeTopicPartitionsRequest(Request, key=75, versions="0", flexible="0+"):
    """Ask for partitions of topics page by page, with the replicas eligible as leaders (KIP-966)."""

    class Topic(Struct):
        name: String = field()

    class Cursor(Struct):
        topic_name: String = field()
        partition_index: Int32 = field()

    topics: list[Topic] = field()
    response_partition_limit: Int32 = field(default=2000)
    cursor: Cursor | None = field(default=None)


class DescribeTopicPartitionsResponse(Response, key=75, versions="0", flexible="0+"):
    """A page of partitions, and the cursor at which the next one starts."""

    class Topic(Struct):
        class Partition(Struct):
            error_code: Int16 = field()
            partition_index: Int32 = field()
            leader_id: Int32 = field()
            leader_epoch: Int32 = field(default=-1)
            replica_nodes: list[Int32] = field()
            isr_nodes: list[Int32] = field()
            # may lead without losing records although not in sync (KIP-966)
            eligible_leader_replicas: list[Int32] | None = field(default=None)
            last_known_elr: list[Int32] | None = field(default=None)  # those that were eligible last
            offline_replicas: list[Int32] = field()  # replicas on brokers or disks that are down

        error_code: Int16 = field()
        name: String | None = field()
        topic_id: Uuid = field()
        is_internal: Bool = field()
        partitions: list[Partition] = field()
        # a bit for each operation allowed, -2147483648 if not asked for
        topic_authorized_operations: Int32 = field(default=-2147483648)

    class NextCursor(Struct):
        topic_name: String = field()
        partition_index: Int32 = field()

    throttle_time_ms: Int32 = field()
    topics: list[Topic] = field()
    next_cursor: NextCursor | None = field(default=None)


class DescribeClusterRequest(Request, key=60, versions="0-2", flexible="0+"):
    """Ask for the brokers, or the controllers, of the cluster."""

    include_cluster_authorized_operations: Bool = field()
    endpoint_type: Int8 = field("1+", default=1)  # 1 brokers, 2 controllers
    include_fenced_brokers: Bool = field("2+")


class DescribeClusterResponse(Response, key=60, versions="0-2", flexible="0+"):
    """The nodes of the cluster and who the controller is."""

    class Broker(Struct):
        broker_id: Int32 = field()
        host: String = field()
        port: Int32 = field()
        rack: String | None = field(default=None)
        is_fenced: Bool = field("2+")

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    error_message: String | None = field(default=None)
    endpoint_type: Int8 = field("1+", default=1)  # 1 brokers, 2 controllers
    cluster_id: String = field()
    controller_id: Int32 = field(default=-1)
    brokers: list[Broker] = field()
    # a bit for each operation allowed, -2147483648 if not asked for
    cluster_authorized_operations: Int32 = field(default=-2147483648)
