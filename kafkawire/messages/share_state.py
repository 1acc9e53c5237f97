"""Between group coordinator and share coordinator: the durable state of share groups (KIP-932)."""

from kafkawire.schema import Int8, Int16, Int32, Int64, Request, Response, String, Struct, Uuid, field


class InitializeShareGroupStateRequest(Request, key=83, versions="0", flexible="0+"):
    """Set up the state of share partitions, with a new state epoch."""

    class Topic(Struct):
        class Partition(Struct):
            partition: Int32 = field()
            state_epoch: Int32 = field()  # goes up with every initialization of the state
            start_offset: Int64 = field()

        topic_id: Uuid = field()
        partitions: list[Partition] = field()

    group_id: String = field()
    topics: list[Topic] = field()


class InitializeShareGroupStateResponse(Response, key=83, versions="0", flexible="0+"):
    """Whether each share partition was set up."""

    class Result(Struct):
        class Partition(Struct):
            partition: Int32 = field()
            error_code: Int16 = field()
            error_message: String | None = field(default=None)

        topic_id: Uuid = field()
        partitions: list[Partition] = field()

    results: list[Result] = field()


class ReadShareGroupStateRequest(Request, key=84, versions="0", flexible="0+"):
    """A leader loads the state of share partitions."""

    class Topic(Struct):
        class Partition(Struct):
            partition: Int32 = field()
            leader_epoch: Int32 = field()

        topic_id: Uuid = field()
        partitions: list[Partition] = field()

    group_id: String = field()
    topics: list[Topic] = field()


class ReadShareGroupStateResponse(Response, key=84, versions="0", flexible="0+"):
    """The start offset, and the state of records from there on, in batches."""

    class Result(Struct):
        class Partition(Struct):
            class StateBatch(Struct):
                first_offset: Int64 = field()
                last_offset: Int64 = field()
                delivery_state: Int8 = field()  # 0 available, 2 acknowledged, 4 archived
                delivery_count: Int16 = field()  # how often it was handed out

            partition: Int32 = field()
            error_code: Int16 = field()
            error_message: String | None = field(default=None)
            state_epoch: Int32 = field()  # goes up with every initialization of the state
            start_offset: Int64 = field()
            state_batches: list[StateBatch] = field()

        topic_id: Uuid = field()
        partitions: list[Partition] = field()

    results: list[Result] = field()


class WriteShareGroupStateRequest(Request, key=85, versions="0-1", flexible="0+"):
    """A leader stores changed state of share partitions."""

    class Topic(Struct):
        class Partition(Struct):
            class StateBatch(Struct):
                first_offset: Int64 = field()
                last_offset: Int64 = field()
                delivery_state: Int8 = field()  # 0 available, 2 acknowledged, 4 archived
                delivery_count: Int16 = field()  # how often it was handed out

            partition: Int32 = field()
            state_epoch: Int32 = field()  # goes up with every initialization of the state
            leader_epoch: Int32 = field()
            start_offset: Int64 = field()
            # records beyond the start offset that need no more delivery
            delivery_complete_count: Int32 = field("1+", default=-1, ignorable=True)
            state_batches: list[StateBatch] = field()

        topic_id: Uuid = field()
        partitions: list[Partition] = field()

    group_id: String = field()
    topics: list[Topic] = field()


class WriteShareGroupStateResponse(Response, key=85, versions="0-1", flexible="0+"):
    """Whether each change was stored."""

    class Result(Struct):
        class Partition(Struct):
            partition: Int32 = field()
            error_code: Int16 = field()
            error_message: String | None = field(default=None)

        topic_id: Uuid = field()
        partitions: list[Partition] = field()

    results: list[Result] = field()


class DeleteShareGroupStateRequest(Request, key=86, versions="0", flexible="0+"):
    """Forget the state of share partitions."""

    class Topic(Struct):
        class Partition(Struct):
            partition: Int32 = field()

        topic_id: Uuid = field()
        partitions: list[Partition] = field()

    group_id: String = field()
    topics: list[Topic] = field()


class DeleteShareGroupStateResponse(Response, key=86, versions="0", flexible="0+"):
    """Whether each state was forgotten."""

    class Result(Struct):
        class Partition(Struct):
            partition: Int32 = field()
            error_code: Int16 = field()
            error_message: String | None = field(default=None)

        topic_id: Uuid = field()
        partitions: list[Partition] = field()

    results: list[Result] = field()


class ReadShareGroupStateSummaryRequest(Request, key=87, versions="0-1", flexible="0+"):
    """Ask for the start offsets of share partitions without the state of each record."""

    class Topic(Struct):
        class Partition(Struct):
            partition: Int32 = field()
            leader_epoch: Int32 = field()

        topic_id: Uuid = field()
        partitions: list[Partition] = field()

    group_id: String = field()
    topics: list[Topic] = field()


class ReadShareGroupStateSummaryResponse(Response, key=87, versions="0-1", flexible="0+"):
    """The start offset of each share partition. Version 0 as Kafka 4 writes it; that of 3.9, without leader_epoch,
    is ReadShareGroupStateSummaryResponse39.
    """

    class Result(Struct):
        class Partition(Struct):
            partition: Int32 = field()
            error_code: Int16 = field()
            error_message: String | None = field(default=None)
            state_epoch: Int32 = field()  # goes up with every initialization of the state
            leader_epoch: Int32 = field()
            start_offset: Int64 = field()
            # records beyond the start offset that need no more delivery
            delivery_complete_count: Int32 = field("1+", default=-1, ignorable=True)

        topic_id: Uuid = field()
        partitions: list[Partition] = field()

    results: list[Result] = field()


class ReadShareGroupStateSummaryResponse39(Response, key=87, versions="0", flexible="0+"):
    """ReadShareGroupStateSummaryResponse in the layout of Kafka 3.9, whose version 0 has no leader_epoch."""

    class Result(Struct):
        class Partition(Struct):
            partition: Int32 = field()
            error_code: Int16 = field()
            error_message: String | None = field(default=None)
            state_epoch: Int32 = field()  # goes up with every initialization of the state
            start_offset: Int64 = field()

        topic_id: Uuid = field()
        partitions: list[Partition] = field()

    results: list[Result] = field()
