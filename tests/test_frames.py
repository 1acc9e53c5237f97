"""Frames: any stream, cut in any way, comes out as the frames that went in."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import twins


def frames(kw: ModuleType) -> Any:
    with twins.using(kw):
        return importlib.import_module("kafkawire.frames")


@given(st.lists(st.binary(max_size=30), max_size=8), st.lists(st.integers(1, 20), min_size=1))
def test_round_trip(payloads: list[bytes], steps: list[int]) -> None:
    module = frames(twins.load("pure"))
    stream = b"".join(map(module.frame, payloads))
    buffer, found, at, turn = module.FrameBuffer(), [], 0, 0
    while at < len(stream):
        step = steps[turn % len(steps)]
        turn += 1
        buffer.feed(stream[at : at + step])
        at += step
        while (payload := buffer.next_frame()) is not None:
            found.append(payload)
    assert found == payloads
    assert buffer.buffered == 0
    assert buffer.next_frame() is None


def test_what_is_missing_is_waited_for(kw: ModuleType) -> None:
    buffer = frames(kw).FrameBuffer()
    buffer.feed(b"\0\0\0\x02a")
    assert buffer.next_frame() is None
    assert buffer.buffered == 5
    buffer.feed(b"bc")
    assert buffer.next_frame() == b"ab"
    assert buffer.buffered == 1


def test_bad_lengths(kw: ModuleType) -> None:
    for size, kind in ((b"\xff\xff\xff\xff", kw.CorruptError), (b"\0\0\0\x0b", kw.LimitError)):
        buffer = frames(kw).FrameBuffer(max_size=10)
        buffer.feed(size)
        with pytest.raises(kind):
            buffer.next_frame()
