"""Keys and values in __transaction_state; an int16 version goes before each."""

from kafkawire.schema import Int8, Int16, Int32, Int64, Message, String, Struct, field


class TransactionLogKey(Message, key=0, versions="0"):
    """Key of a transaction's state."""

    transactional_id: String = field()


class TransactionLogValue(Message, key=0, versions="0-1", flexible="1+"):
    """A transaction's state. Kafka 4 added the tagged fields of version 1, which 3.9 keeps as unknown tags."""

    class TransactionPartition(Struct):
        topic: String = field()
        partition_ids: list[Int32] = field()

    producer_id: Int64 = field()
    previous_producer_id: Int64 = field("1+", default=-1, tag=0)
    next_producer_id: Int64 = field("1+", default=-1, tag=1)
    producer_epoch: Int16 = field()
    next_producer_epoch: Int16 = field("1+", default=-1, tag=3)
    transaction_timeout_ms: Int32 = field()
    # 0 empty, 1 ongoing, 2 prepare commit, 3 prepare abort, 4 complete commit, 5 complete abort, 6 dead, 7 fencing
    transaction_status: Int8 = field()
    transaction_partitions: list[TransactionPartition] | None = field()  # None in states that have none
    transaction_last_update_timestamp_ms: Int64 = field()
    transaction_start_timestamp_ms: Int64 = field()
    client_transaction_version: Int16 = field("1+", tag=2)
