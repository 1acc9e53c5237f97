"""What a connection starts with (versions, SASL), what brokers pass on for others, and client metrics."""

from kafkawire.schema import Bool, Bytes, Int8, Int16, Int32, Int64, Request, Response, String, Struct, Uuid, field


class ApiVersionsRequest(Request, key=18, versions="0-5", flexible="3+"):
    """Ask which APIs and versions a broker speaks; the first request on a connection. A broker that does not know
    the version answers with UNSUPPORTED_VERSION in version 0.
    """

    client_software_name: String = field("3+", ignorable=True)
    client_software_version: String = field("3+", ignorable=True)
    cluster_id: String | None = field("5+", default=None, ignorable=True)
    node_id: Int32 = field("5+", default=-1, ignorable=True)


class ApiVersionsResponse(Response, key=18, versions="0-5", flexible="3+"):
    """The APIs with their lowest and highest version, and the features of the cluster. Its header is always version
    0.
    """

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
        max_version_level: Int16 = field()  # highest level at which the feature is finalized
        min_version_level: Int16 = field()  # lowest level at which the feature is finalized

    error_code: Int16 = field()
    api_keys: list[ApiKey] = field()
    throttle_time_ms: Int32 = field("1+", ignorable=True)
    supported_features: list[SupportedFeature] = field("3+", tag=0, ignorable=True)
    finalized_features_epoch: Int64 = field("3+", default=-1, tag=1, ignorable=True)
    finalized_features: list[FinalizedFeature] = field("3+", tag=2, ignorable=True)
    zk_migration_ready: Bool = field("3+", tag=3, ignorable=True)  # ready to migrate from ZooKeeper


class SaslHandshakeRequest(Request, key=17, versions="0-1"):
    """Name the SASL mechanism to use. After version 0 raw tokens follow without Kafka's framing of requests, after
    version 1 they travel in SaslAuthenticate. Never flexible.
    """

    mechanism: String = field()


class SaslHandshakeResponse(Response, key=17, versions="0-1"):
    """Whether the mechanism will do, and those that would."""

    error_code: Int16 = field()
    mechanisms: list[String] = field()


class SaslAuthenticateRequest(Request, key=36, versions="0-2", flexible="2+"):
    """One token of the client's side of a SASL exchange."""

    auth_bytes: Bytes = field(secret=True)  # the mechanism's own format


class SaslAuthenticateResponse(Response, key=36, versions="0-2", flexible="2+"):
    """The server's token in turn, or why the client was refused."""

    error_code: Int16 = field()
    error_message: String | None = field()
    auth_bytes: Bytes = field(secret=True)
    # after which the client must authenticate again (KIP-368), 0 for never
    session_lifetime_ms: Int64 = field("1+", ignorable=True)


class GetTelemetrySubscriptionsRequest(Request, key=71, versions="0", flexible="0+"):
    """Ask which metrics the broker wants from this client (KIP-714)."""

    client_instance_id: Uuid = field()


class GetTelemetrySubscriptionsResponse(Response, key=71, versions="0", flexible="0+"):
    """The metrics to send, how often, and how compressed."""

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    client_instance_id: Uuid = field()
    subscription_id: Int32 = field()
    accepted_compression_types: list[Int8] = field()
    push_interval_ms: Int32 = field()
    telemetry_max_bytes: Int32 = field()
    delta_temporality: Bool = field()  # true: differences since the last push, false: totals
    requested_metrics: list[String] = field()


class PushTelemetryRequest(Request, key=72, versions="0", flexible="0+"):
    """Metrics of a client, as OpenTelemetry's protocol buffers."""

    client_instance_id: Uuid = field()
    subscription_id: Int32 = field()
    terminating: Bool = field()  # the client's last push
    compression_type: Int8 = field()
    metrics: Bytes = field()


class PushTelemetryResponse(Response, key=72, versions="0", flexible="0+"):
    """Whether the metrics were taken."""

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()


class EnvelopeRequest(Request, key=58, versions="0", flexible="0+"):
    """A request that a broker forwards to the controller for a client (KIP-590)."""

    request_data: Bytes = field(secret=True)  # with its header
    request_principal: Bytes | None = field()  # DefaultPrincipalData with its version before it
    client_host_address: Bytes = field()


class EnvelopeResponse(Response, key=58, versions="0", flexible="0+"):
    """The controller's response, to be passed on to the client."""

    response_data: Bytes | None = field(default=None, secret=True)  # with its header
    error_code: Int16 = field()
