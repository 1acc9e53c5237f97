"""The client's side of a connection; the rules are in :mod:`kafkawire.connection`."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from kafkawire._version import __version__
from kafkawire.connection.events import ClientEvent, ConnectionClosed, Ready, ResponseReceived, SendData
from kafkawire.connection.sasl import Exchange, SaslCredentials
from kafkawire.connection.stream import Stream
from kafkawire.connection.versions import VersionTable, api_name, highest_common, known_versions, table_of
from kafkawire.errors import AuthenticationError, LocalProtocolError, RemoteProtocolError, TruncatedError
from kafkawire.frames import DEFAULT_MAX_FRAME_SIZE, frame, frame_prefix
from kafkawire.messages import (
    ERRORS,
    ApiKey,
    ApiVersionsRequest,
    ApiVersionsResponse,
    ProduceRequest,
    RequestHeader,
    ResponseHeader,
    SaslAuthenticateRequest,
    SaslAuthenticateResponse,
    SaslHandshakeRequest,
    SaslHandshakeResponse,
    raise_for_code,
    request_header_version,
    response_class,
    response_header_version,
)
from kafkawire.schema import Request, Response

_UNSUPPORTED_VERSION = 35
_UNSUPPORTED_SASL_MECHANISM = 33
_LARGEST_CORRELATION_ID = 0x7FFFFFFF


class State(Enum):
    """Where a client's connection stands."""

    NEW = "new"
    NEGOTIATING = "negotiating versions"
    AUTHENTICATING = "authenticating"
    READY = "ready"
    CLOSED = "closed"


class _Sent(NamedTuple):
    """A request without an answer; ``internal``: one of the handshake's, whose answer is no event."""

    request: Request
    version: int
    correlation_id: int
    internal: bool


class Connection(Stream):
    """The client's side.

    ``client_id``: goes with every request, None for none. ``sasl``: credentials, see :mod:`kafkawire.connection.sasl`.
    ``versions``: the broker's table where it is known already; ApiVersions is not asked then. ``caps``: API key to the
    highest version that may be used. ``max_frame_size``: bytes that a response may have. ``software_name`` and
    ``software_version``: what the broker's metrics call this client (KIP-511).
    """

    def __init__(
        self,
        *,
        client_id: str | None = None,
        sasl: SaslCredentials | None = None,
        versions: VersionTable | None = None,
        caps: Mapping[int, int] | None = None,
        max_frame_size: int = DEFAULT_MAX_FRAME_SIZE,
        software_name: str = "kafkawire",
        software_version: str = __version__,
    ) -> None:
        super().__init__(max_frame_size)
        self.client_id = client_id
        #: What the broker said at the last authentication: milliseconds until it wants another, 0 for never.
        self.session_lifetime_ms = 0
        self._sasl = sasl
        self._versions = versions
        self._caps = dict(caps or {})
        self._software = (software_name, software_version)
        self._state = State.NEW
        self._next_correlation_id = 0
        self._sent: deque[_Sent] = deque()
        self._pending: deque[ClientEvent] = deque()
        self._exchange: Exchange | None = None
        self._raw_tokens = False
        self._fell_back = False

    def __repr__(self) -> str:
        return f"<Connection {self._state.value}, {len(self._sent)} unanswered>"

    @property
    def state(self) -> State:
        return self._state

    @property
    def versions(self) -> VersionTable:
        """The broker's table, API key to (lowest, highest); LocalProtocolError while it is not known."""
        if self._versions is None:
            raise LocalProtocolError(f"the broker's versions are not known, the connection is {self._state.value}")
        return self._versions

    @property
    def unanswered(self) -> tuple[Request, ...]:
        """The caller's requests that have no answer yet, the oldest first."""
        return tuple(sent.request for sent in self._sent if not sent.internal)

    def version(self, api: int | type[Request], cap: int | None = None) -> int:
        """The version that a request of this API, a key or a class, is sent in: the highest common one up to ``cap``.

        Raises UnsupportedError where there is none.
        """
        key = api if isinstance(api, int) else api.API_KEY
        caps = [limit for limit in (cap, self._caps.get(key)) if limit is not None]
        return highest_common(key, self.versions, known_versions(), min(caps, default=None))

    def start(self) -> bytes:
        """The first bytes to send (none where versions are given and there is no SASL). ``Ready`` comes at the end."""
        self._need(State.NEW, "start")
        if self._versions is None:
            self._state = State.NEGOTIATING
            highest = known_versions()[ApiKey.API_VERSIONS][1]
            return self._ask_versions(min(highest, self._caps.get(ApiKey.API_VERSIONS, highest)))
        return self._authenticate()

    def send(self, request: Request, version: int | None = None) -> bytes:
        """The frame of a request, in the highest common version unless one is given; the answer is a ResponseReceived.

        Raises LocalProtocolError during the handshake and after the end, UnsupportedError where there is no common
        version, EncodeError for what the version cannot carry. Nothing has changed then.
        """
        return b"".join(self.send_parts(request, version))

    def send_parts(self, request: Request, version: int | None = None) -> tuple[bytes, bytes]:
        """The same frame in two parts, to be sent one after the other: a large body is not copied again."""
        if version is None or self._state is not State.NEW:
            self._need(State.READY, "send a request")
        if version is None:
            version = self.version(request.API_KEY)
        return self._send_parts(request, version, internal=False)

    def reauthenticate(self) -> bytes:
        """The first bytes of another authentication; the next ``Ready`` says that it succeeded.

        Raises LocalProtocolError without credentials, outside of Ready, and for a broker with raw tokens only.
        """
        self._need(State.READY, "authenticate again")
        if self._sasl is None:
            raise LocalProtocolError("there are no credentials to authenticate with")
        if self.version(ApiKey.SASL_HANDSHAKE) == 0:
            raise LocalProtocolError("after SaslHandshake v0 there is no re-authentication (KIP-368)")
        return self._authenticate()

    def next_event(self) -> ClientEvent | None:
        """What happened next, None when more data is needed.

        Raises WireError for what the broker does wrong, AuthenticationError where SASL fails, BrokerError where it
        refuses ApiVersions; from then on the same again.
        """
        with self._keeping_failure():
            while not self._pending:
                frame = self._next_frame()
                if frame is None:
                    return self._end() if self._at_end else None
                event = self._token(frame) if self._raw_tokens else self._response(frame)
                if event is not None:
                    return event
            return self._pending.popleft()

    # ---- sending ----

    def _need(self, state: State, what: str) -> None:
        if self._failure is not None:
            raise LocalProtocolError(f"cannot {what}: the connection has failed")
        if self._state is not state:
            raise LocalProtocolError(f"cannot {what}: the connection is {self._state.value}, not {state.value}")

    def _send(self, request: Request, version: int) -> bytes:
        """One of the handshake's."""
        return b"".join(self._send_parts(request, version, internal=True))

    def _send_parts(self, request: Request, version: int, *, internal: bool) -> tuple[bytes, bytes]:
        header = RequestHeader(
            request_api_key=request.API_KEY,
            request_api_version=version,
            correlation_id=self._next_correlation_id,
            client_id=self.client_id,
        )
        header_version = request_header_version(request.API_KEY, version)
        if header_version == 0:
            header.client_id = None
        head, body = header.encode(header_version), request.encode(version)
        parts = frame_prefix(len(head) + len(body)) + head, body
        if not (isinstance(request, ProduceRequest) and request.acks == 0):
            self._sent.append(_Sent(request, version, self._next_correlation_id, internal))
        self._next_correlation_id = (self._next_correlation_id + 1) & _LARGEST_CORRELATION_ID
        return parts

    # ---- receiving ----

    def _response(self, frame: memoryview) -> ClientEvent | None:
        if not self._sent:
            raise RemoteProtocolError(f"a response of {len(frame)} bytes, but no request waits for one")
        sent = self._sent[0]
        with self._naming(f"the response to {api_name(sent.request.API_KEY)} v{sent.version}"):
            header, body = ResponseHeader.decode(
                frame, response_header_version(sent.request.API_KEY, sent.version), trailing="return"
            )
            if header.correlation_id != sent.correlation_id:
                raise RemoteProtocolError(
                    f"correlation id {header.correlation_id}", expected=f"{sent.correlation_id}, the oldest unanswered"
                )
            version = sent.version
            if sent.request.API_KEY == ApiKey.API_VERSIONS and body[:2] == _UNSUPPORTED_VERSION.to_bytes(2, "big"):
                version = 0  # KIP-511: whoever does not know our version cannot answer in it
            response = response_class(sent.request.API_KEY).decode(body, version)
        self._sent.popleft()
        if not sent.internal:
            return ResponseReceived(sent.request, response, version, sent.correlation_id)
        return self._handshake(sent.version, response)

    def _end(self) -> ClientEvent:
        """The stream has ended between frames."""
        if self._raw_tokens:
            raise self._refused("the broker hung up, which is how it refuses raw tokens")
        if self._state is State.AUTHENTICATING:
            raise TruncatedError("the broker hung up during SASL")
        if self._state is State.NEGOTIATING:
            raise TruncatedError(
                "the broker hung up at the first request: older than 0.10, a port that expects TLS, or not Kafka"
            )
        self._state = State.CLOSED
        return ConnectionClosed(self.unanswered)

    # ---- the handshake: versions, then SASL ----

    def _ask_versions(self, version: int) -> bytes:
        name, software_version = self._software
        request = ApiVersionsRequest(client_software_name=name, client_software_version=software_version)
        return self._send(request, version)

    def _handshake(self, version: int, response: Response) -> ClientEvent | None:
        if isinstance(response, ApiVersionsResponse):
            return self._got_versions(version, response)
        if isinstance(response, SaslHandshakeResponse):
            return self._got_mechanisms(version, response)
        assert isinstance(response, SaslAuthenticateResponse)
        if response.error_code != 0:
            raise self._refused(response.error_message or ERRORS[response.error_code].message)
        self.session_lifetime_ms = response.session_lifetime_ms
        return self._step(bytes(response.auth_bytes))

    def _got_versions(self, version: int, response: ApiVersionsResponse) -> ClientEvent | None:
        if response.error_code == _UNSUPPORTED_VERSION:
            if self._fell_back or version == 0:
                raise RemoteProtocolError(f"the broker refuses ApiVersions v{version}, which it has to know")
            self._fell_back = True
            ours, theirs = known_versions(), table_of(response)
            if ApiKey.API_VERSIONS in theirs:
                version = highest_common(ApiKey.API_VERSIONS, theirs, ours, self._caps.get(ApiKey.API_VERSIONS))
            else:
                version = 0
            return SendData(self._ask_versions(version))
        raise_for_code(response.error_code)
        self._versions = table_of(response)
        data = self._authenticate()
        return SendData(data) if data else None

    def _authenticate(self) -> bytes:
        if self._sasl is None:
            return self._ready()
        self._state = State.AUTHENTICATING
        self._exchange = self._sasl.exchange()
        request = SaslHandshakeRequest(mechanism=self._sasl.mechanism)
        return self._send(request, self.version(ApiKey.SASL_HANDSHAKE))

    def _got_mechanisms(self, version: int, response: SaslHandshakeResponse) -> ClientEvent | None:
        if response.error_code == _UNSUPPORTED_SASL_MECHANISM:
            raise self._refused(f"the broker offers {', '.join(response.mechanisms) or 'no mechanism'}")
        if response.error_code != 0:
            raise self._refused(ERRORS[response.error_code].message)
        self._raw_tokens = version == 0
        assert self._exchange is not None
        return SendData(self._framed_token(next(self._exchange)))

    def _framed_token(self, token: bytes) -> bytes:
        if self._raw_tokens:
            return frame(token)
        request = SaslAuthenticateRequest(auth_bytes=token)
        return self._send(request, self.version(ApiKey.SASL_AUTHENTICATE))

    def _token(self, frame: memoryview) -> ClientEvent | None:
        return self._step(bytes(frame))

    def _step(self, challenge: bytes) -> ClientEvent | None:
        assert self._exchange is not None
        try:
            token = self._exchange.send(challenge)
        except StopIteration:
            self._ready()
            return None
        return SendData(self._framed_token(token))

    def _ready(self) -> bytes:
        self._state = State.READY
        self._raw_tokens = False
        self._exchange = None
        self._pending.append(Ready(self.versions, self.session_lifetime_ms))
        return b""

    def _refused(self, reason: str) -> AuthenticationError:
        assert self._sasl is not None
        return AuthenticationError(f"{self._sasl.mechanism}: {reason}", self._sasl.mechanism)
