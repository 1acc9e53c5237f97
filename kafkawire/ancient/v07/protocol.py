"""Requests and responses of 0.6 and 0.7: a class each, with ``decode(frame)`` and ``encode()``, without the length.

::

    PRODUCE 0, FETCH 1, OFFSETS 4:   type int16, topic string, partition int32, then the body
    MULTIFETCH 2, MULTIPRODUCE 3:    type int16, count int16, then count times topic, partition and body
    every response:                  error_code int16, then the body

There is no version, no correlation id and no client id: answers come in the order of their requests, and PRODUCE and
MULTIPRODUCE have none. Message sets are views of the frame: give them to read_messages. Source: "Writing a Driver for
Kafka", section Interactions, and for the multi requests, whose layout it leaves open, what the brokers of 0.6 to 0.7.2
do: these two have no topic and partition in their header, and the OFFSETS response begins with the response header (the
document says: that of the request).

Decoding raises TruncatedError where the frame ends inside of a field, CorruptError for lengths that cannot be or that
do not fill the frame, UnsupportedError for another request type; encoding raises EncodeError.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar

from kafkawire.ancient.fields import FieldReader, FieldWriter
from kafkawire.errors import CorruptError, UnsupportedError

if TYPE_CHECKING:
    from typing_extensions import Self

#: ``time`` of an OffsetsRequest: the end of the log, and its beginning; else milliseconds since the epoch.
LATEST_TIME = -1
EARLIEST_TIME = -2

#: ``partition`` of a ProduceRequest: the broker takes any.
RANDOM_PARTITION = -1


class RequestType(IntEnum):
    """The number that a request begins with."""

    PRODUCE = 0
    FETCH = 1
    MULTIFETCH = 2
    MULTIPRODUCE = 3
    OFFSETS = 4


class ErrorCode(IntEnum):
    """The error of a response. Brokers of 0.6 to 0.7.2 never send INVALID_MESSAGE and INVALID_FETCH_SIZE."""

    UNKNOWN = -1
    NO_ERROR = 0
    OFFSET_OUT_OF_RANGE = 1
    INVALID_MESSAGE = 2
    WRONG_PARTITION = 3
    INVALID_FETCH_SIZE = 4


class _Request:
    """What all requests share: the type that they begin with."""

    __slots__ = ()
    TYPE: ClassVar[RequestType]

    @classmethod
    def decode(cls, frame: Any) -> Self:
        """Read the request from its frame."""
        reader = FieldReader(frame, cls.__name__)
        found = reader.integer("int16", "type")
        if found != cls.TYPE:
            raise UnsupportedError(f"request type {found}", position=0, expected=f"{cls.TYPE.value} ({cls.TYPE.name})")
        request = cls._read(reader)
        reader.end()
        return request

    def encode(self) -> bytes:
        """The frame of the request."""
        writer = FieldWriter(type(self).__name__)
        writer.integer("int16", "type", self.TYPE)
        self._write(writer)
        return writer.take()

    @classmethod
    def _read(cls, reader: FieldReader) -> Self:
        raise NotImplementedError

    def _write(self, writer: FieldWriter) -> None:
        raise NotImplementedError


class _Response:
    """What all responses share: the error code that they begin with."""

    __slots__ = ()
    error_code: int

    @classmethod
    def decode(cls, frame: Any) -> Self:
        """Read the response from its frame."""
        reader = FieldReader(frame, cls.__name__)
        response = cls._read(reader.integer("int16", "error_code"), reader)
        reader.end()
        return response

    def encode(self) -> bytes:
        """The frame of the response."""
        writer = FieldWriter(type(self).__name__)
        writer.integer("int16", "error_code", self.error_code)
        self._write(writer)
        return writer.take()

    @classmethod
    def _read(cls, error_code: int, reader: FieldReader) -> Self:
        raise NotImplementedError

    def _write(self, writer: FieldWriter) -> None:
        raise NotImplementedError


@dataclass(slots=True)
class ProduceRequest(_Request):
    """Append ``messages`` (a message set, bytes) to a partition; -1 is any partition. It is never answered."""

    TYPE: ClassVar[RequestType] = RequestType.PRODUCE

    topic: str
    partition: int
    messages: Any

    @classmethod
    def _read(cls, reader: FieldReader) -> Self:
        return cls(reader.string("topic"), reader.integer("int32", "partition"), reader.sized("messages"))

    def _write(self, writer: FieldWriter) -> None:
        writer.string("topic", self.topic)
        writer.integer("int32", "partition", self.partition)
        writer.sized("messages", self.messages)


@dataclass(slots=True)
class FetchRequest(_Request):
    """Ask for at most ``max_size`` bytes of a partition from ``offset`` on; cut anywhere, never across a segment."""

    TYPE: ClassVar[RequestType] = RequestType.FETCH

    topic: str
    partition: int
    offset: int
    max_size: int

    @classmethod
    def _read(cls, reader: FieldReader) -> Self:
        return cls(
            reader.string("topic"), reader.integer("int32", "partition"), reader.integer("int64", "offset"),
            reader.integer("int32", "max_size"),
        )

    def _write(self, writer: FieldWriter) -> None:
        writer.string("topic", self.topic)
        writer.integer("int32", "partition", self.partition)
        writer.integer("int64", "offset", self.offset)
        writer.integer("int32", "max_size", self.max_size)


@dataclass(slots=True)
class MultiFetchRequest(_Request):
    """Several fetches in one request, answered together."""

    TYPE: ClassVar[RequestType] = RequestType.MULTIFETCH

    requests: list[FetchRequest] = field(default_factory=list)

    @classmethod
    def _read(cls, reader: FieldReader) -> Self:
        return cls([FetchRequest._read(reader) for _ in range(reader.count("int16", "count"))])

    def _write(self, writer: FieldWriter) -> None:
        writer.integer("int16", "count", len(self.requests))
        for request in self.requests:
            request._write(writer)


@dataclass(slots=True)
class MultiProduceRequest(_Request):
    """Several produces in one request: not atomic, what stands before a bad one is stored. It is never answered."""

    TYPE: ClassVar[RequestType] = RequestType.MULTIPRODUCE

    requests: list[ProduceRequest] = field(default_factory=list)

    @classmethod
    def _read(cls, reader: FieldReader) -> Self:
        return cls([ProduceRequest._read(reader) for _ in range(reader.count("int16", "count"))])

    def _write(self, writer: FieldWriter) -> None:
        writer.integer("int16", "count", len(self.requests))
        for request in self.requests:
            request._write(writer)


@dataclass(slots=True)
class OffsetsRequest(_Request):
    """Ask for at most ``max_number`` offsets at which segments begin that were written until ``time``.

    ``time``: milliseconds since the epoch, compared with the segments' modification times; -1 latest, -2 earliest.
    """

    TYPE: ClassVar[RequestType] = RequestType.OFFSETS

    topic: str
    partition: int
    time: int
    max_number: int

    @classmethod
    def _read(cls, reader: FieldReader) -> Self:
        return cls(
            reader.string("topic"), reader.integer("int32", "partition"), reader.integer("int64", "time"),
            reader.integer("int32", "max_number"),
        )

    def _write(self, writer: FieldWriter) -> None:
        writer.string("topic", self.topic)
        writer.integer("int32", "partition", self.partition)
        writer.integer("int64", "time", self.time)
        writer.integer("int32", "max_number", self.max_number)


@dataclass(slots=True)
class FetchResponse(_Response):
    """A chunk of the log from the offset asked for on: its end is cut anywhere, see read_messages."""

    error_code: int = ErrorCode.NO_ERROR
    messages: Any = b""

    @classmethod
    def _read(cls, error_code: int, reader: FieldReader) -> Self:
        return cls(error_code, reader.rest())

    def _write(self, writer: FieldWriter) -> None:
        writer.view(self.messages)


@dataclass(slots=True)
class MultiFetchResponse(_Response):
    """The answers to several fetches, in their order: good and bad ones mix. ``error_code`` is always 0.

    The frame does not say how many answers it has: they fill it.
    """

    error_code: int = ErrorCode.NO_ERROR
    responses: list[FetchResponse] = field(default_factory=list)

    @classmethod
    def _read(cls, error_code: int, reader: FieldReader) -> Self:
        responses = []
        while reader.left:
            at = reader.position
            size = reader.integer("int32", "set_length")
            if size < 2:
                raise CorruptError(f"{cls.__name__}.set_length is {size}", position=at, expected="2 or more")
            responses.append(FetchResponse.decode(reader.view(size, "messages")))
        return cls(error_code, responses)

    def _write(self, writer: FieldWriter) -> None:
        for response in self.responses:
            writer.sized("messages", response.encode())


@dataclass(slots=True)
class OffsetsResponse(_Response):
    """Offsets in descending order."""

    error_code: int = ErrorCode.NO_ERROR
    offsets: list[int] = field(default_factory=list)

    @classmethod
    def _read(cls, error_code: int, reader: FieldReader) -> Self:
        return cls(error_code, [reader.integer("int64", "offsets") for _ in range(reader.count("int32", "number"))])

    def _write(self, writer: FieldWriter) -> None:
        writer.integer("int32", "number", len(self.offsets))
        for offset in self.offsets:
            writer.integer("int64", "offsets", offset)


Request = ProduceRequest | FetchRequest | MultiFetchRequest | MultiProduceRequest | OffsetsRequest
Response = FetchResponse | MultiFetchResponse | OffsetsResponse

_REQUESTS: dict[int, type[Request]] = {
    RequestType.PRODUCE: ProduceRequest,
    RequestType.FETCH: FetchRequest,
    RequestType.MULTIFETCH: MultiFetchRequest,
    RequestType.MULTIPRODUCE: MultiProduceRequest,
    RequestType.OFFSETS: OffsetsRequest,
}

#: What answers a request; PRODUCE and MULTIPRODUCE are not answered.
RESPONSES: dict[type[Request], type[Response]] = {
    FetchRequest: FetchResponse,
    MultiFetchRequest: MultiFetchResponse,
    OffsetsRequest: OffsetsResponse,
}


def decode_request(frame: Any) -> Request:
    """The request in a frame, of the class that its type names; UnsupportedError for a type that does not exist."""
    request_type = FieldReader(frame, "Request").integer("int16", "type")
    if request_type not in _REQUESTS:
        raise UnsupportedError(f"request type {request_type}", position=0, expected="0 to 4")
    return _REQUESTS[request_type].decode(frame)
