"""The fields that the protocols before 0.8 are made of: big-endian integers, strings counted by int16, sized bytes."""

from __future__ import annotations

from struct import Struct
from struct import error as StructError
from typing import Any

from kafkawire.errors import CorruptError, EncodeError, TruncatedError

_INTS = {"int8": Struct(">b"), "int16": Struct(">h"), "int32": Struct(">i"), "int64": Struct(">q")}


class FieldReader:
    """Takes one field after the other from a frame; ``what`` names the message in errors.

    Raises TruncatedError (with ``missing``) where the frame ends inside of a field, CorruptError for a length or count
    that cannot be and for text that is not UTF-8.
    """

    def __init__(self, frame: Any, what: str) -> None:
        self._view = memoryview(frame).cast("B")
        self._what = what
        self.position = 0

    @property
    def left(self) -> int:
        """Bytes that were not read."""
        return len(self._view) - self.position

    def _take(self, size: int, name: str) -> memoryview:
        if size > self.left:
            raise TruncatedError(
                f"{self._what}.{name}: the frame ends, {self.left} bytes are left", missing=size - self.left,
                position=self.position, expected=f"{size} bytes",
            )
        start = self.position
        self.position += size
        return self._view[start : self.position]

    def integer(self, kind: str, name: str) -> int:
        """An int8, int16, int32 or int64."""
        form = _INTS[kind]
        value: int = form.unpack(self._take(form.size, name))[0]
        return value

    def count(self, kind: str, name: str) -> int:
        """A length or a number of elements."""
        at = self.position
        value = self.integer(kind, name)
        if value < 0:
            raise CorruptError(f"{self._what}.{name}: a length or count of {value}", position=at, expected="0 or more")
        return value

    def string(self, name: str) -> str:
        """An int16 length and that many bytes of UTF-8."""
        size = self.count("int16", name)
        at = self.position
        try:
            return str(self._take(size, name), "utf-8")
        except UnicodeDecodeError:
            raise CorruptError(f"{self._what}.{name}: not UTF-8", position=at, expected="UTF-8") from None

    def sized(self, name: str) -> memoryview:
        """An int32 length and that many bytes, as a view of the frame."""
        return self._take(self.count("int32", name), name)

    def view(self, size: int, name: str) -> memoryview:
        """``size`` bytes, as a view of the frame."""
        return self._take(size, name)

    def rest(self) -> memoryview:
        """All bytes that are left, as a view of the frame."""
        return self._take(self.left, "")

    def end(self) -> None:
        """Raises CorruptError where bytes are left over."""
        if self.left:
            raise CorruptError(
                f"{self._what}: {self.left} bytes are left over at the end", position=self.position, expected="none"
            )


class FieldWriter:
    """Appends one field after the other to a frame; raises EncodeError for a value that the field cannot carry."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._parts: list[Any] = []

    def integer(self, kind: str, name: str, value: int) -> None:
        """An int8, int16, int32 or int64."""
        form = _INTS[kind]
        try:
            self._parts.append(form.pack(value))
        except (StructError, TypeError):
            raise EncodeError(f"{self._what}.{name} is {value!r}", expected=f"an {kind}") from None

    def string(self, name: str, value: str) -> None:
        """An int16 length and the text in UTF-8."""
        data = value.encode()
        self.integer("int16", f"{name} (its length)", len(data))
        self._parts.append(data)

    def sized(self, name: str, value: Any) -> None:
        """An int32 length and the bytes."""
        data = memoryview(value).cast("B")
        self.integer("int32", f"{name} (its length)", len(data))
        self._parts.append(data)

    def view(self, value: Any) -> None:
        """Bytes as they are."""
        self._parts.append(memoryview(value).cast("B"))

    def take(self) -> bytes:
        """The frame, without its length."""
        return b"".join(self._parts)
