"""The wire format proposal: layouts by its text, both readings where it contradicts itself, truncations."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import twins

names = st.text(max_size=10)
int8 = st.integers(-(2**7), 2**7 - 1)
int16 = st.integers(-(2**15), 2**15 - 1)
int32 = st.integers(-(2**31), 2**31 - 1)
int64 = st.integers(-(2**63), 2**63 - 1)
topics = st.lists(st.tuples(names, st.lists(st.tuples(int32, st.binary(max_size=20)), max_size=3)), max_size=3)
offset_pairs = st.lists(st.tuples(names, st.lists(st.tuples(int32, int32), max_size=3)), max_size=3)
results = st.lists(st.tuples(int16, int64), max_size=4)


def readings(proposal: Any) -> list[Any]:
    return [
        proposal.Reading(order, width, error)
        for order in ("table", "listing") for width in ("int32", "int64") for error in (True, False)
    ]


def test_a_produce(kw: ModuleType) -> None:
    p = kw.ancient.proposal
    request = p.ProduceRequest(
        7, "me", 1, 1000, [p.TopicData("t", [p.PartitionData(0, b"set"), p.PartitionData(1, b"")])]
    )
    text = "0000 0000 00000007 0002 6d65 01 000003e8 0001 0001 74 0002 00000000 00000003 736574 00000001 00000000"
    assert request.encode() == bytes.fromhex(text)
    assert p.ProduceRequest.decode(bytes.fromhex(text)) == request
    for reading in readings(p):
        assert request.encode(reading) == bytes.fromhex(text)
    response = p.ProduceResponse(7, 0, [p.NO_ERRORS, 3], [10, 20])
    text = "00000007 0000 0000 0002 ffff 0003 0002 000000000000000a 0000000000000014"
    assert response.encode() == bytes.fromhex(text)
    without = p.Reading(produce_error=False)
    assert response.encode(without) == bytes.fromhex(text.replace("0000 0000 0002", "0000 0002"))
    for reading in readings(p):
        assert p.ProduceResponse.decode(response.encode(reading), reading) == response
    response.error = 1
    with pytest.raises(kw.EncodeError):
        response.encode(without)


def test_a_fetch(kw: ModuleType) -> None:
    p = kw.ancient.proposal
    request = p.FetchRequest(7, "me", p.NO_REPLICA, 100, 1, [p.OffsetData("t", [0, 1], [5, 6])])
    head, tail = "0002 6d65 ffffffff 00000064 00000001 0001 0001 74", "0002 00000000 00000001 0002"
    for reading in readings(p):
        order = "0000 00000007" if reading.fetch_order == "table" else "00000007 0000"
        wide = "" if reading.fetch_offsets == "int32" else "00000000"
        frame = bytes.fromhex(f"0001 {order} {head} {tail} {wide} 00000005 {wide} 00000006")
        assert request.encode(reading) == frame
        assert p.FetchRequest.decode(frame, reading) == request
    assert request.encode() == request.encode(p.Reading("table", "int32", True))
    response = p.FetchResponse(7, 0, [p.TopicData("t", [p.PartitionData(0, b"set")])])
    assert response.encode() == bytes.fromhex("00000007 0000 0000 0001 0001 74 0001 00000000 00000003 736574")
    assert p.FetchResponse.decode(response.encode()) == response


def test_what_cannot_be(kw: ModuleType) -> None:
    p = kw.ancient.proposal
    for message in (
        p.ProduceResponse(0, 0, [0], []), p.FetchRequest(0, "", 0, 0, 0, [p.OffsetData("t", [0], [])]),
        p.FetchRequest(0, "", 0, 0, 0, [p.OffsetData("t", [0], [2**31])]), p.ProduceRequest(0, "", 128, 0),
        p.ProduceRequest(2**31, "", 0, 0),
    ):
        with pytest.raises(kw.EncodeError):
            message.encode()
    for kind, text, error in (
        ("ProduceResponse", "00000007 0000 0000 0001 0000 0000", kw.CorruptError),
        ("ProduceResponse", "00000007 0000 0000 ffff 0000", kw.CorruptError),
        ("ProduceResponse", "00000007 0001 0000 0000 0000", kw.UnsupportedError),
        ("FetchRequest", "0000 0000 00000007 0000 00000000 00000000 00000000 0000", kw.UnsupportedError),
        ("FetchRequest", "0001 0001 00000007 0000 00000000 00000000 00000000 0000", kw.UnsupportedError),
        ("FetchRequest", "0001 0000 00000007 0000 00000000 00000000 00000000 0001 0000 0001 00000000 0000",
         kw.CorruptError),
        ("FetchResponse", "00000007 0000 0000 0001 0001 74 0001 00000000 ffffffff", kw.CorruptError),
        ("FetchResponse", "00000007 0000 0000 0000 00", kw.CorruptError),
    ):
        with pytest.raises(error):
            getattr(p, kind).decode(bytes.fromhex(text))


@given(
    st.tuples(int32, names, int8, int32), topics, results, int16,
    st.tuples(int32, names, int32, int32, int32), offset_pairs, st.integers(0, 7),
)
def test_round_trips_and_truncations(
    produce: Any, data: Any, pairs: Any, error: int, fetch: Any, offsets: Any, number: int
) -> None:
    for kw in map(twins.load, twins.NAMES):
        p = kw.ancient.proposal
        reading = readings(p)[number]
        topic_data = [p.TopicData(topic, [p.PartitionData(*part) for part in parts]) for topic, parts in data]
        for message in (
            p.ProduceRequest(*produce, topic_data),
            p.ProduceResponse(
                produce[0], error if reading.produce_error else 0, *([pair[i] for pair in pairs] for i in (0, 1))
            ),
            p.FetchRequest(*fetch, [
                p.OffsetData(topic, [part for part, _ in parts], [at for _, at in parts]) for topic, parts in offsets
            ]),
            p.FetchResponse(produce[0], error, topic_data),
        ):
            frame = message.encode(reading)
            assert type(message).decode(frame, reading) == message
            for cut in range(len(frame)):
                with pytest.raises(kw.TruncatedError) as caught:
                    type(message).decode(frame[:cut], reading)
                assert 0 < caught.value.missing <= len(frame) - cut
