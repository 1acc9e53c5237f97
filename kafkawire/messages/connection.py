"""TODO"""

from kafkawire.schema import Bool, Bytes, Int8, Int16, Int32, Int64, Request, Response, String, Struct, Uuid, field


class ApiVersionsRequest(Request, key=18, versions="0-5", flexible="3+"):
    """TODO"""

    client_software_name: String = field("3+", ignorable=True)
    client_software_version: String = field("3+", ignorable=True)
    cluster_id: String | None = field("5+", default=None, ignorable=True)
    node_id: Int32 = field("5+", default=-1, ignorable=True)


class ApiVersionsResponse(Response, key=18, versions="0-5", flexible="3+"):
    """TODO"""

    class ApiKey(Struct):
        api_key: Int16 = field()
        min_version: Int16 = field()
        max_version: Int16 = field()

    class SupportedFeature(Struct):
        name: String = field()
        min_version: Int16 = field()
        max_version: Int16 = field()

    class FinalizedFeature(Struct):
        name: String = field()
        max_version_level: Int16 = field()
        min_version_level: Int16 = field()

    error_code: Int16 = field()
    api_keys: list[ApiKey] = field()
    throttle_time_ms: Int32 = field("1+", ignorable=True)
    supported_features: list[SupportedFeature] = field("3+", tag=0, ignorable=True)
    finalized_features_epoch: Int64 = field("3+", default=-1, tag=1, ignorable=True)
    finalized_features: list[FinalizedFeature] = field("3+", tag=2, ignorable=True)
    zk_migration_ready: Bool = field("3+", tag=3, ignorable=True)


class SaslHandshakeRequest(Request, key=17, versions="0-1"):
    """TODO"""

    mechanism: String = field()


class SaslHandshakeResponse(Response, key=17, versions="0-1"):
    """TODO"""

    error_code: Int16 = field()
    mechanisms: list[String] = field()


class SaslAuthenticateRequest(Request, key=36, versions="0-2", flexible="2+"):
    """TODO"""

    auth_bytes: Bytes = field()


class SaslAuthenticateResponse(Response, key=36, versions="0-2", flexible="2+"):
    """TODO"""

    error_code: Int16 = field()
    error_message: String | None = field()
    auth_bytes: Bytes = field()
    session_lifetime_ms: Int64 = field("1+", ignorable=True)


class GetTelemetrySubscriptionsRequest(Request, key=71, versions="0", flexible="0+"):
    """TODO"""

    client_instance_id: Uuid = field()


class GetTelemetrySubscriptionsResponse(Response, key=71, versions="0", flexible="0+"):
    """TODO"""

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    client_instance_id: Uuid = field()
    subscription_id: Int32 = field()
    accepted_compression_types: list[Int8] = field()
    push_interval_ms: Int32 = field()
    telemetry_max_bytes: Int32 = field()
    delta_temporality: Bool = field()
    requested_metrics: list[String] = field()


class PushTelemetryRequest(Request, key=72, versions="0", flexible="0+"):
    """TODO"""

    client_instance_id: Uuid = field()
    subscription_id: Int32 = field()
    terminating: Bool = field()
    compression_type: Int8 = field()
    metrics: Bytes = field()


class PushTelemetryResponse(Response, key=72, versions="0", flexible="0+"):
    """TODO"""

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()


class EnvelopeRequest(Request, key=58, versions="0", flexible="0+"):
    """TODO"""

    request_data: Bytes = field()
    request_principal: Bytes | None = field()
    client_host_address: Bytes = field()


class EnvelopeResponse(Response, key=58, versions="0", flexible="0+"):
    """TODO"""

    response_data: Bytes | None = field(default=None)
    error_code: Int16 = field()
