"""What both twins of the 0.6 and 0.7 kernel hand out, in one definition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

#: What the two lowest attributes mean; 3 is not a codec.
CODECS = ("none", "gzip", "snappy")
CODEC_MASK = 0x03

#: ``decompress(codec, used, data)``: ``used`` bytes came out of the same outer message before.
Decompress = Callable[[int, int, memoryview], Any]


class Message(NamedTuple):
    """One message of 0.6 or 0.7, out of its wrapper if it was in one.

    ``value``: the payload. ``magic`` and ``attributes`` are its own (0.6 has no attributes: 0), ``crc`` the CRC-32 of
    its payload as stored. ``compression``: "none", "gzip" or "snappy", that of the outer message. ``start`` and
    ``end``: offsets (bytes in the log) of the outer message, the one that a broker knows; a reader that has to resume
    does so at ``start``. ``next_offset``: as the 0.7 client counts it: ``end``, but inside of a wrapper ``start`` for
    every message but the last. ``inner_index``: the message's number inside of its wrapper, from 0, counted through
    nested ones.
    """

    value: bytes
    magic: int
    attributes: int
    crc: int
    compression: str
    start: int
    end: int
    next_offset: int
    inner_index: int


class Header(NamedTuple):
    """The header of a message: where it lies, what it says, and where its payload starts."""

    position: int
    size: int
    magic: int
    attributes: int
    crc: int
    payload: int
