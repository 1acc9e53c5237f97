"""Requests and responses of 0.7: layouts, round trips, every truncation, values that do not fit."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import twins

names = st.text(max_size=20)
int16 = st.integers(-(2**15), 2**15 - 1)
int32 = st.integers(-(2**31), 2**31 - 1)
int64 = st.integers(-(2**63), 2**63 - 1)
data = st.binary(max_size=50)
fetches = st.tuples(names, int32, int64, int32)
produces = st.tuples(names, int32, data)
MESSAGES = {
    "ProduceRequest": produces,
    "FetchRequest": fetches,
    "MultiFetchRequest": st.lists(fetches, max_size=4),
    "MultiProduceRequest": st.lists(produces, max_size=4),
    "OffsetsRequest": st.tuples(names, int32, int64, int32),
    "FetchResponse": st.tuples(int16, data),
    "MultiFetchResponse": st.tuples(int16, st.lists(st.tuples(int16, data), max_size=4)),
    "OffsetsResponse": st.tuples(int16, st.lists(int64, max_size=5)),
}


def make(v07: Any, name: str, content: Any) -> Any:
    if name == "MultiFetchRequest":
        return v07.MultiFetchRequest([v07.FetchRequest(*part) for part in content])
    if name == "MultiProduceRequest":
        return v07.MultiProduceRequest([v07.ProduceRequest(*part) for part in content])
    if name == "MultiFetchResponse":
        return v07.MultiFetchResponse(content[0], [v07.FetchResponse(*part) for part in content[1]])
    return getattr(v07, name)(*content)


def test_layouts(kw: ModuleType) -> None:
    v07 = kw.ancient.v07
    fetch, produce = v07.FetchRequest("tp", 3, 9, 100), v07.ProduceRequest("tp", -1, b"set")
    body = "0002 7470 00000003 0000000000000009 00000064"
    for message, text in (
        (produce, "0000 0002 7470 ffffffff 00000003 736574"),
        (fetch, "0001" + body),
        (v07.MultiFetchRequest([fetch, fetch]), "0002 0002" + body + body),
        (v07.MultiProduceRequest([produce]), "0003 0001 0002 7470 ffffffff 00000003 736574"),
        (v07.OffsetsRequest("tp", 0, -2, 1), "0004 0002 7470 00000000 fffffffffffffffe 00000001"),
        (v07.FetchResponse(0, b"set"), "0000 736574"),
        (v07.MultiFetchResponse(0, [v07.FetchResponse(0, b"set"), v07.FetchResponse(1)]),
         "0000 00000005 0000 736574 00000002 0001"),
        (v07.MultiFetchResponse(), "0000"),
        (v07.OffsetsResponse(0, [7, 0]), "0000 00000002 0000000000000007 0000000000000000"),
    ):
        assert message.encode() == bytes.fromhex(text)
        assert type(message).decode(bytes.fromhex(text)) == message


def test_error_codes(kw: ModuleType) -> None:
    codes = kw.ancient.v07.ErrorCode
    assert {code.name: code.value for code in codes} == {
        "UNKNOWN": -1, "NO_ERROR": 0, "OFFSET_OUT_OF_RANGE": 1, "INVALID_MESSAGE": 2, "WRONG_PARTITION": 3,
        "INVALID_FETCH_SIZE": 4,
    }


@given(st.sampled_from(list(MESSAGES)).flatmap(lambda name: st.tuples(st.just(name), MESSAGES[name])))
def test_round_trips_and_truncations(drawn: tuple[str, Any]) -> None:
    for kw in map(twins.load, twins.NAMES):
        v07 = kw.ancient.v07
        message = make(v07, *drawn)
        frame = message.encode()
        assert type(message).decode(frame) == message
        if drawn[0].endswith("Request"):
            assert v07.decode_request(bytearray(frame)) == message
        if drawn[0] != "FetchResponse":
            for cut in range(len(frame)):
                try:
                    shorter = type(message).decode(frame[:cut])
                except kw.TruncatedError as error:
                    assert 0 < error.missing <= len(frame) - cut
                else:
                    # Only a response that says nothing of how many answers it has can end between two of them.
                    assert drawn[0] == "MultiFetchResponse"
                    assert message.responses[: len(shorter.responses)] == shorter.responses
            if drawn[0] != "MultiFetchResponse":
                with pytest.raises(kw.CorruptError, match="left over"):
                    type(message).decode(frame + b"\0")


def test_wrong_frames(kw: ModuleType) -> None:
    v07 = kw.ancient.v07
    for frame, kind in (
        (b"\0\x01", kw.TruncatedError), (b"\0\x05\0\0", kw.UnsupportedError), (b"\xff\xff", kw.UnsupportedError),
        (b"\0\x01\xff\xff\0\0\0\0", kw.CorruptError), (b"\0\0\0\x01\xff\0\0\0\0\0\0\0\0", kw.CorruptError),
        (b"", kw.TruncatedError),
    ):
        with pytest.raises(kind):
            v07.decode_request(frame)
    with pytest.raises(kw.UnsupportedError, match="FETCH"):
        v07.FetchRequest.decode(v07.OffsetsRequest("t", 0, 0, 0).encode())


def test_values_that_do_not_fit(kw: ModuleType) -> None:
    v07 = kw.ancient.v07
    for message in (
        v07.FetchRequest("t", 2**31, 0, 0), v07.FetchRequest("t", 0, 2**63, 0), v07.FetchRequest("x" * 2**15, 0, 0, 0),
        v07.FetchResponse(2**15), v07.OffsetsResponse(0, [None]),
        v07.MultiFetchRequest([v07.FetchRequest("", 0, 0, 0)] * 2**15),
    ):
        with pytest.raises(kw.EncodeError):
            message.encode()
