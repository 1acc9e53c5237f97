"""Configurations of topics, brokers and others, and client quotas."""

from kafkawire.schema import Bool, Float64, Int8, Int16, Int32, Request, Response, String, Struct, field


class DescribeConfigsRequest(Request, key=32, versions="0-4", flexible="4+"):
    """Read configurations. None as configuration_keys asks for all of a resource."""

    class Resource(Struct):
        resource_type: Int8 = field()  # 2 topic, 4 broker, 8 logger, 16 client metrics, 32 group
        resource_name: String = field()
        configuration_keys: list[String] | None = field()

    resources: list[Resource] = field()
    include_synonyms: Bool = field("1+")
    include_documentation: Bool = field("3+")


class DescribeConfigsResponse(Response, key=32, versions="0-4", flexible="4+"):
    """Each configuration with where its value comes from."""

    class Result(Struct):
        class Config(Struct):
            class Synonym(Struct):
                name: String = field()
                value: String | None = field()
                source: Int8 = field()  # where the value comes from

            name: String = field()
            value: String | None = field()
            read_only: Bool = field()
            is_default: Bool = field("0")
            # where the value comes from: 1 topic, 2 dynamic broker, 3 dynamic default, 4 static, 5 default, 6 logger
            config_source: Int8 = field("1+", default=-1, ignorable=True)
            is_sensitive: Bool = field()
            synonyms: list[Synonym] = field("1+", ignorable=True)
            config_type: Int8 = field("3+", ignorable=True)
            documentation: String | None = field("3+", ignorable=True)

        error_code: Int16 = field()
        error_message: String | None = field()
        resource_type: Int8 = field()
        resource_name: String = field()
        configs: list[Config] = field()

    throttle_time_ms: Int32 = field()
    results: list[Result] = field()


class AlterConfigsRequest(Request, key=33, versions="0-2", flexible="2+"):
    """Replace all configurations of a resource; what is not named falls back to its default. IncrementalAlterConfigs
    changes single ones.
    """

    class Resource(Struct):
        class Config(Struct):
            name: String = field()
            value: String | None = field(secret=True)  # maybe a password

        resource_type: Int8 = field()
        resource_name: String = field()
        configs: list[Config] = field()

    resources: list[Resource] = field()
    validate_only: Bool = field()  # check, but change nothing


class AlterConfigsResponse(Response, key=33, versions="0-2", flexible="2+"):
    """Whether each resource was changed."""

    class Result(Struct):
        error_code: Int16 = field()
        error_message: String | None = field()
        resource_type: Int8 = field()
        resource_name: String = field()

    throttle_time_ms: Int32 = field()
    responses: list[Result] = field()


class IncrementalAlterConfigsRequest(Request, key=44, versions="0-1", flexible="1+"):
    """Set, delete, append to or subtract from single configurations."""

    class Resource(Struct):
        class Config(Struct):
            name: String = field()
            config_operation: Int8 = field()  # 0 set, 1 delete, 2 append, 3 subtract
            value: String | None = field(secret=True)  # maybe a password

        resource_type: Int8 = field()
        resource_name: String = field()
        configs: list[Config] = field()

    resources: list[Resource] = field()
    validate_only: Bool = field()  # check, but change nothing


class IncrementalAlterConfigsResponse(Response, key=44, versions="0-1", flexible="1+"):
    """Whether each resource was changed."""

    class Result(Struct):
        error_code: Int16 = field()
        error_message: String | None = field()
        resource_type: Int8 = field()
        resource_name: String = field()

    throttle_time_ms: Int32 = field()
    responses: list[Result] = field()


class ListConfigResourcesRequest(Request, key=74, versions="0-1", flexible="0+"):
    """List resources that have configurations. Version 0 lists client metrics subscriptions only."""

    resource_types: list[Int8] = field("1+")


class ListConfigResourcesResponse(Response, key=74, versions="0-1", flexible="0+"):
    """The resources that have configurations."""

    class ConfigResource(Struct):
        resource_name: String = field()
        resource_type: Int8 = field("1+", default=16, ignorable=True)

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    config_resources: list[ConfigResource] = field()


class ListClientMetricsResourcesRequest(Request, key=74, versions="0", flexible="0+"):
    """The name that Kafka 3.9 had for ListConfigResourcesRequest version 0."""


class ListClientMetricsResourcesResponse(Response, key=74, versions="0", flexible="0+"):
    """The name that Kafka 3.9 had for ListConfigResourcesResponse version 0."""

    class ClientMetricsResource(Struct):
        name: String = field()

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    client_metrics_resources: list[ClientMetricsResource] = field()


class DescribeClientQuotasRequest(Request, key=48, versions="0-1", flexible="1+"):
    """Look for quotas of users, client ids and addresses."""

    class Component(Struct):
        entity_type: String = field()
        match_type: Int8 = field()  # 0 exact name, 1 default, 2 any
        match: String | None = field()

    components: list[Component] = field()
    strict: Bool = field()


class DescribeClientQuotasResponse(Response, key=48, versions="0-1", flexible="1+"):
    """The quotas found. None as entries stands beside an error."""

    class Entry(Struct):
        class Entity(Struct):
            entity_type: String = field()
            entity_name: String | None = field()

        class Value(Struct):
            key: String = field()
            value: Float64 = field()

        entity: list[Entity] = field()
        values: list[Value] = field()

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    error_message: String | None = field()
    entries: list[Entry] | None = field()


class AlterClientQuotasRequest(Request, key=49, versions="0-1", flexible="1+"):
    """Set or remove quotas."""

    class Entry(Struct):
        class Entity(Struct):
            entity_type: String = field()
            entity_name: String | None = field()

        class Op(Struct):
            key: String = field()
            value: Float64 = field()
            remove: Bool = field()

        entity: list[Entity] = field()
        ops: list[Op] = field()

    entries: list[Entry] = field()
    validate_only: Bool = field()  # check, but change nothing


class AlterClientQuotasResponse(Response, key=49, versions="0-1", flexible="1+"):
    """Whether each entity's quotas were changed."""

    class Entry(Struct):
        class Entity(Struct):
            entity_type: String = field()
            entity_name: String | None = field()

        error_code: Int16 = field()
        error_message: String | None = field()
        entity: list[Entity] = field()

    throttle_time_ms: Int32 = field()
    entries: list[Entry] = field()
