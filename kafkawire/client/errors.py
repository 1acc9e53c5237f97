"""What goes wrong between a client and a cluster.

::

    ClientError
    ├── BrokerConnectionError       no connection, or it broke
    ├── BrokerAuthenticationError   TLS or SASL refused one side or the other
    ├── BrokerProtocolError         a broker sent what cannot be read, or is too large
    ├── RequestTimeoutError         a broker did not answer in time
    ├── DeadlineError               retries went on until the time was up
    ├── PartitionError              a broker refused something for one partition
    │   └── OffsetOutOfRangeError   the offset to fetch is not there (any more, or yet)
    ├── RefusedError                a broker refused a request, or its part for a topic or group
    └── ClosedError                 the client was closed

Each says which broker, topic and partition, as far as there is one; ``__cause__`` is what happened below: a BrokerError
with its code, an OSError, a WireError, an AuthenticationError.
"""

from __future__ import annotations

from typing import Any

from kafkawire.errors import AuthenticationError, WireError
from kafkawire.messages import BrokerError


class ClientError(Exception):
    """The base. ``broker``: "host:port" or "host:port (node 1)"; ``topic``, ``partition``: where there is one.

    ``completed``: of an operation on several partitions, the results of those that were done before.
    """

    #: Whether the same may succeed later. The client has retried such errors already, within its time.
    retriable = False
    #: Whether the cluster should be asked for its metadata before.
    invalid_metadata = False

    def __init__(
        self, message: str, *, broker: str | None = None, topic: str | None = None, partition: int | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.broker = broker
        self.topic = topic
        self.partition = partition
        self.completed: dict[Any, Any] = {}

    def __str__(self) -> str:
        place = []
        if self.topic is not None:
            place.append(self.topic if self.partition is None else f"{self.topic}-{self.partition}")
        if self.broker is not None:
            place.append(f"broker {self.broker}")
        text = f"{self.message} ({', '.join(place)})" if place else self.message
        return f"{text}: {describe(self.__cause__)}" if self.__cause__ is not None else text

    def __reduce__(self) -> tuple[Any, ...]:
        # Errors cross process borders (Spark's workers), and pickle drops causes: those that can travel go along, of
        # others the text.
        fields = {"broker": self.broker, "topic": self.topic, "partition": self.partition}
        cause = self.__cause__ if isinstance(self.__cause__, _TRAVELLING) else None
        message = self.message
        if self.__cause__ is not None and cause is None:
            message += f": {describe(self.__cause__)}"
        return (_rebuild, (type(self), message, fields, cause))

    @property
    def code(self) -> int | None:
        """The broker's error code, where one is the cause."""
        return self.__cause__.code if isinstance(self.__cause__, BrokerError) else None


_TRAVELLING = (ClientError, BrokerError, WireError, AuthenticationError, OSError)


def _rebuild(cls: type[ClientError], message: str, fields: dict[str, Any], cause: BaseException | None) -> ClientError:
    error = cls(message, **fields)
    error.__cause__ = cause
    return error


class BrokerConnectionError(ClientError):
    """There is no connection to a broker, or it broke. Whether a request that was under way was done is not known."""

    retriable = True
    invalid_metadata = True


class BrokerAuthenticationError(ClientError):
    """TLS or SASL ended without success; trying again does not help."""


class BrokerProtocolError(ClientError):
    """A broker, or whatever listens there, sent what cannot be read or is larger than a limit; the connection was
    closed."""


class RequestTimeoutError(ClientError):
    """A broker did not answer in time (request.timeout.ms); the connection was closed. Whether it did what was asked is
    not known."""

    retriable = True
    invalid_metadata = True


class DeadlineError(ClientError):
    """Retries went on until the time was up (default.api.timeout.ms, delivery.timeout.ms); the cause is the last."""


class PartitionError(ClientError):
    """A broker refused something for one partition; the cause has the code."""


class OffsetOutOfRangeError(PartitionError):
    """The offset to fetch is below the log's start or above its end."""


class RefusedError(ClientError):
    """A broker refused a request, or its part for a topic, a group or a transaction; the cause has the code."""


class ClosedError(ClientError):
    """The client was closed."""


def describe(error: BaseException | None) -> str:
    """An error for a person: its text, or its class where it has none."""
    return "" if error is None else str(error) or type(error).__name__


def is_retriable(error: BaseException) -> bool:
    return isinstance(error, (ClientError, BrokerError)) and error.retriable


def is_invalid_metadata(error: BaseException) -> bool:
    return isinstance(error, (ClientError, BrokerError)) and error.invalid_metadata
