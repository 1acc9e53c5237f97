"""Structures in a broker's own files, and the principal that brokers send each other."""

from kafkawire.schema import Bool, Int16, Int32, Int64, Message, String, Struct, UInt32, Uuid, field


class AbortedTxn(Message, versions="0"):
    """An entry of a .txnindex file; an int16 version goes before each."""

    producer_id: Int64 = field()
    first_offset: Int64 = field()
    last_offset: Int64 = field()
    last_stable_offset: Int64 = field()


class ProducerSnapshot(Message, versions="1"):
    """A .snapshot file of a partition: the producers that it knows; an int16 version goes before."""

    class ProducerEntry(Struct):
        producer_id: Int64 = field()
        epoch: Int16 = field()
        last_sequence: Int32 = field()
        last_offset: Int64 = field()
        offset_delta: Int32 = field()
        timestamp: Int64 = field()
        coordinator_epoch: Int32 = field()  # fences off former coordinators
        current_txn_first_offset: Int64 = field()

    crc: UInt32 = field()  # CRC-32C of what follows
    producer_entries: list[ProducerEntry] = field()


class QuorumStateData(Message, versions="0-1", flexible="0+"):
    """The quorum-state file, which is JSON: the epoch, and for whom this node voted."""

    class CurrentVoter(Struct):
        voter_id: Int32 = field()

    cluster_id: String = field("0")
    leader_id: Int32 = field(default=-1)
    leader_epoch: Int32 = field(default=-1)
    voted_id: Int32 = field(default=-1)
    voted_directory_id: Uuid = field("1+")
    applied_offset: Int64 = field("0")
    current_voters: list[CurrentVoter] | None = field("0")


class DefaultPrincipalData(Message, versions="0", flexible="0+"):
    """The principal of a forwarded request, in Envelope; an int16 version goes before."""

    type: String = field()
    name: String = field()
    token_authenticated: Bool = field()  # by a delegation token
