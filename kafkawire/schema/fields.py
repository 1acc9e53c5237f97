"""How a message is declared: one typed class for all its versions, the version range on the field's own line.

::

    class HeartbeatResponse(Response, key=12, versions="0-4", flexible="4+"):
        throttle_time_ms: Int32 = field("1+", ignorable=True)
        error_code: Int16 = field()

Every field has a default, as in Kafka: the one that ``field(default=...)`` names, else zero, "", an empty list, a
struct of defaults. Annotations are read when a message is first used, so that declaring hundreds of classes costs
little.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, cast

if TYPE_CHECKING:
    from typing_extensions import Self, dataclass_transform
else:

    def dataclass_transform(**_: Any) -> Any:
        return lambda cls: cls


Int8 = Annotated[int, "int8"]
Int16 = Annotated[int, "int16"]
Int32 = Annotated[int, "int32"]
Int64 = Annotated[int, "int64"]
UInt16 = Annotated[int, "uint16"]
UInt32 = Annotated[int, "uint32"]
Float64 = Annotated[float, "float64"]
Bool = Annotated[bool, "bool"]
Uuid = Annotated[uuid.UUID, "uuid"]
String = Annotated[str, "string"]
Bytes = Annotated[bytes, "bytes"]
# Decoded, a memoryview of the caller's buffer; to encode, any object with a buffer.
Records = Annotated[bytes | bytearray | memoryview, "records"]

Buffer = bytes | bytearray | memoryview

ZERO_UUID = uuid.UUID(int=0)

_HIGHEST = 32767
_MISSING: Any = object()


class Versions:
    """A set of versions, written ``"3"``, ``"0-5"``, ``"2+"``, ``"0,3"`` or ``"none"``."""

    __slots__ = ("ranges", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        ranges = []
        for part in text.split(",") if text != "none" else ():
            low, dash, high = part.rstrip("+").partition("-")
            ranges.append((int(low), int(high) if dash else _HIGHEST if part.endswith("+") else int(low)))
        self.ranges = tuple(ranges)

    def __contains__(self, version: object) -> bool:
        return any(low <= version <= high for low, high in self.ranges) if isinstance(version, int) else False

    def __iter__(self) -> Iterator[int]:
        for low, high in self.ranges:
            yield from range(low, high + 1)

    def __bool__(self) -> bool:
        return bool(self.ranges)

    @property
    def lowest(self) -> int:
        return self.ranges[0][0]

    @property
    def highest(self) -> int:
        return self.ranges[-1][1]

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Versions({self.text!r})"


class Field:
    """What :func:`field` declared; ``schema.plan`` joins it with the annotation."""

    __slots__ = (
        "compact",
        "default",
        "ignorable",
        "json_name",
        "json_names",
        "lenient",
        "name",
        "nullable",
        "secret",
        "tag",
        "tagged",
        "versions",
    )

    def __init__(
        self,
        versions: str,
        default: Any,
        nullable: str | None,
        tag: int | None,
        tagged: str | None,
        ignorable: bool,
        compact: bool,
        lenient: bool,
        was: str | None,
        secret: bool,
    ) -> None:
        self.name = ""
        self.versions = versions
        self.default = default
        self.nullable = nullable
        self.tag = tag
        self.tagged = tagged
        self.ignorable = ignorable
        self.compact = compact
        self.lenient = lenient
        self.secret = secret
        self.json_name = ""
        self.json_names: tuple[str, ...] = (was,) if was else ()


def field(
    versions: str = "0+",
    *,
    default: Any = _MISSING,
    nullable: str | None = None,
    tag: int | None = None,
    tagged: str | None = None,
    ignorable: bool = False,
    compact: bool = True,
    lenient: bool = False,
    was: str | None = None,
    secret: bool = False,
) -> Any:
    """One field of a struct or message.

    ``versions``: those that carry the field. ``nullable``: those in which it may be null, where not all of them; the
    annotation says ``| None``. ``tag``: the number of a tagged field; ``tagged``: the versions in which it is tagged,
    where not all that carry it. ``ignorable``: a version without the field drops its value silently; else a value other
    than the default is an EncodeError there. ``compact=False``: keeps the short length prefix in flexible versions.
    A tag is refused in versions that do not define it, as Java does; ``lenient``: it is new in Kafka 4, and kept as an
    unknown tag in the versions that Kafka 3.9 speaks.
    ``was``: the name that an older Kafka used for the field, in camel case; read from JSON, never written.
    ``secret``: a repr shows the value's size only.
    """
    return Field(versions, default, nullable, tag, tagged, ignorable, compact, lenient, was, secret)


def camel_case(name: str) -> str:
    """``error_code`` to ``errorCode``: the name in Kafka's JSON."""
    first, *others = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in others)


@dataclass_transform(kw_only_default=True)
class StructMeta(type):
    """Turns the ``field()`` lines of a class body into slots, and keeps their declarations in ``FIELDS``."""

    FIELDS: dict[str, Field]
    _defaults: tuple[tuple[str, Callable[[], Any] | None, Any], ...]
    _values: attrgetter[tuple[Any, ...]]

    def __new__(
        mcls,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        *,
        key: int | None = None,
        versions: str | None = None,
        flexible: str | None = None,
    ) -> StructMeta:
        own = {attribute: value for attribute, value in namespace.items() if isinstance(value, Field)}
        for attribute, declared in own.items():
            declared.name = attribute
            declared.json_name = camel_case(attribute)
            del namespace[attribute]
        namespace["__slots__"] = tuple(own)
        own.pop("unknown_tags", None)
        fields: dict[str, Field] = {}
        for base in bases:
            fields.update(getattr(base, "FIELDS", {}))
        namespace["FIELDS"] = {**fields, **own}
        if key is not None:
            namespace["API_KEY"] = key
        if versions is not None:
            namespace["VERSIONS"] = Versions(versions)
            namespace["FLEXIBLE"] = Versions(flexible or "none")
        return super().__new__(mcls, name, bases, namespace)

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **_: Any) -> None:
        super().__init__(name, bases, namespace)

    def __getattr__(cls, name: str) -> Any:
        # What costs time to find out is found out when it is first asked for.
        if name == "_defaults":
            from kafkawire.schema.plan import defaults

            value: Any = defaults(cast("type[Struct]", cls))
        elif name == "_values":
            value = attrgetter(*cls.FIELDS, "unknown_tags")
        else:
            raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}")
        setattr(cls, name, value)
        return value


class Struct(metaclass=StructMeta):
    """A group of fields inside of a message.

    ``unknown_tags``: the tagged fields that this library does not know, as (tag, bytes) in ascending order, kept byte
    for byte and written back.
    """

    __hash__: ClassVar[None]  # type: ignore[assignment]

    unknown_tags: tuple[tuple[int, bytes], ...] = field(default=())

    if not TYPE_CHECKING:

        def __init__(self, **values: Any) -> None:
            for name, make, value in type(self)._defaults:
                if name in values:
                    setattr(self, name, values.pop(name))
                else:
                    setattr(self, name, value if make is None else make())
            if values:
                raise TypeError(f"{type(self).__qualname__} has no field {next(iter(values))!r}")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        values = type(self)._values
        return bool(values(self) == values(other))

    def __repr__(self) -> str:
        """The fields that differ from their default; records and secrets by their size only."""
        shown = []
        for name, make, default in type(self)._defaults:
            value = getattr(self, name)
            if value != (default if make is None else make()):
                secret = name in type(self).FIELDS and type(self).FIELDS[name].secret
                shown.append(f"{name}={_size(value) if secret or isinstance(value, memoryview) else repr(value)}")
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def __copy__(self) -> Self:
        return self._rebuild(type(self)._values(self))

    def __reduce__(self) -> tuple[Any, ...]:
        values = tuple(bytes(v) if isinstance(v, memoryview) else v for v in type(self)._values(self))
        return type(self)._rebuild, (values,)

    @classmethod
    def _rebuild(cls, values: tuple[Any, ...]) -> Self:
        return cls(**dict(zip((*cls.FIELDS, "unknown_tags"), values, strict=True)))


def _size(value: object) -> str:
    """What a repr shows of a value that it does not show: for text the bytes that it takes."""
    if isinstance(value, str):
        return f"<{len(value.encode(errors='replace'))} bytes>"
    return f"<{memoryview(value).nbytes} bytes>" if isinstance(value, (bytes, bytearray, memoryview)) else "<hidden>"
