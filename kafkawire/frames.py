"""Frames: a size as int32, then so many bytes; what every request, response and raw SASL token travels in.

Source: the protocol guide's "Protocol Primitives" and "Common Request and Response Structure". The size counts the
bytes after it, is never negative, and may be 0 (an empty SASL token).
"""

from __future__ import annotations

from collections import deque

from kafkawire.errors import CorruptError, LimitError

#: Bytes that a frame may have unless the caller says otherwise: 256 MiB. A broker takes 100 MiB by default
#: (socket.request.max.bytes), and a fetch response may pass the size asked for by one batch.
DEFAULT_MAX_FRAME_SIZE = 256 * 1024 * 1024

_PREFIX = 4
_LARGEST = 0x7FFFFFFF

# What speaks another protocol begins with bytes that look like a large size.
_FOREIGN = {b"\x15\x03": "a TLS alert: the other side speaks TLS", b"HTTP": "HTTP", b"\x16\x03": "a TLS handshake"}


class FrameReader:
    """Puts frames together from chunks of any split: ``feed`` what arrived, take ``next_frame`` until it is None.

    Every byte is copied once, into the buffer of its frame, which grows as bytes arrive: a size that is only claimed
    costs nothing. ``max_frame_size``: bytes after the size field that a frame may have.
    """

    __slots__ = ("_body", "_error", "_frames", "_max", "_missing", "_position", "_prefix")

    def __init__(self, max_frame_size: int = DEFAULT_MAX_FRAME_SIZE) -> None:
        if not 0 < max_frame_size <= _LARGEST:
            raise ValueError(f"max_frame_size is 1 to {_LARGEST} bytes, not {max_frame_size}")
        self._max = max_frame_size
        self._prefix = bytearray()
        self._body = bytearray()
        self._missing = 0  # of the body that has begun
        self._position = 0  # bytes of the stream that frames have taken
        self._frames: deque[memoryview] = deque()
        self._error: CorruptError | LimitError | None = None

    def feed(self, data: bytes | bytearray | memoryview) -> None:
        """Take the next bytes of the stream; they are copied, so that the caller may use the buffer again."""
        view = memoryview(data).cast("B")
        start = 0
        while start < len(view) and self._error is None:
            if len(self._prefix) < _PREFIX:
                end = start + _PREFIX - len(self._prefix)
                self._prefix += view[start:end]
                if len(self._prefix) == _PREFIX:
                    self._begin(int.from_bytes(self._prefix, "big", signed=True))
            else:
                end = min(start + self._missing, len(view))
                self._body += view[start:end]
                self._missing -= end - start
            if len(self._prefix) == _PREFIX and self._missing == 0 and self._error is None:
                self._finish()
            start = end

    def next_frame(self) -> memoryview | None:
        """The next whole frame without its size, None when more bytes are needed.

        Raises CorruptError for a negative size, LimitError for one above the maximum, after the frames before it have
        been taken, and from then on always: where the next frame would begin is not known any more.
        """
        if self._frames:
            return self._frames.popleft()
        if self._error is not None:
            raise self._error
        return None

    @property
    def partial(self) -> int:
        """Bytes of a frame that has begun and is not whole, its size field included; 0 between frames."""
        return len(self._prefix) + len(self._body)

    @property
    def missing(self) -> int:
        """Bytes that the frame that has begun lacks; while its size is not whole, those of the size. 0 between
        frames."""
        if not self._prefix:
            return 0
        return self._missing if len(self._prefix) == _PREFIX else _PREFIX - len(self._prefix)

    def _begin(self, size: int) -> None:
        if size < 0:
            self._error = CorruptError(f"a frame size of {size}", position=self._position, expected="0 or more")
        elif size > self._max:
            hint = next((f" (or {what})" for start, what in _FOREIGN.items() if self._prefix.startswith(start)), "")
            self._error = LimitError(
                f"a frame of {size} bytes{hint}", position=self._position, expected=f"at most {self._max} bytes"
            )
        else:
            self._missing = size

    def _finish(self) -> None:
        self._position += _PREFIX + len(self._body)
        self._frames.append(memoryview(self._body).toreadonly())
        self._body = bytearray()  # the old one belongs to whoever takes the frame
        self._prefix.clear()


def frame(*parts: bytes | bytearray | memoryview) -> bytes:
    """One frame of the parts, joined, with its size before it. Raises LimitError where int32 cannot count its bytes."""
    size = sum(memoryview(part).nbytes for part in parts)
    if size > _LARGEST:
        raise LimitError(f"a frame of {size} bytes", expected=f"at most {_LARGEST} bytes")
    return b"".join((size.to_bytes(_PREFIX, "big"), *parts))
