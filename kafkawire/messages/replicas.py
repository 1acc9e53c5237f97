"""What controllers tell brokers about replicas (ZooKeeper times), and what leaders tell the controller."""

from kafkawire.schema import Bool, Int8, Int16, Int32, Int64, Request, Response, String, Struct, Uuid, field


class LeaderAndIsrLeaderAndIsrPartitionState(Struct):
    topic_name: String = field("0-1", ignorable=True)
    partition_index: Int32 = field()
    controller_epoch: Int32 = field()
    leader: Int32 = field()
    leader_epoch: Int32 = field()
    isr: list[Int32] = field()
    partition_epoch: Int32 = field()  # goes up with every change of the partition
    replicas: list[Int32] = field()
    adding_replicas: list[Int32] = field("3+", ignorable=True)
    removing_replicas: list[Int32] = field("3+", ignorable=True)
    is_new: Bool = field("1+", ignorable=True)
    leader_recovery_state: Int8 = field("6+")  # 0 recovered, 1 recovering from an unclean election


class LeaderAndIsrRequest(Request, key=4, versions="0-7", flexible="4+"):
    """The ZooKeeper controller tells a broker which partitions to lead and which to follow. Ended with Kafka 3.9."""

    class TopicState(Struct):
        topic_name: String = field()
        topic_id: Uuid = field("5+", ignorable=True)
        partition_states: list[LeaderAndIsrLeaderAndIsrPartitionState] = field()

    class LiveLeader(Struct):
        broker_id: Int32 = field()
        host_name: String = field()
        port: Int32 = field()

    controller_id: Int32 = field()
    is_k_raft_controller: Bool = field("7+")
    controller_epoch: Int32 = field()
    broker_epoch: Int64 = field("2+", default=-1, ignorable=True)  # of the broker's registration
    type: Int8 = field("5+")
    ungrouped_partition_states: list[LeaderAndIsrLeaderAndIsrPartitionState] = field("0-1")
    topic_states: list[TopicState] = field("2+")
    live_leaders: list[LiveLeader] = field()


class LeaderAndIsrLeaderAndIsrPartitionError(Struct):
    topic_name: String = field("0-4", ignorable=True)
    partition_index: Int32 = field()
    error_code: Int16 = field()


class LeaderAndIsrResponse(Response, key=4, versions="0-7", flexible="4+"):
    """How the broker fared with each partition. Ended with Kafka 3.9."""

    class Topic(Struct):
        topic_id: Uuid = field()
        partition_errors: list[LeaderAndIsrLeaderAndIsrPartitionError] = field()

    error_code: Int16 = field()
    partition_errors: list[LeaderAndIsrLeaderAndIsrPartitionError] = field("0-4")
    topics: list[Topic] = field("5+")


class StopReplicaRequest(Request, key=5, versions="0-4", flexible="2+"):
    """The ZooKeeper controller has a broker stop replicas, and perhaps delete them. Ended with Kafka 3.9."""

    class UngroupedPartition(Struct):
        topic_name: String = field()
        partition_index: Int32 = field()

    class Topic(Struct):
        name: String = field()
        partition_indexes: list[Int32] = field()

    class TopicState(Struct):
        class PartitionState(Struct):
            partition_index: Int32 = field()
            leader_epoch: Int32 = field(default=-1)
            delete_partition: Bool = field()  # delete the log, too

        topic_name: String = field()
        partition_states: list[PartitionState] = field()

    controller_id: Int32 = field()
    is_k_raft_controller: Bool = field("4+")
    controller_epoch: Int32 = field()
    broker_epoch: Int64 = field("1+", default=-1, ignorable=True)  # of the broker's registration
    delete_partitions: Bool = field("0-2")  # delete the logs, too
    ungrouped_partitions: list[UngroupedPartition] = field("0")
    topics: list[Topic] = field("1-2")
    topic_states: list[TopicState] = field("3+")


class StopReplicaResponse(Response, key=5, versions="0-4", flexible="2+"):
    """Whether each replica was stopped. Ended with Kafka 3.9."""

    class PartitionError(Struct):
        topic_name: String = field()
        partition_index: Int32 = field()
        error_code: Int16 = field()

    error_code: Int16 = field()
    partition_errors: list[PartitionError] = field()


class UpdateMetadataUpdateMetadataPartitionState(Struct):
    topic_name: String = field("0-4", ignorable=True)
    partition_index: Int32 = field()
    controller_epoch: Int32 = field()
    leader: Int32 = field()
    leader_epoch: Int32 = field()
    isr: list[Int32] = field()
    zk_version: Int32 = field()  # of the partition's state in ZooKeeper
    replicas: list[Int32] = field()
    offline_replicas: list[Int32] = field("4+", ignorable=True)  # replicas on brokers or disks that are down


class UpdateMetadataRequest(Request, key=6, versions="0-8", flexible="6+"):
    """The ZooKeeper controller tells brokers what they answer to Metadata requests. Ended with Kafka 3.9."""

    class TopicState(Struct):
        topic_name: String = field()
        topic_id: Uuid = field("7+", ignorable=True)
        partition_states: list[UpdateMetadataUpdateMetadataPartitionState] = field()

    class LiveBroker(Struct):
        class Endpoint(Struct):
            port: Int32 = field()
            host: String = field()
            listener: String = field("3+", ignorable=True)
            security_protocol: Int16 = field()  # 0 PLAINTEXT, 1 SSL, 2 SASL_PLAINTEXT, 3 SASL_SSL

        id: Int32 = field()
        v0_host: String = field("0", ignorable=True)
        v0_port: Int32 = field("0", ignorable=True)
        endpoints: list[Endpoint] = field("1+", ignorable=True)
        rack: String | None = field("2+", ignorable=True)

    controller_id: Int32 = field()
    is_k_raft_controller: Bool = field("8+")
    type: Int8 = field("8+", tag=0)
    controller_epoch: Int32 = field()
    broker_epoch: Int64 = field("5+", default=-1, ignorable=True)  # of the broker's registration
    ungrouped_partition_states: list[UpdateMetadataUpdateMetadataPartitionState] = field("0-4")
    topic_states: list[TopicState] = field("5+")
    live_brokers: list[LiveBroker] = field()


class UpdateMetadataResponse(Response, key=6, versions="0-8", flexible="6+"):
    """Whether the broker took the metadata. Ended with Kafka 3.9."""

    error_code: Int16 = field()


class ControlledShutdownRequest(Request, key=7, versions="0-3", flexible="3+"):
    """A broker asks the ZooKeeper controller to move its leaderships away. Version 0 has request header 0. Ended
    with Kafka 3.9.
    """

    broker_id: Int32 = field()
    broker_epoch: Int64 = field("2+", default=-1, ignorable=True)  # of the broker's registration


class ControlledShutdownResponse(Response, key=7, versions="0-3", flexible="3+"):
    """The partitions that the broker still leads. Ended with Kafka 3.9."""

    class RemainingPartition(Struct):
        topic_name: String = field()
        partition_index: Int32 = field()

    error_code: Int16 = field()
    remaining_partitions: list[RemainingPartition] = field()  # that the broker still leads


class AlterPartitionRequest(Request, key=56, versions="0-3", flexible="0+"):
    """A leader tells the controller which replicas are in sync now."""

    class Topic(Struct):
        class Partition(Struct):
            class NewIsrWithEpoch(Struct):
                broker_id: Int32 = field()
                broker_epoch: Int64 = field(default=-1)  # of the broker's registration

            partition_index: Int32 = field()
            leader_epoch: Int32 = field()
            new_isr: list[Int32] = field("0-2")
            new_isr_with_epochs: list[NewIsrWithEpoch] = field("3+")
            leader_recovery_state: Int8 = field("1+")  # 0 recovered, 1 recovering from an unclean election
            partition_epoch: Int32 = field()  # goes up with every change of the partition

        topic_name: String = field("0-1", ignorable=True)
        topic_id: Uuid = field("2+", ignorable=True)
        partitions: list[Partition] = field()

    broker_id: Int32 = field()
    broker_epoch: Int64 = field(default=-1)  # of the broker's registration
    topics: list[Topic] = field()


class AlterPartitionResponse(Response, key=56, versions="0-3", flexible="0+"):
    """The state of each partition as the controller has it."""

    class Topic(Struct):
        class Partition(Struct):
            partition_index: Int32 = field()
            error_code: Int16 = field()
            leader_id: Int32 = field()
            leader_epoch: Int32 = field()
            isr: list[Int32] = field()
            # 0 recovered, 1 recovering from an unclean election
            leader_recovery_state: Int8 = field("1+", ignorable=True)
            partition_epoch: Int32 = field()  # goes up with every change of the partition

        topic_name: String = field("0-1", ignorable=True)
        topic_id: Uuid = field("2+", ignorable=True)
        partitions: list[Partition] = field()

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    topics: list[Topic] = field()
