"""TODO"""

from kafkawire.schema import Bool, Int16, Int32, Int64, Request, Response, String, Struct, Uuid, field


class AlterReplicaLogDirsRequest(Request, key=34, versions="0-2", flexible="2+"):
    """TODO"""

    class Dir(Struct):
        class Topic(Struct):
            name: String = field()
            partitions: list[Int32] = field()

        path: String = field()
        topics: list[Topic] = field()

    dirs: list[Dir] = field()


class AlterReplicaLogDirsResponse(Response, key=34, versions="0-2", flexible="2+"):
    """TODO"""

    class Result(Struct):
        class Partition(Struct):
            partition_index: Int32 = field()
            error_code: Int16 = field()

        topic_name: String = field()
        partitions: list[Partition] = field()

    throttle_time_ms: Int32 = field()
    results: list[Result] = field()


class DescribeLogDirsRequest(Request, key=35, versions="0-5", flexible="2+"):
    """TODO"""

    class Topic(Struct):
        topic: String = field()
        partitions: list[Int32] = field()

    topics: list[Topic] | None = field()


class DescribeLogDirsResponse(Response, key=35, versions="0-5", flexible="2+"):
    """TODO"""

    class Result(Struct):
        class Topic(Struct):
            class Partition(Struct):
                partition_index: Int32 = field()
                partition_size: Int64 = field()
                offset_lag: Int64 = field()
                is_future_key: Bool = field()

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
    """TODO"""

    class Directory(Struct):
        class Topic(Struct):
            class Partition(Struct):
                partition_index: Int32 = field()

            topic_id: Uuid = field()
            partitions: list[Partition] = field()

        id: Uuid = field()
        topics: list[Topic] = field()

    broker_id: Int32 = field()
    broker_epoch: Int64 = field(default=-1)
    directories: list[Directory] = field()


class AssignReplicasToDirsResponse(Response, key=73, versions="0", flexible="0+"):
    """TODO"""

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
