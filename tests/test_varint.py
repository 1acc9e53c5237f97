"""Varints: every length, every edge, every way to be wrong; on both twins."""

from __future__ import annotations

import array
import mmap
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

relaxed = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

#: name, lowest, highest, zigzag, bits
KINDS = [
    ("varint", -(1 << 31), (1 << 31) - 1, True, 32),
    ("varlong", -(1 << 63), (1 << 63) - 1, True, 64),
    ("unsigned_varint", 0, (1 << 32) - 1, False, 32),
    ("unsigned_varlong", 0, (1 << 64) - 1, False, 64),
]
every_kind = pytest.mark.parametrize(("name", "low", "high", "zigzag", "bits"), KINDS)


def decoder(kw: ModuleType, name: str) -> Callable[..., tuple[int, int]]:
    return getattr(kw.varint, f"decode_{name}")  # type: ignore[no-any-return]


def encoder(kw: ModuleType, name: str) -> Callable[[int], bytes]:
    return getattr(kw.varint, f"encode_{name}")  # type: ignore[no-any-return]


def reference(value: int, zigzag: bool) -> bytes:
    """As the protocol buffers document has it."""
    raw = value if not zigzag else 2 * value if value >= 0 else -2 * value - 1
    groups = []
    while True:
        groups.append(raw & 0x7F)
        raw >>= 7
        if not raw:
            return bytes([group | 0x80 for group in groups[:-1]] + groups[-1:])


@every_kind
@relaxed
@given(data=st.data())
def test_round_trip(
    kw: ModuleType, name: str, low: int, high: int, zigzag: bool, bits: int, data: st.DataObject
) -> None:
    value = data.draw(st.integers(low, high) | st.integers(max(low, -300), 300))
    encoded = encoder(kw, name)(value)
    assert encoded == reference(value, zigzag)
    before, behind = data.draw(st.binary(max_size=3)), data.draw(st.binary(max_size=3))
    assert decoder(kw, name)(before + encoded + behind, len(before)) == (value, len(before) + len(encoded))
    assert decoder(kw, name)(encoded) == (value, len(encoded))


@every_kind
def test_edges(kw: ModuleType, name: str, low: int, high: int, zigzag: bool, bits: int) -> None:
    """Both sides of every power of two: where a byte more is needed."""
    values = {0, low, high}
    for power in range(bits + 1):
        values |= {sign * (1 << power) + step for sign in (1, -1) for step in (-1, 0, 1)}
    for value in sorted(values):
        if low <= value <= high:
            encoded = encoder(kw, name)(value)
            assert encoded == reference(value, zigzag)
            assert decoder(kw, name)(encoded) == (value, len(encoded))
        else:
            with pytest.raises(kw.EncodeError, match=f"outside of u?int{bits}"):
                encoder(kw, name)(value)
    assert len(encoder(kw, name)(high)) == (bits + 6) // 7


@every_kind
def test_values_of_other_types(
    kw: ModuleType, name: str, low: int, high: int, zigzag: bool, bits: int
) -> None:
    for value in ("1", None, 1.5, b"\x01"):
        with pytest.raises(TypeError, match="made of an int"):
            encoder(kw, name)(value)  # type: ignore[arg-type]
    assert encoder(kw, name)(True) == encoder(kw, name)(1)


@every_kind
def test_ends_too_early(kw: ModuleType, name: str, low: int, high: int, zigzag: bool, bits: int) -> None:
    for value in (high, low, 1 << (bits - 2)):
        encoded = reference(value, zigzag)
        for cut in range(len(encoded)):
            for before in (b"", b"\x00\x80"):
                with pytest.raises(kw.TruncatedError, match=f"position {len(before)}") as caught:
                    decoder(kw, name)(before + encoded[:cut], len(before))
                assert caught.value.position == len(before)


@every_kind
def test_too_long(kw: ModuleType, name: str, low: int, high: int, zigzag: bool, bits: int) -> None:
    """A byte or a bit more than the type has: corrupt, wherever the data ends."""
    longest = (bits + 6) // 7
    spare = bits - 7 * (longest - 1)
    for data in (
        b"\x80" * longest + b"\x00",
        b"\xff" * longest + b"\x01",
        b"\x80" * longest,
        b"\xff" * 20,
        b"\x80" * (longest - 1) + bytes([1 << spare]),
        b"\xff" * (longest - 1) + bytes([(1 << spare) | 1]),
        b"\xff" * (longest - 1) + b"\x7f",
    ):
        with pytest.raises(kw.CorruptError, match=f"{bits} bits") as caught:
            decoder(kw, name)(b"\x00" + data, 1)
        assert caught.value.position == 1
        assert not isinstance(caught.value, kw.TruncatedError)
    # All bits that there are may be set, and zeros may be written at length.
    assert decoder(kw, name)(b"\xff" * (longest - 1) + bytes([(1 << spare) - 1]))[1] == longest
    assert decoder(kw, name)(b"\x80" * (longest - 1) + b"\x00") == (0, longest)


@every_kind
def test_positions(kw: ModuleType, name: str, low: int, high: int, zigzag: bool, bits: int) -> None:
    for data in (b"", b"\x00", b"\x00\x01"):
        for position in (-1, -(1 << 62), len(data) + 1, 1 << 62):
            with pytest.raises(kw.TruncatedError, match="outside of the data"):
                decoder(kw, name)(data, position)
        with pytest.raises(kw.TruncatedError):
            decoder(kw, name)(data, len(data))
    with pytest.raises((OverflowError, kw.TruncatedError)):
        decoder(kw, name)(b"\x00", 1 << 64)


@every_kind
def test_buffers(kw: ModuleType, name: str, low: int, high: int, zigzag: bool, bits: int) -> None:
    """Any buffer, by its bytes: an array of integers is not looked at by its items."""
    encoded = reference(high, zigzag)
    data = (b"\x00\x00" + encoded).ljust(32, b"\x00")
    with mmap.mmap(-1, 32) as mapped:
        mapped[:] = data
        buffers: list[Any] = [
            data, bytearray(data), memoryview(data), memoryview(b"x" + data)[1:], mapped, array.array("i", data),
            memoryview(data).cast("H"), memoryview(data).cast("b"),
        ]
        for buffer in buffers:
            assert decoder(kw, name)(buffer, 2) == (high, 2 + len(encoded))
            with pytest.raises(kw.TruncatedError):
                decoder(kw, name)(buffer, 32)
        del buffers, buffer
    for wrong in ("text", None, 5, [1]):
        with pytest.raises(TypeError):
            decoder(kw, name)(wrong)


@relaxed
@given(data=st.binary(max_size=12), position=st.integers(0, 12))
def test_both_twins_agree(both: tuple[ModuleType, ModuleType], data: bytes, position: int) -> None:
    for name, *_ in KINDS:
        found = []
        for kw in both:
            try:
                found.append(decoder(kw, name)(data, position))
            except kw.WireError as error:
                found.append((type(error).__name__, str(error), error.position))
        assert found[0] == found[1]
