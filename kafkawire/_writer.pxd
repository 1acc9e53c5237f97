"""Arrow's columns as the kernels that read them hold them."""

from libc.stdint cimport int32_t, uint8_t

cdef enum:
    # Beside a piece's sizes: its offsets, which were right, are not any more.
    MOVED = -2


cdef struct Piece:
    const uint8_t *data
    Py_ssize_t size             # -1: null, MOVED


cdef class BytesColumn:
    cdef Py_buffer valid, offsets, data
    cdef int held
    cdef const uint8_t *bits
    cdef const int32_t *at
    cdef const uint8_t *bytes
    cdef Py_ssize_t first, rows

    cdef Py_ssize_t byte_count(self, Py_ssize_t rows) noexcept nogil

    cdef inline Piece get(self, Py_ssize_t row) noexcept nogil:
        """One row, whose offsets are looked at again: the memory is not ours, and others may write to it."""
        cdef Piece piece
        cdef Py_ssize_t i = self.first + row, start, end
        piece.data = self.bytes
        piece.size = -1
        if self.bits != NULL and not (self.bits[i >> 3] >> (i & 7)) & 1:
            return piece
        start = self.at[i]
        end = self.at[i + 1]
        if row >= self.rows or start < 0 or end < start or end > self.data.len:
            piece.size = MOVED
        else:
            piece.data = self.bytes + start
            piece.size = end - start
        return piece
