"""Creating, deleting and growing topics; moving replicas; electing leaders."""

from kafkawire.schema import Bool, Int8, Int16, Int32, Request, Response, String, Struct, Uuid, field


class CreateTopicsRequest(Request, key=19, versions="0-7", flexible="5+"):
    """Create topics, with a partition count and replication factor or with every replica's place."""

    class Topic(Struct):
        class Assignment(Struct):
            partition_index: Int32 = field()
            broker_ids: list[Int32] = field()

        class Config(Struct):
            name: String = field()
            value: String | None = field()

        name: String = field()
        num_partitions: Int32 = field()  # -1 with assignments, or for the broker's default
        replication_factor: Int16 = field()  # -1 with assignments, or for the broker's default
        assignments: list[Assignment] = field()
        configs: list[Config] = field()

    topics: list[Topic] = field()
    timeout_ms: Int32 = field(default=60000)  # how long the broker may take
    validate_only: Bool = field("1+")  # check, but change nothing


class CreateTopicsResponse(Response, key=19, versions="0-7", flexible="5+"):
    """Whether each topic was created; from version 5 on also its configuration."""

    class Topic(Struct):
        class Config(Struct):
            name: String = field()
            value: String | None = field()
            read_only: Bool = field()
            # where the value comes from: 1 topic, 2 dynamic broker, 3 dynamic default, 4 static, 5 default, 6 logger
            config_source: Int8 = field(default=-1, ignorable=True)
            is_sensitive: Bool = field()

        name: String = field()
        topic_id: Uuid = field("7+", ignorable=True)
        error_code: Int16 = field()
        error_message: String | None = field("1+", ignorable=True)
        topic_config_error_code: Int16 = field("5+", tag=0, ignorable=True)
        num_partitions: Int32 = field("5+", default=-1, ignorable=True)
        replication_factor: Int16 = field("5+", default=-1, ignorable=True)
        configs: list[Config] | None = field("5+", ignorable=True)

    throttle_time_ms: Int32 = field("2+", ignorable=True)
    topics: list[Topic] = field()


class DeleteTopicsRequest(Request, key=20, versions="0-6", flexible="4+"):
    """Delete topics, by name or, from version 6 on, by id."""

    class Topic(Struct):
        name: String | None = field(default=None)
        topic_id: Uuid = field()

    topics: list[Topic] = field("6+")
    topic_names: list[String] = field("0-5", ignorable=True)
    timeout_ms: Int32 = field()  # how long the broker may take


class DeleteTopicsResponse(Response, key=20, versions="0-6", flexible="4+"):
    """Whether each topic was deleted."""

    class Topic(Struct):
        name: String | None = field(nullable="6+")
        topic_id: Uuid = field("6+", ignorable=True)
        error_code: Int16 = field()
        error_message: String | None = field("5+", default=None, ignorable=True)

    throttle_time_ms: Int32 = field("1+", ignorable=True)
    responses: list[Topic] = field()


class CreatePartitionsRequest(Request, key=37, versions="0-3", flexible="2+"):
    """Give topics more partitions."""

    class Topic(Struct):
        class Assignment(Struct):
            broker_ids: list[Int32] = field()

        name: String = field()
        count: Int32 = field()  # the new number of partitions, in all
        assignments: list[Assignment] | None = field()

    topics: list[Topic] = field()
    timeout_ms: Int32 = field()  # how long the broker may take
    validate_only: Bool = field()  # check, but change nothing


class CreatePartitionsResponse(Response, key=37, versions="0-3", flexible="2+"):
    """Whether each topic grew."""

    class Result(Struct):
        name: String = field()
        error_code: Int16 = field()
        error_message: String | None = field(default=None)

    throttle_time_ms: Int32 = field()
    results: list[Result] = field()


class AlterPartitionReassignmentsRequest(Request, key=45, versions="0-1", flexible="0+"):
    """Move replicas to other brokers, or cancel such moves."""

    class Topic(Struct):
        class Partition(Struct):
            partition_index: Int32 = field()
            replicas: list[Int32] | None = field(default=None)  # the new replicas; None cancels

        name: String = field()
        partitions: list[Partition] = field()

    timeout_ms: Int32 = field(default=60000)  # how long the broker may take
    allow_replication_factor_change: Bool = field("1+", default=True)
    topics: list[Topic] = field()


class AlterPartitionReassignmentsResponse(Response, key=45, versions="0-1", flexible="0+"):
    """Whether each move was begun or cancelled."""

    class Topic(Struct):
        class Partition(Struct):
            partition_index: Int32 = field()
            error_code: Int16 = field()
            error_message: String | None = field()

        name: String = field()
        partitions: list[Partition] = field()

    throttle_time_ms: Int32 = field()
    allow_replication_factor_change: Bool = field("1+", default=True, ignorable=True)
    error_code: Int16 = field()
    error_message: String | None = field()
    responses: list[Topic] = field()


class ListPartitionReassignmentsRequest(Request, key=46, versions="0", flexible="0+"):
    """Ask which replicas are on the move. None as topics asks for all."""

    class Topic(Struct):
        name: String = field()
        partition_indexes: list[Int32] = field()

    timeout_ms: Int32 = field(default=60000)  # how long the broker may take
    topics: list[Topic] | None = field(default=None)


class ListPartitionReassignmentsResponse(Response, key=46, versions="0", flexible="0+"):
    """The moves under way."""

    class Topic(Struct):
        class Partition(Struct):
            partition_index: Int32 = field()
            replicas: list[Int32] = field()
            adding_replicas: list[Int32] = field()
            removing_replicas: list[Int32] = field()

        name: String = field()
        partitions: list[Partition] = field()

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    error_message: String | None = field()
    topics: list[Topic] = field()


class ElectLeadersRequest(Request, key=43, versions="0-2", flexible="2+"):
    """Elect leaders: the preferred replica, or an unclean one. None as topic_partitions asks for all."""

    class TopicPartition(Struct):
        topic: String = field()
        partitions: list[Int32] = field()

    election_type: Int8 = field("1+")  # 0 preferred, 1 unclean
    topic_partitions: list[TopicPartition] | None = field()
    timeout_ms: Int32 = field(default=60000)  # how long the broker may take


class ElectLeadersResponse(Response, key=43, versions="0-2", flexible="2+"):
    """How each election went."""

    class ReplicaElectionResult(Struct):
        class PartitionResult(Struct):
            partition_id: Int32 = field()
            error_code: Int16 = field()
            error_message: String | None = field()

        topic: String = field()
        partition_result: list[PartitionResult] = field()

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field("1+")
    replica_election_results: list[ReplicaElectionResult] = field()
