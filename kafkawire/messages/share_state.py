"""TODO"""

from kafkawire.schema import Int8, Int16, Int32, Int64, Request, Response, String, Struct, Uuid, field


class InitializeShareGroupStateRequest(Request, key=83, versions="0", flexible="0+"):
    """TODO"""

    class Topic(Struct):
        class Partition(Struct):
            partition: Int32 = field()
            state_epoch: Int32 = field()
            start_offset: Int64 = field()

        topic_id: Uuid = field()
        partitions: list[Partition] = field()

    group_id: String = field()
    topics: list[Topic] = field()


class InitializeShareGroupStateResponse(Response, key=83, versions="0", flexible="0+"):
    """TODO"""

    class Result(Struct):
        class Partition(Struct):
            partition: Int32 = field()
            error_code: Int16 = field()
            error_message: String | None = field(default=None)

        topic_id: Uuid = field()
        partitions: list[Partition] = field()

    results: list[Result] = field()


class ReadShareGroupStateRequest(Request, key=84, versions="0", flexible="0+"):
    """TODO"""

    class Topic(Struct):
        class Partition(Struct):
            partition: Int32 = field()
            leader_epoch: Int32 = field()

        topic_id: Uuid = field()
        partitions: list[Partition] = field()

    group_id: String = field()
    topics: list[Topic] = field()


class ReadShareGroupStateResponse(Response, key=84, versions="0", flexible="0+"):
    """TODO"""

    class Result(Struct):
        class Partition(Struct):
            class StateBatch(Struct):
                first_offset: Int64 = field()
                last_offset: Int64 = field()
                delivery_state: Int8 = field()
                delivery_count: Int16 = field()

            partition: Int32 = field()
            error_code: Int16 = field()
            error_message: String | None = field(default=None)
            state_epoch: Int32 = field()
            start_offset: Int64 = field()
            state_batches: list[StateBatch] = field()

        topic_id: Uuid = field()
        partitions: list[Partition] = field()

    results: list[Result] = field()


class WriteShareGroupStateRequest(Request, key=85, versions="0-1", flexible="0+"):
    """TODO"""

    class Topic(Struct):
        class Partition(Struct):
            class StateBatch(Struct):
                first_offset: Int64 = field()
                last_offset: Int64 = field()
                delivery_state: Int8 = field()
                delivery_count: Int16 = field()

            partition: Int32 = field()
            state_epoch: Int32 = field()
            leader_epoch: Int32 = field()
            start_offset: Int64 = field()
            delivery_complete_count: Int32 = field("1+", default=-1, ignorable=True)
            state_batches: list[StateBatch] = field()

        topic_id: Uuid = field()
        partitions: list[Partition] = field()

    group_id: String = field()
    topics: list[Topic] = field()


class WriteShareGroupStateResponse(Response, key=85, versions="0-1", flexible="0+"):
    """TODO"""

    class Result(Struct):
        class Partition(Struct):
            partition: Int32 = field()
            error_code: Int16 = field()
            error_message: String | None = field(default=None)

        topic_id: Uuid = field()
        partitions: list[Partition] = field()

    results: list[Result] = field()


class DeleteShareGroupStateRequest(Request, key=86, versions="0", flexible="0+"):
    """TODO"""

    class Topic(Struct):
        class Partition(Struct):
            partition: Int32 = field()

        topic_id: Uuid = field()
        partitions: list[Partition] = field()

    group_id: String = field()
    topics: list[Topic] = field()


class DeleteShareGroupStateResponse(Response, key=86, versions="0", flexible="0+"):
    """TODO"""

    class Result(Struct):
        class Partition(Struct):
            partition: Int32 = field()
            error_code: Int16 = field()
            error_message: String | None = field(default=None)

        topic_id: Uuid = field()
        partitions: list[Partition] = field()

    results: list[Result] = field()


class ReadShareGroupStateSummaryRequest(Request, key=87, versions="0-1", flexible="0+"):
    """TODO"""

    class Topic(Struct):
        class Partition(Struct):
            partition: Int32 = field()
            leader_epoch: Int32 = field()

        topic_id: Uuid = field()
        partitions: list[Partition] = field()

    group_id: String = field()
    topics: list[Topic] = field()


class ReadShareGroupStateSummaryResponse(Response, key=87, versions="0-1", flexible="0+"):
    """TODO"""

    class Result(Struct):
        class Partition(Struct):
            partition: Int32 = field()
            error_code: Int16 = field()
            error_message: String | None = field(default=None)
            state_epoch: Int32 = field()
            leader_epoch: Int32 = field()
            start_offset: Int64 = field()
            delivery_complete_count: Int32 = field("1+", default=-1, ignorable=True)

        topic_id: Uuid = field()
        partitions: list[Partition] = field()

    results: list[Result] = field()


class ReadShareGroupStateSummaryResponse39(Response, key=87, versions="0", flexible="0+"):
    """TODO"""

    class Result(Struct):
        class Partition(Struct):
            partition: Int32 = field()
            error_code: Int16 = field()
            error_message: String | None = field(default=None)
            state_epoch: Int32 = field()
            start_offset: Int64 = field()

        topic_id: Uuid = field()
        partitions: list[Partition] = field()

    results: list[Result] = field()
