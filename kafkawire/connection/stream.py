"""What both sides share: frames out of the stream, its end, and the first error, which stays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kafkawire.errors import AuthenticationError, LocalProtocolError, TruncatedError, WireError
from kafkawire.frames import DEFAULT_MAX_FRAME_SIZE, FrameReader
from kafkawire.messages import BrokerError

#: What can go wrong over there.
RemoteFault = (WireError, AuthenticationError, BrokerError)


class Stream:
    """The receiving half of a connection."""

    def __init__(self, max_frame_size: int = DEFAULT_MAX_FRAME_SIZE) -> None:
        self._reader = FrameReader(max_frame_size)
        self._at_end = False
        self._failure: Exception | None = None

    def receive_data(self, data: bytes | bytearray | memoryview) -> None:
        """Take bytes that arrived, in chunks of any split (they are copied); ``b""``: the other side has closed.

        Raises LocalProtocolError for bytes after the end.
        """
        if len(data) == 0:
            self._at_end = True
        elif self._at_end:
            raise LocalProtocolError("bytes after the end of the stream")
        else:
            self._reader.feed(data)

    def receive_buffer(self) -> memoryview:
        """Where to put the next bytes that arrive, in place of ``receive_data`` and its copy; then say how many came
        with ``buffer_updated``."""
        return self._reader.buffer()

    def buffer_updated(self, count: int) -> None:
        """So many bytes have arrived in the last ``receive_buffer()``; 0: the other side has closed.

        Raises LocalProtocolError for bytes after the end.
        """
        if count == 0:
            self._at_end = True
        elif self._at_end:
            raise LocalProtocolError("bytes after the end of the stream")
        else:
            self._reader.buffer_updated(count)

    @property
    def missing(self) -> int:
        """Bytes at least that have to arrive before there is another frame; 0 between frames."""
        return self._reader.missing

    def _next_frame(self) -> memoryview | None:
        """The next frame; TruncatedError where the stream ended inside of one."""
        frame = self._reader.next_frame()
        if frame is None and self._at_end and self._reader.partial:
            raise TruncatedError(
                f"the stream was closed after {self._reader.partial} bytes of a frame", missing=self._reader.missing
            )
        return frame

    @contextmanager
    def _keeping_failure(self) -> Iterator[None]:
        """Raise what was raised before; keep what is raised now."""
        if self._failure is not None:
            raise self._failure
        try:
            yield
        except RemoteFault as error:
            self._failure = error
            raise

    @staticmethod
    @contextmanager
    def _naming(what: str) -> Iterator[None]:
        """Say of an error in the bytes which message it was."""
        try:
            yield
        except WireError as error:
            error.message = f"{what}: {error.message}"
            raise
