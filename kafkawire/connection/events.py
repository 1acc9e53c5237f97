"""What happens on a connection. The reprs are short and show no bodies: those may hold tokens and records."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from kafkawire.connection.versions import VersionTable, api_name
from kafkawire.schema import Request, Response


@dataclass(frozen=True, slots=True)
class SendData:
    """To a client: bytes that have to go to the broker now, the next step of versions or SASL."""

    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Ready:
    """To a client: versions are agreed and SASL, if any, has succeeded; requests may be sent. Comes again after a
    re-authentication.

    ``session_lifetime_ms``: milliseconds after which the broker wants to be authenticated with again (KIP-368), 0
    never.
    """

    versions: VersionTable = field(repr=False)
    session_lifetime_ms: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class ResponseReceived:
    """To a client: the answer to its oldest request that had none. ``request`` is the object that was sent."""

    request: Request
    response: Response
    version: int
    correlation_id: int

    def __repr__(self) -> str:
        return f"ResponseReceived({api_name(self.request.API_KEY)} v{self.version}, {self.correlation_id})"


@dataclass(frozen=True, slots=True, repr=False)
class RequestReceived:
    """To a server: a request, to be answered in the order of arrival unless ``expects_response`` is False (acks=0).

    ``is_supported`` is False for an ApiVersions request of a version that is not known here; ``request`` has then
    nothing but defaults, and the answer is ``ServerConnection.api_versions()``.
    """

    request: Request
    version: int
    correlation_id: int
    client_id: str | None
    expects_response: bool = True
    is_supported: bool = True

    def __repr__(self) -> str:
        return f"RequestReceived({api_name(self.request.API_KEY)} v{self.version}, {self.correlation_id})"


@dataclass(frozen=True, slots=True)
class SaslTokenReceived:
    """To a server: a token without Kafka's header, as they follow SaslHandshake v0."""

    token: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class ConnectionClosed:
    """The other side has closed the stream between frames. ``unanswered``: the client's requests that had no answer."""

    unanswered: tuple[Request, ...] = field(default=(), repr=False)


ClientEvent: TypeAlias = SendData | Ready | ResponseReceived | ConnectionClosed
ServerEvent: TypeAlias = RequestReceived | SaslTokenReceived | ConnectionClosed
