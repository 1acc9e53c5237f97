"""Messages: structs that travel on their own, in versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

from kafkawire.schema import json, plan
from kafkawire.schema.fields import Buffer, Struct, Versions

if TYPE_CHECKING:
    from typing_extensions import Self


class Message(Struct):
    """A struct that travels on its own: ``decode``, ``encode``, ``to_json``, ``from_json``, each for one version.

    ``VERSIONS``: the versions this library knows; ``FLEXIBLE``: those with compact lengths and tagged fields (KIP-482).
    ``API_KEY``: the API of a request or response, the record type of a message that lives in a topic, or None.
    """

    API_KEY: ClassVar[int | None] = None
    VERSIONS: ClassVar[Versions]
    FLEXIBLE: ClassVar[Versions]

    @overload
    @classmethod
    def decode(cls, data: Buffer, version: int, *, trailing: Literal["refuse"] = "refuse") -> Self: ...

    @overload
    @classmethod
    def decode(cls, data: Buffer, version: int, *, trailing: Literal["return"]) -> tuple[Self, memoryview]: ...

    @classmethod
    def decode(
        cls, data: Buffer, version: int, *, trailing: Literal["refuse", "return"] = "refuse"
    ) -> Self | tuple[Self, memoryview]:
        """Read the message from ``data``, the body without size and header.

        Records come as memoryviews of ``data``, without a copy. ``trailing="return"`` gives (message, the bytes after
        it as a memoryview) instead of refusing bytes that are left over.

        Raises UnsupportedError for a version outside of ``VERSIONS``, TruncatedError (``missing`` says how many bytes
        at least) where the data ends too early, CorruptError for all else that contradicts the format. Both name the
        field and its position in ``data``, in bytes.
        """
        if trailing == "refuse":
            message: Self = plan.decode(cls, data, version)
            return message
        if trailing != "return":
            raise ValueError(f'trailing is "refuse" or "return", not {trailing!r}')
        pair: tuple[Self, memoryview] = plan.decode_prefix(cls, data, version)
        return pair

    def encode(self, version: int) -> bytes:
        """The body in this version, without size and header.

        Raises UnsupportedError for a version outside of ``VERSIONS``, and EncodeError, naming the field, for a value
        of a wrong type or out of range, for None where the version has no null, and for a value other than the default
        in a field that the version does not have (unless Kafka calls the field ignorable).
        """
        return plan.encode(self, version)

    def to_json(self, version: int) -> dict[str, Any]:
        """The message as Kafka's own JSON converters write it: camel case, bytes in base64, uuids as Kafka prints them.

        Fields that the version lacks and tagged fields that equal their default are left out, as are unknown tags,
        which that format cannot carry. Raises as :meth:`encode` does.
        """
        return json.to_json(self, version)

    @classmethod
    def from_json(cls, document: dict[str, Any], version: int) -> Self:
        """The message from a document of :meth:`to_json` or of Kafka's converters.

        Raises UnsupportedError for a version outside of ``VERSIONS``, EncodeError for a field that is missing, not
        known, or of a wrong type.
        """
        message: Self = json.from_json(cls, document, version)
        return message


class Request(Message):
    """A request's body; :class:`kafkawire.messages.RequestHeader` goes before it."""

    API_KEY: ClassVar[int]


class Response(Message):
    """A response's body; :class:`kafkawire.messages.ResponseHeader` goes before it."""

    API_KEY: ClassVar[int]
