"""A client and a server joined without a network."""

from __future__ import annotations

from collections.abc import Callable

from kafkawire.connection import (
    Connection,
    ConnectionClosed,
    Ready,
    RequestReceived,
    SaslTokenReceived,
    SendData,
    ServerConnection,
)
from kafkawire.schema import Response

#: Answers a request or a raw token of the handshake; None: silence.
Answer = Callable[[RequestReceived | SaslTokenReceived], Response | bytes | None]


def run_handshake(client: Connection, server: ServerConnection, answer: Answer, first: bytes | None = None) -> Ready:
    """Play the handshake to its end; what goes wrong is raised by the client."""
    server.receive_data(client.start() if first is None else first)
    for _ in range(20):
        asked = server.next_event()
        if asked is not None:
            assert not isinstance(asked, ConnectionClosed)
            reply = answer(asked)
            if isinstance(reply, bytes):
                client.receive_data(server.send_token(reply))
            elif reply is not None:
                client.receive_data(server.send(reply))
        event = client.next_event()
        if isinstance(event, Ready):
            return event
        if isinstance(event, SendData):
            server.receive_data(event.data)
    raise AssertionError("the handshake does not end")


def ready_pair(**options: object) -> tuple[Connection, ServerConnection]:
    """Both sides after the versions."""
    client, server = Connection(**options), ServerConnection()  # type: ignore[arg-type]
    run_handshake(client, server, lambda _: server.api_versions())
    return client, server
