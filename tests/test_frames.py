"""Frames from a stream of any split."""

from __future__ import annotations

import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkawire.errors import CorruptError, LimitError
from kafkawire.frames import DEFAULT_MAX_FRAME_SIZE, FrameReader, frame

MIB = 1024 * 1024


def taken(reader: FrameReader) -> list[bytes]:
    frames = []
    while (one := reader.next_frame()) is not None:
        frames.append(bytes(one))
    return frames


@given(st.lists(st.binary(max_size=40), max_size=8), st.data())
def test_any_split(bodies: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(frame(body) for body in bodies)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=12)))
    reader = FrameReader()
    got = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        reader.feed(stream[start:end])
        got += taken(reader)
    assert got == bodies
    assert reader.partial == reader.missing == 0


def receive(reader: FrameReader, stream: bytes | memoryview, most: int) -> None:
    """Put a stream where the reader wants it, as recv_into does, up to so many bytes at a time."""
    position = 0
    while position < len(stream):
        with reader.buffer() as room:
            assert len(room) > 0
            count = min(len(room), most, len(stream) - position)
            room[:count] = stream[position : position + count]
        reader.buffer_updated(count)
        position += count


LARGE = [bytes([n]) * (MIB + n * 700_000) for n in range(5)]


@pytest.mark.parametrize("most", [1000, 65_537, 3_000_000])
def test_large_frames_without_a_copy(most: int) -> None:
    bodies = [b"small", *LARGE, b"", b"x", *reversed(LARGE)]
    held, passed = FrameReader(), FrameReader()
    receive(held, b"".join(map(frame, bodies)), most)
    got = []
    while (one := held.next_frame()) is not None:
        got.append(one)
    assert got == bodies  # with all of them held, none is in another's memory
    for body in bodies:
        receive(passed, frame(body), most)
        assert taken(passed) == [body]


@given(st.lists(st.binary(max_size=40), max_size=8), st.data())
def test_both_ways_may_be_mixed(bodies: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(frame(body) for body in bodies)
    reader, got, position = FrameReader(), [], 0
    while position < len(stream):
        end = position + data.draw(st.integers(1, 20))
        if data.draw(st.booleans()):
            reader.feed(stream[position:end])
        else:
            receive(reader, stream[position:end], 100)
        got += taken(reader)
        position = end
    assert got == bodies


def test_memory_is_used_again() -> None:
    def address(view: memoryview) -> int:
        return id(view.obj)

    reader = FrameReader()
    stream = frame(LARGE[1])
    seen = set()
    for _ in range(10):  # one is looked at while the next one comes
        receive(reader, stream, MIB)
        one = reader.next_frame()
        assert one == LARGE[1]
        seen.add(address(one))
    assert len(seen) <= 2
    held = [one[100:200]]
    del one
    for body in LARGE[2:]:
        receive(reader, frame(body), MIB)
        one = reader.next_frame()
        assert one is not None and address(one) != address(held[0])
    assert held[0] == LARGE[1][100:200]


def test_a_size_that_is_only_claimed_costs_little() -> None:
    claims = [(2**28).to_bytes(4, "big") for _ in range(20)]
    tracemalloc.start()
    try:
        readers = [FrameReader() for _ in claims]
        for reader, claim in zip(readers, claims, strict=True):
            receive(reader, claim + b"x", 5)
            assert reader.next_frame() is None and reader.missing == 2**28 - 1
            with reader.buffer() as room:
                assert 0 < len(room) <= MIB
        assert tracemalloc.get_traced_memory()[1] < 20 * 2 * MIB
        tracemalloc.reset_peak()
        receive(readers[0], memoryview(bytes(10 * MIB)), MIB)
        assert tracemalloc.get_traced_memory()[1] < 60 * MIB  # 10 of it are the test's own
    finally:
        tracemalloc.stop()


@given(st.binary(min_size=1, max_size=30), st.data())
def test_partial_and_missing(body: bytes, data: st.DataObject) -> None:
    stream = frame(body)
    cut = data.draw(st.integers(1, len(stream) - 1))
    reader = FrameReader()
    reader.feed(stream[:cut])
    assert reader.next_frame() is None
    assert reader.partial == cut
    assert reader.missing == (4 - cut if cut < 4 else len(stream) - cut)
    reader.feed(stream[cut : cut + reader.missing])
    if cut < 4:
        reader.feed(stream[4:])
    assert taken(reader) == [body]


def test_fed_memory_may_be_used_again() -> None:
    memory = bytearray(frame(b"abc"))
    reader = FrameReader()
    reader.feed(memory)
    memory[:] = bytes(len(memory))
    assert taken(reader) == [b"abc"]


def test_frame_joins_parts() -> None:
    assert frame(b"ab", memoryview(b"c"), bytearray(b"")) == b"\0\0\0\3abc"
    assert frame() == b"\0\0\0\0"


@pytest.mark.parametrize("size", [-1, -(2**31)])
def test_negative_size(size: int) -> None:
    reader = FrameReader()
    reader.feed(frame(b"good") + size.to_bytes(4, "big", signed=True) + b"rest")
    assert reader.next_frame() == b"good"
    for _ in range(2):
        with pytest.raises(CorruptError, match=f"frame size of {size}") as caught:
            reader.next_frame()
    assert caught.value.position == 8
    reader.feed(frame(b"more"))
    with pytest.raises(CorruptError):
        reader.next_frame()


def test_maximum() -> None:
    reader = FrameReader(max_frame_size=4)
    reader.feed(frame(b"1234") + frame(b"12345"))
    assert reader.next_frame() == b"1234"
    with pytest.raises(LimitError, match="5 bytes, expected at most 4"):
        reader.next_frame()
    default = FrameReader()
    default.feed((DEFAULT_MAX_FRAME_SIZE + 1).to_bytes(4, "big"))
    with pytest.raises(LimitError):
        default.next_frame()
    for wrong in (0, -1, 2**31):
        with pytest.raises(ValueError, match="max_frame_size"):
            FrameReader(max_frame_size=wrong)


@pytest.mark.parametrize(("start", "hint"), [(b"\x15\x03\x03\x00\x02\x02", "TLS"), (b"HTTP/1.1 400 Bad", "HTTP")])
def test_other_protocols_are_named(start: bytes, hint: str) -> None:
    reader = FrameReader()
    reader.feed(start)
    with pytest.raises(LimitError, match=hint):
        reader.next_frame()


def test_many_small_chunks_cost_linear_time() -> None:
    def seconds(size: int) -> float:
        stream = memoryview(frame(bytes(size)))
        reader = FrameReader()
        start = time.process_time()
        for position in range(0, len(stream), 100):
            reader.feed(stream[position : position + 100])
        assert reader.next_frame() is not None
        return time.process_time() - start

    seconds(100_000)
    small, large = min(seconds(500_000) for _ in range(3)), seconds(8_000_000)
    assert large < 16 * 6 * small  # 16 times the bytes; 256 times the time would be quadratic
