"""TODO"""

from kafkawire.schema import Int16, Int32, Message, String, field


class RequestHeader(Message, versions="0-2", flexible="2+"):
    """TODO"""

    request_api_key: Int16 = field()
    request_api_version: Int16 = field()
    correlation_id: Int32 = field()
    client_id: String | None = field("1+", compact=False)


class ResponseHeader(Message, versions="0-1", flexible="1+"):
    """TODO"""

    correlation_id: Int32 = field()
