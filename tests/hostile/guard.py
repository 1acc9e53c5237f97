"""Buffers that end exactly where memory does: the next page may not be read, nor that before the first byte's page."""

from __future__ import annotations

import ctypes
import mmap
import os

PAGE = mmap.PAGESIZE
_PROT_NONE = 0


class GuardedMemory:
    """Room for one buffer of up to ``size`` bytes, between two pages that nobody may read. Linux and macOS.

    What ``holding`` returned before is overwritten by the next call.
    """

    def __init__(self, size: int) -> None:
        self.room = -(-size // PAGE) * PAGE
        self._map = mmap.mmap(-1, self.room + 2 * PAGE)
        self._view = memoryview(self._map)
        # Without this the addresses of an mmap object are not to be had; it keeps the mapping alive too.
        self._anchor = ctypes.c_char.from_buffer(self._map)
        self.start = ctypes.addressof(self._anchor) + PAGE
        self.end = self.start + self.room
        protect = ctypes.CDLL(None, use_errno=True).mprotect
        protect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
        for address in (self.start - PAGE, self.end):
            if protect(address, PAGE, _PROT_NONE):
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    def holding(self, data: bytes | memoryview, *, at_start: bool = False) -> memoryview:
        """The bytes of ``data``, read-only; behind the last nothing may be read (or before the first)."""
        size = memoryview(data).nbytes
        if size > self.room:
            raise ValueError(f"{size} bytes, and room for {self.room}")
        first = PAGE if at_start else PAGE + self.room - size
        view = self._view[first : first + size]
        view[:] = memoryview(data).cast("B")
        return view.toreadonly()
