"""The client's side: versions, pipelining, and a broker that misbehaves."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kafkawire as kw
from kafkawire import messages
from kafkawire.connection import (
    BEFORE_API_VERSIONS,
    Connection,
    ConnectionClosed,
    Ready,
    RequestReceived,
    ResponseReceived,
    SendData,
    ServerConnection,
    State,
    known_versions,
)
from kafkawire.errors import (
    CorruptError,
    LimitError,
    LocalProtocolError,
    RemoteProtocolError,
    TruncatedError,
    UnsupportedError,
    WireError,
)
from kafkawire.frames import frame
from kafkawire.messages import (
    ApiVersionsRequest,
    ApiVersionsResponse,
    MetadataRequest,
    MetadataResponse,
    ProduceRequest,
)
from tests.connection.exchange import ready_pair, run_handshake


def test_the_public_names() -> None:
    assert kw.Connection is Connection
    assert kw.ServerConnection is ServerConnection
    assert kw.connection.Connection is Connection


def test_versions_are_agreed() -> None:
    client = Connection(client_id="me", caps={3: 9})
    server = ServerConnection(versions={3: (5, 11), 18: (0, 5), 1: (4, 99)})
    with pytest.raises(LocalProtocolError, match="not known"):
        client.version(3)
    seen: list[RequestReceived] = []

    def answer(event: object) -> ApiVersionsResponse:
        assert isinstance(event, RequestReceived)
        seen.append(event)
        return server.api_versions()

    ready = run_handshake(client, server, answer)
    assert ready == Ready({18: (0, 5), 3: (5, 11), 1: (4, 99)}, 0)
    assert client.state is State.READY
    request = seen[0].request
    assert isinstance(request, ApiVersionsRequest)
    assert (seen[0].version, seen[0].client_id, request.client_software_name) == (5, "me", "kafkawire")
    assert request.client_software_version == kw.__version__
    assert client.version(MetadataRequest) == 9
    assert client.version(MetadataRequest, cap=7) == 7
    assert client.version(1) == known_versions()[1][1]
    with pytest.raises(UnsupportedError, match=r"no common version of Metadata: the broker has 5 to 11.*up to 4"):
        client.version(3, cap=4)
    with pytest.raises(UnsupportedError, match="does not have Produce"):
        client.send(ProduceRequest())
    assert client.unanswered == ()


@pytest.mark.parametrize(("table", "second"), [({18: (0, 3), 3: (0, 8)}, 3), ({18: (0, 0), 3: (0, 8)}, 0)])
def test_fallback_when_the_broker_does_not_know_our_version(table: dict[int, tuple[int, int]], second: int) -> None:
    client, server = Connection(), ServerConnection(versions=table)
    seen = []

    def answer(event: object) -> ApiVersionsResponse:
        assert isinstance(event, RequestReceived)
        seen.append((event.version, event.is_supported))
        return server.api_versions()

    run_handshake(client, server, answer)
    assert seen == [(5, False), (second, True)]
    assert client.version(3) == 8


def test_fallback_of_brokers_that_name_no_version() -> None:
    """Before KIP-511 the refusal has an empty table: version 0 it is."""
    client, server = Connection(), ServerConnection(versions={18: (0, 1)})

    def answer(event: object) -> ApiVersionsResponse:
        assert isinstance(event, RequestReceived)
        return server.api_versions() if event.is_supported else ApiVersionsResponse(error_code=35)

    run_handshake(client, server, answer)
    assert client.versions == {18: (0, 1)}


def test_a_broker_that_refuses_forever() -> None:
    client = Connection()
    client.start()
    refusal = ApiVersionsResponse(error_code=35).encode(0)
    client.receive_data(frame(bytes(4), refusal))
    assert isinstance(client.next_event(), SendData)
    client.receive_data(frame(b"\0\0\0\1", refusal))
    with pytest.raises(RemoteProtocolError, match="refuses ApiVersions v0"):
        client.next_event()


def test_another_error_of_api_versions() -> None:
    client = Connection()
    client.start()
    client.receive_data(frame(bytes(4), ApiVersionsResponse(error_code=42).encode(5)))
    with pytest.raises(messages.BrokerError, match="INVALID_REQUEST"):
        client.next_event()


@pytest.mark.parametrize("rows", [[(3, 5, 4)], [(3, -1, 4)], [(3, 0, 4), (3, 0, 5)]])
def test_a_table_that_contradicts_itself(rows: list[tuple[int, int, int]]) -> None:
    client = Connection()
    client.start()
    keys = [ApiVersionsResponse.ApiKey(api_key=k, min_version=low, max_version=high) for k, low, high in rows]
    client.receive_data(frame(bytes(4), ApiVersionsResponse(api_keys=keys).encode(5)))
    with pytest.raises(RemoteProtocolError, match="Metadata"):
        client.next_event()


def test_versions_given() -> None:
    client = Connection(versions=BEFORE_API_VERSIONS["0.9.0"])
    assert client.start() == b""
    assert isinstance(client.next_event(), Ready)
    assert client.version(messages.OffsetCommitRequest) == 2
    with pytest.raises(UnsupportedError, match="CreateTopics"):
        client.version(messages.CreateTopicsRequest)


@given(st.lists(st.integers(1, 50), max_size=6), st.data())
def test_pipelining(cuts: list[int], data: st.DataObject) -> None:
    client, server = ready_pair(client_id="p")
    requests = [MetadataRequest(topics=[MetadataRequest.Topic(name=f"t{n}")]) for n in range(5)]
    stream = b"".join(client.send(request) for request in requests)
    assert client.unanswered == tuple(requests)
    server.receive_data(stream)
    answers = b""
    for _ in requests:
        event = server.next_event()
        assert isinstance(event, RequestReceived)
        assert isinstance(event.request, MetadataRequest) and event.request.topics is not None
        name = event.request.topics[0].name
        answers += server.send(MetadataResponse(topics=[MetadataResponse.Topic(name=name)]))
    received = []
    position = 0
    for size in [*cuts, len(answers)]:
        client.receive_data(answers[position : position + size] or b"\0"[:0]) if position < len(answers) else None
        position += size
        while (event2 := client.next_event()) is not None:
            assert isinstance(event2, ResponseReceived)
            assert isinstance(event2.response, MetadataResponse)
            received.append((event2.request, event2.response.topics[0].name))
    assert received == [(request, f"t{n}") for n, request in enumerate(requests)]
    assert client.unanswered == ()


def test_acks_0_has_no_response() -> None:
    client, server = ready_pair()
    silent, loud = ProduceRequest(acks=0), ProduceRequest(acks=1)
    server.receive_data(client.send(silent) + client.send(loud))
    assert client.unanswered == (loud,)
    first, second = server.next_event(), server.next_event()
    assert isinstance(first, RequestReceived) and isinstance(second, RequestReceived)
    assert (first.expects_response, second.expects_response) == (False, True)
    assert [event.correlation_id for event in server.unanswered] == [second.correlation_id]
    client.receive_data(server.send(messages.ProduceResponse()))
    answer = client.next_event()
    assert isinstance(answer, ResponseReceived) and answer.request is loud


def test_correlation_ids_start_again_at_0() -> None:
    client, server = ready_pair()
    client._next_correlation_id = 2**31 - 1
    server.receive_data(client.send(MetadataRequest()) + client.send(MetadataRequest()))
    ids = []
    for _ in range(2):
        event = server.next_event()
        assert isinstance(event, RequestReceived)
        ids.append(event.correlation_id)
    assert ids == [2**31 - 1, 0]


# ---- the broker's faults ----


def test_wrong_correlation_id() -> None:
    client, server = ready_pair()
    server.receive_data(client.send(MetadataRequest()) + client.send(messages.ListGroupsRequest()))
    server.next_event()
    body = MetadataResponse().encode(13)
    client.receive_data(frame((2).to_bytes(4, "big"), b"\0", body))
    for _ in range(2):
        with pytest.raises(RemoteProtocolError, match="Metadata v13: correlation id 2, expected 1") as caught:
            client.next_event()
    assert pickle.loads(pickle.dumps(caught.value)).message == caught.value.message
    with pytest.raises(LocalProtocolError, match="has failed"):
        client.send(MetadataRequest())


def test_response_without_a_request() -> None:
    client, _ = ready_pair()
    client.receive_data(frame(b"\0\0\0\7\0"))
    with pytest.raises(RemoteProtocolError, match="no request waits"):
        client.next_event()


@given(st.binary(max_size=60))
def test_garbage(body: bytes) -> None:
    client, _ = ready_pair()
    client.send(MetadataRequest())
    client.receive_data(frame(body))
    try:
        event = client.next_event()
    except WireError as error:
        assert "Metadata v13" in str(error)
    else:
        assert isinstance(event, ResponseReceived)


@given(st.binary(max_size=40))
def test_garbage_instead_of_frames(stream: bytes) -> None:
    client = Connection(max_frame_size=1000)
    client.start()
    client.receive_data(stream + b"x")
    client.receive_data(b"")
    with pytest.raises(WireError):
        while not isinstance(client.next_event(), ConnectionClosed):
            pass


def test_trailing_bytes() -> None:
    client, server = ready_pair()
    server.receive_data(client.send(MetadataRequest()))
    server.next_event()
    client.receive_data(frame(server.send(MetadataResponse())[4:], b"\0"))
    with pytest.raises(CorruptError, match="Metadata v13"):
        client.next_event()


def test_oversize_frame() -> None:
    client, _ = ready_pair(max_frame_size=1000)
    client.send(MetadataRequest())
    client.receive_data((1001).to_bytes(4, "big"))
    with pytest.raises(LimitError, match="1001 bytes"):
        client.next_event()


def test_the_stream_ends() -> None:
    client, _ = ready_pair()
    request = MetadataRequest()
    client.send(request)
    client.receive_data(b"")
    for _ in range(2):
        assert client.next_event() == ConnectionClosed((request,))
    assert client.state is State.CLOSED
    with pytest.raises(LocalProtocolError, match="closed, not ready"):
        client.send(request)
    with pytest.raises(LocalProtocolError, match="after the end"):
        client.receive_data(b"x")


def test_the_stream_ends_inside_a_frame() -> None:
    client, _ = ready_pair()
    client.send(MetadataRequest())
    client.receive_data(b"\0\0\0\10ab")
    client.receive_data(b"")
    with pytest.raises(TruncatedError, match="after 6 bytes") as caught:
        client.next_event()
    assert caught.value.missing == 6


def test_a_broker_that_hangs_up_at_once() -> None:
    client = Connection()
    client.start()
    client.receive_data(b"")
    with pytest.raises(TruncatedError, match=r"older than 0\.10"):
        client.next_event()


# ---- the caller's faults ----


def test_misuse() -> None:
    client = Connection()
    with pytest.raises(LocalProtocolError, match="send a request: the connection is new"):
        client.send(MetadataRequest())
    with pytest.raises(LocalProtocolError, match="authenticate again"):
        client.reauthenticate()
    client.start()
    with pytest.raises(LocalProtocolError, match="cannot start: the connection is negotiating"):
        client.start()
    with pytest.raises(LocalProtocolError, match="negotiating"):
        client.send(MetadataRequest(), version=9)


def test_a_request_that_cannot_be_encoded_changes_nothing() -> None:
    client, server = ready_pair()
    with pytest.raises(kw.EncodeError):
        client.send(MetadataRequest(include_cluster_authorized_operations=True), version=1)
    assert client.unanswered == ()
    server.receive_data(client.send(MetadataRequest()))
    event = server.next_event()
    assert isinstance(event, RequestReceived) and event.correlation_id == 1


def test_without_start_versions_are_given_with_each_request() -> None:
    client, server = Connection(client_id="raw"), ServerConnection()
    server.receive_data(client.send(MetadataRequest(topics=None), version=1))
    event = server.next_event()
    assert isinstance(event, RequestReceived)
    assert repr(event) == "RequestReceived(Metadata v1, 0)"
    client.receive_data(server.send(MetadataResponse(controller_id=7)))
    answer = client.next_event()
    assert isinstance(answer, ResponseReceived) and answer.response == MetadataResponse(controller_id=7)
    assert repr(answer) == "ResponseReceived(Metadata v1, 0)"
    assert repr(client) == "<Connection new, 0 unanswered>"


def test_parts_of_a_frame() -> None:
    (whole, server), (parts, _) = ready_pair(), ready_pair()
    request = messages.MetadataRequest(topics=[messages.MetadataRequest.Topic(name="t")])
    head, body = parts.send_parts(request, 5)
    assert head + body == whole.send(request, 5) and body == request.encode(5)
    server.receive_data(head)
    assert server.next_event() is None
    server.receive_data(body)
    event = server.next_event()
    assert isinstance(event, RequestReceived) and event.request == request


def test_received_in_place() -> None:
    client, server = ready_pair()
    server.receive_data(client.send(MetadataRequest()))
    server.next_event()
    stream = server.send(MetadataResponse(cluster_id="x" * 1000))
    for position in range(0, len(stream), 7):
        piece = stream[position : position + 7]
        client.receive_buffer()[: len(piece)] = piece
        assert client.next_event() is None
        client.buffer_updated(len(piece))
        assert (client.missing == 0) == (position + 7 >= len(stream))
    assert isinstance(client.next_event(), ResponseReceived)
    client.buffer_updated(0)
    assert isinstance(client.next_event(), ConnectionClosed)
    with pytest.raises(LocalProtocolError, match="after the end"):
        client.buffer_updated(1)
