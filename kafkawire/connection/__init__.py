"""A connection without its socket: bytes in, events out; the client's side and the server's.

The rules
=========

1. Nothing here waits, reads a clock or touches a socket. ``receive_data`` takes what arrived, ``b""`` says that the
   other side has closed the stream; ``next_event`` gives what it means, and None says: I need more data. ``send``
   returns bytes, which have to go out in the order in which they were made. Who reads much puts the bytes themselves
   into ``receive_buffer()`` and says how many with ``buffer_updated``: large frames are not copied then.
2. The client begins with ``start()``. What follows until ``Ready`` (the versions, SASL) it does by itself: each
   ``SendData`` event holds bytes that have to go out now. Requests are sent from ``Ready`` on; with a version of their
   own they may be sent without ``start``.
3. Requests may be sent before earlier ones are answered. The broker answers in order; a response with another
   correlation id than that of the oldest unanswered request is its error. A Produce request with acks=0 has no answer.
4. A request goes out in the highest version that the broker, this library and the caller's caps have in common. A
   broker that does not know our version of ApiVersions says so in version 0, and is asked again in one that it knows.
5. ``reauthenticate()`` begins SASL anew (KIP-368). Answers that are under way still come; nothing else is sent until
   the next ``Ready``.
6. The server gets requests decoded and answers them with ``send``, the oldest first. After SaslHandshake v0 it gets raw
   tokens until ``expect_requests()``.
7. What the other side does wrong is a WireError (RemoteProtocolError, CorruptError, LimitError, ...), what the caller
   does wrong a LocalProtocolError, and SASL's failure an AuthenticationError. After an error from ``next_event`` the
   connection is of no more use: it raises the same error again.
8. An object serves one thread at a time.

::

    connection = Connection(client_id="me", sasl=Scram("SCRAM-SHA-256", "alice", password))
    sock.sendall(connection.start())
    while True:
        event = connection.next_event()
        if event is None:
            connection.receive_data(sock.recv(65536))
        elif isinstance(event, SendData):
            sock.sendall(event.data)
        elif isinstance(event, Ready):
            sock.sendall(connection.send(messages.MetadataRequest(topics=None)))
        elif isinstance(event, ResponseReceived):
            print(event.response)
            break

Sources: the protocol guide's sections on the network, on common structures and on the SASL sequence; KIP-35, 43, 152,
368, 482, 511.
"""

from kafkawire.connection.client import Connection, State
from kafkawire.connection.events import (
    ClientEvent,
    ConnectionClosed,
    Ready,
    RequestReceived,
    ResponseReceived,
    SaslTokenReceived,
    SendData,
    ServerEvent,
)
from kafkawire.connection.sasl import Exchange, OAuthBearer, Plain, SaslCredentials, Scram
from kafkawire.connection.server import ServerConnection
from kafkawire.connection.versions import (
    BEFORE_API_VERSIONS,
    VersionTable,
    api_name,
    highest_common,
    known_versions,
    table_of,
)

__all__ = [
    "BEFORE_API_VERSIONS",
    "ClientEvent",
    "Connection",
    "ConnectionClosed",
    "Exchange",
    "OAuthBearer",
    "Plain",
    "Ready",
    "RequestReceived",
    "ResponseReceived",
    "SaslCredentials",
    "SaslTokenReceived",
    "Scram",
    "SendData",
    "ServerConnection",
    "ServerEvent",
    "State",
    "VersionTable",
    "api_name",
    "highest_common",
    "known_versions",
    "table_of",
]
