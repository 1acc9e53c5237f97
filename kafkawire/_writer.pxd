"""Arrow's columns as the kernels that read them hold them."""

from libc.stdint cimport int32_t, uint8_t


cdef struct Piece:
    const uint8_t *data
    Py_ssize_t size             # -1: null


cdef class BytesColumn:
    cdef Py_buffer valid, offsets, data
    cdef int held
    cdef const uint8_t *bits
    cdef const int32_t *at
    cdef const uint8_t *bytes
    cdef Py_ssize_t first

    cdef Py_ssize_t byte_count(self, Py_ssize_t rows) noexcept nogil

    cdef inline Piece get(self, Py_ssize_t row) noexcept nogil:
        cdef Piece piece
        cdef Py_ssize_t i = self.first + row
        piece.data = self.bytes + self.at[i]
        piece.size = self.at[i + 1] - self.at[i]
        if self.bits != NULL and not (self.bits[i >> 3] >> (i & 7)) & 1:
            piece.size = -1
        return piece
