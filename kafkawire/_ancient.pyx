"""The walk of the 0.6 and 0.7 message format, compiled: to objects and to columns. Its twin is _ancient_py.py.

It shares the bounded cursor, the faults, the checksum and the column buffers with the later formats; what a message
looks like and how its offset is told has nothing in common with them.
"""

cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memset

from kafkawire._buffers cimport (
    FULL, MAX_BYTES, NO_MEMORY, Binary, Vec, binary_append, binary_free, binary_reserve, binary_take, fixed,
    vec_free, vec_reserve,
)
from kafkawire._varint cimport (
    FAULT_ANCIENT_CODEC, FAULT_ANCIENT_DEPTH, FAULT_ANCIENT_LENGTH, FAULT_ANCIENT_MAGIC, FAULT_CHECKSUM, FAULT_END,
    Cursor, crc32_of, cursor_fault, cursor_init, cursor_take, likely, read_int8, read_int32, unlikely,
)

from kafkawire import errors
from kafkawire._ancient_types import CODECS, Message

cdef enum:
    LENGTH_SIZE = 4
    CODEC_MASK = 0x03           # the other attributes mean nothing, and are kept

    FRAME_FAULT = 0
    FRAME_WHOLE = 1
    FRAME_PARTIAL = 2

    WANT_OFFSET = 1             # _ancient_py has the same names
    WANT_VALUE = 16
    WANT_COMPRESSION = 4096
    WANT_INNER_INDEX = 8192
    WANT_NEXT_OFFSET = 16384


cdef struct Frame:
    Py_ssize_t position
    Py_ssize_t size             # all of it, the length field included
    Py_ssize_t missing          # of a partial one: -1 where not even the length is there
    int magic


cdef struct Header:
    Py_ssize_t position
    Py_ssize_t size
    int magic
    int attributes
    uint32_t crc
    Py_ssize_t payload          # where it starts; it ends with the message


cdef struct Outer:
    # What all messages inside of a compressed one have in common.
    int codec
    int64_t start
    int64_t end


# ---- the walk ----

cdef inline int read_frame(Cursor *c, Frame *frame) noexcept nogil:
    """The extent of the message at the cursor, which does not move: whole, partial (the data ends first) or a fault."""
    cdef Py_ssize_t pos = c.pos, left = c.end - c.pos
    cdef Cursor peek
    cdef int32_t length
    cdef int smallest
    frame.position = pos
    frame.size = 0
    frame.magic = -1
    frame.missing = -1
    if unlikely(left < LENGTH_SIZE):
        return FRAME_PARTIAL
    cursor_init(&peek, c.data, pos, c.end)
    length = read_int32(&peek)
    if unlikely(length < 5):
        cursor_fault(c, FAULT_ANCIENT_LENGTH, pos, length, 5)
        return FRAME_FAULT
    frame.size = LENGTH_SIZE + <Py_ssize_t>length
    frame.missing = frame.size - left if frame.size > left else 0
    if unlikely(left == LENGTH_SIZE):
        return FRAME_PARTIAL
    frame.magic = read_int8(&peek)
    if unlikely(frame.magic != 0 and frame.magic != 1):
        cursor_fault(c, FAULT_ANCIENT_MAGIC, pos, frame.magic, 0)
        return FRAME_FAULT
    smallest = 5 + frame.magic
    if unlikely(length < smallest):
        cursor_fault(c, FAULT_ANCIENT_LENGTH, pos, length, smallest)
        return FRAME_FAULT
    return FRAME_PARTIAL if frame.missing else FRAME_WHOLE


cdef inline bint open_message(Cursor *c, const Frame *frame, Header *header, bint check_crc) noexcept nogil:
    """The header of a whole message, checked; the cursor does not move. 0: a fault."""
    cdef Cursor h
    cdef uint32_t crc
    cdef Py_ssize_t end = frame.position + frame.size
    header.position = frame.position
    header.size = frame.size
    header.magic = frame.magic
    cursor_init(&h, c.data, frame.position + LENGTH_SIZE + 1, end)
    header.attributes = <uint8_t>read_int8(&h) if frame.magic == 1 else 0
    header.crc = <uint32_t>read_int32(&h)
    header.payload = h.pos
    if check_crc:
        crc = crc32_of(0, c.data + h.pos, end - h.pos)
        if unlikely(crc != header.crc):
            cursor_fault(c, FAULT_CHECKSUM, frame.position, header.crc, crc)
            return 0
    if unlikely((header.attributes & CODEC_MASK) > 2):
        cursor_fault(c, FAULT_ANCIENT_CODEC, frame.position, header.attributes & CODEC_MASK, 0)
        return 0
    return 1


cdef inline int next_inner(Cursor *c, Header *header, bint check_crc) noexcept nogil:
    """The message at the cursor inside of a compressed one: a partial one is a fault; the cursor does not move."""
    cdef Frame frame
    cdef int kind = read_frame(c, &frame)
    if unlikely(kind == FRAME_PARTIAL):
        cursor_fault(c, FAULT_END, frame.position, frame.size if frame.size else LENGTH_SIZE, c.end - frame.position)
        return 0
    return kind == FRAME_WHOLE and open_message(c, &frame, header, check_crc)


# ---- errors ----

cdef object cursor_error(const Cursor *c, Py_ssize_t position, object offset, bint inner):
    """The error of a cursor's fault; in decompressed data the position is that of the outer message."""
    if c.fault == NO_MEMORY:
        return MemoryError("no memory for the columns")
    return errors.fault_error(
        c.fault, c.a, c.b, position if inner else c.fault_pos, offset, c.fault_pos if inner else None
    )


cdef object decompressed(
    object decompress, int codec, Py_ssize_t used, object data, Py_ssize_t position, object offset
):
    """What a compressed message holds; an error gets the outer message's place."""
    try:
        return decompress(codec, used, data)
    except errors.WireError as error:
        error.position = position
        error.offset = offset
        raise


# ---- split and headers ----

def split(data, Py_ssize_t position=0):
    cdef Py_buffer view
    cdef Cursor c
    cdef Frame frame
    cdef int kind
    cdef list found = []
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    try:
        cursor_init(&c, <const uint8_t *>view.buf, min(max(position, 0), view.len), view.len)
        while c.pos < c.end:
            kind = read_frame(&c, &frame)
            if kind == FRAME_FAULT:
                raise cursor_error(&c, frame.position, None, False)
            if kind == FRAME_PARTIAL:
                return found, frame.position, (None if frame.missing < 0 else frame.missing)
            found.append((frame.position, frame.size, frame.magic))
            cursor_take(&c, frame.size)
        return found, c.pos, 0
    finally:
        PyBuffer_Release(&view)


cdef tuple header_of(const Header *h):
    return h.position, h.size, h.magic, h.attributes, h.crc, h.payload


# ---- messages ----

cdef object new_tuple = tuple.__new__


cdef object message_of(
    const uint8_t *data, const Header *h, object compression, int64_t start, int64_t end, int64_t next_offset,
    Py_ssize_t inner_index,
):
    """A Message, which is a named tuple: by tuple's own constructor, without a call of the class."""
    return new_tuple(Message, (
        PyBytes_FromStringAndSize(<const char *>data + h.payload, h.position + h.size - h.payload), h.magic,
        h.attributes, h.crc, compression, start, end, next_offset, inner_index,
    ))


def read_run(data, Py_ssize_t position, int64_t base, bint check_crc, Py_ssize_t most):
    cdef Py_buffer view
    cdef Cursor c
    cdef Frame frame
    cdef Header header
    cdef int kind
    cdef list messages = []
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    try:
        cursor_init(&c, <const uint8_t *>view.buf, min(max(position, 0), view.len), view.len)
        while c.pos < c.end and len(messages) < most:
            kind = read_frame(&c, &frame)
            if kind == FRAME_PARTIAL:
                break
            if kind == FRAME_FAULT or not open_message(&c, &frame, &header, check_crc):
                if messages:
                    return messages, frame.position, None
                raise cursor_error(&c, frame.position, base + frame.position, False)
            if header.attributes & CODEC_MASK:
                return messages, frame.position, header_of(&header)
            cursor_take(&c, frame.size)
            messages.append(
                message_of(c.data, &header, CODECS[0], base + frame.position, base + c.pos, base + c.pos, 0)
            )
        return messages, c.pos, None
    finally:
        PyBuffer_Release(&view)


def read_wrapper(data, tuple header, int64_t base, bint check_crc, Py_ssize_t depth, decompress):
    cdef Py_buffer content
    cdef Cursor c
    cdef Header inner
    cdef Py_ssize_t position = header[0], size = header[1], payload = header[5], used = 0
    cdef int codec = header[3] & CODEC_MASK
    cdef int64_t start = base + position, end = start + size
    cdef object compression = CODECS[codec]
    cdef list messages = [], levels = []
    view = memoryview(data)[payload:position + size]
    at = 0
    while True:
        # The level that was just found: what the wrapper holds.
        if len(levels) >= depth:
            raise errors.fault_error(FAULT_ANCIENT_DEPTH, depth, 0, position, start)
        plain = decompressed(decompress, codec, used, view, position, start)
        used += memoryview(plain).nbytes
        levels.append((plain, 0))
        codec = 0
        while levels and not codec:
            plain, at = levels.pop()
            PyObject_GetBuffer(plain, &content, PyBUF_SIMPLE)
            try:
                cursor_init(&c, <const uint8_t *>content.buf, at, content.len)
                while c.pos < c.end and not codec:
                    if not next_inner(&c, &inner, check_crc):
                        raise cursor_error(&c, position, start, True)
                    codec = inner.attributes & CODEC_MASK
                    if not codec:
                        messages.append(message_of(c.data, &inner, compression, start, end, start, len(messages)))
                    cursor_take(&c, inner.size)
                if codec:
                    levels.append((plain, c.pos))
                    view = memoryview(plain)[inner.payload:c.pos]
            finally:
                PyBuffer_Release(&content)
        if not levels:
            break
    if messages:
        messages.append(messages.pop()._replace(next_offset=end))
    return messages


# ---- columns ----

@cython.final
cdef class ColumnDecoder:
    """Decodes messages into columns until told to stop; ``finish`` gives the buffers away and starts anew."""

    cdef int want
    cdef bint check_crc, skip_corrupt, expected
    cdef int64_t base, first_offset, last_offset
    cdef Py_ssize_t depth, rows, room
    cdef Vec offset, next_offset, inner_index, compression
    cdef Binary value
    cdef readonly Py_ssize_t batches
    cdef readonly Py_ssize_t skipped
    cdef readonly list skipped_positions

    def __cinit__(self, int want, bint check_crc, bint skip_corrupt, int64_t base, Py_ssize_t depth,
                  int64_t first_offset, int64_t last_offset):
        self.want = want
        self.check_crc = check_crc
        self.skip_corrupt = skip_corrupt
        self.base = base
        self.depth = depth
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.skipped_positions = []

    def __dealloc__(self):
        self.release()

    cdef void release(self) noexcept:
        vec_free(&self.offset)
        vec_free(&self.next_offset)
        vec_free(&self.inner_index)
        vec_free(&self.compression)
        binary_free(&self.value)

    @property
    def row_count(self):
        return self.rows

    # ---- memory ----

    cdef bint reserve(self, Py_ssize_t rows) noexcept nogil:
        """Room for ``rows`` more rows; that of the values is seen to one by one. 0: no memory."""
        cdef Py_ssize_t total = self.rows + rows
        cdef int want = self.want
        if (
            want & WANT_OFFSET and not vec_reserve(&self.offset, 8 * total)
            or want & WANT_NEXT_OFFSET and not vec_reserve(&self.next_offset, 8 * total)
            or want & WANT_INNER_INDEX and not vec_reserve(&self.inner_index, 4 * total)
            or want & WANT_COMPRESSION and not vec_reserve(&self.compression, total)
            or want & WANT_VALUE and not binary_reserve(&self.value, rows, 0)
        ):
            return 0
        self.room = total
        return 1

    cdef bint grow(self, Py_ssize_t done, Py_ssize_t left, Py_ssize_t max_rows, Py_ssize_t max_bytes) noexcept nogil:
        """More rows. Once some are there, as many as the bytes left take in proportion: growing costs copies.

        That is a guess, bounded by what is left: where there is no memory for it, decoding goes on without.
        """
        cdef double scale
        cdef Py_ssize_t rows
        if self.rows and not self.expected:
            self.expected = True
            scale = 1.05 * left / (done if done else 1)
            rows = min(min(<Py_ssize_t>(self.rows * scale) + 64, left), max_rows)
            if self.reserve(rows) and self.want & WANT_VALUE:
                vec_reserve(
                    &self.value.data, min(min(<Py_ssize_t>(self.value.data.size * scale), 4 * left), max_bytes)
                )
        return self.room > self.rows or self.reserve(max(<Py_ssize_t>256, self.rows >> 1))

    # ---- rows ----

    cdef inline bint append(
        self, const Cursor *c, const Header *h, int codec, int64_t start, int64_t next_offset, Py_ssize_t index
    ) noexcept nogil:
        """One row, room for which but for its value was reserved. 0: no memory."""
        cdef int want = self.want
        cdef Py_ssize_t row = self.rows, size = h.position + h.size - h.payload
        if want & WANT_VALUE:
            if unlikely(not vec_reserve(&self.value.data, size)):
                return 0
            binary_append(&self.value, c.data + h.payload, size, c.end - h.payload)
        if want & WANT_OFFSET:
            (<int64_t *>self.offset.data)[row] = start
        if want & WANT_NEXT_OFFSET:
            (<int64_t *>self.next_offset.data)[row] = next_offset
        if want & WANT_INNER_INDEX:
            (<int32_t *>self.inner_index.data)[row] = <int32_t>index
        if want & WANT_COMPRESSION:
            (<int8_t *>self.compression.data)[row] = <int8_t>codec
        self.rows = row + 1
        return 1

    cdef bint advance(
        self, Cursor *c, Py_ssize_t stop, Py_ssize_t max_rows, Py_ssize_t max_bytes, Header *header
    ) noexcept nogil:
        """Decode message by message up to a compressed one (1, left at its start), the end (0), or a fault (0)."""
        cdef Frame frame
        cdef Py_ssize_t began = c.pos
        cdef int64_t start
        stop = min(stop, c.end)
        while c.pos < stop and self.rows < max_rows and self.value.data.size < max_bytes:
            if read_frame(c, &frame) != FRAME_WHOLE or unlikely(not open_message(c, &frame, header, self.check_crc)):
                return 0
            start = self.base + frame.position
            if likely(self.first_offset <= start <= self.last_offset):
                if header.attributes & CODEC_MASK:
                    return 1
                if unlikely(frame.size > MAX_BYTES - self.value.data.size):
                    cursor_fault(c, FULL, frame.position, 0, 0)
                    return 0
                if unlikely(self.rows == self.room) and not self.grow(
                    frame.position - began, stop - frame.position, max_rows, max_bytes
                ) or unlikely(not self.append(c, header, 0, start, start + frame.size, 0)):
                    cursor_fault(c, NO_MEMORY, frame.position, 0, 0)
                    return 0
            self.batches += 1
            cursor_take(c, frame.size)
        return 0

    cdef bint walk_inner(self, Cursor *c, const Outer *outer, Py_ssize_t first, Header *inner) noexcept nogil:
        """Decode the messages inside of a compressed one up to a compressed one (1), the end (0) or a fault (0)."""
        while c.pos < c.end:
            if not next_inner(c, inner, self.check_crc):
                return 0
            cursor_take(c, inner.size)
            if inner.attributes & CODEC_MASK:
                return 1
            if unlikely(inner.size > MAX_BYTES - self.value.data.size):
                cursor_fault(c, FULL, inner.position, 0, 0)
                return 0
            if unlikely(self.rows == self.room) and not self.reserve(max(<Py_ssize_t>256, self.rows >> 1)) or unlikely(
                not self.append(c, inner, outer.codec, outer.start, outer.start, self.rows - first)
            ):
                cursor_fault(c, NO_MEMORY, inner.position, 0, 0)
                return 0
        return 0

    # ---- from Python ----

    cdef bint decode_wrapper(self, const Header *header, object data, object decompress) except -1:
        """One compressed message. False: its columns would pass what 32-bit offsets reach, nothing was decoded."""
        cdef Py_buffer content
        cdef Cursor c
        cdef Header inner
        cdef Outer outer
        cdef bint compressed
        cdef Py_ssize_t first = self.rows, size = self.value.data.size, used = 0
        cdef int codec = header.attributes & CODEC_MASK
        cdef list levels = []
        outer.codec = codec
        outer.start = self.base + header.position
        outer.end = outer.start + header.size
        view = memoryview(data)[header.payload:header.position + header.size]
        while True:
            if len(levels) >= self.depth:
                raise errors.fault_error(FAULT_ANCIENT_DEPTH, self.depth, 0, header.position, outer.start)
            plain = decompressed(decompress, codec, used, view, header.position, outer.start)
            used += memoryview(plain).nbytes
            levels.append((plain, 0))
            compressed = False
            while levels and not compressed:
                plain, at = levels.pop()
                PyObject_GetBuffer(plain, &content, PyBUF_SIMPLE)
                try:
                    cursor_init(&c, <const uint8_t *>content.buf, at, content.len)
                    with nogil:
                        compressed = self.walk_inner(&c, &outer, first, &inner)
                    if c.fault == FULL:
                        self.rows = self.value.rows = first
                        self.value.data.size = size
                        if first:
                            return False
                        raise errors.LimitError(
                            "a message decompresses to more than a column holds", position=header.position,
                            offset=outer.start, expected="less than 2 GiB in a column",
                        )
                    if c.fault:
                        raise cursor_error(&c, header.position, outer.start, True)
                    if compressed:
                        codec = inner.attributes & CODEC_MASK
                        levels.append((plain, c.pos))
                        view = memoryview(plain)[inner.payload:c.pos]
                finally:
                    PyBuffer_Release(&content)
            if not levels:
                break
        if self.rows > first and self.want & WANT_NEXT_OFFSET:
            (<int64_t *>self.next_offset.data)[self.rows - 1] = outer.end
        return True

    def decode(self, data, Py_ssize_t position, Py_ssize_t stop, Py_ssize_t max_rows, Py_ssize_t max_bytes, decompress):
        cdef Py_buffer view
        cdef Cursor c
        cdef Header header
        cdef bint compressed
        PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
        try:
            cursor_init(&c, <const uint8_t *>view.buf, min(max(position, 0), view.len), view.len)
            while True:
                with nogil:
                    compressed = self.advance(&c, stop, max_rows, max_bytes, &header)
                if compressed:
                    if not self.decode_wrapper(&header, data, decompress):
                        return header.position
                    self.batches += 1
                    cursor_take(&c, header.size)
                elif c.fault == FULL:
                    return c.fault_pos
                elif c.fault == FAULT_CHECKSUM and self.skip_corrupt:
                    self.skipped += 1
                    self.skipped_positions.append(header.position)
                    cursor_init(&c, c.data, header.position, view.len)
                    cursor_take(&c, header.size)
                elif c.fault:
                    raise cursor_error(&c, c.fault_pos, self.base + c.fault_pos, False)
                else:
                    return c.pos
        finally:
            PyBuffer_Release(&view)

    def finish(self):
        cdef dict columns = {}
        cdef Py_ssize_t rows = self.rows
        cdef int want = self.want
        if not self.reserve(0):
            raise MemoryError("no memory for the columns")
        if want & WANT_OFFSET:
            columns["offset"] = fixed(&self.offset, 8 * rows)
        if want & WANT_NEXT_OFFSET:
            columns["next_offset"] = fixed(&self.next_offset, 8 * rows)
        if want & WANT_INNER_INDEX:
            columns["inner_index"] = fixed(&self.inner_index, 4 * rows)
        if want & WANT_COMPRESSION:
            columns["compression"] = fixed(&self.compression, rows)
        if want & WANT_VALUE:
            columns["value"] = binary_take(&self.value)
        self.release()
        self.reset()
        return rows, columns

    cdef void reset(self) noexcept:
        cdef Vec none
        cdef Binary empty
        memset(&none, 0, sizeof(Vec))
        memset(&empty, 0, sizeof(Binary))
        self.offset = self.next_offset = self.inner_index = self.compression = none
        self.value = empty
        self.rows = self.room = 0
        self.expected = False
