"""Varints and checksums for Python; the C side of the same, the bounded cursor, is _varint.pxd.

Varints are those of protocol buffers, as KIP-98 (zigzag, record batches v2) and KIP-482 (unsigned, flexible messages)
use them.
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyObject_GetBuffer, PyBuffer_Release

from kafkawire import errors

cdef extern from "_native_crc.h" nogil:
    void kw_crc_init()
    uint32_t (*kw_crc32c)(uint32_t crc, const uint8_t *data, size_t size) noexcept
    uint32_t (*kw_crc32)(uint32_t crc, const uint8_t *data, size_t size) noexcept
    const char *kw_crc_kind()

kw_crc_init()


cdef uint32_t crc32c_of(uint32_t crc, const uint8_t *data, Py_ssize_t size) noexcept nogil:
    return kw_crc32c(crc, data, <size_t>size)


cdef uint32_t crc32_of(uint32_t crc, const uint8_t *data, Py_ssize_t size) noexcept nogil:
    return kw_crc32(crc, data, <size_t>size)


#: Which implementation of the checksums runs: "x86 sse4.2+pclmul", "armv8 crc" or "table".
CRC_KIND = kw_crc_kind().decode()


cdef Varint long_uvarint(const uint8_t *data, Py_ssize_t start, Py_ssize_t end, int bits) noexcept nogil:
    """An unsigned varint of 32 or 64 bits: at most 5 or 10 bytes, and no bit beyond."""
    cdef Varint v
    cdef int shift = 0
    cdef uint8_t byte
    v.value = 0
    v.pos = start
    v.fault = FAULT_NONE
    while True:
        if v.pos >= end:
            v.fault = FAULT_END
            return v
        byte = data[v.pos]
        v.pos += 1
        if shift + 7 > bits and byte >> (bits - shift):
            v.fault = FAULT_VARINT_LONG
            return v
        v.value |= <uint64_t>(byte & 0x7F) << shift
        if byte < 0x80:
            return v
        shift += 7


cdef object cursor_error(Cursor *c):
    """The error of a cursor over data that may simply end too early (no batch around it that says how long it is)."""
    if c.fault == FAULT_END:
        return errors.TruncatedError(
            "the data ends inside a varint", missing=None, position=c.fault_pos, expected="more bytes"
        )
    return errors.fault_error(c.fault, c.a, c.b, c.fault_pos)


cdef tuple decode(object data, object position, int kind):
    cdef Py_buffer view
    cdef Py_ssize_t pos
    cdef Cursor c
    cdef int64_t signed = 0
    cdef uint64_t unsigned = 0
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    try:
        try:
            pos = position
        except OverflowError:
            pos = -1
        if pos < 0 or pos > view.len:
            raise errors.TruncatedError(
                "the position is outside of the data", missing=None, position=position, expected=f"0 to {view.len}"
            )
        cursor_init(&c, <const uint8_t *>view.buf, pos, view.len)
        if kind == 0:
            signed = read_varint32(&c)
        elif kind == 1:
            signed = read_varint64(&c)
        elif kind == 2:
            unsigned = read_uvarint32(&c)
        else:
            unsigned = read_uvarint64(&c)
        if c.fault:
            raise cursor_error(&c)
        return (signed if kind < 2 else unsigned), c.pos
    finally:
        PyBuffer_Release(&view)


def decode_varint(data, pos=0):
    return decode(data, pos, 0)


def decode_varlong(data, pos=0):
    return decode(data, pos, 1)


def decode_unsigned_varint(data, pos=0):
    return decode(data, pos, 2)


def decode_unsigned_varlong(data, pos=0):
    return decode(data, pos, 3)


cdef bytes encoded(uint64_t value):
    cdef uint8_t out[10]
    cdef Py_ssize_t size = write_uvarint(out, value)
    return out[:size]


cdef object check_int(object value):
    if not isinstance(value, int):
        raise TypeError(f"a varint is made of an int, not of {type(value).__name__}")


def encode_varint(value):
    check_int(value)
    if not -0x80000000 <= value <= 0x7FFFFFFF:
        raise errors.EncodeError(f"{value} is outside of int32", expected="-2**31 to 2**31 - 1")
    return encoded(zigzag(value))


def encode_varlong(value):
    check_int(value)
    if not -0x8000000000000000 <= value <= 0x7FFFFFFFFFFFFFFF:
        raise errors.EncodeError(f"{value} is outside of int64", expected="-2**63 to 2**63 - 1")
    return encoded(zigzag(value))


def encode_unsigned_varint(value):
    check_int(value)
    if not 0 <= value <= 0xFFFFFFFF:
        raise errors.EncodeError(f"{value} is outside of uint32", expected="0 to 2**32 - 1")
    return encoded(value)


def encode_unsigned_varlong(value):
    check_int(value)
    if not 0 <= value <= 0xFFFFFFFFFFFFFFFF:
        raise errors.EncodeError(f"{value} is outside of uint64", expected="0 to 2**64 - 1")
    return encoded(value)


cdef uint32_t checksum(object data, uint32_t value, bint castagnoli) except? 0xFFFFFFFF:
    cdef Py_buffer view
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    try:
        with nogil:
            if castagnoli:
                value = crc32c_of(value, <const uint8_t *>view.buf, view.len)
            else:
                value = crc32_of(value, <const uint8_t *>view.buf, view.len)
    finally:
        PyBuffer_Release(&view)
    return value


def crc32c(data, uint32_t value=0):
    return checksum(data, value, True)


def crc32(data, uint32_t value=0):
    return checksum(data, value, False)
