"""The directories in which brokers keep their logs."""

from kafkawire.schema import Bool, Int16, Int32, Int64, Request, Response, String, Struct, Uuid, field


class AlterReplicaLogDirsRequest(Request, key=34, versions="0-2", flexible="2+"):
    """Move replicas between the log directories of a broker."""

    class Dir(Struct):
        class Topic(Struct):
            name: String = field()
            partitions: list[Int32] = field()

        path: String = field()
        topics: list[Topic] = field()

    dirs: list[Dir] = field()


class AlterReplicaLogDirsResponse(Response, key=34, versions="0-2", flexible="2+"):
    """Whether each move was begun."""

    class Result(Struct):
        class Partition(Struct):
            partition_index: Int32 = field()
            error_code: Int16 = field()

        topic_name: String = field()
        partitions: list[Partition] = field()

    throttle_time_ms: Int32 = field()
    results: list[Result] = field()


class DescribeLogDirsRequest(Request, key=35, versions="0-5", flexible="2+"):
    """Ask a broker what its log directories hold. None as topics asks for all."""

    class Topic(Struct):
        topic: String = field()
        partitions: list[Int32] = field()

    topics: list[Topic] | None = field()


class DescribeLogDirsResponse(Response, key=35, versions="0-5", flexible="2+"):
    """Sizes and replicas of each log directory."""

    class Result(Struct):
        class Topic(Struct):
            class Partition(Struct):
                partition_index: Int32 = field()
                partition_size: Int64 = field()
                offset_lag: Int64 = field()  # behind the log end, or behind the current replica for a future one
                is_future_key: Bool = field()  # a copy that will replace the replica in another directory

            name: String = field()
            partitions: list[Partition] = field()

        error_code: Int16 = field()
        log_dir: String = field()
        topics: list[Topic] = field()
        total_bytes: Int64 = field("4+", default=-1, ignorable=True)
        usable_bytes: Int64 = field("4+", default=-1, ignorable=True)
        is_cordoned: Bool = field("5+", ignorable=True)

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field("3+", ignorable=True)
    results: list[Result] = field()


class AssignReplicasToDirsRequest(Request, key=73, versions="0", flexible="0+"):
    """A broker tells the controller in which directories its replicas are (KIP-858)."""

    class Directory(Struct):
        class Topic(Struct):
            class Partition(Struct):
                partition_index: Int32 = field()

            topic_id: Uuid = field()
            partitions: list[Partition] = field()

        id: Uuid = field()
        topics: list[Topic] = field()

    broker_id: Int32 = field()
    broker_epoch: Int64 = field(default=-1)  # of the broker's registration
    directories: list[Directory] = field()


class AssignReplicasToDirsResponse(Response, key=73, versions="0", flexible="0+"):
    """Whether each assignment was noted."""

    class Directory(Struct):
        class Topic(Struct):
            class Partition(Struct):
                partition_index: Int32 = field()
                error_code: Int16 = field()

            topic_id: Uuid = field()
            partitions: list[Partition] = field()

        id: Uuid = field()
        topics: list[Topic] = field()

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    directories: list[Directory] = field()
