"""The pure twin of _varint: varints and checksums.

Varints are those of protocol buffers, as KIP-98 (zigzag, record batches v2) and KIP-482 (unsigned, flexible messages)
use them.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import crc32c as _crc32c

from kafkawire.errors import EncodeError, Fault, TruncatedError, fault_error

if TYPE_CHECKING:
    from collections.abc import Buffer  # type: ignore[attr-defined, unused-ignore]

#: Which implementation of the checksums runs.
CRC_KIND = "crc32c package, zlib"


def _decode(data: Buffer, pos: int, bits: int) -> tuple[int, int]:
    view = memoryview(data)
    if not view.c_contiguous:
        raise BufferError("memoryview: underlying buffer is not C-contiguous")
    view = view.cast("B")
    if pos < 0 or pos > len(view):
        raise TruncatedError(
            "the position is outside of the data", missing=None, position=pos, expected=f"0 to {len(view)}"
        )
    value = shift = 0
    at = pos
    while True:
        if at >= len(view):
            raise TruncatedError(
                "the data ends inside a varint", missing=None, position=pos, expected="more bytes"
            )
        byte = view[at]
        at += 1
        if shift + 7 > bits and byte >> (bits - shift):
            raise fault_error(Fault.VARINT_LONG, bits, 0, pos)
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def decode_varint(data: Buffer, pos: int = 0) -> tuple[int, int]:
    """The zigzag int32 at ``pos``, and the position behind it.

    Raises TruncatedError where the data ends inside of it, CorruptError for more than five bytes or 32 bits.
    """
    raw, pos = _decode(data, pos, 32)
    return (raw >> 1) ^ -(raw & 1), pos


def decode_varlong(data: Buffer, pos: int = 0) -> tuple[int, int]:
    """The zigzag int64 at ``pos``, and the position behind it; at most ten bytes. Errors as in decode_varint."""
    raw, pos = _decode(data, pos, 64)
    return (raw >> 1) ^ -(raw & 1), pos


def decode_unsigned_varint(data: Buffer, pos: int = 0) -> tuple[int, int]:
    """The uint32 at ``pos``, and the position behind it; at most five bytes. Errors as in decode_varint."""
    return _decode(data, pos, 32)


def decode_unsigned_varlong(data: Buffer, pos: int = 0) -> tuple[int, int]:
    """The uint64 at ``pos``, and the position behind it; at most ten bytes. Errors as in decode_varint."""
    return _decode(data, pos, 64)


def _encoded(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _check_int(value: object) -> None:
    if not isinstance(value, int):
        raise TypeError(f"a varint is made of an int, not of {type(value).__name__}")


def encode_varint(value: int) -> bytes:
    """``value``, an int32, as zigzag varint of one to five bytes. Raises EncodeError outside of int32."""
    _check_int(value)
    if not -0x80000000 <= value <= 0x7FFFFFFF:
        raise EncodeError(f"{value} is outside of int32", expected="-2**31 to 2**31 - 1")
    return _encoded((value << 1) ^ (value >> 31))


def encode_varlong(value: int) -> bytes:
    """``value``, an int64, as zigzag varint of one to ten bytes. Raises EncodeError outside of int64."""
    _check_int(value)
    if not -0x8000000000000000 <= value <= 0x7FFFFFFFFFFFFFFF:
        raise EncodeError(f"{value} is outside of int64", expected="-2**63 to 2**63 - 1")
    return _encoded((value << 1) ^ (value >> 63))


def encode_unsigned_varint(value: int) -> bytes:
    """``value``, a uint32, as varint of one to five bytes. Raises EncodeError outside of uint32."""
    _check_int(value)
    if not 0 <= value <= 0xFFFFFFFF:
        raise EncodeError(f"{value} is outside of uint32", expected="0 to 2**32 - 1")
    return _encoded(value)


def encode_unsigned_varlong(value: int) -> bytes:
    """``value``, a uint64, as varint of one to ten bytes. Raises EncodeError outside of uint64."""
    _check_int(value)
    if not 0 <= value <= 0xFFFFFFFFFFFFFFFF:
        raise EncodeError(f"{value} is outside of uint64", expected="0 to 2**64 - 1")
    return _encoded(value)


def crc32c(data: Buffer, value: int = 0) -> int:
    """CRC-32C (Castagnoli) of ``data``, continuing from ``value``: the checksum of record batches v2."""
    if not 0 <= value <= 0xFFFFFFFF:
        raise OverflowError(f"{value} is outside of uint32")
    return _crc32c.crc32c(data, value)


def crc32(data: Buffer, value: int = 0) -> int:
    """CRC-32 (IEEE 802.3) of ``data``, continuing from ``value``: the checksum of messages before v2."""
    return zlib.crc32(data, value)
