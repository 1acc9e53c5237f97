"""The Raft protocol of the metadata quorum (KIP-595, KIP-630, KIP-853)."""

from kafkawire.schema import Bool, Int16, Int32, Int64, Records, Request, Response, String, Struct, UInt16, Uuid, field


class VoteRequest(Request, key=52, versions="0-2", flexible="0+"):
    """A candidate asks for a vote; before that, whether it would get it (pre-vote, KIP-996). Kafka 3.9 names the
    replica_ fields candidate_.
    """

    class Topic(Struct):
        class Partition(Struct):
            partition_index: Int32 = field()
            replica_epoch: Int32 = field(was="candidateEpoch")
            replica_id: Int32 = field(was="candidateId")
            replica_directory_id: Uuid = field("1+", ignorable=True, was="candidateDirectoryId")
            voter_directory_id: Uuid = field("1+", ignorable=True)
            last_offset_epoch: Int32 = field()  # of the candidate's last record
            last_offset: Int64 = field()
            pre_vote: Bool = field("2+")  # only ask, without raising the epoch (KIP-996)

        topic_name: String = field()
        partitions: list[Partition] = field()

    cluster_id: String | None = field(default=None)
    voter_id: Int32 = field("1+", default=-1, ignorable=True)
    topics: list[Topic] = field()


class VoteResponse(Response, key=52, versions="0-2", flexible="0+"):
    """Whether the vote is granted, and the leader and epoch that the voter knows."""

    class Topic(Struct):
        class Partition(Struct):
            partition_index: Int32 = field()
            error_code: Int16 = field()
            leader_id: Int32 = field()
            leader_epoch: Int32 = field()
            vote_granted: Bool = field()

        topic_name: String = field()
        partitions: list[Partition] = field()

    class NodeEndpoint(Struct):
        node_id: Int32 = field()
        host: String = field()
        port: UInt16 = field()

    error_code: Int16 = field()
    topics: list[Topic] = field()
    node_endpoints: list[NodeEndpoint] = field("1+", tag=0)  # of the leaders named above


class BeginQuorumEpochRequest(Request, key=53, versions="0-1", flexible="1+"):
    """A new leader announces itself to the voters."""

    class Topic(Struct):
        class Partition(Struct):
            partition_index: Int32 = field()
            voter_directory_id: Uuid = field("1+", ignorable=True)
            leader_id: Int32 = field()
            leader_epoch: Int32 = field()

        topic_name: String = field()
        partitions: list[Partition] = field()

    class LeaderEndpoint(Struct):
        name: String = field()
        host: String = field()
        port: UInt16 = field()

    cluster_id: String | None = field(default=None)
    voter_id: Int32 = field("1+", default=-1, ignorable=True)
    topics: list[Topic] = field()
    leader_endpoints: list[LeaderEndpoint] = field("1+", ignorable=True)


class BeginQuorumEpochResponse(Response, key=53, versions="0-1", flexible="1+"):
    """Whether the voter follows."""

    class Topic(Struct):
        class Partition(Struct):
            partition_index: Int32 = field()
            error_code: Int16 = field()
            leader_id: Int32 = field()
            leader_epoch: Int32 = field()

        topic_name: String = field()
        partitions: list[Partition] = field()

    class NodeEndpoint(Struct):
        node_id: Int32 = field()
        host: String = field()
        port: UInt16 = field()

    error_code: Int16 = field()
    topics: list[Topic] = field()
    node_endpoints: list[NodeEndpoint] = field("1+", tag=0)  # of the leaders named above


class EndQuorumEpochRequest(Request, key=54, versions="0-1", flexible="1+"):
    """A leader that steps down says who should come next."""

    class Topic(Struct):
        class Partition(Struct):
            class PreferredCandidate(Struct):
                candidate_id: Int32 = field()
                candidate_directory_id: Uuid = field()

            partition_index: Int32 = field()
            leader_id: Int32 = field()
            leader_epoch: Int32 = field()
            preferred_successors: list[Int32] = field("0", ignorable=True)  # best first
            preferred_candidates: list[PreferredCandidate] = field("1+", ignorable=True)  # best first

        topic_name: String = field()
        partitions: list[Partition] = field()

    class LeaderEndpoint(Struct):
        name: String = field()
        host: String = field()
        port: UInt16 = field()

    cluster_id: String | None = field(default=None)
    topics: list[Topic] = field()
    leader_endpoints: list[LeaderEndpoint] = field("1+", ignorable=True)


class EndQuorumEpochResponse(Response, key=54, versions="0-1", flexible="1+"):
    """Whether the voter heard."""

    class Topic(Struct):
        class Partition(Struct):
            partition_index: Int32 = field()
            error_code: Int16 = field()
            leader_id: Int32 = field()
            leader_epoch: Int32 = field()

        topic_name: String = field()
        partitions: list[Partition] = field()

    class NodeEndpoint(Struct):
        node_id: Int32 = field()
        host: String = field()
        port: UInt16 = field()

    error_code: Int16 = field()
    topics: list[Topic] = field()
    node_endpoints: list[NodeEndpoint] = field("1+", tag=0)  # of the leaders named above


class DescribeQuorumRequest(Request, key=55, versions="0-2", flexible="0+"):
    """Ask the leader of the quorum how far its voters and observers are."""

    class Topic(Struct):
        class Partition(Struct):
            partition_index: Int32 = field()

        topic_name: String = field()
        partitions: list[Partition] = field()

    topics: list[Topic] = field()


class DescribeQuorumResponse(Response, key=55, versions="0-2", flexible="0+"):
    """The log end and last contact of each replica in the quorum."""

    class Topic(Struct):
        class Partition(Struct):
            class ReplicaState(Struct):
                replica_id: Int32 = field()
                replica_directory_id: Uuid = field("2+")
                log_end_offset: Int64 = field()
                last_fetch_timestamp: Int64 = field("1+", default=-1, ignorable=True)
                last_caught_up_timestamp: Int64 = field("1+", default=-1, ignorable=True)

            partition_index: Int32 = field()
            error_code: Int16 = field()
            error_message: String | None = field("2+", ignorable=True)
            leader_id: Int32 = field()
            leader_epoch: Int32 = field()
            high_watermark: Int64 = field()
            current_voters: list[ReplicaState] = field()
            observers: list[ReplicaState] = field()

        topic_name: String = field()
        partitions: list[Partition] = field()

    class Node(Struct):
        class Listener(Struct):
            name: String = field()
            host: String = field()
            port: UInt16 = field()

        node_id: Int32 = field()
        listeners: list[Listener] = field()

    error_code: Int16 = field()
    error_message: String | None = field("2+", ignorable=True)
    topics: list[Topic] = field()
    nodes: list[Node] = field("2+")


class FetchSnapshotRequest(Request, key=59, versions="0-1", flexible="0+"):
    """Ask for a piece of a snapshot of the metadata log."""

    class Topic(Struct):
        class Partition(Struct):
            class SnapshotId(Struct):
                end_offset: Int64 = field()
                epoch: Int32 = field()

            partition: Int32 = field()
            current_leader_epoch: Int32 = field()
            snapshot_id: SnapshotId = field()
            position: Int64 = field()
            replica_directory_id: Uuid = field("1+", tag=0, ignorable=True)

        name: String = field()
        partitions: list[Partition] = field()

    cluster_id: String | None = field(default=None, tag=0)
    replica_id: Int32 = field(default=-1)
    max_bytes: Int32 = field(default=0x7FFFFFFF)
    topics: list[Topic] = field()


class FetchSnapshotResponse(Response, key=59, versions="0-1", flexible="0+"):
    """A piece of a snapshot."""

    class Topic(Struct):
        class Partition(Struct):
            class SnapshotId(Struct):
                end_offset: Int64 = field()
                epoch: Int32 = field()

            class CurrentLeader(Struct):
                leader_id: Int32 = field()
                leader_epoch: Int32 = field()

            index: Int32 = field()
            error_code: Int16 = field()
            snapshot_id: SnapshotId = field()
            current_leader: CurrentLeader = field(tag=0)
            size: Int64 = field()
            position: Int64 = field()
            # a piece of the snapshot; its ends may cut batches
            unaligned_records: Records | None = field(nullable="none")

        name: String = field()
        partitions: list[Partition] = field()

    class NodeEndpoint(Struct):
        node_id: Int32 = field()
        host: String = field()
        port: UInt16 = field()

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    topics: list[Topic] = field()
    node_endpoints: list[NodeEndpoint] = field("1+", tag=0)  # of the leaders named above


class AddRaftVoterRequest(Request, key=80, versions="0-1", flexible="0+"):
    """Add a voter to the quorum."""

    class Listener(Struct):
        name: String = field()
        host: String = field()
        port: UInt16 = field()

    cluster_id: String | None = field()
    timeout_ms: Int32 = field()  # how long the broker may take
    voter_id: Int32 = field()
    voter_directory_id: Uuid = field()
    listeners: list[Listener] = field()
    ack_when_committed: Bool = field("1+", default=True)


class AddRaftVoterResponse(Response, key=80, versions="0-1", flexible="0+"):
    """Whether the voter was added."""

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    error_message: String | None = field()


class RemoveRaftVoterRequest(Request, key=81, versions="0", flexible="0+"):
    """Remove a voter from the quorum."""

    cluster_id: String | None = field()
    voter_id: Int32 = field()
    voter_directory_id: Uuid = field()


class RemoveRaftVoterResponse(Response, key=81, versions="0", flexible="0+"):
    """Whether the voter was removed."""

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    error_message: String | None = field()


class UpdateRaftVoterRequest(Request, key=82, versions="0", flexible="0+"):
    """A voter tells the leader its endpoints and the versions of kraft.version that it can read."""

    class Listener(Struct):
        name: String = field()
        host: String = field()
        port: UInt16 = field()

    class KRaftVersionFeature(Struct):
        min_supported_version: Int16 = field()
        max_supported_version: Int16 = field()

    cluster_id: String | None = field()
    current_leader_epoch: Int32 = field()
    voter_id: Int32 = field()
    voter_directory_id: Uuid = field()
    listeners: list[Listener] = field()
    k_raft_version_feature: KRaftVersionFeature = field()


class UpdateRaftVoterResponse(Response, key=82, versions="0", flexible="0+"):
    """Whether the voter was updated, and who leads."""

    class CurrentLeader(Struct):
        leader_id: Int32 = field(default=-1)
        leader_epoch: Int32 = field(default=-1)
        host: String = field()
        port: Int32 = field()

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    current_leader: CurrentLeader = field(tag=0)
