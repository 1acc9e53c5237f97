"""Keys and values of control records, in transactions and in the Raft log. An int16 version goes before
ControlRecordTypeSchema and EndTxnMarker; the others hold it as their first field.
"""

from kafkawire.schema import Int16, Int32, Int64, Message, String, Struct, UInt16, Uuid, field


class ControlRecordTypeSchema(Message, versions="0"):
    """The key of a control record: 0 abort, 1 commit, 2 leader change, 3 snapshot header, 4 snapshot footer, 5
    kraft.version, 6 voters.
    """

    type: Int16 = field()


class EndTxnMarker(Message, versions="0"):
    """The value of the marker that ends a transaction."""

    coordinator_epoch: Int32 = field()  # fences off former coordinators


class LeaderChangeMessage(Message, versions="0-1", flexible="0+"):
    """The value of the control record with which a Raft leader begins its epoch."""

    class Voter(Struct):
        voter_id: Int32 = field()
        voter_directory_id: Uuid = field("1+")

    version: Int16 = field()
    leader_id: Int32 = field()
    voters: list[Voter] = field()
    granting_voters: list[Voter] = field()


class SnapshotHeaderRecord(Message, versions="0", flexible="0+"):
    """The first control record of a metadata snapshot."""

    version: Int16 = field()
    last_contained_log_timestamp: Int64 = field()


class SnapshotFooterRecord(Message, versions="0", flexible="0+"):
    """The last control record of a metadata snapshot."""

    version: Int16 = field()


class KRaftVersionRecord(Message, versions="0", flexible="0+"):
    """The version of the Raft protocol that the quorum uses."""

    version: Int16 = field()
    k_raft_version: Int16 = field()


class VotersRecord(Message, versions="0", flexible="0+"):
    """The set of voters of the quorum."""

    class Voter(Struct):
        class Endpoint(Struct):
            name: String = field()
            host: String = field()
            port: UInt16 = field()

        class KRaftVersionFeature(Struct):
            min_supported_version: Int16 = field()
            max_supported_version: Int16 = field()

        voter_id: Int32 = field()
        voter_directory_id: Uuid = field()
        endpoints: list[Endpoint] = field()
        k_raft_version_feature: KRaftVersionFeature = field()

    version: Int16 = field()
    voters: list[Voter] = field()
