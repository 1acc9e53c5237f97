"""TODO"""

from kafkawire.schema import Bool, Int8, Int16, Int32, Int64, Request, Response, String, Struct, UInt16, Uuid, field


class BrokerRegistrationRequest(Request, key=62, versions="0-4", flexible="0+"):
    """TODO"""

    class Listener(Struct):
        name: String = field()
        host: String = field()
        port: UInt16 = field()
        security_protocol: Int16 = field()

    class Feature(Struct):
        name: String = field()
        min_supported_version: Int16 = field()
        max_supported_version: Int16 = field()

    broker_id: Int32 = field()
    cluster_id: String = field()
    incarnation_id: Uuid = field()
    listeners: list[Listener] = field()
    features: list[Feature] = field()
    rack: String | None = field()
    is_migrating_zk_broker: Bool = field("1+")
    log_dirs: list[Uuid] = field("2+", ignorable=True)
    previous_broker_epoch: Int64 = field("3+", default=-1, ignorable=True)


class BrokerRegistrationResponse(Response, key=62, versions="0-4", flexible="0+"):
    """TODO"""

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    broker_epoch: Int64 = field(default=-1)


class BrokerHeartbeatRequest(Request, key=63, versions="0-2", flexible="0+"):
    """TODO"""

    broker_id: Int32 = field()
    broker_epoch: Int64 = field(default=-1)
    current_metadata_offset: Int64 = field()
    want_fence: Bool = field()
    want_shut_down: Bool = field()
    offline_log_dirs: list[Uuid] = field("1+", tag=0)
    cordoned_log_dirs: list[Uuid] | None = field("2+", default=None, tag=1, lenient=True)


class BrokerHeartbeatResponse(Response, key=63, versions="0-2", flexible="0+"):
    """TODO"""

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    is_caught_up: Bool = field()
    is_fenced: Bool = field(default=True)
    should_shut_down: Bool = field()


class UnregisterBrokerRequest(Request, key=64, versions="0", flexible="0+"):
    """TODO"""

    broker_id: Int32 = field()


class UnregisterBrokerResponse(Response, key=64, versions="0", flexible="0+"):
    """TODO"""

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    error_message: String | None = field()


class UpdateFeaturesRequest(Request, key=57, versions="0-2", flexible="0+"):
    """TODO"""

    class FeatureUpdate(Struct):
        feature: String = field()
        max_version_level: Int16 = field()
        allow_downgrade: Bool = field("0")
        upgrade_type: Int8 = field("1+", default=1)

    timeout_ms: Int32 = field(default=60000)
    feature_updates: list[FeatureUpdate] = field()
    validate_only: Bool = field("1+")


class UpdateFeaturesResponse(Response, key=57, versions="0-2", flexible="0+"):
    """TODO"""

    class Result(Struct):
        feature: String = field()
        error_code: Int16 = field()
        error_message: String | None = field()

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    error_message: String | None = field()
    results: list[Result] = field("0-1", ignorable=True)


class ControllerRegistrationRequest(Request, key=70, versions="0", flexible="0+"):
    """TODO"""

    class Listener(Struct):
        name: String = field()
        host: String = field()
        port: UInt16 = field()
        security_protocol: Int16 = field()

    class Feature(Struct):
        name: String = field()
        min_supported_version: Int16 = field()
        max_supported_version: Int16 = field()

    controller_id: Int32 = field()
    incarnation_id: Uuid = field()
    zk_migration_ready: Bool = field()
    listeners: list[Listener] = field()
    features: list[Feature] = field()


class ControllerRegistrationResponse(Response, key=70, versions="0", flexible="0+"):
    """TODO"""

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    error_message: String | None = field()


class UnregisterControllerRequest(Request, key=94, versions="0", flexible="0+"):
    """TODO"""

    controller_id: Int32 = field()


class UnregisterControllerResponse(Response, key=94, versions="0", flexible="0+"):
    """TODO"""

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    error_message: String | None = field()
