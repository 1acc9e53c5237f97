"""TODO"""

from kafkawire.schema import Int16, Int32, Int64, Message, String, Struct, UInt16, Uuid, field


class ControlRecordTypeSchema(Message, versions="0"):
    """TODO"""

    type: Int16 = field()


class EndTxnMarker(Message, versions="0"):
    """TODO"""

    coordinator_epoch: Int32 = field()


class LeaderChangeMessage(Message, versions="0-1", flexible="0+"):
    """TODO"""

    class Voter(Struct):
        voter_id: Int32 = field()
        voter_directory_id: Uuid = field("1+")

    version: Int16 = field()
    leader_id: Int32 = field()
    voters: list[Voter] = field()
    granting_voters: list[Voter] = field()


class SnapshotHeaderRecord(Message, versions="0", flexible="0+"):
    """TODO"""

    version: Int16 = field()
    last_contained_log_timestamp: Int64 = field()


class SnapshotFooterRecord(Message, versions="0", flexible="0+"):
    """TODO"""

    version: Int16 = field()


class KRaftVersionRecord(Message, versions="0", flexible="0+"):
    """TODO"""

    version: Int16 = field()
    k_raft_version: Int16 = field()


class VotersRecord(Message, versions="0", flexible="0+"):
    """TODO"""

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
