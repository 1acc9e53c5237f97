"""TODO"""

from kafkawire.schema import Bool, Float64, Int8, Int16, Int32, Request, Response, String, Struct, field


class DescribeConfigsRequest(Request, key=32, versions="0-4", flexible="4+"):
    """TODO"""

    class Resource(Struct):
        resource_type: Int8 = field()
        resource_name: String = field()
        configuration_keys: list[String] | None = field()

    resources: list[Resource] = field()
    include_synonyms: Bool = field("1+")
    include_documentation: Bool = field("3+")


class DescribeConfigsResponse(Response, key=32, versions="0-4", flexible="4+"):
    """TODO"""

    class Result(Struct):
        class Config(Struct):
            class Synonym(Struct):
                name: String = field()
                value: String | None = field()
                source: Int8 = field()

            name: String = field()
            value: String | None = field()
            read_only: Bool = field()
            is_default: Bool = field("0")
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
    """TODO"""

    class Resource(Struct):
        class Config(Struct):
            name: String = field()
            value: String | None = field()

        resource_type: Int8 = field()
        resource_name: String = field()
        configs: list[Config] = field()

    resources: list[Resource] = field()
    validate_only: Bool = field()


class AlterConfigsResponse(Response, key=33, versions="0-2", flexible="2+"):
    """TODO"""

    class Result(Struct):
        error_code: Int16 = field()
        error_message: String | None = field()
        resource_type: Int8 = field()
        resource_name: String = field()

    throttle_time_ms: Int32 = field()
    responses: list[Result] = field()


class IncrementalAlterConfigsRequest(Request, key=44, versions="0-1", flexible="1+"):
    """TODO"""

    class Resource(Struct):
        class Config(Struct):
            name: String = field()
            config_operation: Int8 = field()
            value: String | None = field()

        resource_type: Int8 = field()
        resource_name: String = field()
        configs: list[Config] = field()

    resources: list[Resource] = field()
    validate_only: Bool = field()


class IncrementalAlterConfigsResponse(Response, key=44, versions="0-1", flexible="1+"):
    """TODO"""

    class Result(Struct):
        error_code: Int16 = field()
        error_message: String | None = field()
        resource_type: Int8 = field()
        resource_name: String = field()

    throttle_time_ms: Int32 = field()
    responses: list[Result] = field()


class ListConfigResourcesRequest(Request, key=74, versions="0-1", flexible="0+"):
    """TODO"""

    resource_types: list[Int8] = field("1+")


class ListConfigResourcesResponse(Response, key=74, versions="0-1", flexible="0+"):
    """TODO"""

    class ConfigResource(Struct):
        resource_name: String = field()
        resource_type: Int8 = field("1+", default=16, ignorable=True)

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    config_resources: list[ConfigResource] = field()


class ListClientMetricsResourcesRequest(Request, key=74, versions="0", flexible="0+"):
    """TODO"""


class ListClientMetricsResourcesResponse(Response, key=74, versions="0", flexible="0+"):
    """TODO"""

    class ClientMetricsResource(Struct):
        name: String = field()

    throttle_time_ms: Int32 = field()
    error_code: Int16 = field()
    client_metrics_resources: list[ClientMetricsResource] = field()


class DescribeClientQuotasRequest(Request, key=48, versions="0-1", flexible="1+"):
    """TODO"""

    class Component(Struct):
        entity_type: String = field()
        match_type: Int8 = field()
        match: String | None = field()

    components: list[Component] = field()
    strict: Bool = field()


class DescribeClientQuotasResponse(Response, key=48, versions="0-1", flexible="1+"):
    """TODO"""

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
    """TODO"""

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
    validate_only: Bool = field()


class AlterClientQuotasResponse(Response, key=49, versions="0-1", flexible="1+"):
    """TODO"""

    class Entry(Struct):
        class Entity(Struct):
            entity_type: String = field()
            entity_name: String | None = field()

        error_code: Int16 = field()
        error_message: String | None = field()
        entity: list[Entity] = field()

    throttle_time_ms: Int32 = field()
    entries: list[Entry] = field()
