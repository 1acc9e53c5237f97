"""What real clients and brokers said to each other, played to both sides of a connection."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from kafkawire import messages
from kafkawire.connection import (
    Connection,
    ConnectionClosed,
    Plain,
    RequestReceived,
    ResponseReceived,
    Scram,
    SendData,
    ServerConnection,
)
from kafkawire.errors import AuthenticationError
from kafkawire.frames import FrameReader, frame

_PATH = Path(__file__).parent.parent / "data" / "connection" / "exchanges.jsonl.xz"
with lzma.open(_PATH, "rt") as _lines:
    EXCHANGES = [json.loads(line) for line in _lines]


def named(exchange: dict[str, Any]) -> str:
    return f"{exchange['scenario']}-{exchange['connection']}"


def test_enough_of_them() -> None:
    assert len(EXCHANGES) > 60
    assert sum(len(exchange["frames"]) for exchange in EXCHANGES) > 600


@pytest.mark.parametrize("exchange", EXCHANGES, ids=named)
def test_both_sides(exchange: dict[str, Any]) -> None:
    """The server decodes every request and writes the broker's response; the client writes the request and decodes the
    response: byte for byte the same, one byte at a time."""
    server, waiting = ServerConnection(), []
    client: Connection | None = None
    for is_request, text in exchange["frames"]:
        whole = frame(bytes.fromhex(text))
        if is_request:
            for byte in whole:
                assert not waiting or server.unanswered
                server.receive_data(bytes([byte]))
            event = server.next_event()
            assert isinstance(event, RequestReceived)
            if client is None:
                client = Connection()
            client.client_id = event.client_id
            client._next_correlation_id = event.correlation_id  # the capture's own
            assert client.send(event.request, event.version) == whole
            if event.expects_response:
                waiting.append(event)
        else:
            assert client is not None
            for byte in whole:
                client.receive_data(bytes([byte]))
            answer = client.next_event()
            assert isinstance(answer, ResponseReceived)
            asked = waiting.pop(0)
            assert (answer.request, answer.version, answer.correlation_id) == (
                asked.request,
                asked.version,
                asked.correlation_id,
            )
            assert server.send(answer.response) == whole
    assert client is not None
    assert client.next_event() is None
    server.receive_data(b"")
    assert server.next_event() == ConnectionClosed()
    client.receive_data(b"")
    assert client.next_event() == ConnectionClosed(client.unanswered)


def responses(scenario: str, connection: int = 0) -> list[tuple[bytes, bytes]]:
    """(request, response) frames of one connection of a scenario."""
    exchange = [one for one in EXCHANGES if one["scenario"] == scenario][connection]
    frames = [(is_request, bytes.fromhex(text)) for is_request, text in exchange["frames"]]
    pairs = []
    for is_request, data in frames:
        if is_request:
            continue
        request = next(one for is_one, one in frames if is_one and one[4:8] == data[:4])
        pairs.append((request, data))
    return pairs


def test_scram_as_captured() -> None:
    """With the capture's password and nonce, our proof and the check of the broker's signature are Java's."""
    pairs = [pair for pair in responses("sasl-scram-sha-256") if pair[0][:2] in (b"\0\x11", b"\0\x24")]
    tokens = []
    for request, response in pairs[1:]:
        tokens.append(
            (
                messages.SaslAuthenticateRequest.decode(_body(request, 2), 2).auth_bytes,
                messages.SaslAuthenticateResponse.decode(response[5:], 2).auth_bytes,
            )
        )
    nonce = bytes(tokens[0][0]).decode().partition(",r=")[2]
    exchange = Scram("SCRAM-SHA-256", "admin", "admin-secret", nonce=nonce).exchange()
    assert next(exchange) == tokens[0][0]
    assert exchange.send(tokens[0][1]) == tokens[1][0]
    with pytest.raises(StopIteration):
        exchange.send(tokens[1][1])


def _body(request: bytes, header_version: int) -> memoryview:
    return messages.RequestHeader.decode(request, header_version, trailing="return")[1]


def handshake(connection: Connection, broker: list[bytes]) -> list[bytes]:
    """Run a client's handshake against response bodies; what it sent."""
    reader = FrameReader()
    reader.feed(connection.start())
    sent = []
    while True:
        while (one := reader.next_frame()) is not None:
            sent.append(bytes(one))
        event = connection.next_event()
        if isinstance(event, SendData):
            reader.feed(event.data)
        elif event is None and broker:
            connection.receive_data(frame(sent[-1][4:8] + broker.pop(0)))
        else:
            return sent


def test_plain_refused_as_captured() -> None:
    pairs = responses("sasl-plain-bad")
    broker = [response[4:] for _, response in pairs]
    connection = Connection(sasl=Plain("alice", "wrong"), caps={18: 0})
    with pytest.raises(AuthenticationError, match="PLAIN: Authentication failed: Invalid") as caught:
        handshake(connection, broker)
    assert caught.value.mechanism == "PLAIN"
    assert "wrong" not in str(caught.value)
