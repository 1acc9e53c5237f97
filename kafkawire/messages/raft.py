"""TODO"""

from kafkawire.schema import Bool, Int16, Int32, Int64, Records, Request, Response, String, Struct, UInt16, Uuid, field


class VoteRequest(Request, key=52, versions="0-2", flexible="0+"):
    """TODO"""

    class Topic(Struct):
        class Partition(Struct):
            partition_index: Int32 = field()
            replica_epoch: Int32 = field(was="candidateEpoch")
            replica_id: Int32 = field(was="candidateId")
            replica_directory_id: Uuid = field("1+", ignorable=True, was="candidateDirectoryId")
            voter_directory_id: Uuid = field("1+", ignorable=True)
            last_offset_epoch: Int32 = field()
            last_offset: Int64 = field()
            pre_vote: Bool = field("2+")

        topic_name: String = field()
        partitions: list[Partition] = field()

    cluster_id: String | None = field(default=None)
    voter_id: Int32 = field("1+", default=-1, ignorable=True)
    topics: list[Topic] = field()


class VoteResponse(Response, key=52, versions="0-2", flexible="0+"):
    """TODO"""

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
    node_endpoints: list[NodeEndpoint] = field("1+", tag=0)


class BeginQuorumEpochRequest(Request, key=53, versions="0-1", flexible="1+"):
    """TODO"""

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
    """TODO"""

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
    node_endpoints: list[NodeEndpoint] = field("1+", tag=0)


class EndQuorumEpochRequest(Request, key=54, versions="0-1", flexible="1+"):
    """TODO"""

    class Topic(Struct):
        class Partition(Struct):
            class PreferredCandidate(Struct):
                candidate_id: Int32 = field()
                candidate_directory_id: Uuid = field()

            partition_index: Int32 = field()
            leader_id: Int32 = field()
            leader_epoch: Int32 = field()
            preferred_successors: list[Int32] = field("0", ignorable=True)
            preferred_candidates: list[PreferredCandidate] = field("1+", ignorable=True)

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
    """TODO"""

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
    node_endpoints: list[NodeEndpoint] = field("1+", tag=0)


class DescribeQuorumRequest(Request, key=55, versions="0-2", flexible="0+"):
    """TODO"""

    class Topic(Struct):
        class Partition(Struct):
            partition_index: Int32 = field()

        topic_name: String = field()
        partitions: list[Partition] = field()

    topics: list[Topic] = field()


class DescribeQuorumResponse(Response, key=55, versions="0-2", flexible="0+"):
    """TODO"""

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
    """TODO"""

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
    max_bytes: Int32 = field(default=0x7fffffff)
    topics: list[Topic] = field()


class FetchSnapshotResponse(Response, key=59, versions="0-1", flexible="0+"):
    """TODO"""

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
    node_endpoints: list[NodeEndpoint] = field("1+", tag=0)


class AddRaftVoterRequest(Request, key=80, versions="0-1", flexible="0+"):
    """TODO"""

    class Listener(Struct):
        name: String = field()
        host: String = field()
        port: UInt16 = field()

    cluster_id: String | None = field()
    timeout_ms: Int32 = field()
    voter_id: Int32 = field()
    voter_directory_id: Uuid = field()
    listeners: list[Listener] = field()
    ack_when_committed: Bool = field("1+", default=True)


class AddRaftVoterResponse(Response, key=80, versions="0-1", flexible="0+"):
    """TODO"""

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    error_message: String | None = field()


class RemoveRaftVoterRequest(Request, key=81, versions="0", flexible="0+"):
    """TODO"""

    cluster_id: String | None = field()
    voter_id: Int32 = field()
    voter_directory_id: Uuid = field()


class RemoveRaftVoterResponse(Response, key=81, versions="0", flexible="0+"):
    """TODO"""

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    error_message: String | None = field()


class UpdateRaftVoterRequest(Request, key=82, versions="0", flexible="0+"):
    """TODO"""

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
    """TODO"""

    class CurrentLeader(Struct):
        leader_id: Int32 = field(default=-1)
        leader_epoch: Int32 = field(default=-1)
        host: String = field()
        port: Int32 = field()

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    current_leader: CurrentLeader = field(tag=0)
