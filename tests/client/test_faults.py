"""Connections that are cut, brokers that hang, peers that cheat: a clear error in bounded time, nothing lost, nothing
doubled, nothing left open."""

from __future__ import annotations

import base64
import os
import random
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest

from kafkawire.client import (
    BrokerAuthenticationError,
    BrokerConnectionError,
    Client,
    ClientError,
    DeadlineError,
    NewTopic,
    RequestTimeoutError,
    TopicPartition,
)
from kafkawire.client.resolving import resolve
from kafkawire.client.waiting import Deadline
from kafkawire.connection import ConnectionClosed, RequestReceived, ServerConnection
from kafkawire.errors import AuthenticationError, TruncatedError
from kafkawire.frames import frame
from kafkawire.messages import (
    ApiVersionsRequest,
    MetadataRequest,
    ProduceRequest,
    SaslAuthenticateRequest,
    SaslAuthenticateResponse,
    SaslHandshakeRequest,
    SaslHandshakeResponse,
)
from tests.broker.kraft import Broker
from tests.client.peers import CuttingProxy, after_versions, client_of, server
from tests.client.records import batch, next_values, values_from

QUICK = {"reconnect.backoff.ms": 5, "reconnect.backoff.max.ms": 20, "retry.backoff.ms": 5, "retry.backoff.max.ms": 20}


def open_sockets() -> int:
    found = 0
    for one in Path("/proc/self/fd").iterdir() if Path("/proc/self/fd").exists() else ():
        try:
            found += os.readlink(one).startswith("socket:")
        except OSError:
            continue  # that of the listing itself
    return found


@pytest.fixture(autouse=True)
def nothing_stays_open() -> Iterator[None]:
    """Neither sockets nor threads are left, of the peers here nor of the client."""
    before = (open_sockets(), threading.active_count())
    yield
    end = time.monotonic() + 15
    while True:
        after = (open_sockets(), threading.active_count())
        if after[0] <= before[0] and after[1] <= before[1]:
            return
        assert time.monotonic() < end, (before, after, threading.enumerate())
        time.sleep(0.05)


@pytest.fixture
def through(monkeypatch: pytest.MonkeyPatch) -> Callable[[CuttingProxy], None]:
    """Leads all connections to a proxy's target through the proxy."""
    real = socket.getaddrinfo

    def lead(proxy: CuttingProxy) -> None:
        def resolved(host: str, port: int, *arguments: Any, **options: Any) -> Any:
            return real(host, proxy.port if port == proxy.target else port, *arguments, **options)

        monkeypatch.setattr(socket, "getaddrinfo", resolved)

    return lead


# ---- connections that are cut ----


def test_produce_through_cuts(broker: Broker, through: Callable[[CuttingProxy], None]) -> None:
    """Requests and answers are cut anywhere; each record is there once, in order."""
    at = TopicPartition("cut-while-producing", 0)
    chance = random.Random(7)
    up = ((chance.randrange(1, 60_000), None) for _ in range(40))
    down = ((None, chance.randrange(1, 3_000)) for _ in range(40))
    limits = chain.from_iterable(zip(up, down, strict=True))
    with (
        CuttingProxy(broker.port, limits) as proxy,
        Client({"bootstrap.servers": broker.bootstrap, **QUICK}) as client,
    ):
        through(proxy)
        producer = client.idempotent_producer()
        written: list[bytes] = []
        while proxy.cuts < 60 or len(written) < 300:
            values = [b"%06d" % (len(written) + number) + bytes(900) for number in range(10)]
            producer.produce({at: batch(values, **producer.settings(*at))})
            written += values
            assert len(written) < 20_000
        assert values_from(client, at) == written


def test_fetch_through_cuts(broker: Broker, through: Callable[[CuttingProxy], None]) -> None:
    """Responses of half a megabyte are cut anywhere; what comes is whole."""
    at = TopicPartition("cut-while-fetching", 0)
    values = [b"%06d" % number + os.urandom(2000) for number in range(1000)]
    with Client({"bootstrap.servers": broker.bootstrap}) as client:
        for start in range(0, len(values), 100):
            client.produce({at: batch(values[start : start + 100])})
    chance = random.Random(8)
    limits = ((None, chance.randrange(1, 1_200_000)) for _ in range(30))
    with (
        CuttingProxy(broker.port, limits) as proxy,
        Client({"bootstrap.servers": broker.bootstrap, "max.partition.fetch.bytes": 500_000, **QUICK}) as client,
    ):
        through(proxy)
        while proxy.cuts < 30:
            assert values_from(client, at) == values


@pytest.mark.parametrize("after", [1, 3, 4, 5, 30])
def test_the_end_of_the_stream_in_a_frame(after: int) -> None:
    def behave(sock: socket.socket) -> None:
        after_versions(sock, lambda sock, correlation: sock.sendall(frame(correlation, bytes(500))[:after]))

    with server(behave) as (address, _), client_of(address) as client:
        one = client._cluster.any_broker(Deadline(5))
        with pytest.raises(BrokerConnectionError, match=f"closed after {after} bytes of a frame") as caught:
            one.send(MetadataRequest(topics=[]), Deadline(5)).result()
        assert isinstance(caught.value.__cause__, TruncatedError)
        assert not one.is_connected


# ---- brokers that hang or die ----


def test_a_broker_that_is_stopped_and_goes_on(broker: Broker) -> None:
    """SIGSTOP while an idempotent producer writes and a fetcher reads; after SIGCONT all goes on, each record once."""
    at = TopicPartition("stopped", 0)
    with (
        client_of(broker.bootstrap, request_timeout_ms=1000, default_api_timeout_ms=60_000, **QUICK) as writer,
        client_of(broker.bootstrap, request_timeout_ms=1000, default_api_timeout_ms=60_000, **QUICK) as reader,
    ):
        producer = writer.idempotent_producer()
        producer.produce({at: batch([b"before"], **producer.settings(*at))})
        fetcher = reader.fetcher(max_wait_ms=50)
        assert next_values(fetcher, at, 0) == (1, [b"before"])
        one = writer._cluster.any_broker(Deadline(5))
        os.kill(broker.pid, signal.SIGSTOP)
        resume = threading.Timer(2, os.kill, (broker.pid, signal.SIGCONT))
        try:
            end = time.monotonic() + 60
            with pytest.raises(RequestTimeoutError, match="no time is left"):
                while time.monotonic() < end:  # a thread or other may run for a moment after the signal
                    one.send(MetadataRequest(topics=[]), Deadline(60)).result()
            resume.start()  # not before that
            producer.produce({at: batch([b"during"], **producer.settings(*at))})
            producer.produce({at: batch([b"after"], **producer.settings(*at))})
        finally:
            resume.cancel()
            os.kill(broker.pid, signal.SIGCONT)
        position, values, end = 1, [b"before"], time.monotonic() + 30
        while len(values) < 3 and time.monotonic() < end:
            position, more = next_values(fetcher, at, position)
            values += [value for value in more if value is not None]
        assert values == [b"before", b"during", b"after"]
        assert values_from(reader, at) == values


def test_the_only_broker_is_killed() -> None:
    """SIGKILL while a fetch waits and a batch is written: errors in time; after a restart the same client goes on."""
    from tests.broker.fixtures import made_or_skipped

    at = TopicPartition("killed", 0)
    with made_or_skipped(Broker) as mine:
        given = {"bootstrap.servers": mine.bootstrap}
        with Client({**given, **QUICK}) as client, Client({**given, **QUICK}) as reader:
            client.create_topics([NewTopic(at.topic, 1, 1)])
            producer = client.idempotent_producer()
            producer.produce({at: batch([b"before"], **producer.settings(*at))})
            fetcher = reader.fetcher(max_wait_ms=20_000)
            assert next_values(fetcher, at, 0) == (1, [b"before"])
            waiting = fetcher.start({at: 1})
            mine.kill()
            assert waiting.result() == {}  # trouble, which the next fetch tells if it stays
            with pytest.raises(DeadlineError, match=r"given up|refused|broke"):
                fetcher.fetch({at: 1}, timeout_ms=1500)
            data = batch([b"after"], **producer.settings(*at))
            with pytest.raises(ClientError, match=r"given up|refused|broke"):
                producer.produce({at: data}, timeout_ms=1500)
            mine.start()
            for _ in range(2):
                client.produce({at: data})  # the same bytes, with the same numbers
            assert values_from(client, at) == [b"before", b"after"]
            assert next_values(fetcher, at, 1) == (2, [b"after"])


# ---- peers that cheat ----


def test_a_peer_that_does_not_read() -> None:
    """What cannot be sent in time is an error, too."""

    def behave(sock: socket.socket) -> None:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection = ServerConnection()
        while connection.next_event() is None:
            connection.receive_data(sock.recv(4096))
        sock.sendall(connection.send(connection.api_versions()))
        released.wait(20)

    released = threading.Event()
    topic = ProduceRequest.TopicData(
        name="t", partition_data=[ProduceRequest.TopicData.PartitionData(records=bytes(40_000_000))]
    )
    with server(behave) as (address, _), client_of(address, request_timeout_ms=500) as client:
        one = client._cluster.any_broker(Deadline(5))
        with pytest.raises(RequestTimeoutError, match="no time is left while sending Produce"):
            one.send(ProduceRequest(acks=1, topic_data=[topic]), Deadline(60), version=9)
        assert not one.is_connected
        released.set()


def test_a_peer_that_sends_a_byte_now_and_then() -> None:
    """Progress of that kind does not lengthen the wait."""

    def drip(sock: socket.socket, correlation: bytes) -> None:
        for byte in frame(correlation, bytes(10_000)):
            if released.wait(0.05):
                return
            sock.sendall(bytes([byte]))

    released = threading.Event()
    with (
        server(lambda sock: after_versions(sock, drip)) as (address, _),
        client_of(address, request_timeout_ms=600) as client,
    ):
        one = client._cluster.any_broker(Deadline(5))
        with pytest.raises(RequestTimeoutError):
            one.send(MetadataRequest(topics=[]), Deadline(60)).result()
        released.set()


@pytest.mark.parametrize(
    "first", [b"\0\0\0\x20" + b"\xa5" * 32, b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\x0a\0\0\0", b"x"]
)
def test_garbage_at_the_first_request(first: bytes) -> None:
    def behave(sock: socket.socket) -> None:
        sock.recv(4096)
        sock.sendall(first)

    with server(behave) as (address, _), client_of(address, **QUICK) as client, pytest.raises(ClientError) as caught:
        client.metadata()
    assert address in str(caught.value)


def test_garbage_where_tls_is_expected() -> None:
    def behave(sock: socket.socket) -> None:
        sock.recv(4096)
        sock.sendall(os.urandom(500))

    with (
        server(behave) as (address, _),
        client_of(address, security_protocol="SSL", **QUICK) as client,
        pytest.raises(BrokerAuthenticationError, match="TLS failed while connecting"),
    ):
        client.metadata()


def test_a_large_frame_that_never_comes() -> None:
    def behave(sock: socket.socket) -> None:
        def promise(sock: socket.socket, correlation: bytes) -> None:
            sock.sendall((200 << 20).to_bytes(4, "big") + correlation)
            released.wait(20)

        after_versions(sock, promise)

    released = threading.Event()
    with server(behave) as (address, _), client_of(address, request_timeout_ms=400) as client:
        one = client._cluster.any_broker(Deadline(5))
        with pytest.raises(RequestTimeoutError):
            one.send(MetadataRequest(topics=[]), Deadline(30)).result()
        released.set()


@pytest.mark.parametrize("final", ["v=" + base64.b64encode(bytes(32)).decode(), "e=other-error", "nothing", ""])
def test_a_server_that_does_not_know_the_password(final: str) -> None:
    """SCRAM proves both sides: who cannot sign is not talked to, though it says that all is well."""

    def behave(sock: socket.socket) -> None:
        connection, nonce = ServerConnection(), ""
        while True:
            event = connection.next_event()
            if event is None:
                connection.receive_data(sock.recv(4096))
                continue
            if isinstance(event, ConnectionClosed):
                return
            assert isinstance(event, RequestReceived)
            asked: Any = event.request
            seen.append(type(asked))
            if isinstance(asked, ApiVersionsRequest):
                sock.sendall(connection.send(connection.api_versions()))
            elif isinstance(asked, SaslHandshakeRequest):
                sock.sendall(connection.send(SaslHandshakeResponse(mechanisms=["SCRAM-SHA-256"])))
            elif isinstance(asked, SaslAuthenticateRequest):
                text = bytes(asked.auth_bytes).decode()
                if not nonce:
                    nonce = text.rpartition("r=")[2] + "more"
                    answer = f"r={nonce},s={base64.b64encode(b'salt').decode()},i=4096"
                else:
                    answer = final
                sock.sendall(connection.send(SaslAuthenticateResponse(auth_bytes=answer.encode())))

    seen: list[type] = []
    given = {
        "security_protocol": "SASL_PLAINTEXT",
        "sasl_mechanism": "SCRAM-SHA-256",
        "sasl_username": "alice",
        "sasl_password": "hunter2",
    }
    with (
        server(behave) as (address, accepted),
        client_of(address, **given) as client,
        pytest.raises(BrokerAuthenticationError, match="SCRAM-SHA-256: the server") as caught,
    ):
        client.metadata()
    assert isinstance(caught.value.__cause__, AuthenticationError)
    assert len(accepted) == 1 and MetadataRequest not in seen
    assert "hunter2" not in str(caught.value)


# ---- names and addresses ----


def test_a_resolver_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    released, real = threading.Event(), socket.getaddrinfo

    def slow(host: str, *arguments: Any, **options: Any) -> Any:
        if options.get("flags") != socket.AI_NUMERICHOST:
            released.wait(20)
        return real(host, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    given = {"socket_connection_setup_timeout_ms": 300, "default_api_timeout_ms": 1200}
    with client_of("slow.example:9092", **given) as client, pytest.raises(DeadlineError, match=r"resolving.*too long"):
        client.metadata()
    released.set()


def test_names_that_cannot_be() -> None:
    with pytest.raises(OSError, match="cannot be a host's name"):
        resolve("a" * 70 + "é", 9092, Deadline(5))
    assert resolve("127.0.0.1", 9092, Deadline(5))[0][4] == ("127.0.0.1", 9092)


def test_an_address_that_swallows_everything(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    """A host with two addresses, of which the first never answers: the second is reached all the same."""
    real = socket.getaddrinfo
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        port = full.getsockname()[1]
        fillers = [socket.socket() for _ in range(4)]  # its queue is full then, and nobody accepts
        for filler in fillers:
            filler.setblocking(False)
            filler.connect_ex(("127.0.0.1", port))

        def resolved(host: str, asked: int, *arguments: Any, **options: Any) -> Any:
            found = real(host, asked, *arguments, **options)
            return [(*found[0][:4], ("127.0.0.1", port)), *found] if asked == broker.port else found

        monkeypatch.setattr(socket, "getaddrinfo", resolved)
        with client_of(broker.bootstrap, socket_connection_setup_timeout_ms=1000) as client:
            assert client._cluster.any_broker(Deadline(10)).is_connected
        for filler in fillers:
            filler.close()


def test_many_faults_leave_nothing_open(broker: Broker, through: Callable[[CuttingProxy], None]) -> None:
    """The fixture counts."""
    with CuttingProxy(broker.port, iter(repeat((None, 300), 20))) as proxy:
        through(proxy)
        for _ in range(5):
            with Client({"bootstrap.servers": broker.bootstrap, **QUICK}) as client:
                client.metadata([])
        assert proxy.cuts >= 5
