"""The records of __cluster_metadata, the KRaft metadata log. On the wire a frame version, the record type (API_KEY
here) and the version, each an unsigned varint, go before the body.
"""

from kafkawire.schema import (
    Bool,
    Bytes,
    Float64,
    Int8,
    Int16,
    Int32,
    Int64,
    Message,
    String,
    Struct,
    UInt16,
    Uuid,
    field,
)


class RegisterBrokerRecord(Message, key=0, versions="0-4", flexible="0+"):
    """A broker has registered."""

    class EndPoint(Struct):
        name: String = field()
        host: String = field()
        port: UInt16 = field()
        security_protocol: Int16 = field()  # 0 PLAINTEXT, 1 SSL, 2 SASL_PLAINTEXT, 3 SASL_SSL

    class Feature(Struct):
        name: String = field()
        min_supported_version: Int16 = field()
        max_supported_version: Int16 = field()

    broker_id: Int32 = field()
    is_migrating_zk_broker: Bool = field("2+")  # a ZooKeeper broker on its way to KRaft
    incarnation_id: Uuid = field()  # new with every start of the process
    broker_epoch: Int64 = field()  # of the broker's registration
    end_points: list[EndPoint] = field()
    features: list[Feature] = field()
    rack: String | None = field()
    fenced: Bool = field(default=True)
    in_controlled_shutdown: Bool = field("1+")
    log_dirs: list[Uuid] = field("3+", tag=0)
    # directories that take no new replicas
    cordoned_log_dirs: list[Uuid] | None = field("4+", default=None, tag=1, lenient=True)


class UnregisterBrokerRecord(Message, key=1, versions="0", flexible="0+"):
    """A broker's registration is gone."""

    broker_id: Int32 = field()
    broker_epoch: Int64 = field()  # of the broker's registration


class TopicRecord(Message, key=2, versions="0", flexible="0+"):
    """A topic was created."""

    name: String = field()
    topic_id: Uuid = field()


class PartitionRecord(Message, key=3, versions="0-2", flexible="0+"):
    """A partition, whole."""

    partition_id: Int32 = field(default=-1)
    topic_id: Uuid = field()
    replicas: list[Int32] = field()
    isr: list[Int32] = field()
    removing_replicas: list[Int32] = field()
    adding_replicas: list[Int32] = field()
    leader: Int32 = field(default=-1)
    leader_recovery_state: Int8 = field(tag=0)  # 0 recovered, 1 recovering from an unclean election
    leader_epoch: Int32 = field(default=-1)
    partition_epoch: Int32 = field(default=-1)  # goes up with every change of the partition
    directories: list[Uuid] = field("1+")
    # may lead without losing records although not in sync (KIP-966)
    eligible_leader_replicas: list[Int32] | None = field("2+", default=None, tag=1)
    last_known_elr: list[Int32] | None = field("2+", default=None, tag=2)  # those that were eligible last


class ConfigRecord(Message, key=4, versions="0", flexible="0+"):
    """One configuration of a resource; a null value removes it."""

    resource_type: Int8 = field()
    resource_name: String = field()
    name: String = field()
    value: String | None = field(secret=True)  # maybe a password


class PartitionChangeRecord(Message, key=5, versions="0-2", flexible="0+"):
    """What changed of a partition; what is at its default stays as it was."""

    partition_id: Int32 = field(default=-1)
    topic_id: Uuid = field()
    isr: list[Int32] | None = field(default=None, tag=0)
    leader: Int32 = field(default=-2, tag=1)  # -2 for no change, -1 for none
    replicas: list[Int32] | None = field(default=None, tag=2)
    removing_replicas: list[Int32] | None = field(default=None, tag=3)
    adding_replicas: list[Int32] | None = field(default=None, tag=4)
    leader_recovery_state: Int8 = field(default=-1, tag=5)  # 0 recovered, 1 recovering from an unclean election
    directories: list[Uuid] | None = field("1+", default=None, tag=8)
    # may lead without losing records although not in sync (KIP-966)
    eligible_leader_replicas: list[Int32] | None = field("2+", default=None, tag=6)
    last_known_elr: list[Int32] | None = field("2+", default=None, tag=7)  # those that were eligible last


class AccessControlEntryRecord(Message, key=18, versions="0", flexible="0+"):
    """An access rule."""

    id: Uuid = field()
    resource_type: Int8 = field()
    resource_name: String = field()
    pattern_type: Int8 = field()  # 3 literal, 4 prefixed
    principal: String = field()
    host: String = field()
    operation: Int8 = field()
    permission_type: Int8 = field()  # 2 deny, 3 allow


class FenceBrokerRecord(Message, key=7, versions="0", flexible="0+"):
    """A broker is fenced: it leads nothing."""

    id: Int32 = field()
    epoch: Int64 = field()


class UnfenceBrokerRecord(Message, key=8, versions="0", flexible="0+"):
    """A broker is no longer fenced."""

    id: Int32 = field()
    epoch: Int64 = field()


class RemoveTopicRecord(Message, key=9, versions="0", flexible="0+"):
    """A topic was deleted."""

    topic_id: Uuid = field()


class DelegationTokenRecord(Message, key=10, versions="0", flexible="0+"):
    """A delegation token, without its secret."""

    owner: String = field()
    requester: String = field()
    renewers: list[String] = field()
    issue_timestamp: Int64 = field()
    max_timestamp: Int64 = field()
    expiration_timestamp: Int64 = field()
    token_id: String = field()


class UserScramCredentialRecord(Message, key=11, versions="0", flexible="0+"):
    """A user's SCRAM credential."""

    name: String = field()
    mechanism: Int8 = field()
    salt: Bytes = field(secret=True)
    stored_key: Bytes = field(secret=True)
    server_key: Bytes = field(secret=True)
    iterations: Int32 = field()


class FeatureLevelRecord(Message, key=12, versions="0", flexible="0+"):
    """The finalized level of a feature; 0 removes it."""

    name: String = field()
    feature_level: Int16 = field()


class ClientQuotaRecord(Message, key=14, versions="0", flexible="0+"):
    """A quota, set or removed."""

    class Entity(Struct):
        entity_type: String = field()
        entity_name: String | None = field()

    entity: list[Entity] = field()
    key: String = field()
    value: Float64 = field()
    remove: Bool = field()


class ProducerIdsRecord(Message, key=15, versions="0", flexible="0+"):
    """A block of producer ids was given to a broker."""

    broker_id: Int32 = field()
    broker_epoch: Int64 = field(default=-1)  # of the broker's registration
    next_producer_id: Int64 = field()


class BrokerRegistrationChangeRecord(Message, key=17, versions="0-3", flexible="0+"):
    """What changed of a broker's registration."""

    broker_id: Int32 = field()
    broker_epoch: Int64 = field()  # of the broker's registration
    fenced: Int8 = field(tag=0)
    in_controlled_shutdown: Int8 = field("1+", tag=1)
    log_dirs: list[Uuid] = field("2+", tag=2)
    # directories that take no new replicas
    cordoned_log_dirs: list[Uuid] | None = field("3+", default=None, tag=3, lenient=True)


class RemoveAccessControlEntryRecord(Message, key=19, versions="0", flexible="0+"):
    """An access rule was removed."""

    id: Uuid = field()


class NoOpRecord(Message, key=20, versions="0", flexible="0+"):
    """Nothing; it moves the high watermark on while the log is idle."""


class ZkMigrationStateRecord(Message, key=21, versions="0", flexible="0+"):
    """How far the migration from ZooKeeper is."""

    zk_migration_state: Int8 = field()  # 0 none, 1 pre-migration, 2 migration, 3 post-migration


class RemoveUserScramCredentialRecord(Message, key=22, versions="0", flexible="0+"):
    """A user's SCRAM credential was removed."""

    name: String = field()
    mechanism: Int8 = field()


class BeginTransactionRecord(Message, key=23, versions="0", flexible="0+"):
    """Begins a group of records that count together or not at all (KIP-868)."""

    name: String | None = field(default=None, tag=0)


class EndTransactionRecord(Message, key=24, versions="0", flexible="0+"):
    """Makes the records since BeginTransactionRecord count."""


class AbortTransactionRecord(Message, key=25, versions="0", flexible="0+"):
    """Drops the records since BeginTransactionRecord."""

    reason: String | None = field(default=None, tag=0)


class RemoveDelegationTokenRecord(Message, key=26, versions="0", flexible="0+"):
    """A delegation token was removed."""

    token_id: String = field()


class RegisterControllerRecord(Message, key=27, versions="0", flexible="0+"):
    """A controller has registered."""

    class EndPoint(Struct):
        name: String = field()
        host: String = field()
        port: UInt16 = field()
        security_protocol: Int16 = field()  # 0 PLAINTEXT, 1 SSL, 2 SASL_PLAINTEXT, 3 SASL_SSL

    class Feature(Struct):
        name: String = field()
        min_supported_version: Int16 = field()
        max_supported_version: Int16 = field()

    controller_id: Int32 = field()
    incarnation_id: Uuid = field()  # new with every start of the process
    zk_migration_ready: Bool = field()  # ready to migrate from ZooKeeper
    end_points: list[EndPoint] = field()
    features: list[Feature] = field()


class ClearElrRecord(Message, key=28, versions="0", flexible="0+"):
    """The eligible leader replicas of a topic, or of all, were cleared."""

    topic_name: String = field()


class UnregisterControllerRecord(Message, key=29, versions="0", flexible="0+"):
    """A controller's registration is gone."""

    controller_id: Int32 = field()
