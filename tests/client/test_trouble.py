"""Networks and brokers that misbehave: every wait ends, nothing spins, nothing is written twice."""

from __future__ import annotations

import pickle
import signal
import socket
import threading
import time
from collections.abc import Callable

import pytest

import kafkawire as kw
from kafkawire.client import (
    BrokerConnectionError,
    BrokerProtocolError,
    Client,
    ClientError,
    DeadlineError,
    RequestTimeoutError,
    TopicPartition,
)
from kafkawire.client.broker import Broker as ClientBroker
from kafkawire.client.waiting import Backoff, Deadline
from kafkawire.frames import frame
from kafkawire.messages import MetadataRequest
from tests.broker.kraft import Broker
from tests.client.peers import after_versions, client_of, server
from tests.client.records import batch, values_from
from tests.connection.mock_broker import TOPIC, MockBroker


def test_nobody_listens() -> None:
    with server(lambda _: None) as (address, _):
        pass
    began, cpu = time.monotonic(), time.process_time()
    with client_of(address) as client, pytest.raises(DeadlineError, match=r"1\.5 seconds.*refused") as caught:
        client.metadata()
    assert 0.5 < time.monotonic() - began < 3
    assert time.process_time() - cpu < 0.5
    assert address in str(caught.value)


def test_a_host_that_does_not_exist() -> None:
    with client_of("no-such-host.invalid:9092") as client, pytest.raises(DeadlineError, match="no-such-host"):
        client.metadata()


def test_one_of_the_bootstrap_servers_is_enough(broker: Broker) -> None:
    with server(lambda _: None) as (dead, _):
        pass
    for _ in range(4):  # their order is left to chance
        with client_of(f"{dead},{broker.bootstrap}") as client:
            assert client.metadata([]).nodes


def test_a_broker_that_says_nothing() -> None:
    began, cpu = time.monotonic(), time.process_time()
    with (
        server(lambda sock: time.sleep(10)) as (address, accepted),
        client_of(address, request_timeout_ms=400) as client,
        pytest.raises(DeadlineError, match="no time is left while connecting"),
    ):
        client.metadata()
    assert time.monotonic() - began < 4
    assert time.process_time() - cpu < 0.5
    assert len(accepted) >= 2  # it was tried again


def test_a_request_without_an_answer() -> None:
    def silence(sock: socket.socket) -> None:
        after_versions(sock, lambda *_: time.sleep(10))

    with server(silence) as (address, _), client_of(address, request_timeout_ms=300) as client:
        broker = client._cluster.any_broker(Deadline(5))
        first = broker.send(MetadataRequest(topics=[]), Deadline(5))
        second = broker.send(MetadataRequest(topics=[]), Deadline(5))
        with pytest.raises(RequestTimeoutError, match="response to Metadata"):
            first.result()
        with pytest.raises(RequestTimeoutError):
            second.result()  # the connection is gone, and with it all that waited
        assert not broker.is_connected


def test_reconnecting_backs_off() -> None:
    cpu = time.process_time()
    with (
        server(lambda sock: None) as (address, accepted),
        client_of(address, reconnect_backoff_ms=100, reconnect_backoff_max_ms=400) as client,
        pytest.raises(DeadlineError, match=r"older than 0\.10|connection broke"),
    ):
        client.metadata()
    assert 3 <= len(accepted) <= 9
    assert time.process_time() - cpu < 0.5


@pytest.mark.parametrize(
    ("answer", "match"),
    [
        (lambda correlation: frame(correlation, b"\xff" * 40), "Metadata"),
        (lambda correlation: frame(b"\0\0\0\x63", bytes(40)), "correlation id 99"),
        (lambda correlation: b"\x7f\xff\xff\xff", "at most 268435456"),
        (lambda correlation: b"\xff\xff\xff\xff", "frame size of -1"),
    ],
)
def test_garbage(answer: Callable[[bytes], bytes], match: str) -> None:
    def behave(sock: socket.socket) -> None:
        after_versions(sock, lambda sock, correlation: (sock.sendall(answer(correlation)), time.sleep(2))[0])

    with server(behave) as (address, _), client_of(address) as client:
        with pytest.raises(BrokerProtocolError, match=match) as caught:
            client.metadata()
        assert isinstance(caught.value.__cause__, kw.WireError)


def test_an_idle_connection_that_was_closed(broker: Broker) -> None:
    """It is noticed before a request is lost in it: not even a request that must not be tried again would be."""
    with client_of(broker.bootstrap) as client:
        client.metadata([])
        for one in client._cluster._brokers.values():
            assert one._socket is not None
            one._socket.shutdown(socket.SHUT_RDWR)
        chosen = client._cluster.any_broker(Deadline(5))
        assert chosen.send(MetadataRequest(topics=[]), Deadline(5)).result() is not None


def test_keyboard_interrupt() -> None:
    """It comes through at once, and the client goes on."""
    data = batch([b"x"])
    with MockBroker(data) as mock, client_of(mock.bootstrap) as client:
        at = TopicPartition(TOPIC, 0)
        assert client.fetch({at: 0})[at].records == data
        main = threading.main_thread().ident
        assert main is not None
        timer = threading.Timer(0.3, signal.pthread_kill, (main, signal.SIGINT))
        # A shell starts what it puts in the background with SIGINT ignored, and Python leaves it so.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        timer.start()
        began = time.monotonic()
        fetcher = client.fetcher(max_wait_ms=10_000)
        try:
            with pytest.raises(KeyboardInterrupt):
                fetcher.fetch({at: 1})
        finally:
            signal.signal(signal.SIGINT, before)
        assert time.monotonic() - began < 5
        timer.join()
        assert fetcher.fetch({at: 0})[at].records == data


def test_lost_answers_of_produce(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    """The broker has written, the answer is lost, the batch is sent again: it is there once."""
    real, lost = ClientBroker._receive, []

    def lossy(self: ClientBroker, deadline: Deadline) -> None:
        waiting = [type(pending.request).__name__ for pending in self._sent]
        if waiting == ["ProduceRequest"] and len(lost) < 20 and len(lost) % 2 == 0:
            time.sleep(0.1)  # the broker writes meanwhile
            lost.append(True)
            raise ConnectionResetError("lost")
        if waiting == ["ProduceRequest"]:
            lost.append(False)
        real(self, deadline)

    monkeypatch.setattr(ClientBroker, "_receive", lossy)
    at = TopicPartition("lost-answers", 0)
    with Client({"bootstrap.servers": broker.bootstrap}) as client:
        producer = client.idempotent_producer()
        for number in range(10):
            producer.produce({at: batch([b"%d" % number], **producer.settings(*at))})
        assert lost.count(True) >= 5
        assert values_from(client, at) == [b"%d" % number for number in range(10)]


def test_retries_0(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who does not number batches can choose to lose rather than to repeat."""
    at = TopicPartition("no-retries", 0)
    with client_of(broker.bootstrap, retries=0) as client:
        client.metadata([at.topic], allow_auto_topic_creation=True)
        client.list_offsets({at: "latest"})
        tries = []

        def broken(self: ClientBroker, deadline: Deadline) -> None:
            tries.append([type(pending.request).__name__ for pending in self._sent])
            raise ConnectionResetError("lost")

        monkeypatch.setattr(ClientBroker, "_receive", broken)
        with pytest.raises(ClientError, match="lost"):
            client.produce({at: batch([b"x"])})
        assert tries == [["ProduceRequest"]]


def test_backoff() -> None:
    backoff = Backoff(100, 1000)
    waits = [backoff.next() for _ in range(200)]
    for number, wait in enumerate(waits):
        middle = min(1.0, 0.1 * 2**number)
        assert 0.8 * middle <= wait <= 1.2 * middle
    backoff.reset()
    assert backoff.next() < 0.13


def test_errors_cross_processes() -> None:
    with server(lambda _: None) as (address, _):
        pass
    with client_of(address) as client, pytest.raises(DeadlineError) as caught:
        client.metadata()
    copy = pickle.loads(pickle.dumps(caught.value))
    assert type(copy) is DeadlineError and str(copy) == str(caught.value)
    assert isinstance(copy.__cause__, BrokerConnectionError)


def test_closing_does_not_wait_for_who_waits() -> None:
    """A thread waits for an answer that never comes, with the connection's lock; close() ends both at once."""
    asked, ends = threading.Event(), threading.Event()

    def say_nothing(sock: socket.socket, correlation: bytes) -> None:
        asked.set()
        ends.wait(60)

    failures: list[ClientError] = []

    def ask(client: Client) -> None:
        try:
            client.metadata()
        except ClientError as error:
            failures.append(error)

    with server(lambda sock: after_versions(sock, say_nothing)) as (address, _):
        client = client_of(address, request_timeout_ms=50_000, default_api_timeout_ms=50_000)
        thread = threading.Thread(target=ask, args=(client,))
        thread.start()
        assert asked.wait(20)
        client.close()
        thread.join(20)
        ended = not thread.is_alive()
        ends.set()
        assert ended
        assert "the client was closed" in str(failures[0])
