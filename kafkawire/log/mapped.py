"""A file of a partition's log, mapped into memory; what segments of all formats share."""

from __future__ import annotations

import mmap
import os
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING

from kafkawire.records.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from typing_extensions import Self


class MappedSegment:
    """A segment file, opened for reading; close it, or use it as a context manager.

    ``path``: the file; ``base_offset``: the offset in its name, None where the name is no number; ``size``: bytes.
    ``check_crc`` and ``limits`` hold for everything that is read. Raises OSError where the file cannot be opened.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, check_crc: bool = True, limits: Limits = DEFAULT_LIMITS
    ) -> None:
        self.path = os.fspath(path)
        stem = os.path.basename(self.path).split(".")[0]
        self.base_offset: int | None = int(stem) if stem.isascii() and stem.isdigit() else None
        self.check_crc = check_crc
        self.limits = limits
        with open(self.path, "rb") as file:
            self.size = os.fstat(file.fileno()).st_size
            # An empty file cannot be mapped.
            self._map = mmap.mmap(file.fileno(), self.size, access=mmap.ACCESS_READ) if self.size else None
        self._data: memoryview | None = memoryview(b"" if self._map is None else self._map)

    @property
    def data(self) -> memoryview:
        """The whole file, mapped. Raises ValueError where the segment was closed, and so does all reading."""
        if self._data is None:
            raise ValueError(f"the segment {self.path} is closed")
        return self._data

    def close(self) -> None:
        """Unmap the file. Batches that are still around keep it mapped until they go."""
        self._data = None
        if self._map is not None:
            with suppress(BufferError):  # a batch holds a view: the map goes with the last of them
                self._map.close()
            self._map = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.path}, {self.size} bytes>"
