"""Both sides of a 0.7 connection, without a socket: order, pipelining, what each side may not do."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest


def some(v07: Any) -> tuple[Any, Any, Any, Any]:
    return (
        v07.ProduceRequest("t", 0, b""), v07.FetchRequest("t", 0, 5, 100), v07.OffsetsRequest("t", 0, -1, 1),
        v07.MultiFetchRequest([v07.FetchRequest("t", 1, 0, 10)]),
    )


def test_answers_belong_to_requests_in_order(kw: ModuleType) -> None:
    v07 = kw.ancient.v07
    produce, fetch, offsets, multi = some(v07)
    client, server = v07.ClientConnection(), v07.ServerConnection()
    assert client.next_event() is None
    server.receive(b"".join(client.send(request) for request in (produce, fetch, offsets, produce, multi)))
    assert client.unanswered == [fetch, offsets, multi]
    taken = []
    while (request := server.next_request()) is not None:
        taken.append(request)
    assert taken == [produce, fetch, offsets, produce, multi]
    assert server.unanswered == [fetch, offsets, multi]
    answers = [
        v07.FetchResponse(messages=b"abc"), v07.OffsetsResponse(offsets=[7, 0]),
        v07.MultiFetchResponse(responses=[v07.FetchResponse(3)]),
    ]
    for byte in b"".join(server.send(answer) for answer in answers):
        client.receive(bytes([byte]))
    for request, answer in zip((fetch, offsets, multi), answers, strict=True):
        assert client.next_event() == v07.Answer(request, answer)
    assert client.next_event() is None
    assert client.unanswered == server.unanswered == []


def test_the_servers_own_mistakes(kw: ModuleType) -> None:
    v07 = kw.ancient.v07
    server = v07.ServerConnection()
    with pytest.raises(v07.LocalProtocolError, match="no request"):
        server.send(v07.FetchResponse())
    server.receive(v07.ClientConnection().send(some(v07)[1]))
    assert server.next_request() is not None
    with pytest.raises(v07.LocalProtocolError, match="FetchResponse"):
        server.send(v07.OffsetsResponse())
    assert server.send(v07.FetchResponse(1)) == b"\0\0\0\x02\0\x01"
    server.receive(b"")
    assert server.ended
    with pytest.raises(v07.LocalProtocolError):
        server.receive(b"x")


def test_what_the_client_may_send_wrong(kw: ModuleType) -> None:
    v07 = kw.ancient.v07
    frame = v07.ClientConnection().send(some(v07)[1])
    for data, kind in (
        (b"\0\0\0\x02\0\x05", kw.UnsupportedError), (b"\xff\xff\xff\xff", kw.CorruptError),
        (b"\0\0\0\x02\0\x01", kw.TruncatedError), (b"\0\0\0\x05\0\x03\0\0\0", kw.CorruptError),
        (b"\0\0\0\x04\0\x02\xff\xff", kw.CorruptError), (b"\x7f\0\0\0", kw.LimitError),
    ):
        server = v07.ServerConnection()
        server.receive(frame + data)
        assert server.next_request() == some(v07)[1]
        with pytest.raises(kind):
            server.next_request()


def test_the_broker_closes(kw: ModuleType) -> None:
    v07 = kw.ancient.v07
    _, fetch, offsets, _ = some(v07)
    client = v07.ClientConnection()
    client.send(fetch)
    client.send(offsets)
    client.receive(b"\0\0\0\x02\0\0")
    client.receive(b"")
    assert client.next_event() == v07.Answer(fetch, v07.FetchResponse())
    assert client.next_event() == v07.Closed([offsets])
    assert client.next_event() is None
    for call in (lambda: client.send(fetch), lambda: client.receive(b"x")):
        with pytest.raises(v07.LocalProtocolError):
            call()


def test_what_a_broker_may_send_wrong(kw: ModuleType) -> None:
    v07 = kw.ancient.v07
    _, fetch, offsets, multi = some(v07)
    client = v07.ClientConnection()
    client.receive(b"\0\0\0\x02\0\0")
    with pytest.raises(kw.CorruptError, match="no request"):
        client.next_event()
    for request, data, kind in (
        (fetch, b"\0\0\0\x01\0", kw.TruncatedError),
        (offsets, b"\0\0\0\x06\0\0\xff\xff\xff\xff", kw.CorruptError),
        (offsets, b"\0\0\0\x06\0\0\0\0\0\x01", kw.TruncatedError),
        (offsets, b"\0\0\0\x07\0\0\0\0\0\0\0", kw.CorruptError),
        (multi, b"\0\0\0\x06\0\0\0\0\0\x01", kw.CorruptError),
        (multi, b"\0\0\0\x08\0\0\0\0\0\x03\0\0", kw.TruncatedError),
    ):
        client = v07.ClientConnection()
        client.send(request)
        client.receive(data)
        with pytest.raises(kind):
            client.next_event()
    client = v07.ClientConnection()
    client.send(fetch)
    client.receive(b"\0\0\0\x05\0\0abc"[:-1])
    client.receive(b"")
    with pytest.raises(kw.TruncatedError, match="inside of an answer"):
        client.next_event()
    client = v07.ClientConnection(max_frame_size=10)
    client.send(fetch)
    client.receive(b"\0\0\0\x0b\0\0")
    with pytest.raises(kw.LimitError):
        client.next_event()
