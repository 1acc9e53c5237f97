"""The bounded cursor: the only pointer arithmetic that reads input, for every kernel.

A Cursor walks ``data[pos:end]``. Every read checks the bytes left first; a read that would pass the end sets ``fault``
(a number of errors.Fault, with two operands) and moves ``pos`` to ``end``, so that all later reads fault too and the
first fault stays: a caller may read a whole record and look at ``fault`` once.
"""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

# Of any number of bytes, continuing from `crc`; one copy of the tables, in _varint.
cdef uint32_t crc32c_of(uint32_t crc, const uint8_t *data, Py_ssize_t size) noexcept nogil
cdef uint32_t crc32_of(uint32_t crc, const uint8_t *data, Py_ssize_t size) noexcept nogil

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
      #define KW_LIKELY(x) __builtin_expect(!!(x), 1)
      #define KW_UNLIKELY(x) __builtin_expect(!!(x), 0)
      static inline uint16_t kw_swap16(uint16_t v) { return __builtin_bswap16(v); }
      static inline uint32_t kw_swap32(uint32_t v) { return __builtin_bswap32(v); }
      static inline uint64_t kw_swap64(uint64_t v) { return __builtin_bswap64(v); }
    #else
      #include <stdlib.h>
      #define KW_LIKELY(x) (x)
      #define KW_UNLIKELY(x) (x)
      static inline uint16_t kw_swap16(uint16_t v) { return _byteswap_ushort(v); }
      static inline uint32_t kw_swap32(uint32_t v) { return _byteswap_ulong(v); }
      static inline uint64_t kw_swap64(uint64_t v) { return _byteswap_uint64(v); }
    #endif
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
      #define kw_be16(v) (v)
      #define kw_be32(v) (v)
      #define kw_be64(v) (v)
    #else
      #define kw_be16(v) kw_swap16(v)
      #define kw_be32(v) kw_swap32(v)
      #define kw_be64(v) kw_swap64(v)
    #endif
    """
    bint likely "KW_LIKELY"(bint) nogil
    bint unlikely "KW_UNLIKELY"(bint) nogil
    uint16_t be16 "kw_be16"(uint16_t) nogil
    uint32_t be32 "kw_be32"(uint32_t) nogil
    uint64_t be64 "kw_be64"(uint64_t) nogil


# errors.Fault, for C.
cdef enum:
    FAULT_NONE = 0
    FAULT_END = 1
    FAULT_VARINT_LONG = 2
    FAULT_LENGTH_NEGATIVE = 3
    FAULT_BATCH_LENGTH = 4
    FAULT_MAGIC = 5
    FAULT_CODEC = 6
    FAULT_CHECKSUM = 7
    FAULT_RECORD_COUNT = 8
    FAULT_RECORD_TRAILING = 9
    FAULT_BATCH_TRAILING = 10
    FAULT_OFFSET_DELTA = 11
    FAULT_OFFSET_RANGE = 12
    FAULT_TIMESTAMP_RANGE = 13
    FAULT_UTF8 = 14
    FAULT_NESTED = 15
    FAULT_INNER_MAGIC = 16
    FAULT_WRAPPER_EMPTY = 17
    FAULT_WRAPPER_NULL = 18
    FAULT_HEADER_KEY_NULL = 19
    FAULT_RECORD_LENGTH = 20
    FAULT_ANCIENT_LENGTH = 21
    FAULT_ANCIENT_MAGIC = 22
    FAULT_ANCIENT_CODEC = 23
    FAULT_ANCIENT_DEPTH = 24


cdef struct Cursor:
    const uint8_t *data
    Py_ssize_t pos
    Py_ssize_t end
    int fault
    Py_ssize_t fault_pos
    int64_t a
    int64_t b


cdef inline void cursor_init(Cursor *c, const uint8_t *data, Py_ssize_t pos, Py_ssize_t end) noexcept nogil:
    c.data = data
    c.pos = pos
    c.end = end
    c.fault = FAULT_NONE
    c.fault_pos = 0
    c.a = 0
    c.b = 0


cdef inline void cursor_fault(Cursor *c, int fault, Py_ssize_t pos, int64_t a, int64_t b) noexcept nogil:
    """Keep the first fault and stop the walk."""
    if c.fault == FAULT_NONE:
        c.fault = fault
        c.fault_pos = pos
        c.a = a
        c.b = b
    c.pos = c.end


cdef inline Py_ssize_t cursor_take(Cursor *c, Py_ssize_t size) noexcept nogil:
    """Move over ``size`` bytes and return where they start; the one place where the cursor moves by a length."""
    cdef Py_ssize_t start = c.pos
    if unlikely(size < 0):
        cursor_fault(c, FAULT_LENGTH_NEGATIVE, start, size, 0)
        return c.end
    if unlikely(size > c.end - start):
        cursor_fault(c, FAULT_END, start, size, c.end - start)
        return c.end
    c.pos = start + size
    return start


cdef inline int8_t read_int8(Cursor *c) noexcept nogil:
    cdef Py_ssize_t at = c.pos
    if unlikely(at >= c.end):
        cursor_fault(c, FAULT_END, at, 1, 0)
        return 0
    c.pos = at + 1
    return <int8_t>c.data[at]


cdef inline int16_t read_int16(Cursor *c) noexcept nogil:
    cdef uint16_t raw
    cdef Py_ssize_t at = cursor_take(c, 2)
    if unlikely(c.fault):
        return 0
    memcpy(&raw, c.data + at, 2)
    return <int16_t>be16(raw)


cdef inline int32_t read_int32(Cursor *c) noexcept nogil:
    cdef uint32_t raw
    cdef Py_ssize_t at = cursor_take(c, 4)
    if unlikely(c.fault):
        return 0
    memcpy(&raw, c.data + at, 4)
    return <int32_t>be32(raw)


cdef inline int64_t read_int64(Cursor *c) noexcept nogil:
    cdef uint64_t raw
    cdef Py_ssize_t at = cursor_take(c, 8)
    if unlikely(c.fault):
        return 0
    memcpy(&raw, c.data + at, 8)
    return <int64_t>be64(raw)


cdef struct Varint:
    uint64_t value
    Py_ssize_t pos              # behind it
    int fault


cdef Varint long_uvarint(const uint8_t *data, Py_ssize_t start, Py_ssize_t end, int bits) noexcept nogil


cdef inline uint64_t read_uvarint_tail(Cursor *c, Py_ssize_t start, int bits) noexcept nogil:
    """An unsigned varint of any length. By value, so that a caller's cursor can stay in registers."""
    cdef Varint v = long_uvarint(c.data, start, c.end, bits)
    if unlikely(v.fault):
        if v.fault == FAULT_END:
            cursor_fault(c, FAULT_END, start, v.pos - start + 1, c.end - start)
        else:
            cursor_fault(c, FAULT_VARINT_LONG, start, bits, 0)
        return 0
    c.pos = v.pos
    return v.value


cdef inline uint32_t read_uvarint32(Cursor *c) noexcept nogil:
    cdef Py_ssize_t at = c.pos
    cdef uint8_t byte, second
    if likely(at < c.end):
        byte = c.data[at]
        if likely(byte < 0x80):
            c.pos = at + 1
            return byte
        if likely(at + 1 < c.end):
            second = c.data[at + 1]
            if likely(second < 0x80):
                c.pos = at + 2
                return (byte & 0x7F) | (<uint32_t>second << 7)
    return <uint32_t>read_uvarint_tail(c, at, 32)


cdef inline uint64_t read_uvarint64(Cursor *c) noexcept nogil:
    cdef Py_ssize_t at = c.pos
    cdef uint8_t byte, second
    if likely(at < c.end):
        byte = c.data[at]
        if likely(byte < 0x80):
            c.pos = at + 1
            return byte
        if likely(at + 1 < c.end):
            second = c.data[at + 1]
            if likely(second < 0x80):
                c.pos = at + 2
                return (byte & 0x7F) | (<uint64_t>second << 7)
    return read_uvarint_tail(c, at, 64)


cdef inline int32_t read_varint32(Cursor *c) noexcept nogil:
    cdef uint32_t raw = read_uvarint32(c)
    return <int32_t>((raw >> 1) ^ (0 - (raw & 1)))


cdef inline int64_t read_varint64(Cursor *c) noexcept nogil:
    cdef uint64_t raw = read_uvarint64(c)
    return <int64_t>((raw >> 1) ^ (0 - (raw & 1)))


# Writing goes into memory whose size was computed first; each returns how many bytes it wrote.

cdef inline Py_ssize_t uvarint_size(uint64_t value) noexcept nogil:
    cdef Py_ssize_t size = 1
    while value >= 0x80:
        value >>= 7
        size += 1
    return size


cdef inline uint64_t zigzag(int64_t value) noexcept nogil:
    return (<uint64_t>value << 1) ^ <uint64_t>(value >> 63)


cdef inline Py_ssize_t varint_size(int64_t value) noexcept nogil:
    return uvarint_size(zigzag(value))


cdef inline Py_ssize_t write_uvarint(uint8_t *out, uint64_t value) noexcept nogil:
    cdef Py_ssize_t size = 0
    while value >= 0x80:
        out[size] = <uint8_t>(value | 0x80)
        value >>= 7
        size += 1
    out[size] = <uint8_t>value
    return size + 1


cdef inline Py_ssize_t write_varint(uint8_t *out, int64_t value) noexcept nogil:
    return write_uvarint(out, zigzag(value))


cdef inline void write_int16(uint8_t *out, int16_t value) noexcept nogil:
    cdef uint16_t raw = be16(<uint16_t>value)
    memcpy(out, &raw, 2)


cdef inline void write_int32(uint8_t *out, int32_t value) noexcept nogil:
    cdef uint32_t raw = be32(<uint32_t>value)
    memcpy(out, &raw, 4)


cdef inline void write_int64(uint8_t *out, int64_t value) noexcept nogil:
    cdef uint64_t raw = be64(<uint64_t>value)
    memcpy(out, &raw, 8)
