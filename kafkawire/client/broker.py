"""One broker: a socket with a connection on it, made when it is needed and again after it broke."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from kafkawire.client.config import ClientConfig
from kafkawire.client.errors import (
    BrokerAuthenticationError,
    BrokerConnectionError,
    BrokerProtocolError,
    ClientError,
    ClosedError,
    RefusedError,
    RequestTimeoutError,
    describe,
)
from kafkawire.client.resolving import resolve
from kafkawire.client.throttling import throttled_ms
from kafkawire.client.waiting import Backoff, Deadline
from kafkawire.connection import (
    BEFORE_API_VERSIONS,
    Connection,
    ConnectionClosed,
    Ready,
    ResponseReceived,
    SaslCredentials,
    SendData,
    VersionTable,
    api_name,
)
from kafkawire.errors import AuthenticationError, TruncatedError, WireError
from kafkawire.messages import BrokerError, ProduceRequest
from kafkawire.schema import Request, Response

# A request of fewer bytes goes out in one piece; a larger one in two is cheaper than a copy of it.
_JOINED = 64 * 1024
# Of the session's lifetime (KIP-368): authenticate again before the broker hangs up.
_SESSION_SHARE = 0.85


class Pending:
    """A request that was sent; ``result`` waits for its response."""

    __slots__ = ("_broker", "_deadline", "_error", "_response", "done", "request", "version")

    def __init__(self, broker: Broker, request: Request, version: int, deadline: Deadline) -> None:
        self.request = request
        self.version = version
        #: Whether ``result`` would not wait.
        self.done = False
        self._broker = broker
        self._deadline = deadline
        self._response: Response | None = None
        self._error: ClientError | None = None

    def result(self) -> Response | None:
        """The response; None for a Produce request with acks=0, which has none.

        Raises RequestTimeoutError after the time that it was sent with, BrokerConnectionError where the connection
        broke.
        """
        if not self.done:
            self._broker.wait(self, self._deadline)
        if self._error is not None:
            raise self._error
        return self._response

    def resolve(self, response: Response | None) -> None:
        self._response, self.done = response, True

    def fail(self, error: ClientError) -> None:
        self._error, self.done = error, True


class Broker:
    """A broker at an address. One lock guards it: threads take turns, also while one of them waits for a response.

    What is interrupted (a timeout, KeyboardInterrupt) while bytes are under way closes the connection, for where the
    next frame begins could not be told; the next request makes a new one.
    """

    def __init__(
        self,
        host: str,
        port: int,
        config: ClientConfig,
        tls: ssl.SSLContext | None,
        credentials: SaslCredentials | None,
        node_id: int | None = None,
    ) -> None:
        self.host, self.port, self.node_id = host, port, node_id
        self._config = config
        self._tls = tls
        self._credentials = credentials
        self._lock = threading.RLock()
        self._socket: socket.socket | None = None
        self._connection = Connection()
        self._sent: deque[Pending] = deque()
        self._backoff = Backoff(config.reconnect_backoff_ms, config.reconnect_backoff_max_ms)
        self._setup = Backoff(config.socket_connection_setup_timeout_ms, config.socket_connection_setup_timeout_max_ms)
        self._not_before = 0.0  # monotonic; after a failed attempt to connect
        self._used_at = 0.0
        self._throttled_until = 0.0
        self._session_ends = float("inf")
        self._closed = False

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}" + (f" (node {self.node_id})" if self.node_id is not None else "")

    def __repr__(self) -> str:
        return f"<Broker {self}>"

    @property
    def is_connected(self) -> bool:
        return self._socket is not None

    @property
    def backing_off(self) -> bool:
        """Whether connecting failed so recently that ``send`` would wait before it tries again."""
        return self._socket is None and time.monotonic() < self._not_before

    def send(
        self, request: Request, deadline: Deadline, *, version: int | None = None, timeout_ms: int | None = None
    ) -> Pending:
        """Send a request, connecting first where needed, and do not wait for the response.

        ``version``: instead of the highest common one. ``timeout_ms``: for the response, instead of request.timeout.ms.
        Raises BrokerConnectionError, BrokerAuthenticationError, RequestTimeoutError; UnsupportedError and EncodeError
        as Connection.send does.
        """
        wait = self._config.request_timeout_ms if timeout_ms is None else timeout_ms
        self._respect_quota(deadline)
        with self._locked(deadline):
            connected = self._ready(deadline)
            chosen = connected.version(request.API_KEY) if version is None else version
            head, body = connected.send_parts(request, chosen)
            pending = Pending(self, request, chosen, deadline.within(wait / 1000))
            if isinstance(request, ProduceRequest) and request.acks == 0:
                pending.resolve(None)
            else:
                self._sent.append(pending)
            with self._closing_on_failure(f"sending {api_name(request.API_KEY)}"):
                until = deadline.within(self._config.request_timeout_ms / 1000)
                if len(body) < _JOINED:
                    self._send(head + body, until)
                else:
                    self._send(head, until)
                    self._send(body, until)
            return pending

    def version(self, api: type[Request], deadline: Deadline, cap: int | None = None) -> int:
        """The version that a request of this API would be sent in, up to ``cap``; connects where needed."""
        with self._locked(deadline):
            return self._ready(deadline).version(api, cap)

    def versions(self, deadline: Deadline) -> VersionTable:
        """The broker's table, API key to (lowest, highest) version."""
        with self._locked(deadline):
            return self._ready(deadline).versions

    def wait(self, pending: Pending, deadline: Deadline) -> None:
        """Read until a response, or the failure of the connection, has resolved ``pending``."""
        with self._locked(deadline):
            if pending.done:
                return
            with self._closing_on_failure(f"waiting for the response to {api_name(pending.request.API_KEY)}"):
                while not pending.done:
                    self._receive(deadline)
                    while (event := self._connection.next_event()) is not None:
                        self._handle(event)

    def close(self) -> None:
        """Close the connection for good; requests under way, which hold the lock, fail at once."""
        self._closed = True
        sock = self._socket
        if sock is not None:
            with suppress(OSError):  # whoever has the lock may have closed it
                socket.socket.shutdown(sock, socket.SHUT_RDWR)  # a TLS socket's own would take its state from a reader
        with self._lock:
            self._disconnect(ClosedError("the client was closed", broker=str(self)))

    # ---- the connection ----

    def _respect_quota(self, deadline: Deadline) -> None:
        """Wait as long as the broker has asked for. What is sent earlier is read as late, and lengthens the wait.

        Not under the lock: those who wait for responses go on.
        """
        while (pause := self._throttled_until - time.monotonic()) > 0:
            if pause >= deadline.remaining:
                raise RequestTimeoutError(
                    f"a quota is used up: the broker wants nothing for {pause:.1f} seconds", broker=str(self)
                )
            time.sleep(pause)

    @contextmanager
    def _locked(self, deadline: Deadline) -> Iterator[None]:
        if not self._lock.acquire(timeout=deadline.remaining):
            raise RequestTimeoutError("another thread used the connection all the time", broker=str(self))
        try:
            yield
        finally:
            self._lock.release()

    def _ready(self, deadline: Deadline) -> Connection:
        """The connection, made anew or authenticated again where that is due."""
        if self._closed:
            raise ClosedError("the client was closed", broker=str(self))
        if self._socket is not None:
            self._check_idle()
        if self._socket is not None and time.monotonic() >= self._session_ends:
            with self._closing_on_failure("authenticating again"):
                self._handshake(self._connection.reauthenticate(), self._setup_deadline(deadline))
        if self._socket is None:
            self._connect(deadline)
        self._used_at = time.monotonic()
        return self._connection

    def _setup_deadline(self, deadline: Deadline) -> Deadline:
        return deadline.within(self._config.request_timeout_ms / 1000)

    def _connect(self, deadline: Deadline) -> None:
        pause = self._not_before - time.monotonic()
        if pause > 0:
            if pause >= deadline.remaining:
                raise RequestTimeoutError("no time is left to connect again", broker=str(self))
            time.sleep(pause)
        try:
            with self._closing_on_failure("connecting"):
                self._socket = self._open(deadline.within(self._setup.next()))
                self._connection = Connection(
                    client_id=self._config.client_id or None,
                    sasl=self._credentials,
                    versions=None
                    if self._config.api_version_request
                    else BEFORE_API_VERSIONS[self._config.broker_version_fallback],
                    max_frame_size=self._config.max_frame_size,
                )
                self._handshake(self._connection.start(), self._setup_deadline(deadline))
        except BaseException:
            self._not_before = time.monotonic() + self._backoff.next()
            raise
        self._backoff.reset()
        self._setup.reset()

    def _open(self, deadline: Deadline) -> socket.socket:
        """A socket to one of the host's addresses, with TLS on it where that is wanted."""
        failure: OSError | None = None
        addresses = resolve(self.host, self.port, deadline)
        for left, (family, kind, protocol, _, address) in zip(range(len(addresses), 0, -1), addresses, strict=True):
            sock = socket.socket(family, kind, protocol)
            try:
                # One that swallows what is sent to it must leave time for those after it.
                sock.settimeout(_positive(deadline.within(deadline.remaining / left)))
                if self._config.send_buffer_bytes > 0:
                    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, self._config.send_buffer_bytes)
                if self._config.receive_buffer_bytes > 0:
                    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self._config.receive_buffer_bytes)
                sock.connect(address)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
                sock.settimeout(_positive(deadline))
                if self._tls is None:
                    return sock
                return self._tls.wrap_socket(sock, server_hostname=self.host)
            except ssl.SSLError:
                sock.close()
                raise
            except OSError as error:
                sock.close()
                failure = error
            except BaseException:
                sock.close()
                raise
        assert failure is not None
        raise failure

    def _handshake(self, data: bytes, deadline: Deadline) -> None:
        """Versions and SASL, until the connection is ready; responses that come in between are delivered."""
        self._send(data, deadline)
        while True:
            event = self._connection.next_event()
            if event is None:
                self._receive(deadline)
            elif isinstance(event, SendData):
                self._send(event.data, deadline)
            elif isinstance(event, Ready):
                lifetime = event.session_lifetime_ms / 1000 * _SESSION_SHARE
                self._session_ends = time.monotonic() + lifetime if lifetime else float("inf")
                return
            else:
                self._handle(event)

    def _handle(self, event: Any) -> None:
        if isinstance(event, ResponseReceived):
            pause = throttled_ms(event.request.API_KEY, event.version, event.response)
            if pause:
                self._throttled_until = time.monotonic() + pause / 1000
            self._sent.popleft().resolve(event.response)
        elif isinstance(event, ConnectionClosed):
            raise ConnectionResetError("the broker closed the connection")

    def _check_idle(self) -> None:
        """Notice that the broker has closed an idle connection before a request is lost in it."""
        assert self._socket is not None
        if self._sent:
            return
        if 0 <= self._config.connections_max_idle_ms < (time.monotonic() - self._used_at) * 1000:
            self._disconnect(BrokerConnectionError("the connection was idle", broker=str(self)))
            return
        self._socket.settimeout(0)
        try:
            count = len(self._socket.recv(1))
        except (BlockingIOError, ssl.SSLWantReadError):
            return
        except OSError:
            count = 0
        # With nothing asked there is nothing to come: bytes are as wrong as the end of the stream.
        self._disconnect(BrokerConnectionError(f"the broker closed the connection ({count})", broker=str(self)))

    def _send(self, data: bytes, deadline: Deadline) -> None:
        assert self._socket is not None
        if data:
            self._socket.settimeout(_positive(deadline))
            self._socket.sendall(data)

    def _receive(self, deadline: Deadline) -> None:
        """Take in what arrives, until a frame is whole or the stream has ended: there is an event then."""
        assert self._socket is not None
        while True:
            self._socket.settimeout(_positive(deadline))
            count = self._socket.recv_into(self._connection.receive_buffer())
            self._connection.buffer_updated(count)
            if count == 0 or self._connection.missing == 0:
                return

    @contextmanager
    def _closing_on_failure(self, doing: str) -> Iterator[None]:
        """Turn what goes wrong into a ClientError; whatever it is, the connection ends."""
        try:
            yield
        except ClientError as error:
            self._disconnect(error)
            raise
        except (OSError, WireError, AuthenticationError, BrokerError) as error:
            failure = self._failure(error, doing)
            self._disconnect(failure)
            raise failure from error
        except BaseException as error:
            self._disconnect(BrokerConnectionError(f"interrupted while {doing}: {describe(error)}", broker=str(self)))
            raise

    def _failure(self, error: Exception, doing: str) -> ClientError:
        if isinstance(error, AuthenticationError):
            return BrokerAuthenticationError("the broker and this client do not trust each other", broker=str(self))
        # An end of the stream where TLS does not expect one is a matter of the network.
        if isinstance(error, ssl.SSLError) and not isinstance(error, (ssl.SSLEOFError, ssl.SSLZeroReturnError)):
            return BrokerAuthenticationError(f"TLS failed while {doing}", broker=str(self))
        if isinstance(error, TimeoutError):
            return RequestTimeoutError(f"no time is left while {doing}", broker=str(self))
        if isinstance(error, WireError) and not isinstance(error, TruncatedError):
            return BrokerProtocolError(f"what the broker sent cannot be read, {doing}", broker=str(self))
        if isinstance(error, BrokerError):
            return RefusedError(f"the broker refused this client while {doing}", broker=str(self))
        return BrokerConnectionError(f"the connection broke while {doing}", broker=str(self))

    def _disconnect(self, error: ClientError) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None
            self._connection = Connection()  # with the old one goes the memory that it keeps
        while self._sent:
            self._sent.popleft().fail(error)


def _positive(deadline: Deadline) -> float:
    """Seconds left; TimeoutError when there are none, for a timeout of 0 would mean not to wait at all."""
    remaining = deadline.remaining
    if remaining <= 0:
        raise TimeoutError("timed out")
    return remaining
