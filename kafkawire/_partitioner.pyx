"""Kafka's default partitioner, compiled: the hash of a key, and the partition of every key of a column.

Its twin is _partitioner_py.py.
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, uint8_t, uint32_t

from kafkawire._writer cimport MOVED, BytesColumn, Piece

from kafkawire import errors

cdef enum:
    INT32_MAX_ = 0x7FFFFFFF


cdef uint32_t murmur2_of(const uint8_t *data, Py_ssize_t size) noexcept nogil:
    """Of Austin Appleby's 32-bit MurmurHash2, with the seed that Kafka's Java client has."""
    cdef uint32_t m = 0x5BD1E995
    cdef uint32_t h = <uint32_t>0x9747B28C ^ <uint32_t>size
    cdef uint32_t k
    cdef Py_ssize_t i = 0
    while size - i >= 4:
        # The bytes are a little-endian number on every machine.
        k = (<uint32_t>data[i] | <uint32_t>data[i + 1] << 8 | <uint32_t>data[i + 2] << 16
             | <uint32_t>data[i + 3] << 24)
        k *= m
        k ^= k >> 24
        k *= m
        h = h * m ^ k
        i += 4
    if size - i >= 3:
        h ^= <uint32_t>data[i + 2] << 16
    if size - i >= 2:
        h ^= <uint32_t>data[i + 1] << 8
    if size - i >= 1:
        h ^= data[i]
        h *= m
    h ^= h >> 13
    h *= m
    return h ^ h >> 15


def murmur2(data):
    cdef Py_buffer view
    cdef uint32_t value
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    try:
        with nogil:
            value = murmur2_of(<const uint8_t *>view.buf, view.len)
    finally:
        PyBuffer_Release(&view)
    return <int32_t>value


def key_partitions(validity, offsets, data, Py_ssize_t first, Py_ssize_t rows, partitions):
    cdef BytesColumn keys = BytesColumn(validity, offsets, data, first, rows)
    cdef Py_ssize_t row
    cdef uint32_t count
    cdef bytes found
    cdef int32_t *out
    cdef Piece key
    cdef bint changed = False
    if not 1 <= partitions <= INT32_MAX_:
        raise ValueError(f"{partitions} partitions")
    count = partitions
    found = PyBytes_FromStringAndSize(NULL, rows * 4)
    out = <int32_t *>PyBytes_AS_STRING(found)
    with nogil:
        for row in range(rows):
            key = keys.get(row)
            if key.size == MOVED:
                changed = True
                break
            if key.size < 0:
                out[row] = -1
            else:
                out[row] = <int32_t>((murmur2_of(key.data, key.size) & INT32_MAX_) % count)
    if changed:
        raise errors.EncodeError("the column key was changed while it was read", expected="a column that stays")
    return found
