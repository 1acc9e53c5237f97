"""Messages of 0.6 and 0.7: bytes to messages, and back.

::

    message:  length int32, magic int8, [attributes int8 if magic 1], CRC-32 of the payload, payload

An offset is a position in the log, in bytes. Magic 0 is what 0.6 wrote; magic 1 came with compression: the payload of a
compressed message (a wrapper) is whole messages, of any magic, compressed again if their writer liked. There is neither
key nor timestamp, and no null: an empty payload is an empty payload. Source: "Writing a Driver for Kafka", section
Message.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from struct import Struct
from typing import TYPE_CHECKING, Any

from kafkawire import _twins
from kafkawire._ancient_types import CODEC_MASK, CODECS, Decompress, Message
from kafkawire.errors import EncodeError, TruncatedError, UnsupportedError
from kafkawire.records.batch import BatchSlice, Split
from kafkawire.records.compression import codec_by_name, compress, decompress
from kafkawire.records.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from kafkawire._ancient_types import Header

__all__ = [
    "Message",
    "MessageIterator",
    "Split",
    "decompressor",
    "encode_message",
    "next_fetch_offset",
    "read_messages",
    "read_outer_messages",
    "split",
    "wrap",
    "write_messages",
]

_INT64_MAX = 0x7FFFFFFFFFFFFFFF
_MAX_LENGTH = 0x7FFFFFFF
_RUN = 1000  # messages that the kernel makes at a time

_MAGIC0 = Struct(">ibI")
_MAGIC1 = Struct(">ibBI")


# ---- reading ----


def split(data: Any, position: int = 0) -> Split:
    """Divide ``data`` (bytes or any buffer of bytes) into outer messages, from ``position`` on; nothing is decoded.

    A partial message, or only a part of its length, at the end is normal: a fetch response ends where its MAX_SIZE
    fell. ``complete`` and ``missing`` tell it, as those of kafkawire.split. Raises CorruptError for a length that
    cannot be, UnsupportedError for a magic other than 0 and 1, which is what an offset inside of a message usually
    leads to.
    """
    messages, complete, missing = _twins.ancient.split(data, position)
    return Split([BatchSlice(*message) for message in messages], complete, missing)


class MessageIterator(Iterator[Message]):
    """The messages of a set, in order; see read_messages.

    ``complete``: the position (bytes in the data) behind the last outer message read so far. ``missing``: once the
    messages are read to the end, how many bytes the partial one behind them lacks: 0 where there is none, None where it
    is cut inside of its length.
    """

    def __init__(self, data: Any, base: int, limits: Limits, check_crc: bool, position: int, deep: bool) -> None:
        self._view = memoryview(data).cast("B")
        if not 0 <= base <= _INT64_MAX - len(self._view):
            raise ValueError(f"base is an offset from 0 such that the set ends below 2**63, not {base}")
        self.complete = min(max(position, 0), len(self._view))
        self.missing: int | None = 0
        self._messages = self._read(base, limits, check_crc, deep)

    def __iter__(self) -> Iterator[Message]:
        # The generator itself: a for loop is faster without the call of __next__.
        return self._messages

    def __next__(self) -> Message:
        return next(self._messages)

    def _read(self, base: int, limits: Limits, check_crc: bool, deep: bool) -> Iterator[Message]:
        view, kernel = self._view, _twins.ancient
        unpack = decompressor(limits)
        while self.complete < len(view):
            before = self.complete
            messages, self.complete, wrapper = kernel.read_run(view, before, base, check_crc, _RUN)
            yield from messages
            if wrapper is not None:
                if deep:
                    messages = kernel.read_wrapper(view, wrapper, base, check_crc, limits.depth, unpack)
                else:
                    messages = [_outer(view, wrapper, base)]
                self.complete += wrapper[1]
                yield from messages
            elif self.complete == before:
                self.missing = kernel.split(view, before)[2]
                return


def _outer(view: memoryview, header: Header, base: int) -> Message:
    position, size, magic, attributes, crc, payload = header
    end = position + size
    compression = CODECS[attributes & CODEC_MASK]
    return Message(
        bytes(view[payload:end]), magic, attributes, crc, compression, base + position, base + end, base + end, 0
    )


def decompressor(limits: Limits) -> Decompress:
    """What the kernels call for a compressed message: the limit holds for all that one outer message unpacks to."""

    def unpack(codec: int, used: int, data: memoryview) -> Any:
        return decompress(codec, 1, data, limits._replace(decompressed=max(limits.decompressed - used, 0)))

    return unpack


def read_messages(
    data: Any, base: int = 0, limits: Limits = DEFAULT_LIMITS, *, check_crc: bool = True, position: int = 0
) -> MessageIterator:
    """The messages in ``data`` (bytes or any buffer of bytes), those inside of compressed ones instead of these.

    ``base``: the offset of the first byte of ``data``: that of the fetch request, or a segment file's name.
    ``position``: where to start in the data, in bytes. Stops at a partial message at the end; the iterator's
    ``complete`` and ``missing`` tell of it. ``limits``: ``decompressed`` bytes of one outer message, all levels
    together; ``depth`` levels of compressed messages.

    Raises, with the position of the outer message: CorruptError for a length that cannot be and for a wrapper whose
    content ends inside of a message, ChecksumError, UnsupportedError for a magic or codec that 0.7 does not have,
    LimitError.
    """
    return MessageIterator(data, base, limits, check_crc, position, True)


def read_outer_messages(data: Any, base: int = 0, *, check_crc: bool = True, position: int = 0) -> MessageIterator:
    """The messages as a broker stores and counts them: a compressed one is a message whose value is compressed data.

    Arguments and errors otherwise as in read_messages; nothing is decompressed.
    """
    return MessageIterator(data, base, DEFAULT_LIMITS, check_crc, position, False)


def next_fetch_offset(data: Any, offset: int) -> int:
    """The offset to fetch next, after the answer ``data`` to a fetch at ``offset``: the end of the last whole message.

    Raises TruncatedError where there are bytes but not one whole message: that MAX_SIZE was too small to get on with. A
    broker does not say so; ``missing`` is how many bytes more it takes (None where not even the length is there).
    """
    found = split(data)
    if found.missing != 0 and not found.complete:
        raise TruncatedError(
            "not one message is whole: MAX_SIZE is smaller than the first one", missing=found.missing, position=0,
            offset=offset, expected="a larger MAX_SIZE",
        )
    return offset + found.complete


# ---- writing ----


def encode_message(value: Any, *, magic: int = 1, attributes: int = 0) -> bytes:
    """One message with the payload ``value`` (bytes or any buffer of bytes), as the old clients write it.

    ``attributes`` (magic 1 only): 0 to 255, the two lowest bits the codec of ``value``, which stands as it is. Raises
    EncodeError for a magic other than 0 and 1, attributes in magic 0, a payload that is null or over 2 GiB.
    """
    if magic not in (0, 1):
        raise EncodeError(f"magic {magic}", expected="0 (0.6) or 1 (0.7)")
    if not 0 <= attributes <= (0xFF if magic else 0):
        raise EncodeError(f"attributes {attributes} with magic {magic}", expected="0 to 255 with magic 1, else 0")
    if value is None:
        raise EncodeError("a message of 0.7 has no null", expected="bytes")
    payload = memoryview(value).cast("B")
    length = len(payload) + 5 + magic
    if length > _MAX_LENGTH:
        raise EncodeError(f"a message of {length} bytes", expected=f"at most {_MAX_LENGTH}")
    crc = _twins.varint.crc32(payload)
    head = _MAGIC1.pack(length, 1, attributes, crc) if magic else _MAGIC0.pack(length, 0, crc)
    return b"".join((head, payload))


def wrap(messages: Any, compression: str, *, level: int | None = None, attributes: int = 0) -> bytes:
    """``messages``, the bytes of whole messages, as one compressed message of magic 1; wrap again to nest.

    ``compression``: "gzip", or "snappy" (from 0.7.1 on); ``level``: gzip's. ``attributes``: bits other than the
    codec's. Raises UnsupportedError for other compressions, EncodeError for a level that does not exist, for messages
    that are not whole, and as encode_message does.
    """
    codec = codec_by_name(compression, 1, level)
    if codec.id not in (1, 2):
        raise UnsupportedError(f"compression {compression!r} in 0.7", expected="gzip or snappy")
    if split(messages).missing != 0:
        raise EncodeError("the messages to wrap end inside of one", expected="whole messages")
    payload = compress(codec.id, 1, messages, level)
    return encode_message(payload, attributes=attributes & ~CODEC_MASK | codec.id)


def write_messages(
    values: Iterable[Any], *, magic: int = 1, compression: str = "none", level: int | None = None
) -> bytes:
    """A message set of these payloads: one behind the other, or all of them inside of one compressed message.

    Uncompressed sets are byte for byte those of the old clients: ``magic`` 0 for 0.6, 1 for 0.7. Raises as
    encode_message and wrap do.
    """
    messages = b"".join([encode_message(value, magic=magic) for value in values])
    return messages if compression == "none" else wrap(messages, compression, level=level)
