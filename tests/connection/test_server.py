"""The server's side."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkawire.connection import ConnectionClosed, RequestReceived, SaslTokenReceived, ServerConnection
from kafkawire.errors import CorruptError, LimitError, LocalProtocolError, TruncatedError, UnsupportedError, WireError
from kafkawire.frames import frame
from kafkawire.messages import (
    ApiVersionsResponse,
    MetadataRequest,
    MetadataResponse,
    RequestHeader,
    ResponseHeader,
    SaslHandshakeRequest,
    SaslHandshakeResponse,
)


def request(key: int, version: int, body: bytes = b"", header_version: int = 1, correlation_id: int = 5) -> bytes:
    header = RequestHeader(
        request_api_key=key, request_api_version=version, correlation_id=correlation_id, client_id="x"
    )
    return frame(header.encode(header_version), body)


def test_unknown_version_of_api_versions() -> None:
    server = ServerConnection(versions={18: (0, 3), 3: (0, 1)})
    server.receive_data(request(18, 77, b"anything at all", 2))
    event = server.next_event()
    assert isinstance(event, RequestReceived)
    assert (event.is_supported, event.version, event.correlation_id, event.client_id) == (False, 77, 5, "x")
    data = server.send(server.api_versions())
    header, rest = ResponseHeader.decode(data[4:], 0, trailing="return")
    response = ApiVersionsResponse.decode(rest, 0)
    assert header.correlation_id == 5
    row = ApiVersionsResponse.ApiKey(api_key=18, min_version=0, max_version=3)
    assert response == ApiVersionsResponse(error_code=35, api_keys=[row])


@pytest.mark.parametrize(
    ("key", "version", "match"),
    [(3, 99, "Metadata v99 is not served here, expected 0 to 13"), (999, 0, "API 999 v0"), (-1, -1, "API -1")],
)
def test_what_is_not_served(key: int, version: int, match: str) -> None:
    server = ServerConnection()
    server.receive_data(request(key, version))
    for _ in range(2):
        with pytest.raises(UnsupportedError, match=match):
            server.next_event()


def test_answers_come_in_order() -> None:
    server = ServerConnection()
    with pytest.raises(LocalProtocolError, match="no request waits"):
        server.send(MetadataResponse())
    server.receive_data(request(3, 1, MetadataRequest().encode(1), correlation_id=1))
    server.receive_data(request(18, 0, correlation_id=2))
    server.next_event(), server.next_event()
    with pytest.raises(LocalProtocolError, match=r"a ApiVersionsResponse, but the oldest .* is Metadata"):
        server.send(ApiVersionsResponse())
    assert server.send(MetadataResponse())[4:8] == b"\0\0\0\1"
    assert server.send(ApiVersionsResponse())[4:8] == b"\0\0\0\2"
    assert server.unanswered == ()


def test_raw_tokens() -> None:
    server = ServerConnection()
    with pytest.raises(LocalProtocolError, match="raw tokens"):
        server.send_token(b"")
    handshake = request(17, 0, SaslHandshakeRequest(mechanism="PLAIN").encode(0))
    server.receive_data(handshake + frame(b"\0me\0secret") + request(18, 0))
    assert isinstance(server.next_event(), RequestReceived)
    assert server.next_event() is None  # how to read on, the answer decides
    server.send(SaslHandshakeResponse())
    token = server.next_event()
    assert isinstance(token, SaslTokenReceived)
    assert token.token == b"\0me\0secret"
    assert "secret" not in repr(token)
    assert server.send_token(b"") == bytes(4)
    server.expect_requests()
    assert isinstance(server.next_event(), RequestReceived)


def test_refused_mechanism_is_followed_by_requests() -> None:
    server = ServerConnection()
    handshake = request(17, 0, SaslHandshakeRequest(mechanism="X").encode(0))
    server.receive_data(handshake + handshake)
    server.next_event()
    server.send(SaslHandshakeResponse(error_code=33))
    assert isinstance(server.next_event(), RequestReceived)


def test_the_stream_ends() -> None:
    server = ServerConnection()
    server.receive_data(request(18, 0) + b"\0\0")
    assert isinstance(server.next_event(), RequestReceived)
    server.receive_data(b"")
    with pytest.raises(TruncatedError):
        server.next_event()
    server = ServerConnection()
    server.receive_data(b"")
    assert server.next_event() == ConnectionClosed()


def test_limits() -> None:
    server = ServerConnection(max_frame_size=10)
    server.receive_data(b"\0\0\0\x0b")
    with pytest.raises(LimitError):
        server.next_event()
    server = ServerConnection()
    server.receive_data(frame(b"\0\3\0\1"))
    with pytest.raises(CorruptError, match="4 bytes, expected 8"):
        server.next_event()


@given(st.integers(0, 94), st.integers(-1, 20), st.binary(max_size=60))
def test_any_request_is_read_or_refused(key: int, version: int, body: bytes) -> None:
    server = ServerConnection()
    server.receive_data(request(key, version, body))
    with contextlib.suppress(WireError):
        assert isinstance(server.next_event(), RequestReceived)
