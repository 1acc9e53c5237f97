"""SASL: the RFC's vectors, every step over a connection, and servers that cheat."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Callable

import pytest

from kafkawire.connection import (
    Connection,
    OAuthBearer,
    Plain,
    Ready,
    RequestReceived,
    ResponseReceived,
    SaslTokenReceived,
    Scram,
    SendData,
    ServerConnection,
)
from kafkawire.errors import AuthenticationError, LocalProtocolError, TruncatedError
from kafkawire.messages import (
    ApiVersionsRequest,
    MetadataRequest,
    MetadataResponse,
    SaslAuthenticateRequest,
    SaslAuthenticateResponse,
    SaslHandshakeRequest,
    SaslHandshakeResponse,
)
from kafkawire.schema import Response
from tests.connection.exchange import run_handshake

RFC_7677 = (
    b"n,,n=user,r=rOprNGfwEbeRWgbNEkqO",
    b"r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
    b"c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=",
    b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=",
)


def test_scram_of_rfc_7677() -> None:
    exchange = Scram("SCRAM-SHA-256", "user", "pencil", nonce="rOprNGfwEbeRWgbNEkqO").exchange()
    assert next(exchange) == RFC_7677[0]
    assert exchange.send(RFC_7677[1]) == RFC_7677[2]
    with pytest.raises(StopIteration):
        exchange.send(RFC_7677[3])


@pytest.mark.parametrize(
    ("server_first", "match"),
    [
        (b"r=other,s=W22Z,i=4096", "nonce does not continue"),
        (b"r=N,s=W22Z,i=4096", "nonce does not continue"),
        (b"r=Nx,s=W22Z,i=4095", "4095 iterations"),
        (b"r=Nx,s=W22Z,i=1000001", "1000001 iterations"),
        (b"r=Nx,s=W22Z,i=-5000", "iterations are not"),
        (b"r=Nx,s=W22Z,i=99999999999999999999", "iterations are not"),
        (b"r=Nx,s=!!,i=4096", "salt is no base64"),
        (b"r=Nx,s=,i=4096", "salt is no base64"),
        (b"r=Nx,s=W22Z", "lacks one of"),
        (b"m=ext,r=Nx,s=W22Z,i=4096", "lacks one of"),
        (b"", "lacks one of"),
        (b"\xff", "not UTF-8"),
        (b"e=unknown-user", "refused: unknown-user"),
    ],
)
def test_scram_first_messages_that_cheat(server_first: bytes, match: str) -> None:
    exchange = Scram("SCRAM-SHA-512", "u", "hunter2", nonce="N").exchange()
    next(exchange)
    with pytest.raises(AuthenticationError, match=match) as caught:
        exchange.send(server_first)
    assert "hunter2" not in str(caught.value)
    assert caught.value.mechanism == "SCRAM-SHA-512"


@pytest.mark.parametrize(
    ("server_final", "match"),
    [
        (b"v=" + base64.b64encode(bytes(32)), "signature is wrong"),
        (b"v=", "signature is no base64"),
        (b"e=invalid-proof", "refused: invalid-proof"),
        (b"", "lacks one of"),
    ],
)
def test_scram_servers_that_do_not_know_the_password(server_final: bytes, match: str) -> None:
    exchange = Scram("SCRAM-SHA-256", "user", "pencil", nonce="rOprNGfwEbeRWgbNEkqO").exchange()
    next(exchange), exchange.send(RFC_7677[1])
    with pytest.raises(AuthenticationError, match=match):
        exchange.send(server_final)


def test_scram_names() -> None:
    exchange = Scram("SCRAM-SHA-256", "a=b,c", "p", token_auth=True, nonce="N").exchange()
    assert next(exchange) == b"n,,n=a=3Db=2Cc,r=N,tokenauth=true"
    first, second = Scram("SCRAM-SHA-256", "u", "p"), Scram("SCRAM-SHA-256", "u", "p")
    assert next(first.exchange()) != next(second.exchange())
    with pytest.raises(ValueError, match="neither"):
        Scram("SCRAM-SHA-1", "u", "p")


def test_plain() -> None:
    exchange = Plain("é", "ü").exchange()
    assert next(exchange) == b"\0\xc3\xa9\0\xc3\xbc"
    with pytest.raises(StopIteration):
        exchange.send(b"")
    with pytest.raises(AuthenticationError, match="NUL"):
        next(Plain("a\0", "b").exchange())
    exchange = Plain("a", "b").exchange()
    next(exchange)
    with pytest.raises(AuthenticationError, match="3 bytes"):
        exchange.send(b"abc")


def test_oauthbearer() -> None:
    tokens = iter(["one", "two"])
    credentials = OAuthBearer(lambda: next(tokens), {"traceId": "7"})
    exchange = credentials.exchange()
    assert next(exchange) == b"n,,\x01auth=Bearer one\x01traceId=7\x01\x01"
    with pytest.raises(StopIteration):
        exchange.send(b"")
    exchange = credentials.exchange()
    assert next(exchange).startswith(b"n,,\x01auth=Bearer two\x01")
    assert exchange.send(b'{"status": "invalid_token"}') == b"\x01"
    with pytest.raises(AuthenticationError, match="invalid_token"):
        exchange.send(b"")
    for token in ("a b", "", "a\x01b"):
        with pytest.raises(AuthenticationError, match="characters"):
            next(OAuthBearer(token).exchange())
    for name, value in (("auth", "x"), ("a b", "x"), ("ok", "\x01")):
        with pytest.raises(AuthenticationError, match="extension"):
            next(OAuthBearer("t", {name: value}).exchange())


def test_secrets_are_not_shown() -> None:
    for credentials in (Plain("u", "hunter2"), Scram("SCRAM-SHA-256", "u", "hunter2"), OAuthBearer("hunter2")):
        assert "hunter2" not in repr(credentials)
        connection = Connection(sasl=credentials)
        assert "hunter2" not in repr(connection)
    assert "hunter2" not in repr(SendData(b"hunter2"))


# ---- over a connection ----


class Broker:
    """Answers the handshake as a broker would; SCRAM's server side is written from the RFC."""

    def __init__(self, password: str = "pencil", lifetime: int = 0, **options: object) -> None:
        self.server = ServerConnection(**options)  # type: ignore[arg-type]
        self.password, self.lifetime = password, lifetime
        self.mechanism, self.seen = "", []  # type: ignore[var-annotated]
        self.messages: list[bytes] = []

    def answer(self, event: RequestReceived | SaslTokenReceived) -> Response | bytes | None:
        if isinstance(event, SaslTokenReceived):
            token = self.step(event.token)
            assert isinstance(token, bytes)
            return token
        self.seen.append((type(event.request).__name__, event.version))
        request = event.request
        if isinstance(request, ApiVersionsRequest):
            return self.server.api_versions()
        if isinstance(request, SaslHandshakeRequest):
            self.mechanism, self.messages = request.mechanism, []
            return SaslHandshakeResponse(mechanisms=[self.mechanism])
        assert isinstance(request, SaslAuthenticateRequest)
        reply = self.step(bytes(request.auth_bytes))
        if isinstance(reply, str):
            return SaslAuthenticateResponse(error_code=58, error_message=reply)
        return SaslAuthenticateResponse(auth_bytes=reply, session_lifetime_ms=self.lifetime)

    def step(self, token: bytes) -> bytes | str:
        self.messages.append(token)
        if self.mechanism == "PLAIN":
            return b"" if token == f"\0user\0{self.password}".encode() else "Authentication failed"
        algorithm = "sha256" if self.mechanism.endswith("256") else "sha512"
        if len(self.messages) == 1:
            reply = b"r=" + token.partition(b",r=")[2] + b"server,s=c2FsdHNhbHQ=,i=4096"
            self.messages.append(reply)
            return reply
        salted = hashlib.pbkdf2_hmac(algorithm, self.password.encode(), b"saltsalt", 4096)
        bare = self.messages[0].removeprefix(b"n,,")
        final, _, proof = token.partition(b",p=")
        said = b",".join((bare, self.messages[1], final))
        client_key = hmac.digest(salted, b"Client Key", algorithm)
        mask = hmac.digest(hashlib.new(algorithm, client_key).digest(), said, algorithm)
        if base64.b64decode(proof) != bytes(a ^ b for a, b in zip(client_key, mask, strict=True)):
            return "Authentication failed"
        signature = hmac.digest(hmac.digest(salted, b"Server Key", algorithm), said, algorithm)
        return b"v=" + base64.b64encode(signature)


CREDENTIALS: list[Callable[[str], Plain | Scram]] = [
    lambda password: Plain("user", password),
    lambda password: Scram("SCRAM-SHA-256", "user", password),
    lambda password: Scram("SCRAM-SHA-512", "user", password),
]


@pytest.mark.parametrize("credentials", CREDENTIALS)
@pytest.mark.parametrize("raw", [False, True])
def test_success(credentials: Callable[[str], Plain | Scram], raw: bool) -> None:
    broker = Broker(lifetime=1234)
    connection = Connection(sasl=credentials("pencil"), caps={17: 0} if raw else {})
    ready = run_handshake(connection, broker.server, broker.answer)
    assert ready.session_lifetime_ms == connection.session_lifetime_ms == (0 if raw else 1234)
    steps = 1 if isinstance(credentials("x"), Plain) else 2
    tokens = [] if raw else [("SaslAuthenticateRequest", 2)] * steps
    assert broker.seen == [("ApiVersionsRequest", 5), ("SaslHandshakeRequest", 0 if raw else 1), *tokens]
    broker.server.expect_requests()
    broker.server.receive_data(connection.send(MetadataRequest()))
    assert isinstance(broker.server.next_event(), RequestReceived)


@pytest.mark.parametrize("credentials", CREDENTIALS)
def test_wrong_password(credentials: Callable[[str], Plain | Scram]) -> None:
    broker = Broker()
    connection = Connection(sasl=credentials("hunter2"))
    with pytest.raises(AuthenticationError, match="Authentication failed") as caught:
        run_handshake(connection, broker.server, broker.answer)
    assert "hunter2" not in str(caught.value)
    with pytest.raises(AuthenticationError):
        connection.next_event()


def test_a_server_that_only_pretends() -> None:
    """It lets everybody in, but cannot sign: it is not the one that the client wants."""
    broker = Broker()

    def answer(event: RequestReceived | SaslTokenReceived) -> Response | bytes | None:
        reply = broker.answer(event)
        if isinstance(reply, SaslAuthenticateResponse) and len(broker.messages) == 3:
            return SaslAuthenticateResponse(auth_bytes=b"v=" + base64.b64encode(bytes(32)))
        return reply

    with pytest.raises(AuthenticationError, match="signature is wrong"):
        run_handshake(Connection(sasl=Scram("SCRAM-SHA-256", "user", "pencil")), broker.server, answer)


def test_mechanism_that_the_broker_lacks() -> None:
    broker = Broker()

    def answer(event: RequestReceived | SaslTokenReceived) -> Response | bytes | None:
        reply = broker.answer(event)
        if isinstance(reply, SaslHandshakeResponse):
            return SaslHandshakeResponse(error_code=33, mechanisms=["PLAIN", "GSSAPI"])
        return reply

    with pytest.raises(AuthenticationError, match="the broker offers PLAIN, GSSAPI"):
        run_handshake(Connection(sasl=Scram("SCRAM-SHA-256", "user", "pencil")), broker.server, answer)


def test_a_broker_that_hangs_up() -> None:
    """All that raw tokens let it say."""
    broker = Broker()
    connection = Connection(sasl=Plain("user", "hunter2"), caps={17: 0})

    def answer(event: RequestReceived | SaslTokenReceived) -> Response | bytes | None:
        if isinstance(event, SaslTokenReceived):
            connection.receive_data(b"")
            return None
        return broker.answer(event)

    with pytest.raises(AuthenticationError, match="PLAIN: the broker hung up") as caught:
        run_handshake(connection, broker.server, answer)
    assert "hunter2" not in str(caught.value)


def test_a_network_that_breaks() -> None:
    """Where the broker could have said no, an end of the stream is no refusal."""
    connection, server = Connection(sasl=Plain("user", "pencil")), ServerConnection()
    server.receive_data(connection.start())
    assert isinstance(server.next_event(), RequestReceived)
    connection.receive_data(server.send(server.api_versions()))
    assert isinstance(connection.next_event(), SendData)
    connection.receive_data(b"")
    with pytest.raises(TruncatedError, match="during SASL"):
        connection.next_event()


def test_authenticate_again() -> None:
    broker = Broker(lifetime=10)
    server = broker.server
    connection = Connection(sasl=Scram("SCRAM-SHA-256", "user", "pencil"))
    run_handshake(connection, server, broker.answer)
    request = MetadataRequest()
    server.receive_data(connection.send(request))
    first = connection.reauthenticate()
    with pytest.raises(LocalProtocolError, match="authenticating, not ready"):
        connection.send(request)
    assert isinstance(server.next_event(), RequestReceived)
    connection.receive_data(server.send(MetadataResponse()))
    answer = connection.next_event()
    assert isinstance(answer, ResponseReceived) and answer.request is request
    broker.lifetime = 20
    ready = run_handshake(connection, server, broker.answer, first)
    assert isinstance(ready, Ready) and ready.session_lifetime_ms == 20
    connection.send(request)


def test_authenticate_again_needs_credentials_and_more_than_raw_tokens() -> None:
    connection = Connection(versions={})
    connection.start()
    connection.next_event()
    with pytest.raises(LocalProtocolError, match="no credentials"):
        connection.reauthenticate()
    broker = Broker()
    connection = Connection(sasl=Plain("user", "pencil"), caps={17: 0})
    run_handshake(connection, broker.server, broker.answer)
    with pytest.raises(LocalProtocolError, match="KIP-368"):
        connection.reauthenticate()
