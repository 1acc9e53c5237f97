"""The headers that go before every request and response."""

from kafkawire.schema import Int16, Int32, Message, String, field


class RequestHeader(Message, versions="0-2", flexible="2+"):
    """Goes before every request. Version 2 in flexible versions of the API, 1 before, 0 for ControlledShutdown v0
    alone; see request_header_version.
    """

    request_api_key: Int16 = field()
    request_api_version: Int16 = field()
    correlation_id: Int32 = field()
    client_id: String | None = field("1+", compact=False)


class ResponseHeader(Message, versions="0-1", flexible="1+"):
    """Goes before every response. Version 1 in flexible versions of the API, else 0; always 0 for ApiVersions; see
    response_header_version.
    """

    correlation_id: Int32 = field()
