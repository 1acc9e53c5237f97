"""Every error that reading or writing Kafka's bytes can raise.

One family, so that ``except kafkawire.WireError`` is enough::

    WireError
    ├── CorruptError        the bytes contradict the format
    │   └── ChecksumError   a CRC does not match
    ├── TruncatedError      the bytes end too early; ``missing`` says by how many
    ├── UnsupportedError    a magic, codec or version that this library does not know
    │   └── MissingLibraryError   a codec whose library is not installed
    ├── LimitError          a limit that the caller set would be exceeded
    ├── RemoteProtocolError the other side's messages are well formed but break the conversation's rules
    └── EncodeError         a value that the format cannot carry

Two more say that no byte is at fault: LocalProtocolError, the caller uses a connection against its rules, and
AuthenticationError, one side does not believe the other.

The kernels, compiled and pure, report a *fault*: a number and two operands. The table here turns it into the error, so
that both twins raise the same class with the same words.
"""

from __future__ import annotations

from enum import IntEnum


class WireError(ValueError):
    """Bytes that cannot be read, or values that cannot be written.

    ``position``: index in the caller's buffer of the item at fault (a varint, a batch, a record), in bytes; for a
    record inside compressed data, the position of its batch. ``inner_position``: then, the index in the decompressed
    data. ``offset``: the Kafka offset of the batch or record, where one is known. ``expected``: what should have stood
    there.
    """

    def __init__(
        self,
        message: str,
        *,
        position: int | None = None,
        offset: int | None = None,
        expected: str | None = None,
        inner_position: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.position = position
        self.offset = offset
        self.expected = expected
        self.inner_position = inner_position

    def __str__(self) -> str:
        place = []
        if self.position is not None:
            place.append(f"position {self.position}")
        if self.inner_position is not None:
            place.append(f"byte {self.inner_position} of the decompressed data")
        if self.offset is not None:
            place.append(f"offset {self.offset}")
        text = self.message
        if self.expected:
            text += f", expected {self.expected}"
        return f"{text} (at {', '.join(place)})" if place else text

    def __reduce__(self) -> tuple[object, ...]:
        # Errors cross process borders (Spark's workers, process pools): keyword-only fields need their own way.
        return (_rebuild, (type(self), self.message, dict(self.__dict__)))


def _rebuild(cls: type[WireError], message: str, state: dict[str, object]) -> WireError:
    error = cls(message)
    error.__dict__.update(state)
    return error


class CorruptError(WireError):
    """The bytes contradict the format: a wrong length, checksum, count or encoding."""


class ChecksumError(CorruptError):
    """A checksum does not match its bytes."""


class TruncatedError(WireError):
    """The bytes end before the item does.

    ``missing``: how many more bytes are needed at least, None where that cannot be known.
    """

    def __init__(self, message: str, *, missing: int | None = None, position: int | None = None,
                 offset: int | None = None, expected: str | None = None, inner_position: int | None = None) -> None:
        super().__init__(message, position=position, offset=offset, expected=expected, inner_position=inner_position)
        self.missing = missing


class UnsupportedError(WireError):
    """A magic, a codec or a version that is not known, or that the format does not have."""


class MissingLibraryError(UnsupportedError):
    """A codec whose library is not installed; the message names the extra that brings it."""


class LimitError(WireError):
    """A limit that the caller set (see :class:`kafkawire.Limits`) would be exceeded."""


class EncodeError(WireError):
    """A value that the format cannot carry: out of range, or of a kind that the version lacks."""


class RemoteProtocolError(WireError):
    """The other side of a connection breaks the rules of the conversation: a response that nobody asked for, another
    correlation id, frames where none belong."""


class LocalProtocolError(RuntimeError):
    """The caller uses a connection against its rules; see :mod:`kafkawire.connection`. A bug here, not over there."""


class AuthenticationError(Exception):
    """SASL ended without success: the server refused the client, or could not prove itself to it.

    ``mechanism``: its name, or None where none was agreed. The message never holds a secret.
    """

    def __init__(self, message: str, mechanism: str | None = None) -> None:
        super().__init__(message)
        self.mechanism = mechanism

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (str(self), self.mechanism))


class Fault(IntEnum):
    """What a kernel can find wrong. ``_varint.pxd`` repeats the numbers for C; a test holds them together."""

    NONE = 0
    END = 1                 # a: bytes needed, b: bytes left
    VARINT_LONG = 2         # a: bits
    LENGTH_NEGATIVE = 3     # a: the length
    BATCH_LENGTH = 4        # a: the length, b: the smallest legal
    MAGIC = 5               # a: the magic
    CODEC = 6               # a: the codec, b: the magic
    CHECKSUM = 7            # a: stored, b: computed
    RECORD_COUNT = 8        # a: declared, b: found
    RECORD_TRAILING = 9     # a: bytes left over in the record
    BATCH_TRAILING = 10     # a: bytes left over in the batch
    OFFSET_DELTA = 11       # a: the delta, b: last_offset_delta
    OFFSET_RANGE = 12       # a: the offset, or the base
    TIMESTAMP_RANGE = 13    # a: the base, b: the delta
    UTF8 = 14
    NESTED = 15             # a message inside a wrapper is compressed too
    INNER_MAGIC = 16        # a: inner, b: wrapper
    WRAPPER_EMPTY = 17
    WRAPPER_NULL = 18
    HEADER_KEY_NULL = 19
    RECORD_LENGTH = 20      # a: declared, b: bytes left in the batch
    # Those of the 0.6 and 0.7 formats, whose messages have another layout.
    ANCIENT_LENGTH = 21     # a: the length, b: the smallest legal
    ANCIENT_MAGIC = 22      # a: the magic
    ANCIENT_CODEC = 23      # a: the codec
    ANCIENT_DEPTH = 24      # a: the levels allowed


_FAULTS: dict[Fault, tuple[type[WireError], str, str]] = {
    Fault.END: (CorruptError, "the data ends inside a field: {b} bytes are left", "{a} bytes"),
    Fault.VARINT_LONG: (CorruptError, "a varint does not fit into {a} bits", "at most {a} bits"),
    Fault.LENGTH_NEGATIVE: (CorruptError, "a length of {a}", "-1 for null, or a length from 0"),
    Fault.BATCH_LENGTH: (CorruptError, "a batch length of {a}", "at least {b}"),
    Fault.MAGIC: (UnsupportedError, "magic {a}", "0, 1 or 2"),
    Fault.CODEC: (UnsupportedError, "compression codec {a} with magic {b}", "0 to 4 with magic 2, 0 to 3 before"),
    Fault.CHECKSUM: (ChecksumError, "the checksum stored is {a:#010x}, that of the bytes is {b:#010x}", "equal ones"),
    Fault.RECORD_COUNT: (CorruptError, "the batch declares {a} records and its bytes end after {b}", "{a} records"),
    Fault.RECORD_TRAILING: (CorruptError, "{a} bytes are left over at the end of a record", "none"),
    Fault.BATCH_TRAILING: (CorruptError, "{a} bytes are left over after the last record", "none"),
    Fault.OFFSET_DELTA: (CorruptError, "an offset delta of {a}", "0 to {b} (last_offset_delta)"),
    Fault.OFFSET_RANGE: (CorruptError, "an offset outside of 0 to 2**63 - 1: base {a}", "a smaller one"),
    Fault.TIMESTAMP_RANGE: (CorruptError, "the timestamp {a} plus the delta {b} overflows", "64 bits"),
    Fault.UTF8: (CorruptError, "a header key is not UTF-8", "UTF-8"),
    Fault.NESTED: (CorruptError, "a message inside of a compressed one is compressed too", "one level"),
    Fault.INNER_MAGIC: (CorruptError, "a message of magic {a} inside of a wrapper of magic {b}", "equal ones"),
    Fault.WRAPPER_EMPTY: (CorruptError, "a compressed message without messages inside", "one at least"),
    Fault.WRAPPER_NULL: (CorruptError, "a compressed message without a value", "the compressed messages"),
    Fault.HEADER_KEY_NULL: (CorruptError, "a header key of length {a}", "a length from 0"),
    Fault.RECORD_LENGTH: (CorruptError, "a record length of {a} with {b} bytes left in the batch", "0 to {b}"),
    Fault.ANCIENT_LENGTH: (CorruptError, "a message length of {a}", "at least {b}"),
    Fault.ANCIENT_MAGIC: (UnsupportedError, "magic {a} in a message of 0.6 or 0.7", "0 or 1"),
    Fault.ANCIENT_CODEC: (UnsupportedError, "compression codec {a} in a message of 0.7", "0, 1 (gzip) or 2 (snappy)"),
    Fault.ANCIENT_DEPTH: (LimitError, "compressed messages inside of each other", "at most {a} levels (Limits.depth)"),
}


def fault_error(
    fault: int, a: int = 0, b: int = 0, position: int | None = None, offset: int | None = None,
    inner_position: int | None = None,
) -> WireError:
    """The error of a kernel's fault; for the kernels and the layer above them only."""
    cls, message, expected = _FAULTS[Fault(fault)]
    return cls(
        message.format(a=a, b=b), position=position, offset=offset, expected=expected.format(a=a, b=b),
        inner_position=inner_position,
    )
