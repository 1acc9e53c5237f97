"""What classic consumers put into JoinGroup metadata and SyncGroup assignments. On the wire an int16 version goes
before.
"""

from kafkawire.schema import Bytes, Int32, Message, String, Struct, field


class ConsumerProtocolSubscription(Message, versions="0-3"):
    """What a classic consumer subscribes to, in the metadata of its JoinGroup protocol."""

    class OwnedPartition(Struct):
        topic: String = field()
        partitions: list[Int32] = field()

    topics: list[String] = field()
    user_data: Bytes | None = field(default=None)
    owned_partitions: list[OwnedPartition] = field("1+", ignorable=True)  # for cooperative rebalancing (KIP-429)
    generation_id: Int32 = field("2+", default=-1, ignorable=True)  # the round of the rebalance that the member is in
    rack_id: String | None = field("3+", default=None, ignorable=True)


class ConsumerProtocolAssignment(Message, versions="0-3"):
    """The partitions of one classic consumer, in its SyncGroup assignment."""

    class AssignedPartition(Struct):
        topic: String = field()
        partitions: list[Int32] = field()

    assigned_partitions: list[AssignedPartition] = field()
    user_data: Bytes | None = field(default=None)
