"""Taking batches apart and putting them together again with right lengths and checksums: to break what is inside."""

from __future__ import annotations

import struct
import zlib
from types import ModuleType

import crc32c


def seal(head: bytes, records: bytes) -> bytes:
    """A batch v2 of the header ``head`` (61 bytes) and ``records``, with the length and checksum that they need."""
    covered = head[21:61] + records
    return b"".join((head[:8], struct.pack(">i", 49 + len(records)), head[12:17],
                     struct.pack(">I", crc32c.crc32c(covered)), covered))


def seal_message(offset: int, covered: bytes) -> bytes:
    """A message v0 or v1: ``covered`` is all from the magic byte on."""
    return struct.pack(">qiI", offset, 4 + len(covered), zlib.crc32(covered)) + covered


def seal_wrapper(offset: int, magic: int, attributes: int, timestamp: int, value: bytes | None) -> bytes:
    """A message v0 or v1 without a key."""
    time = struct.pack(">q", timestamp) if magic else b""
    size = struct.pack(">i", -1 if value is None else len(value))
    return seal_message(offset, bytes((magic, attributes)) + time + b"\xff\xff\xff\xff" + size + (value or b""))


def mend(data: bytes) -> bytes:
    """One batch with its length and checksum made right."""
    if data[16] == 2:
        return seal(data[:61], data[61:])
    return seal_message(int.from_bytes(data[:8], "big", signed=True), data[16:])


def plain_records(kw: ModuleType, data: bytes) -> bytes:
    """What is compressed in one batch of any magic."""
    start = 61 if data[16] == 2 else 26 + 8 * data[16]
    codec = data[22] & 7 if data[16] == 2 else data[17] & 7
    return bytes(kw.records.compression.decompress(codec, data[16], data[start:], kw.Limits()))


def with_records(kw: ModuleType, data: bytes, plain: bytes) -> bytes:
    """The batch with other records in it, compressed as it was."""
    magic = data[16]
    codec = data[22] & 7 if magic == 2 else data[17] & 7
    packed = bytes(kw.records.compression.compress(codec, magic, plain))
    if magic == 2:
        return seal(data[:61], packed)
    timestamp = int.from_bytes(data[18:26], "big", signed=True)
    return seal_wrapper(int.from_bytes(data[:8], "big", signed=True), magic, data[17], timestamp, packed)
