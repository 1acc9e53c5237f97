"""Growing memory that columns are decoded into, in Arrow's layout: shared by the kernels that make columns."""

from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport realloc
from libc.string cimport memset

from kafkawire._memory cimport kw_copy
from kafkawire._varint cimport likely

cdef enum:
    SLACK = 128                 # bytes behind every column that kw_copy may write
    MAX_BYTES = 0x7FFFFFFF      # what 32-bit offsets reach
    NO_MEMORY = 1000            # beside errors.Fault: never reaches Python as a fault
    FULL = 1001
    SMALL = 64 << 10            # blocks from this size on are kept for the next columns


cdef struct Vec:
    uint8_t *data
    Py_ssize_t size             # bytes used
    Py_ssize_t capacity         # bytes usable; SLACK more are there


cdef bint vec_grow(Vec *v, Py_ssize_t more) noexcept nogil
cdef void vec_free(Vec *v) noexcept nogil


cdef inline bint vec_reserve(Vec *v, Py_ssize_t more) noexcept nogil:
    """Room for ``more`` bytes behind those used. 0: no memory."""
    if likely(more <= v.capacity - v.size and v.data != NULL):
        return 1
    return vec_grow(v, more)


cdef class Buffer:
    cdef Vec vec


cdef inline Buffer take(Vec *v):
    """Hand the memory over. Small blocks are cut to what is used; large ones come back to be used again."""
    cdef Buffer buffer = Buffer()
    cdef uint8_t *data
    if v.capacity < SMALL and v.capacity - v.size > v.size >> 3:
        data = <uint8_t *>realloc(v.data, v.size + SLACK)
        if data != NULL:
            v.data = data
            v.capacity = v.size
    buffer.vec = v[0]
    v.data = NULL
    v.size = v.capacity = 0
    return buffer


cdef struct Binary:
    # A column of nullable bytes: 32-bit offsets, data, and a bitmap of what is not null.
    Vec offsets
    Vec data
    Vec valid
    Py_ssize_t rows
    Py_ssize_t nulls


cdef inline bint binary_reserve(Binary *b, Py_ssize_t rows, Py_ssize_t size) noexcept nogil:
    cdef Py_ssize_t before = b.valid.capacity if b.valid.data != NULL else 0
    if not (
        vec_reserve(&b.offsets, 4 * (b.rows + rows + 1)) and vec_reserve(&b.data, size)
        and vec_reserve(&b.valid, (b.rows + rows) // 8 + 1)
    ):
        return 0
    if b.valid.capacity > before:
        # Ones to begin with: a null clears its bit, anything else need not be written down.
        memset(b.valid.data + before, 0xFF, b.valid.capacity - before)
    if b.rows == 0:
        memset(b.offsets.data, 0, 4)
    return 1


cdef inline void binary_append(Binary *b, const uint8_t *data, Py_ssize_t size, Py_ssize_t readable) noexcept nogil:
    """One row, room for which was reserved."""
    if size >= 0:
        kw_copy(b.data.data + b.data.size, data, size, readable)
        b.data.size += size
    else:
        b.valid.data[b.rows >> 3] &= <uint8_t>~(1 << (b.rows & 7))
        b.nulls += 1
    b.rows += 1
    (<int32_t *>b.offsets.data)[b.rows] = <int32_t>b.data.size


cdef inline void binary_free(Binary *b) noexcept nogil:
    vec_free(&b.offsets)
    vec_free(&b.data)
    vec_free(&b.valid)


cdef inline tuple binary_take(Binary *b):
    """(validity bitmap or None, offsets, data, nulls)"""
    b.valid.size = (b.rows + 7) // 8
    b.offsets.size = 4 * (b.rows + 1)
    return (take(&b.valid) if b.nulls else None), take(&b.offsets), take(&b.data), b.nulls


cdef inline tuple fixed(Vec *v, Py_ssize_t size):
    """(no validity bitmap, data, no nulls) of a column whose rows were written in place."""
    v.size = size
    return None, take(v), 0
