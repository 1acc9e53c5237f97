"""A connection of 0.6 and 0.7 without a socket: bytes in, events out; messages in, bytes out.

The rules, which both sides keep:

- Requests may be sent without waiting for answers. Answers come in the order of their requests, each belonging to the
  oldest request that is still unanswered; nothing in them says which.
- PRODUCE and MULTIPRODUCE are never answered, not even when they fail.
- A broker that does not like a request closes the connection. That tells nothing about which request it was: of those
  sent, any that are not answered may or may not have been done. Requests behind the bad one are lost.
- The header and the body of a response may arrive in separate packets; only the length in front of a frame counts.

``next_event`` and ``next_request`` return None where they need more data. What the other side does wrong raises a
WireError, after which the connection cannot go on; what the caller does wrong raises LocalProtocolError.
"""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

from kafkawire.ancient.v07.protocol import RESPONSES, Request, Response, decode_request
from kafkawire.errors import CorruptError, LocalProtocolError, TruncatedError
from kafkawire.frames import DEFAULT_MAX_FRAME_SIZE, FrameReader, frame


class Answer(NamedTuple):
    """A response, and the request that it answers: the offset of a fetched set stands in the request only."""

    request: Request
    response: Response


class Closed(NamedTuple):
    """The broker closed the connection; ``unanswered``: the requests that it would still have had to answer."""

    unanswered: list[Request]


Event = Answer | Closed


class ClientConnection:
    """The client's side. ``max_frame_size``: bytes that an answer may have."""

    def __init__(self, max_frame_size: int = DEFAULT_MAX_FRAME_SIZE) -> None:
        self._frames = FrameReader(max_frame_size)
        self._unanswered: deque[Request] = deque()
        self._end = False
        self._told = False

    @property
    def unanswered(self) -> list[Request]:
        """The requests that wait for an answer, the oldest first."""
        return list(self._unanswered)

    def send(self, request: Request) -> bytes:
        """The bytes to write for ``request``. Raises EncodeError, and LocalProtocolError once the broker has closed."""
        if self._end:
            raise LocalProtocolError("the broker has closed the connection")
        data = frame(request.encode())
        if type(request) in RESPONSES:
            self._unanswered.append(request)
        return data

    def receive(self, data: Any) -> None:
        """Take in what was read from the socket; b"" says that the broker has closed."""
        if self._end:
            raise LocalProtocolError("bytes after the end of the connection")
        if len(data):
            self._frames.feed(data)
        else:
            self._end = True

    def next_event(self) -> Event | None:
        """The next Answer, Closed once behind the last one, None where more data is needed.

        Raises CorruptError for an answer without a request or that contradicts its layout, TruncatedError where the
        connection closed inside of one, LimitError for one above ``max_frame_size``.
        """
        data = self._frames.next_frame()
        if data is not None:
            if not self._unanswered:
                raise CorruptError("an answer to no request", expected="answers to those sent only")
            request = self._unanswered.popleft()
            return Answer(request, RESPONSES[type(request)].decode(data))
        if not self._end or self._told:
            return None
        if self._frames.partial:
            raise TruncatedError("the connection closed inside of an answer", missing=None, expected="all of it")
        self._told = True
        return Closed(list(self._unanswered))


class ServerConnection:
    """The broker's side. ``max_frame_size``: bytes that a request may have."""

    def __init__(self, max_frame_size: int = DEFAULT_MAX_FRAME_SIZE) -> None:
        self._frames = FrameReader(max_frame_size)
        self._unanswered: deque[Request] = deque()
        self._end = False

    @property
    def unanswered(self) -> list[Request]:
        """The requests taken out that wait for an answer, the oldest first."""
        return list(self._unanswered)

    @property
    def ended(self) -> bool:
        """Whether the client has closed; a request that it cut off is dropped."""
        return self._end

    def receive(self, data: Any) -> None:
        """Take in what was read from the socket; b"" says that the client has closed."""
        if self._end:
            raise LocalProtocolError("bytes after the end of the connection")
        if len(data):
            self._frames.feed(data)
        else:
            self._end = True

    def next_request(self) -> Request | None:
        """The next request, None where more data is needed.

        Raises UnsupportedError for a request type that does not exist, CorruptError and TruncatedError for a frame that
        contradicts its layout, LimitError for one above ``max_frame_size``: a broker then closes the connection.
        """
        data = self._frames.next_frame()
        if data is None:
            return None
        request = decode_request(data)
        if type(request) in RESPONSES:
            self._unanswered.append(request)
        return request

    def send(self, response: Response) -> bytes:
        """The bytes to write for the answer to the oldest unanswered request.

        Raises LocalProtocolError where there is none or where it takes another kind of answer, EncodeError.
        """
        if not self._unanswered:
            raise LocalProtocolError("no request waits for an answer")
        expected = RESPONSES[type(self._unanswered[0])]
        if type(response) is not expected:
            raise LocalProtocolError(f"the oldest request takes a {expected.__name__}, not {type(response).__name__}")
        data = frame(response.encode())
        self._unanswered.popleft()
        return data
