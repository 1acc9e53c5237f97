"""The "New Wire Format Proposal", from which the protocol of 0.8 came; no broker ever spoke it as it stands.

Four messages, ``encode(reading)`` and ``decode(frame, reading)``, a frame without its size::

    every request:    request_type_id int16, version_id int16, correlation_id int32, client_id string, then the body
    every response:   correlation_id int32, version_id int16, error int16, then the body

A string is counted in bytes by int16, a list ``[]`` in elements by int16; there are no nulls. Topics are given once per
request, with all their partitions; a response's errors and offsets stand in the order of the request's partitions.

Where the text contradicts itself, the table of common fields holds here, else the field's own line. The other readings
that give other bytes are switches of :class:`Reading`:

1. *Order of correlation_id and version_id.* The table of common fields and the listing of ProduceRequest have
   version_id first, the listing of FetchRequest has correlation_id first. ``Reading(fetch_order="listing")`` is the
   latter.
2. *Width of offsets.* FetchRequest lists ``offsets: [int32]``, while ProduceResponse has ``[int64]``, the table of
   proposals int64 for message_set_offset, and the logs of its day passed 2 GiB. int32 is what the line says, and what
   is written unless ``Reading(fetch_offsets="int64")``.
3. *The error of ProduceResponse.* The table of common fields gives every response an error; in the listing of
   ProduceResponse it has slipped into the comment of version_id. ``Reading(produce_error=False)`` leaves it out, as a
   reader of the listing alone would.

Contradictions that do not show on the wire, or that leave no second way to read it:

4. *Message sets have no length in the listing* ("same as existing"). A message set does not say where it ends, so that
   one in front of another could not be read: here an int32 length stands before it, as in the requests of 0.7.
5. *errors of ProduceResponse*: "or all -1 if none", while everywhere else, before and after, -1 is an unknown error and
   0 is none. Both are int16; NO_ERRORS is the number that the line asks for.
6. *FetchRequest has two lists*, partitions and offsets, which have to be of one length; and no maximal size, which 0.7
   had and 0.8 has again.
7. *FetchResponse* is to have errors per partition by the open questions, and has the one global error by its listing.
8. *Names*: replication_timeout and ack_timeout, min_size and min_bytes, multi-produce and produce are the same things.
9. *request_type_id* has no numbers: the multi requests were to be renamed. 0 and 1, 0.7's numbers for the requests that
   go by these names, are what 0.8 took.

Message sets are those of 0.7: see kafkawire.ancient.v07. Decoding raises TruncatedError where the frame ends inside of
a field, CorruptError for lengths that cannot be or that do not fill the frame, UnsupportedError for another request
type or version; encoding raises EncodeError.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from kafkawire.ancient.fields import FieldReader, FieldWriter
from kafkawire.errors import CorruptError, EncodeError, UnsupportedError

if TYPE_CHECKING:
    from typing_extensions import Self

PRODUCE = 0
FETCH = 1

#: The only version of every message.
VERSION = 0

#: What ``errors`` of a ProduceResponse holds for every message set where there was no error (see 5. above).
NO_ERRORS = -1

#: ``replica_id`` of a FetchRequest that does not come from a replica.
NO_REPLICA = -1


class Reading(NamedTuple):
    """How to read the places where the proposal contradicts itself and the readings differ on the wire; see above.

    ``fetch_order``: "table" (version_id first) or "listing" (correlation_id first). ``fetch_offsets``: "int32" or
    "int64". ``produce_error``: whether a ProduceResponse has the request's error.
    """

    fetch_order: Literal["table", "listing"] = "table"
    fetch_offsets: Literal["int32", "int64"] = "int32"
    produce_error: bool = True


DEFAULT_READING = Reading()


# ---- what messages are made of ----


@dataclass(slots=True)
class PartitionData:
    """The message set (bytes; decoded, a view of the frame) of one partition."""

    partition: int
    messages: Any


@dataclass(slots=True)
class TopicData:
    """The message sets of one topic."""

    topic: str
    partition_data: list[PartitionData] = field(default_factory=list)


@dataclass(slots=True)
class OffsetData:
    """Where to fetch from in the partitions of one topic: two lists of one length."""

    topic: str
    partitions: list[int] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)


def _read_topics(reader: FieldReader) -> list[TopicData]:
    return [
        TopicData(
            reader.string("topic"),
            [
                PartitionData(reader.integer("int32", "partition"), reader.sized("messages"))
                for _ in range(reader.count("int16", "partition_data"))
            ],
        )
        for _ in range(reader.count("int16", "data"))
    ]


def _write_topics(writer: FieldWriter, topics: list[TopicData]) -> None:
    writer.integer("int16", "data (its count)", len(topics))
    for topic in topics:
        writer.string("topic", topic.topic)
        writer.integer("int16", "partition_data (its count)", len(topic.partition_data))
        for part in topic.partition_data:
            writer.integer("int32", "partition", part.partition)
            writer.sized("messages", part.messages)


def _read_list(reader: FieldReader, kind: str, name: str) -> list[int]:
    return [reader.integer(kind, name) for _ in range(reader.count("int16", name))]


def _write_list(writer: FieldWriter, kind: str, name: str, values: list[int]) -> None:
    writer.integer("int16", f"{name} (its count)", len(values))
    for value in values:
        writer.integer(kind, name, value)


def _check_version(version_id: int, what: str) -> None:
    if version_id != VERSION:
        raise UnsupportedError(f"version {version_id} of {what}", expected=str(VERSION))


class _Message:
    """What all messages share: common fields in front, the body behind them."""

    __slots__ = ()

    @classmethod
    def decode(cls, frame: Any, reading: Reading = DEFAULT_READING) -> Self:
        """Read the message from its frame; message sets are views of it."""
        reader = FieldReader(frame, cls.__name__)
        message = cls._read(reader, reading)
        reader.end()
        return message

    def encode(self, reading: Reading = DEFAULT_READING) -> bytes:
        """The frame of the message."""
        writer = FieldWriter(type(self).__name__)
        self._write(writer, reading)
        return writer.take()

    @classmethod
    def _read(cls, reader: FieldReader, reading: Reading) -> Self:
        raise NotImplementedError

    def _write(self, writer: FieldWriter, reading: Reading) -> None:
        raise NotImplementedError


def _read_request(reader: FieldReader, request_type_id: int, what: str, correlation_first: bool) -> tuple[int, str]:
    """The common fields of a request: correlation_id and client_id."""
    found = reader.integer("int16", "request_type_id")
    if found != request_type_id:
        raise UnsupportedError(f"request type {found}", position=0, expected=f"{request_type_id} ({what})")
    if correlation_first:
        correlation_id = reader.integer("int32", "correlation_id")
        _check_version(reader.integer("int16", "version_id"), what)
    else:
        _check_version(reader.integer("int16", "version_id"), what)
        correlation_id = reader.integer("int32", "correlation_id")
    return correlation_id, reader.string("client_id")


def _write_request(
    writer: FieldWriter, request_type_id: int, correlation_id: int, client_id: str, correlation_first: bool
) -> None:
    writer.integer("int16", "request_type_id", request_type_id)
    if correlation_first:
        writer.integer("int32", "correlation_id", correlation_id)
        writer.integer("int16", "version_id", VERSION)
    else:
        writer.integer("int16", "version_id", VERSION)
        writer.integer("int32", "correlation_id", correlation_id)
    writer.string("client_id", client_id)


def _read_response(reader: FieldReader, what: str, has_error: bool) -> tuple[int, int]:
    """The common fields of a response: correlation_id and error, 0 where it has none."""
    correlation_id = reader.integer("int32", "correlation_id")
    _check_version(reader.integer("int16", "version_id"), what)
    return correlation_id, reader.integer("int16", "error") if has_error else 0


def _write_response(writer: FieldWriter, correlation_id: int, error: int, has_error: bool) -> None:
    writer.integer("int32", "correlation_id", correlation_id)
    writer.integer("int16", "version_id", VERSION)
    if has_error:
        writer.integer("int16", "error", error)
    elif error:
        raise EncodeError(f"error {error} in a reading whose ProduceResponse has none", expected="0")


# ---- the messages ----


@dataclass(slots=True)
class ProduceRequest(_Message):
    """Append message sets; answered once ``required_acks`` brokers have them, or after ``ack_timeout`` ms.

    ``required_acks`` 0: no waiting; the proposal leaves open whether there is an answer then.
    """

    REQUEST_TYPE_ID: ClassVar[int] = PRODUCE

    correlation_id: int
    client_id: str
    required_acks: int
    ack_timeout: int
    data: list[TopicData] = field(default_factory=list)

    @classmethod
    def _read(cls, reader: FieldReader, reading: Reading) -> Self:
        common = _read_request(reader, cls.REQUEST_TYPE_ID, cls.__name__, False)
        return cls(
            *common, reader.integer("int8", "required_acks"), reader.integer("int32", "ack_timeout"),
            _read_topics(reader),
        )

    def _write(self, writer: FieldWriter, reading: Reading) -> None:
        _write_request(writer, self.REQUEST_TYPE_ID, self.correlation_id, self.client_id, False)
        writer.integer("int8", "required_acks", self.required_acks)
        writer.integer("int32", "ack_timeout", self.ack_timeout)
        _write_topics(writer, self.data)


@dataclass(slots=True)
class ProduceResponse(_Message):
    """An error and an offset for each message set of the request, in its order; ``error`` is that of the request."""

    correlation_id: int
    error: int = 0
    errors: list[int] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)

    @classmethod
    def _read(cls, reader: FieldReader, reading: Reading) -> Self:
        common = _read_response(reader, cls.__name__, reading.produce_error)
        errors = _read_list(reader, "int16", "errors")
        at = reader.position
        offsets = _read_list(reader, "int64", "offsets")
        if len(offsets) != len(errors):
            raise CorruptError(
                f"ProduceResponse: {len(errors)} errors and {len(offsets)} offsets", position=at, expected="as many"
            )
        return cls(*common, errors, offsets)

    def _write(self, writer: FieldWriter, reading: Reading) -> None:
        if len(self.offsets) != len(self.errors):
            raise EncodeError(
                f"ProduceResponse: {len(self.errors)} errors and {len(self.offsets)} offsets", expected="as many"
            )
        _write_response(writer, self.correlation_id, self.error, reading.produce_error)
        _write_list(writer, "int16", "errors", self.errors)
        _write_list(writer, "int64", "offsets", self.offsets)


@dataclass(slots=True)
class FetchRequest(_Message):
    """Ask for what is there from the offsets on; answered once that is ``min_bytes``, or after ``max_wait`` ms."""

    REQUEST_TYPE_ID: ClassVar[int] = FETCH

    correlation_id: int
    client_id: str
    replica_id: int
    max_wait: int
    min_bytes: int
    topic_offsets: list[OffsetData] = field(default_factory=list)

    @classmethod
    def _read(cls, reader: FieldReader, reading: Reading) -> Self:
        common = _read_request(reader, cls.REQUEST_TYPE_ID, cls.__name__, reading.fetch_order == "listing")
        replica_id = reader.integer("int32", "replica_id")
        max_wait = reader.integer("int32", "max_wait")
        min_bytes = reader.integer("int32", "min_bytes")
        topics = []
        for _ in range(reader.count("int16", "topic_offsets")):
            topic = reader.string("topic")
            partitions = _read_list(reader, "int32", "partitions")
            at = reader.position
            offsets = _read_list(reader, reading.fetch_offsets, "offsets")
            if len(partitions) != len(offsets):
                raise CorruptError(
                    f"FetchRequest: {len(partitions)} partitions and {len(offsets)} offsets", position=at,
                    expected="as many",
                )
            topics.append(OffsetData(topic, partitions, offsets))
        return cls(*common, replica_id, max_wait, min_bytes, topics)

    def _write(self, writer: FieldWriter, reading: Reading) -> None:
        _write_request(
            writer, self.REQUEST_TYPE_ID, self.correlation_id, self.client_id, reading.fetch_order == "listing"
        )
        writer.integer("int32", "replica_id", self.replica_id)
        writer.integer("int32", "max_wait", self.max_wait)
        writer.integer("int32", "min_bytes", self.min_bytes)
        writer.integer("int16", "topic_offsets (its count)", len(self.topic_offsets))
        for topic in self.topic_offsets:
            if len(topic.partitions) != len(topic.offsets):
                raise EncodeError(
                    f"FetchRequest: {len(topic.partitions)} partitions and {len(topic.offsets)} offsets",
                    expected="as many",
                )
            writer.string("topic", topic.topic)
            _write_list(writer, "int32", "partitions", topic.partitions)
            _write_list(writer, reading.fetch_offsets, "offsets", topic.offsets)


@dataclass(slots=True)
class FetchResponse(_Message):
    """The message sets asked for, in the layout of the ProduceRequest's; ``error`` is that of the request."""

    correlation_id: int
    error: int = 0
    data: list[TopicData] = field(default_factory=list)

    @classmethod
    def _read(cls, reader: FieldReader, reading: Reading) -> Self:
        return cls(*_read_response(reader, cls.__name__, True), _read_topics(reader))

    def _write(self, writer: FieldWriter, reading: Reading) -> None:
        _write_response(writer, self.correlation_id, self.error, True)
        _write_topics(writer, self.data)
