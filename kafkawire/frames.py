"""Frames: a size as int32, then so many bytes; what every request, response and raw SASL token travels in.

Source: the protocol guide's "Protocol Primitives" and "Common Request and Response Structure". The size counts the
bytes after it, is never negative, and may be 0 (an empty SASL token).
"""

from __future__ import annotations

from collections import deque
from contextlib import suppress

from kafkawire.errors import CorruptError, LimitError

#: Bytes that a frame may have unless the caller says otherwise: 256 MiB. A broker takes 100 MiB by default
#: (socket.request.max.bytes), and a fetch response may pass the size asked for by one batch.
DEFAULT_MAX_FRAME_SIZE = 256 * 1024 * 1024

_PREFIX = 4
_LARGEST = 0x7FFFFFFF

# Bytes that come before it is known which frame they belong to: small frames, and the start of large ones.
_ARRIVALS = 64 * 1024
# Memory that a frame is given before anything of it has arrived; frames of this size or more use it again. The first
# touch of fresh memory costs as much as several copies: the system fills each page with zeros.
_FIRST_ROOM = 1024 * 1024
# How many frames' memory is kept to be used again (one is read while the next one comes), and of which size at most;
# whoever holds a frame holds at most so many times its size.
_KEPT = 2
_LARGEST_KEPT = 64 * 1024 * 1024
_KEPT_FOR = 8

# What speaks another protocol begins with bytes that look like a large size.
_FOREIGN = {b"\x15\x03": "a TLS alert: the other side speaks TLS", b"HTTP": "HTTP", b"\x16\x03": "a TLS handshake"}


class FrameReader:
    """Puts frames together from chunks of any split, until ``next_frame`` gives None.

    ``feed`` takes what arrived, and copies it once. Who reads from a socket saves that copy for large frames:
    ``buffer`` says where the next bytes go, ``buffer_updated`` how many came. A size that is only claimed costs little:
    memory is taken for what has arrived, and at most as much again, or as the largest frame before. The memory of large
    frames serves again once nobody looks at it any more.

    ``max_frame_size``: bytes after the size field that a frame may have.
    """

    __slots__ = (
        *("_arrivals", "_body", "_error", "_frames", "_have", "_kept"),
        *("_largest", "_max", "_position", "_prefix", "_size"),
    )

    def __init__(self, max_frame_size: int = DEFAULT_MAX_FRAME_SIZE) -> None:
        if not 0 < max_frame_size <= _LARGEST:
            raise ValueError(f"max_frame_size is 1 to {_LARGEST} bytes, not {max_frame_size}")
        self._max = max_frame_size
        self._prefix = bytearray()
        self._body = bytearray()  # of the frame that has begun, with room for more
        self._have = 0  # bytes of it that have arrived
        self._size = 0  # bytes that it will have
        self._position = 0  # bytes of the stream that frames have taken
        self._frames: deque[memoryview] = deque()
        self._error: CorruptError | LimitError | None = None
        self._arrivals: bytearray | None = None  # where bytes come to that are copied from there
        self._kept: deque[bytearray] = deque(maxlen=_KEPT)  # bodies of large frames, the last ones
        self._largest = _FIRST_ROOM  # of the frames so far

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
                self._make_room(len(view) - start)
                end = min(start + len(self._body) - self._have, start + self._size - self._have, len(view))
                self._body[self._have : self._have + end - start] = view[start:end]
                self._have += end - start
            if len(self._prefix) == _PREFIX and self._have == self._size and self._error is None:
                self._finish()
            start = end

    def buffer(self) -> memoryview:
        """Where the next bytes of the stream are to be put, from its start on; at least one fits.

        To be used at once: it is of no more use after ``buffer_updated`` or ``feed``.
        """
        if len(self._prefix) == _PREFIX and self._error is None:
            self._make_room(0)
            return memoryview(self._body)[self._have : self._size]
        if self._arrivals is None:
            self._arrivals = bytearray(_ARRIVALS)
        return memoryview(self._arrivals)

    def buffer_updated(self, count: int) -> None:
        """So many bytes were put into ``buffer()``, which was asked for just before."""
        if len(self._prefix) == _PREFIX and self._error is None:
            self._have += count
            if self._have == self._size:
                self._finish()
        elif self._arrivals is not None:
            self.feed(memoryview(self._arrivals)[:count])

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
        return len(self._prefix) + self._have

    @property
    def missing(self) -> int:
        """Bytes that the frame that has begun lacks; while its size is not whole, those of the size. 0 between
        frames."""
        if not self._prefix:
            return 0
        return self._size - self._have if len(self._prefix) == _PREFIX else _PREFIX - len(self._prefix)

    def _begin(self, size: int) -> None:
        if size < 0:
            self._error = CorruptError(f"a frame size of {size}", position=self._position, expected="0 or more")
        elif size > self._max:
            hint = next((f" (or {what})" for start, what in _FOREIGN.items() if self._prefix.startswith(start)), "")
            self._error = LimitError(
                f"a frame of {size} bytes{hint}", position=self._position, expected=f"at most {self._max} bytes"
            )
        else:
            self._size = size

    def _make_room(self, at_hand: int) -> None:
        """For one more byte of the body at least: what has arrived is always half of it or more, once it grows."""
        if not self._body:
            self._body = self._used_memory() or bytearray(min(self._size, max(at_hand, self._largest)))
        elif self._have == len(self._body):
            self._body *= 2
            del self._body[self._size :]

    def _used_memory(self) -> bytearray | None:
        """Memory of a large frame before, for another one of such a size."""
        for index, kept in enumerate(self._kept):
            if max(_FIRST_ROOM, len(kept) // _KEPT_FOR) <= self._size:
                # Whoever looks at a bytearray keeps its size from changing. The memory itself stays where it is.
                with suppress(BufferError):
                    kept.append(kept.pop())
                    del self._kept[index]
                    return kept
        return None

    def _finish(self) -> None:
        self._position += _PREFIX + self._size
        self._frames.append(memoryview(self._body)[: self._size].toreadonly())
        if _FIRST_ROOM <= self._size <= _LARGEST_KEPT:
            self._kept.append(self._body)
        self._largest = max(self._largest, self._size)
        self._body = bytearray()  # the old one belongs to whoever takes the frame
        self._have = self._size = 0
        self._prefix.clear()


def frame(*parts: bytes | bytearray | memoryview) -> bytes:
    """One frame of the parts, joined, with its size before it. Raises LimitError where int32 cannot count its bytes."""
    return b"".join((frame_prefix(sum(memoryview(part).nbytes for part in parts)), *parts))


def frame_prefix(size: int) -> bytes:
    """What stands before a frame of so many bytes. Raises LimitError where int32 cannot count them."""
    if size > _LARGEST:
        raise LimitError(f"a frame of {size} bytes", expected=f"at most {_LARGEST} bytes")
    return size.to_bytes(_PREFIX, "big")
