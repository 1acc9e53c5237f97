"""The record walk that objects and columns share: framing, batch headers, records v2, messages v0 and v1.

All of it is C without the GIL. A function that finds something wrong sets the cursor's fault and returns 0 (see
_varint.pxd); errors.py turns the fault into an exception above.
"""

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint32_t

from kafkawire._varint cimport (
    FAULT_BATCH_LENGTH, FAULT_BATCH_TRAILING, FAULT_CHECKSUM, FAULT_CODEC, FAULT_HEADER_KEY_NULL, FAULT_INNER_MAGIC,
    FAULT_LENGTH_NEGATIVE, FAULT_MAGIC, FAULT_NESTED, FAULT_NONE, FAULT_OFFSET_DELTA, FAULT_OFFSET_RANGE,
    FAULT_RECORD_COUNT, FAULT_RECORD_LENGTH, FAULT_RECORD_TRAILING, FAULT_TIMESTAMP_RANGE, FAULT_UTF8,
    FAULT_WRAPPER_EMPTY, FAULT_WRAPPER_NULL,
    Cursor, crc32_of, crc32c_of, cursor_fault, cursor_init, cursor_take, likely, read_int8, read_int16, read_int32,
    read_int64, read_varint32, read_varint64, unlikely,
)

cdef enum:
    LOG_OVERHEAD = 12           # offset and length
    MAGIC_AT = 16
    HEADER_V2 = 61
    RECORD_MIN = 7              # the smallest record v2, its length byte included

    CODEC_MASK = 0x07
    LOG_APPEND_TIME = 0x08
    TRANSACTIONAL = 0x10
    CONTROL = 0x20
    DELETE_HORIZON = 0x40

    FRAME_FAULT = 0
    FRAME_WHOLE = 1
    FRAME_PARTIAL = 2

cdef extern from "<stdint.h>" nogil:
    const int64_t INT64_MAX_ "INT64_MAX"        # a signed constant, which an enum of that size is not


cdef struct Frame:
    Py_ssize_t position
    Py_ssize_t size             # all of it, the first 12 bytes included
    Py_ssize_t missing          # of a partial one: -1 where not even the length is there
    int magic


cdef struct Batch:
    Py_ssize_t position
    Py_ssize_t size
    Py_ssize_t records          # where the records (v2) or the message's body (v0, v1) start
    int magic
    uint32_t crc
    int attributes
    int64_t base_offset         # v0, v1: the message's offset
    int32_t last_offset_delta
    int64_t base_timestamp
    int64_t max_timestamp
    int64_t producer_id
    int16_t producer_epoch
    int32_t base_sequence
    int32_t leader_epoch
    int32_t count


cdef struct Fields:
    int64_t offset
    int64_t timestamp
    Py_ssize_t key
    Py_ssize_t key_size         # -1: null
    Py_ssize_t value
    Py_ssize_t value_size
    Py_ssize_t headers          # where the first header starts
    int32_t header_count


cdef inline Py_ssize_t smallest_length(int magic) noexcept nogil:
    """The smallest legal length field: what every batch or message of that magic has."""
    return 49 if magic == 2 else 22 if magic == 1 else 14


cdef inline int read_frame(Cursor *c, Frame *frame) noexcept nogil:
    """The extent of the batch at the cursor, which does not move: whole, partial (the data ends first) or a fault."""
    cdef Py_ssize_t pos = c.pos, left = c.end - c.pos
    cdef Cursor peek
    cdef int32_t length
    frame.position = pos
    frame.size = 0
    frame.magic = -1
    frame.missing = -1
    if left < LOG_OVERHEAD:
        return FRAME_PARTIAL
    cursor_init(&peek, c.data, pos + 8, c.end)
    length = read_int32(&peek)
    if unlikely(length < 14):
        cursor_fault(c, FAULT_BATCH_LENGTH, pos, length, 14)
        return FRAME_FAULT
    frame.size = LOG_OVERHEAD + <Py_ssize_t>length
    frame.missing = frame.size - left if frame.size > left else 0
    if left <= MAGIC_AT:
        return FRAME_PARTIAL
    frame.magic = c.data[pos + MAGIC_AT]
    if unlikely(frame.magic > 2):
        cursor_fault(c, FAULT_MAGIC, pos, frame.magic, 0)
        return FRAME_FAULT
    if unlikely(length < smallest_length(frame.magic)):
        cursor_fault(c, FAULT_BATCH_LENGTH, pos, length, smallest_length(frame.magic))
        return FRAME_FAULT
    return FRAME_PARTIAL if frame.missing else FRAME_WHOLE


cdef inline bint batch_fault(Cursor *c, Frame *frame, int fault, int64_t a, int64_t b) noexcept nogil:
    cursor_fault(c, fault, frame.position, a, b)
    return 0


cdef inline bint open_batch(Cursor *c, Frame *frame, Batch *batch, bint check_crc) noexcept nogil:
    """The header of a whole batch (v2) or message (v0, v1), checked; the cursor does not move. 0: a fault."""
    cdef Cursor h
    cdef uint32_t crc
    cdef Py_ssize_t covered
    batch.position = frame.position
    batch.size = frame.size
    batch.magic = frame.magic
    cursor_init(&h, c.data, frame.position, frame.position + frame.size)
    batch.base_offset = read_int64(&h)
    read_int32(&h)
    if frame.magic == 2:
        batch.leader_epoch = read_int32(&h)
        read_int8(&h)
        batch.crc = <uint32_t>read_int32(&h)
        covered = h.pos
        batch.attributes = read_int16(&h)
        batch.last_offset_delta = read_int32(&h)
        batch.base_timestamp = read_int64(&h)
        batch.max_timestamp = read_int64(&h)
        batch.producer_id = read_int64(&h)
        batch.producer_epoch = read_int16(&h)
        batch.base_sequence = read_int32(&h)
        batch.count = read_int32(&h)
    else:
        batch.crc = <uint32_t>read_int32(&h)
        covered = h.pos
        read_int8(&h)
        batch.attributes = <uint8_t>read_int8(&h)
        batch.base_timestamp = read_int64(&h) if frame.magic == 1 else -1
        batch.max_timestamp = batch.base_timestamp
        batch.leader_epoch = -1
        batch.last_offset_delta = 0
        batch.producer_id = -1
        batch.producer_epoch = -1
        batch.base_sequence = -1
        batch.count = 1
    batch.records = h.pos
    if check_crc:
        if frame.magic == 2:
            crc = crc32c_of(0, c.data + covered, frame.position + frame.size - covered)
        else:
            crc = crc32_of(0, c.data + covered, frame.position + frame.size - covered)
        if unlikely(crc != batch.crc):
            return batch_fault(c, frame, FAULT_CHECKSUM, batch.crc, crc)
    if unlikely((batch.attributes & CODEC_MASK) > (4 if frame.magic == 2 else 3)):
        return batch_fault(c, frame, FAULT_CODEC, batch.attributes & CODEC_MASK, frame.magic)
    if unlikely(batch.last_offset_delta < 0):
        return batch_fault(c, frame, FAULT_OFFSET_DELTA, batch.last_offset_delta, 0x7FFFFFFF)
    if unlikely(batch.base_offset < 0 or batch.base_offset > INT64_MAX_ - batch.last_offset_delta):
        return batch_fault(c, frame, FAULT_OFFSET_RANGE, batch.base_offset, 0)
    if unlikely(batch.count < 0):
        return batch_fault(c, frame, FAULT_RECORD_COUNT, batch.count, 0)
    return 1


cdef inline Py_ssize_t read_nullable(Cursor *c, Py_ssize_t size, Py_ssize_t at, Py_ssize_t *taken) noexcept nogil:
    """The bytes of a field whose length was read at ``at``; -1 is null, other negative lengths are faults."""
    if size >= 0:
        taken[0] = size
        return cursor_take(c, size)
    if unlikely(size != -1):
        cursor_fault(c, FAULT_LENGTH_NEGATIVE, at, size, 0)
    taken[0] = -1
    return c.pos


cdef inline bint read_record_header(
    Cursor *c, Py_ssize_t *key, Py_ssize_t *key_size, Py_ssize_t *value, Py_ssize_t *value_size
) noexcept nogil:
    """One header of a record v2."""
    cdef Py_ssize_t at = c.pos
    cdef int32_t size = read_varint32(c)
    if unlikely(size < 0):
        cursor_fault(c, FAULT_HEADER_KEY_NULL, at, size, 0)
    key_size[0] = size
    key[0] = cursor_take(c, size)
    at = c.pos
    size = read_varint32(c)
    value[0] = read_nullable(c, size, at, value_size)
    return c.fault == FAULT_NONE


cdef inline int quick_varint(const uint8_t *data, uint32_t *raw) noexcept nogil:
    """An unsigned varint of one to three bytes, which the caller knows to be there: its length, 0 for a longer one."""
    if likely(data[0] < 0x80):
        raw[0] = data[0]
        return 1
    if likely(data[1] < 0x80):
        raw[0] = (data[0] & 0x7F) | (<uint32_t>data[1] << 7)
        return 2
    raw[0] = (data[0] & 0x7F) | (<uint32_t>(data[1] & 0x7F) << 7) | (<uint32_t>data[2] << 14)
    return 3 if data[2] < 0x80 else 0


cdef inline bint is_quick(const Batch *batch) noexcept nogil:
    """Whether quick_record may read this batch: timestamps as they stand, and far from overflowing."""
    return batch.attributes & LOG_APPEND_TIME == 0 and -(<int64_t>1 << 62) < batch.base_timestamp < <int64_t>1 << 62


cdef inline bint quick_record(Cursor *c, const Batch *batch, Fields *fields, Py_ssize_t *batch_end) noexcept nogil:
    """open_record for the usual record: short varints, nothing wrong, and 32 bytes left of the batch.

    One check covers all reads: five varints of three bytes and the attributes behind each other, and after the key
    another one. 0, with the cursor as it was, for any other record: open_record then reads it, or says what is wrong.
    """
    cdef const uint8_t *data = c.data
    cdef Py_ssize_t pos = c.pos, end, key_size
    cdef uint32_t raw = 0
    cdef int size
    if unlikely(c.end - pos < 32):
        return 0
    size = quick_varint(data + pos, &raw)
    pos += size
    end = pos + (raw >> 1)
    if unlikely(size == 0 or raw & 1 or end > c.end):
        return 0
    pos += 1
    size = quick_varint(data + pos, &raw)
    if unlikely(size == 0):
        return 0
    pos += size
    fields.timestamp = batch.base_timestamp + <int64_t>(<int32_t>((raw >> 1) ^ (0 - (raw & 1))))
    size = quick_varint(data + pos, &raw)
    if unlikely(size == 0 or raw & 1 or <int32_t>(raw >> 1) > batch.last_offset_delta):
        return 0
    pos += size
    fields.offset = batch.base_offset + (raw >> 1)
    size = quick_varint(data + pos, &raw)
    if unlikely(size == 0):
        return 0
    pos += size
    key_size = raw >> 1
    if raw & 1:
        if raw != 1:
            return 0
        key_size = -1
    fields.key = pos
    fields.key_size = key_size
    if key_size > 0:
        pos += key_size
    if unlikely(pos + 4 > c.end):
        return 0
    size = quick_varint(data + pos, &raw)
    if unlikely(size == 0):
        return 0
    pos += size
    key_size = raw >> 1
    if raw & 1:
        if raw != 1:
            return 0
        key_size = -1
    fields.value = pos
    fields.value_size = key_size
    if key_size > 0:
        pos += key_size
    # The number of headers is the last byte at least; where it is not in the record, neither was the rest.
    if unlikely(pos >= end or data[pos] & 0x81):
        return 0
    fields.header_count = data[pos] >> 1
    pos += 1
    fields.headers = pos
    c.pos = pos
    batch_end[0] = c.end
    c.end = end
    return 1


cdef inline bint open_record(Cursor *c, const Batch *batch, Fields *fields, Py_ssize_t *batch_end) noexcept nogil:
    """A record v2 up to its headers; the cursor is left at the first header, bounded by the record's end.

    The caller reads ``header_count`` headers and calls close_record.
    """
    cdef Py_ssize_t start = c.pos, at
    cdef int64_t delta
    cdef int32_t size = read_varint32(c), offset_delta
    batch_end[0] = c.end
    if unlikely(size < 0 or size > c.end - c.pos):
        cursor_fault(c, FAULT_RECORD_LENGTH, start, size, c.end - c.pos)
        return 0
    c.end = c.pos + size
    read_int8(c)
    at = c.pos
    delta = read_varint64(c)
    if unlikely(delta > 0 and batch.base_timestamp > INT64_MAX_ - delta) or unlikely(
        delta < 0 and batch.base_timestamp < -INT64_MAX_ - 1 - delta
    ):
        cursor_fault(c, FAULT_TIMESTAMP_RANGE, at, batch.base_timestamp, delta)
        return 0
    fields.timestamp = batch.max_timestamp if batch.attributes & LOG_APPEND_TIME else batch.base_timestamp + delta
    at = c.pos
    offset_delta = read_varint32(c)
    if unlikely(offset_delta < 0 or offset_delta > batch.last_offset_delta):
        cursor_fault(c, FAULT_OFFSET_DELTA, at, offset_delta, batch.last_offset_delta)
        return 0
    fields.offset = batch.base_offset + offset_delta
    at = c.pos
    size = read_varint32(c)
    fields.key = read_nullable(c, size, at, &fields.key_size)
    at = c.pos
    size = read_varint32(c)
    fields.value = read_nullable(c, size, at, &fields.value_size)
    at = c.pos
    fields.header_count = read_varint32(c)
    if unlikely(fields.header_count < 0):
        cursor_fault(c, FAULT_LENGTH_NEGATIVE, at, fields.header_count, 0)
    fields.headers = c.pos
    return c.fault == FAULT_NONE


cdef inline bint close_record(Cursor *c, Py_ssize_t batch_end) noexcept nogil:
    """The end of a record v2: nothing may be left of it."""
    if unlikely(c.fault):
        return 0
    if unlikely(c.pos != c.end):
        cursor_fault(c, FAULT_RECORD_TRAILING, c.pos, c.end - c.pos, 0)
        return 0
    c.end = batch_end
    return 1


cdef inline bint read_message(Cursor *c, const Batch *message, Fields *fields) noexcept nogil:
    """Key and value of a message v0 or v1 whose header was opened; the cursor covers just this message's body."""
    cdef Py_ssize_t at = c.pos
    cdef int32_t size = read_int32(c)
    fields.key = read_nullable(c, size, at, &fields.key_size)
    at = c.pos
    size = read_int32(c)
    fields.value = read_nullable(c, size, at, &fields.value_size)
    fields.offset = message.base_offset
    fields.timestamp = message.base_timestamp
    fields.header_count = 0
    fields.headers = c.pos
    if unlikely(c.fault):
        return 0
    if unlikely(c.pos != c.end):
        cursor_fault(c, FAULT_RECORD_TRAILING, c.pos, c.end - c.pos, 0)
        return 0
    return 1


cdef struct Wrapper:
    int magic
    int64_t base                # added to every inner offset
    bint log_append_time
    int64_t timestamp


cdef bint open_wrapper(Cursor *c, const Batch *message, Wrapper *wrapper) noexcept nogil
cdef int next_inner(Cursor *c, const Wrapper *wrapper, bint check_crc, Batch *inner, Fields *fields) noexcept nogil
cdef bint is_utf8(const uint8_t *data, Py_ssize_t size) noexcept nogil
