"""Frames: what every Kafka connection is made of, an int32 length and that many bytes.

No socket in here: feed what was read, take whole frames out. None means: more data is needed.
"""

from __future__ import annotations

from typing import Any

from kafkawire.errors import CorruptError, EncodeError, LimitError

#: Bytes that a frame may have unless the caller says otherwise: what brokers allow for a request.
DEFAULT_MAX_SIZE = 100 << 20


def frame(payload: Any) -> bytes:
    """``payload`` (bytes or any buffer of bytes) with its length in front. Raises EncodeError from 2 GiB on."""
    view = memoryview(payload).cast("B")
    if len(view) > 0x7FFFFFFF:
        raise EncodeError(f"a frame of {len(view)} bytes", expected="at most 2**31 - 1")
    return b"".join((len(view).to_bytes(4, "big"), view))


class FrameBuffer:
    """Cuts a stream of bytes, fed in pieces of any size, into frames.

    ``max_size``: bytes a frame may have; what a length declares is never allocated before it arrives.
    """

    def __init__(self, max_size: int = DEFAULT_MAX_SIZE) -> None:
        self.max_size = max_size
        self._data = bytearray()
        self._start = 0

    def feed(self, data: Any) -> None:
        """Take bytes in as they were read."""
        if self._start:
            del self._data[: self._start]
            self._start = 0
        self._data += data

    @property
    def buffered(self) -> int:
        """Bytes fed and not taken out."""
        return len(self._data) - self._start

    def next_frame(self) -> bytes | None:
        """The next whole frame without its length, or None where more data is needed.

        Raises CorruptError for a negative length, LimitError for one above ``max_size``; the stream cannot go on then.
        """
        at = self._start + 4
        if len(self._data) < at:
            return None
        size = int.from_bytes(self._data[self._start : at], "big", signed=True)
        if size < 0:
            raise CorruptError(f"a frame length of {size}", expected="0 or more")
        if size > self.max_size:
            raise LimitError(f"a frame of {size} bytes", expected=f"at most {self.max_size} bytes (max_size)")
        if len(self._data) < at + size:
            return None
        self._start = at + size
        return bytes(memoryview(self._data)[at : self._start])
