"""TODO"""

from kafkawire.schema import Bytes, Int32, Message, String, Struct, field


class ConsumerProtocolSubscription(Message, versions="0-3"):
    """TODO"""

    class OwnedPartition(Struct):
        topic: String = field()
        partitions: list[Int32] = field()

    topics: list[String] = field()
    user_data: Bytes | None = field(default=None)
    owned_partitions: list[OwnedPartition] = field("1+", ignorable=True)
    generation_id: Int32 = field("2+", default=-1, ignorable=True)
    rack_id: String | None = field("3+", default=None, ignorable=True)


class ConsumerProtocolAssignment(Message, versions="0-3"):
    """TODO"""

    class AssignedPartition(Struct):
        topic: String = field()
        partitions: list[Int32] = field()

    assigned_partitions: list[AssignedPartition] = field()
    user_data: Bytes | None = field(default=None)
