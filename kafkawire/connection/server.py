"""The server's side of a connection; the rules are in :mod:`kafkawire.connection`."""

from __future__ import annotations

from collections import deque

from kafkawire.connection.events import ConnectionClosed, RequestReceived, SaslTokenReceived, ServerEvent
from kafkawire.connection.stream import Stream
from kafkawire.connection.versions import VersionTable, api_name, known_versions
from kafkawire.errors import CorruptError, LocalProtocolError, UnsupportedError
from kafkawire.frames import DEFAULT_MAX_FRAME_SIZE, frame
from kafkawire.messages import (
    ApiKey,
    ApiVersionsRequest,
    ApiVersionsResponse,
    ProduceRequest,
    RequestHeader,
    ResponseHeader,
    SaslHandshakeResponse,
    request_class,
    request_header_version,
    response_class,
    response_header_version,
)
from kafkawire.schema import Response

_UNSUPPORTED_VERSION = 35


class ServerConnection(Stream):
    """The server's side: enough for a mock of a broker, or, with a Connection on the other side, for a proxy.

    ``versions``: API key to (lowest, highest) version that it takes, all that this library knows unless given.
    ``max_frame_size``: bytes that a request may have.
    """

    def __init__(self, *, versions: VersionTable | None = None, max_frame_size: int = DEFAULT_MAX_FRAME_SIZE) -> None:
        super().__init__(max_frame_size)
        self._versions = dict(known_versions() if versions is None else versions)
        self._unanswered: deque[RequestReceived] = deque()
        self._raw_tokens = False

    def __repr__(self) -> str:
        return f"<ServerConnection {len(self._unanswered)} unanswered>"

    @property
    def unanswered(self) -> tuple[RequestReceived, ...]:
        """The requests that wait for ``send``, the oldest first."""
        return tuple(self._unanswered)

    def next_event(self) -> ServerEvent | None:
        """What happened next, None when more data is needed (or the answer to a SaslHandshake v0, which decides how to
        read on).

        Raises WireError for what the client does wrong: UnsupportedError for an API or version that is not served,
        where a broker hangs up too; from then on the same again.
        """
        with self._keeping_failure():
            if any(_begins_raw_tokens(request) for request in self._unanswered):
                return None
            frame = self._next_frame()
            if frame is None:
                return ConnectionClosed() if self._at_end else None
            if self._raw_tokens:
                return SaslTokenReceived(bytes(frame))
            event = self._request(frame)
            if event.expects_response:
                self._unanswered.append(event)
            return event

    def send(self, response: Response) -> bytes:
        """The frame of the answer to the oldest unanswered request, in that one's version.

        Raises LocalProtocolError where no request waits, or one of another API; EncodeError for what the version cannot
        carry. Nothing has changed then.
        """
        if not self._unanswered:
            raise LocalProtocolError("no request waits for a response")
        request = self._unanswered[0]
        key = request.request.API_KEY
        if not isinstance(response, response_class(key)):
            raise LocalProtocolError(
                f"a {type(response).__name__}, but the oldest request without an answer is {api_name(key)}"
            )
        version = request.version if request.is_supported else 0
        header = ResponseHeader(correlation_id=request.correlation_id)
        data = frame(header.encode(response_header_version(key, version)), response.encode(version))
        self._unanswered.popleft()
        if _begins_raw_tokens(request) and isinstance(response, SaslHandshakeResponse) and response.error_code == 0:
            self._raw_tokens = True
        return data

    def api_versions(self) -> ApiVersionsResponse:
        """The answer to ApiVersions: the versions that are served, or for a version of it that is not, the error that
        makes the client ask again (KIP-511)."""
        row = ApiVersionsResponse.ApiKey
        rows = [row(api_key=key, min_version=low, max_version=high) for key, (low, high) in self._versions.items()]
        if self._unanswered and not self._unanswered[0].is_supported:
            rows = [one for one in rows if one.api_key == ApiKey.API_VERSIONS]
            return ApiVersionsResponse(error_code=_UNSUPPORTED_VERSION, api_keys=rows)
        return ApiVersionsResponse(api_keys=rows)

    def send_token(self, token: bytes) -> bytes:
        """The frame of a raw SASL token; LocalProtocolError outside of their phase."""
        if not self._raw_tokens:
            raise LocalProtocolError("raw tokens belong only after SaslHandshake v0")
        return frame(token)

    def expect_requests(self) -> None:
        """The phase of raw tokens is over: what comes next is a request again."""
        self._raw_tokens = False

    def _request(self, frame: memoryview) -> RequestReceived:
        if len(frame) < 8:
            raise CorruptError(f"a request of {len(frame)} bytes", expected="8 at least")
        key = int.from_bytes(frame[:2], "big", signed=True)
        version = int.from_bytes(frame[2:4], "big", signed=True)
        low, high = self._versions.get(key, (0, -1))
        if not low <= version <= high:
            if key == ApiKey.API_VERSIONS:
                # All of its headers begin alike; what follows may be of any form.
                header, _ = RequestHeader.decode(frame, 1, trailing="return")
                return RequestReceived(
                    ApiVersionsRequest(), version, header.correlation_id, header.client_id, is_supported=False
                )
            served = f"{low} to {high}" if key in self._versions else "another API"
            raise UnsupportedError(f"{api_name(key)} v{version} is not served here", expected=served)
        with self._naming(f"the request {api_name(key)} v{version}"):
            header, body = RequestHeader.decode(frame, request_header_version(key, version), trailing="return")
            request = request_class(key).decode(body, version)
        silent = isinstance(request, ProduceRequest) and request.acks == 0
        return RequestReceived(request, version, header.correlation_id, header.client_id, expects_response=not silent)


def _begins_raw_tokens(request: RequestReceived) -> bool:
    return request.request.API_KEY == ApiKey.SASL_HANDSHAKE and request.version == 0
