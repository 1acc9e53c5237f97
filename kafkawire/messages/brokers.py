"""How brokers and controllers register, keep alive and leave, and cluster features."""

from kafkawire.schema import Bool, Int8, Int16, Int32, Int64, Request, Response, String, Struct, UInt16, Uuid, field


class BrokerRegistrationRequest(Request, key=62, versions="0-4", flexible="0+"):
    """A broker makes itself known to the KRaft controller."""

    class Listener(Struct):
        name: String = field()
        host: String = field()
        port: UInt16 = field()
        security_protocol: Int16 = field()  # 0 PLAINTEXT, 1 SSL, 2 SASL_PLAINTEXT, 3 SASL_SSL

    class Feature(Struct):
        name: String = field()
        min_supported_version: Int16 = field()
        max_supported_version: Int16 = field()

    broker_id: Int32 = field()
    cluster_id: String = field()
    incarnation_id: Uuid = field()  # new with every start of the process
    listeners: list[Listener] = field()
    features: list[Feature] = field()
    rack: String | None = field()
    is_migrating_zk_broker: Bool = field("1+")  # a ZooKeeper broker on its way to KRaft
    log_dirs: list[Uuid] = field("2+", ignorable=True)
    # of the registration before a clean shutdown (KIP-966)
    previous_broker_epoch: Int64 = field("3+", default=-1, ignorable=True)


class BrokerRegistrationResponse(Response, key=62, versions="0-4", flexible="0+"):
    """The epoch of the broker's registration."""

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    broker_epoch: Int64 = field(default=-1)  # of the broker's registration


class BrokerHeartbeatRequest(Request, key=63, versions="0-2", flexible="0+"):
    """A broker tells the KRaft controller that it lives, and what it wants to do."""

    broker_id: Int32 = field()
    broker_epoch: Int64 = field(default=-1)  # of the broker's registration
    current_metadata_offset: Int64 = field()  # how far the broker has read the metadata log
    want_fence: Bool = field()  # the broker wants to lead nothing
    want_shut_down: Bool = field()  # the broker wants to stop
    offline_log_dirs: list[Uuid] = field("1+", tag=0)  # directories that failed
    # directories that take no new replicas
    cordoned_log_dirs: list[Uuid] | None = field("2+", default=None, tag=1, lenient=True)


class BrokerHeartbeatResponse(Response, key=63, versions="0-2", flexible="0+"):
    """What the controller thinks of the broker."""

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    is_caught_up: Bool = field()
    is_fenced: Bool = field(default=True)
    should_shut_down: Bool = field()  # the broker may stop


class UnregisterBrokerRequest(Request, key=64, versions="0", flexible="0+"):
    """Remove a broker that is gone for good."""

    broker_id: Int32 = field()


class UnregisterBrokerResponse(Response, key=64, versions="0", flexible="0+"):
    """Whether the broker was removed."""

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    error_message: String | None = field()


class UpdateFeaturesRequest(Request, key=57, versions="0-2", flexible="0+"):
    """Raise or lower the finalized level of cluster features (KIP-584)."""

    class FeatureUpdate(Struct):
        feature: String = field()
        max_version_level: Int16 = field()  # highest level at which the feature is finalized
        allow_downgrade: Bool = field("0")
        upgrade_type: Int8 = field("1+", default=1)  # 1 upgrade, 2 safe downgrade, 3 unsafe downgrade

    timeout_ms: Int32 = field(default=60000)  # how long the broker may take
    feature_updates: list[FeatureUpdate] = field()
    validate_only: Bool = field("1+")  # check, but change nothing


class UpdateFeaturesResponse(Response, key=57, versions="0-2", flexible="0+"):
    """Whether each feature was changed."""

    class Result(Struct):
        feature: String = field()
        error_code: Int16 = field()
        error_message: String | None = field()

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    error_message: String | None = field()
    results: list[Result] = field("0-1", ignorable=True)


class ControllerRegistrationRequest(Request, key=70, versions="0", flexible="0+"):
    """A controller makes its endpoints and features known to the active one (KIP-919)."""

    class Listener(Struct):
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
    listeners: list[Listener] = field()
    features: list[Feature] = field()


class ControllerRegistrationResponse(Response, key=70, versions="0", flexible="0+"):
    """Whether the controller was registered."""

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    error_message: String | None = field()


class UnregisterControllerRequest(Request, key=94, versions="0", flexible="0+"):
    """Remove the registration of a controller that is gone for good."""

    controller_id: Int32 = field()


class UnregisterControllerResponse(Response, key=94, versions="0", flexible="0+"):
    """Whether the controller was removed."""

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    error_message: String | None = field()
