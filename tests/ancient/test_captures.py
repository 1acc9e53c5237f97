"""Every frame between a 0.7.2 broker and its clients, on both twins: as the client decoded it, and written back."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from tests.ancient.samples import captures, payload

REQUESTS = {"produce": "ProduceRequest", "fetch": "FetchRequest", "multifetch": "MultiFetchRequest",
            "multiproduce": "MultiProduceRequest", "offsets": "OffsetsRequest"}
RESPONSES = {"fetch": "FetchResponse", "multifetch": "MultiFetchResponse", "offsets": "OffsetsResponse"}

requests = [row for row in captures() if row["dir"] == "req"]
responses = [row for row in captures() if row["dir"] == "resp"]


def test_the_data_is_all_there() -> None:
    assert (len(requests), len(responses)) == (244, 90)


def check_set(kw: ModuleType, data: Any, op: dict[str, Any]) -> None:
    """A message set against what the client read: from its initial offset on, with and without looking inside."""
    v07 = kw.ancient.v07
    base = op["initial_offset"]
    if isinstance(op["valid_bytes"], str):
        # Where the broker sent an error, or not one whole message, the client raised what it calls so.
        if op["valid_bytes"].endswith("InvalidMessageSizeException"):
            with pytest.raises(kw.TruncatedError) as caught:
                v07.next_fetch_offset(data, base)
            assert caught.value.missing == v07.split(data).missing
        else:
            assert op["error_code"] and not len(data)
        return
    assert v07.next_fetch_offset(data, base) == base + op["valid_bytes"]
    for view, messages in (
        ("deep", v07.read_messages(data, base)), ("shallow", v07.read_outer_messages(data, base))
    ):
        for message, row in zip(messages, op[view], strict=True):
            assert (message.next_offset, message.magic, message.crc, len(message.value)) == (
                row["next_offset"], row["magic"], row["checksum"], row["payload_len"]
            )
            assert message.attributes & 3 == row["codec"]
            if "payload_b64" in row:
                assert message.value == payload(row)
        assert messages.complete == op["valid_bytes"]


@pytest.mark.parametrize("row", requests, ids=lambda row: row["file"])
def test_requests(kw: ModuleType, row: dict[str, Any]) -> None:
    v07, op = kw.ancient.v07, row["op"]
    request = v07.decode_request(row["data"])
    assert type(request) is getattr(v07, REQUESTS[op["kind"]])
    assert type(request).decode(row["data"]) == request
    assert request.encode() == row["data"]
    if op["kind"] == "produce":
        assert (request.topic, request.partition) == (op["topic"], op["partition"])
        check_set(kw, request.messages, op)
    elif op["kind"] == "fetch":
        assert (request.topic, request.partition, request.offset, request.max_size) == (
            op["topic"], op["partition"], op["fetch_offset"], op["max_size"]
        )
    elif op["kind"] == "offsets":
        assert (request.topic, request.partition, request.time, request.max_number) == (
            op["topic"], op["partition"], op["time"], op["max_number"]
        )
    elif op["kind"] == "multifetch":
        assert [(r.topic, r.partition, r.offset, r.max_size) for r in request.requests] == [
            (r["topic"], r["partition"], r["fetch_offset"], r["max_size"]) for r in op["requests"]
        ]
    else:
        assert [(r.topic, r.partition) for r in request.requests] == [
            (r["topic"], r["partition"]) for r in op["requests"]
        ]
        for part, wanted in zip(request.requests, op["requests"], strict=True):
            check_set(kw, part.messages, wanted)


@pytest.mark.parametrize("row", responses, ids=lambda row: row["file"])
def test_responses(kw: ModuleType, row: dict[str, Any]) -> None:
    op = row["request"]["op"]
    response = getattr(kw.ancient.v07, RESPONSES[op["kind"]]).decode(row["data"])
    assert response.encode() == row["data"]
    assert response.error_code == row["error_code"]
    if op["kind"] == "offsets":
        assert response.offsets == op["offsets"]
    elif op["kind"] == "fetch":
        assert response.error_code == op["error_code"]
        check_set(kw, response.messages, op)
    else:
        assert [part.error_code for part in response.responses] == [part["error_code"] for part in op["sets"]]
        for part, wanted in zip(response.responses, op["sets"], strict=True):
            check_set(kw, part.messages, wanted)


@pytest.mark.parametrize("connection", sorted({row["conn"] for row in captures()}))
@pytest.mark.parametrize("step", [1, 3, 1000, 1 << 30])
def test_whole_connections(kw: ModuleType, connection: int, step: int) -> None:
    """The frames of a connection through both sides of ours: the same bytes, the same pairs, whatever the packets."""
    v07 = kw.ancient.v07
    if step == 1:
        rows = [row for row in captures() if row["conn"] == connection and row["bytes"] < 3000]
    else:
        rows = [row for row in captures() if row["conn"] == connection]
    client, server = v07.ClientConnection(), v07.ServerConnection()
    sent, answers, answered = b"", {row["request"]["seq"]: row for row in rows if row["dir"] == "resp"}, []
    asked = [row for row in rows if row["dir"] == "req" and (row["type"] in (0, 3) or row["seq"] in answers)]
    for row in asked:
        sent += client.send(v07.decode_request(row["data"]))
    assert sent == b"".join(len(row["data"]).to_bytes(4, "big") + row["data"] for row in asked)
    back, taken = b"", 0
    for at in range(0, len(sent), step):
        server.receive(sent[at : at + step])
        while (request := server.next_request()) is not None:
            row = asked[taken]
            taken += 1
            assert request.encode() == row["data"]
            if row["seq"] in answers:
                kind = getattr(v07, RESPONSES[row["op"]["kind"]])
                back += server.send(kind.decode(answers[row["seq"]]["data"]))
    assert taken == len(asked) and not server.unanswered
    for at in range(0, len(back), step):
        client.receive(back[at : at + step])
        while (event := client.next_event()) is not None:
            answered.append((event.request.encode(), event.response.encode()))
    wanted = [(row["data"], answers[row["seq"]]["data"]) for row in asked if row["seq"] in answers]
    assert answered == wanted
    client.receive(b"")
    assert client.next_event() == v07.Closed([])
    assert client.next_event() is None
