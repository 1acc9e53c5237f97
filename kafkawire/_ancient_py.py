"""The walk of the 0.6 and 0.7 message format in pure Python: to objects and to columns. The twin of _ancient."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from struct import Struct
from typing import TYPE_CHECKING, Any

from kafkawire._ancient_types import CODEC_MASK, CODECS, Decompress, Header, Message
from kafkawire._columns_py import MAX_BYTES
from kafkawire._varint_py import crc32
from kafkawire.errors import Fault, LimitError, WireError, fault_error

if TYPE_CHECKING:
    from collections.abc import Buffer  # type: ignore[attr-defined, unused-ignore]

# Which columns are asked for; the numbers of those that the later formats have too are the same.
WANT_OFFSET = 1
WANT_VALUE = 16
WANT_COMPRESSION = 4096
WANT_INNER_INDEX = 8192
WANT_NEXT_OFFSET = 16384

_INT32 = Struct(">i")
_MAGIC0 = Struct(">I")
_MAGIC1 = Struct(">BI")


class _Found(Exception):
    """A fault, until the error can be made that knows the outer message."""

    def __init__(self, fault: Fault, position: int, a: int = 0, b: int = 0) -> None:
        self.fault = fault
        self.position = position
        self.a = a
        self.b = b

    def error(self, base: int | None) -> WireError:
        """Of an outer message, or of one whose offset is not known."""
        offset = None if base is None else base + self.position
        return fault_error(self.fault, self.a, self.b, self.position, offset)

    def inner_error(self, outer: Header, base: int) -> WireError:
        return fault_error(self.fault, self.a, self.b, outer.position, base + outer.position, self.position)


# ---- the walk ----


def _read_frame(data: memoryview, pos: int, end: int) -> tuple[int, int, int | None]:
    """(size, magic, missing) of the message at ``pos``: missing is 0 for a whole one, None where it cannot be known."""
    left = end - pos
    if left < 4:
        return 0, -1, None
    (length,) = _INT32.unpack_from(data, pos)
    if length < 5:
        raise _Found(Fault.ANCIENT_LENGTH, pos, length, 5)
    size = 4 + length
    missing = max(size - left, 0)
    if left == 4:
        return size, -1, missing
    magic = data[pos + 4]
    if magic > 1:
        raise _Found(Fault.ANCIENT_MAGIC, pos, magic if magic < 0x80 else magic - 0x100)
    if length < 5 + magic:
        raise _Found(Fault.ANCIENT_LENGTH, pos, length, 5 + magic)
    return size, magic, missing


def _open_message(data: memoryview, position: int, size: int, magic: int, check_crc: bool) -> Header:
    """The header of a whole message, checked."""
    attributes, payload = 0, position + 9 + magic
    if magic:
        attributes, crc = _MAGIC1.unpack_from(data, position + 5)
    else:
        (crc,) = _MAGIC0.unpack_from(data, position + 5)
    if check_crc:
        found = crc32(data[payload : position + size])
        if found != crc:
            raise _Found(Fault.CHECKSUM, position, crc, found)
    if attributes & CODEC_MASK > 2:
        raise _Found(Fault.ANCIENT_CODEC, position, attributes & CODEC_MASK)
    return Header(position, size, magic, attributes, crc, payload)


def split(data: Buffer, position: int = 0) -> tuple[list[tuple[int, int, int]], int, int | None]:
    """The extents of the messages from ``position`` on: ([(position, size, magic)], complete, missing).

    ``complete``: the position behind the last whole message. ``missing``: how many bytes the partial one behind it
    lacks, 0 where there is none, None where not even its length is there. Raises CorruptError, UnsupportedError.
    """
    view = memoryview(data).cast("B")
    end = len(view)
    pos = min(max(position, 0), end)
    found: list[tuple[int, int, int]] = []
    try:
        while pos < end:
            size, magic, missing = _read_frame(view, pos, end)
            if missing != 0:
                return found, pos, missing
            found.append((pos, size, magic))
            pos += size
    except _Found as fault:
        raise fault.error(None) from None
    return found, pos, 0


# ---- messages ----


def read_run(
    data: Buffer, position: int, base: int, check_crc: bool, most: int
) -> tuple[list[Message], int, Header | None]:
    """At most ``most`` messages from ``position`` on, up to a compressed one: (messages, position behind, its header).

    Ends before a partial message, and before one at fault if there are others to return; else raises CorruptError,
    ChecksumError if ``check_crc``, UnsupportedError. ``base``: the offset of the data's first byte.
    """
    view = memoryview(data).cast("B")
    pos, end = min(max(position, 0), len(view)), len(view)
    messages: list[Message] = []
    try:
        while pos < end and len(messages) < most:
            size, magic, missing = _read_frame(view, pos, end)
            if missing != 0:
                break
            header = _open_message(view, pos, size, magic, check_crc)
            if header.attributes & CODEC_MASK:
                return messages, pos, header
            start, stop = base + pos, base + pos + size
            pos += size
            value = bytes(view[header.payload : pos])
            messages.append(Message(value, magic, header.attributes, header.crc, "none", start, stop, stop, 0))
    except _Found as fault:
        if not messages:
            raise fault.error(base) from None
    return messages, pos, None


def read_wrapper(
    data: Buffer, header: Header, base: int, check_crc: bool, depth: int, decompress: Decompress
) -> list[Message]:
    """The messages inside of the compressed one that ``header`` is of, through at most ``depth`` levels.

    Raises what read_run does, also where the content ends inside of a message, and LimitError.
    """
    start = base + header.position
    end = start + header.size
    compression = CODECS[header.attributes & CODEC_MASK]
    messages: list[Message] = []
    for content, inner in _inner_messages(memoryview(data).cast("B"), header, base, check_crc, depth, decompress):
        value = bytes(content[inner.payload : inner.position + inner.size])
        messages.append(
            Message(
                value, inner.magic, inner.attributes, inner.crc, compression, start, end, start, len(messages)
            )
        )
    if messages:
        messages[-1] = messages[-1]._replace(next_offset=end)
    return messages


def _inner_messages(
    view: memoryview, outer: Header, base: int, check_crc: bool, depth: int, decompress: Decompress
) -> Iterator[tuple[memoryview, Header]]:
    """Every message inside of ``outer`` that is not compressed itself, and the data that it lies in."""
    levels: list[tuple[memoryview, int]] = []
    wrapper, used = outer, 0
    while True:
        # The level that was just found: what the wrapper holds.
        if len(levels) >= depth:
            raise _Found(Fault.ANCIENT_DEPTH, outer.position, depth).error(base)
        try:
            content = view[wrapper.payload : wrapper.position + wrapper.size]
            plain = memoryview(decompress(wrapper.attributes & CODEC_MASK, used, content)).cast("B")
        except WireError as error:
            error.position, error.offset = outer.position, base + outer.position
            raise
        used += len(plain)
        levels.append((plain, 0))
        found: Header | None = None
        while levels and found is None:
            view, pos = levels.pop()
            while pos < len(view) and found is None:
                try:
                    size, magic, missing = _read_frame(view, pos, len(view))
                    if missing != 0:
                        raise _Found(Fault.END, pos, size or 4, len(view) - pos)
                    inner = _open_message(view, pos, size, magic, check_crc)
                except _Found as fault:
                    raise fault.inner_error(outer, base) from None
                pos += size
                if inner.attributes & CODEC_MASK:
                    found = inner
                    levels.append((view, pos))
                else:
                    yield view, inner
        if found is None:
            return
        wrapper = found


# ---- columns ----


class ColumnDecoder:
    """Decodes messages into columns until told to stop; ``finish`` gives the buffers away and starts anew.

    ``want``: the WANT_ numbers of the columns, added. ``base``: the offset of the data's first byte. ``depth``: levels
    of compressed messages inside of each other. ``first_offset``, ``last_offset``: outer messages that start outside
    are left out. ``skip_corrupt``: an outer message whose checksum does not match is left out and counted in
    ``skipped`` and ``skipped_positions``.
    """

    def __init__(
        self,
        want: int,
        check_crc: bool,
        skip_corrupt: bool,
        base: int,
        depth: int,
        first_offset: int,
        last_offset: int,
    ) -> None:
        self._want = want
        self._check_crc = check_crc
        self._skip_corrupt = skip_corrupt
        self._base = base
        self._depth = depth
        self._first_offset = first_offset
        self._last_offset = last_offset
        self.batches = 0
        self.skipped = 0
        self.skipped_positions: list[int] = []
        self._messages: list[Message] = []
        self._size = 0

    @property
    def row_count(self) -> int:
        """Rows decoded since the last finish."""
        return len(self._messages)

    def decode(
        self, data: Buffer, position: int, stop: int, max_rows: int, max_bytes: int, decompress: Decompress
    ) -> int:
        """Decode whole messages that start in ``position`` to ``stop``, until ``max_rows`` rows or ``max_bytes`` bytes.

        Returns the position of the first one that was not decoded: ``stop`` or beyond, or that of a partial one, or
        where to go on after ``finish``. Raises what read_run and read_wrapper raise.
        """
        view = memoryview(data).cast("B")
        pos, end = min(max(position, 0), len(view)), len(view)
        stop = min(stop, end)
        while pos < stop and len(self._messages) < max_rows and self._size < max_bytes:
            found: list[Message] = []
            try:
                size, magic, missing = _read_frame(view, pos, end)
                if missing != 0:
                    break
                try:
                    header = _open_message(view, pos, size, magic, self._check_crc)
                except _Found as fault:
                    if fault.fault != Fault.CHECKSUM or not self._skip_corrupt:
                        raise
                    self.skipped += 1
                    self.skipped_positions.append(pos)
                    pos += size
                    continue
            except _Found as fault:
                raise fault.error(self._base) from None
            start = self._base + pos
            if self._first_offset <= start <= self._last_offset:
                if header.attributes & CODEC_MASK:
                    found = read_wrapper(view, header, self._base, self._check_crc, self._depth, decompress)
                else:
                    value = bytes(view[header.payload : pos + size])
                    found.append(
                        Message(
                            value, magic, header.attributes, header.crc, "none", start, start + size, start + size, 0
                        )
                    )
                added = sum(len(message.value) for message in found)
                if added > MAX_BYTES - self._size:
                    if self._messages:
                        break
                    raise LimitError(
                        "a message decompresses to more than a column holds", position=pos, offset=start,
                        expected="less than 2 GiB in a column",
                    )
                self._size += added
                self._messages += found
            self.batches += 1
            pos += size
        return pos

    def finish(self) -> tuple[int, dict[str, Any]]:
        """(rows, {name: column}) of what was decoded; columns as the later formats' decoder gives them."""
        messages, want = self._messages, self._want
        columns: dict[str, Any] = {}
        if want & WANT_OFFSET:
            columns["offset"] = None, array("q", [message.start for message in messages]), 0
        if want & WANT_NEXT_OFFSET:
            columns["next_offset"] = None, array("q", [message.next_offset for message in messages]), 0
        if want & WANT_INNER_INDEX:
            columns["inner_index"] = None, array("i", [message.inner_index for message in messages]), 0
        if want & WANT_COMPRESSION:
            codecs = [CODECS.index(message.compression) for message in messages]
            columns["compression"] = None, array("b", codecs), 0
        if want & WANT_VALUE:
            offsets = array("i", [0])
            for message in messages:
                offsets.append(offsets[-1] + len(message.value))
            columns["value"] = None, offsets, b"".join(message.value for message in messages), 0
        self._messages = []
        self._size = 0
        return len(messages), columns
