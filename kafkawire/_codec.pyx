"""The record walk, compiled: bytes to batches and batches to records. Its twin is _codec_py.py.

Columns have a kernel of their own (_columns), and so has writing (_writer); the walk that they share is _codec.pxd.
"""

cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyObject_GetBuffer, PyBuffer_Release
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.list cimport PyList_New
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from libc.string cimport memcmp

from kafkawire._lock cimport kw_acquire, kw_mutex, kw_release
from kafkawire._varint cimport FAULT_END

from kafkawire import errors

cdef extern from "_native_record.h":
    object kw_record_type()
    object kw_record_new(PyObject *, PyObject *, PyObject *, PyObject *, PyObject *, PyObject *)

cdef extern from "Python.h":
    PyObject *Ref_FromLongLong "PyLong_FromLongLong"(long long)
    PyObject *Ref_FromStringAndSize "PyBytes_FromStringAndSize"(const char *, Py_ssize_t)
    void Ref_INCREF "Py_INCREF"(PyObject *)
    void Ref_XDECREF "Py_XDECREF"(PyObject *)
    void PyObject_GC_Track(object)
    void PyObject_GC_UnTrack(object)
    void PyList_SET_ITEM(object, Py_ssize_t, PyObject *)
    str PyUnicode_DecodeUTF8(const char *, Py_ssize_t, const char *)

Record = kw_record_type()

cdef tuple NO_HEADERS = ()


# ---- faults ----

cdef object cursor_error(Cursor *c, Py_ssize_t position, object offset, bint inner):
    """The error of a cursor's fault; in decompressed data the position is that of the batch around it."""
    return errors.fault_error(
        c.fault, c.a, c.b, position if inner else c.fault_pos, offset, c.fault_pos if inner else None
    )


# ---- UTF-8 ----

cdef bint is_utf8(const uint8_t *data, Py_ssize_t size) noexcept nogil:
    """Whether the bytes are UTF-8 as Python's strict decoder has it: no overlong forms, no surrogates."""
    cdef Py_ssize_t at = 0, need
    cdef uint8_t lead, low, high
    while at < size:
        lead = data[at]
        at += 1
        if lead < 0x80:
            continue
        low = 0x80
        high = 0xBF
        if 0xC2 <= lead <= 0xDF:
            need = 1
        elif 0xE0 <= lead <= 0xEF:
            need = 2
            if lead == 0xE0:
                low = 0xA0
            elif lead == 0xED:
                high = 0x9F
        elif 0xF0 <= lead <= 0xF4:
            need = 3
            if lead == 0xF0:
                low = 0x90
            elif lead == 0xF4:
                high = 0x8F
        else:
            return 0
        if size - at < need or data[at] < low or data[at] > high:
            return 0
        at += 1
        need -= 1
        while need:
            if data[at] & 0xC0 != 0x80:
                return 0
            at += 1
            need -= 1
    return 1


# ---- messages inside of a compressed one (v0, v1) ----

cdef bint open_wrapper(Cursor *c, const Batch *message, Wrapper *wrapper) noexcept nogil:
    """Look over the frames of a decompressed message set, from the cursor on, which does not move.

    Magic 1 has relative offsets and the wrapper that of the last message; some versions of librdkafka produced wrappers
    with offset 0, whose inner offsets then stand as they are. Magic 0 has absolute offsets.
    """
    cdef Cursor walk = c[0]
    cdef Frame frame
    cdef int kind
    cdef int64_t last = -1
    wrapper.magic = message.magic
    wrapper.base = 0
    wrapper.log_append_time = message.magic == 1 and message.attributes & LOG_APPEND_TIME != 0
    wrapper.timestamp = message.base_timestamp
    frame.position = c.pos
    if walk.pos == walk.end:
        cursor_fault(c, FAULT_WRAPPER_EMPTY, c.pos, 0, 0)
        return 0
    while walk.pos < walk.end:
        kind = read_frame(&walk, &frame)
        if kind == FRAME_PARTIAL:
            cursor_fault(&walk, FAULT_END, frame.position, frame.size, walk.end - frame.position)
        if walk.fault:
            cursor_fault(c, walk.fault, walk.fault_pos, walk.a, walk.b)
            return 0
        if frame.magic != message.magic:
            cursor_fault(c, FAULT_INNER_MAGIC, frame.position, frame.magic, message.magic)
            return 0
        last = read_int64(&walk)
        walk.pos = frame.position
        cursor_take(&walk, frame.size)
    if message.magic == 1 and message.base_offset != 0:
        if last < 0 or last > message.base_offset:
            cursor_fault(c, FAULT_OFFSET_RANGE, frame.position, last, 0)
            return 0
        wrapper.base = message.base_offset - last
    return 1


cdef int next_inner(Cursor *c, const Wrapper *wrapper, bint check_crc, Batch *inner, Fields *fields) noexcept nogil:
    """The next message of a set that open_wrapper has looked over: 1, 0 at its end or at a fault."""
    cdef Frame frame
    cdef Cursor body
    if c.pos >= c.end or read_frame(c, &frame) != FRAME_WHOLE or not open_batch(c, &frame, inner, check_crc):
        return 0
    if unlikely(inner.attributes & CODEC_MASK):
        return batch_fault(c, &frame, FAULT_NESTED, 0, 0)
    if unlikely(inner.base_offset > INT64_MAX_ - wrapper.base):
        return batch_fault(c, &frame, FAULT_OFFSET_RANGE, inner.base_offset, 0)
    inner.base_offset += wrapper.base
    cursor_init(&body, c.data, inner.records, frame.position + frame.size)
    if not read_message(&body, inner, fields):
        cursor_fault(c, body.fault, body.fault_pos, body.a, body.b)
        return 0
    if wrapper.log_append_time:
        fields.timestamp = wrapper.timestamp
    cursor_take(c, frame.size)
    return 1


# ---- split and headers ----

def split(data, Py_ssize_t position=0):
    cdef Py_buffer view
    cdef Cursor c
    cdef Frame frame
    cdef int kind = FRAME_WHOLE
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


cdef tuple header_of(const Batch *b):
    return (
        b.position, b.size, b.magic, b.crc, b.attributes, b.base_offset, b.base_offset + b.last_offset_delta, b.count,
        b.base_timestamp, b.max_timestamp, b.producer_id, b.producer_epoch, b.base_sequence, b.leader_epoch,
        b.records,
    )


def read_header(data, Py_ssize_t position, bint check_crc):
    cdef Py_buffer view
    cdef Cursor c
    cdef Frame frame
    cdef Batch batch
    cdef int kind
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    try:
        cursor_init(&c, <const uint8_t *>view.buf, position, view.len)
        if position < 0 or position >= view.len:
            return None
        kind = read_frame(&c, &frame)
        if kind == FRAME_PARTIAL:
            return None
        if kind == FRAME_WHOLE:
            with nogil:
                kind = open_batch(&c, &frame, &batch, check_crc)
            if kind:
                return header_of(&batch)
            raise cursor_error(&c, frame.position, batch.base_offset, False)
        raise cursor_error(&c, frame.position, None, False)
    finally:
        PyBuffer_Release(&view)


# ---- records ----

cdef PyObject *nullable(const uint8_t *data, Py_ssize_t at, Py_ssize_t size) noexcept:
    if size < 0:
        Ref_INCREF(<PyObject *>None)
        return <PyObject *>None
    return Ref_FromStringAndSize(<const char *>data + at, size)


@cython.final
cdef class KeyCache:
    """The last header keys seen: most batches repeat theirs, and comparing bytes is cheaper than making strings."""

    cdef list pairs     # (bytes, str): each replaced as one, so that threads that share an iterator agree

    def __cinit__(self):
        self.pairs = [(b"", "")] * 8

    cdef object get(self, const uint8_t *data, Py_ssize_t size, Py_ssize_t index):
        cdef Py_ssize_t slot = index & 7
        cdef tuple pair
        cdef bytes raw
        # Nothing where there is a global lock; without it two threads would give the same old pair back twice.
        with cython.critical_section(self):
            pair = <tuple>self.pairs[slot]
        raw = <bytes>pair[0]
        if len(raw) == size and memcmp(<const char *>raw, data, size) == 0:
            return pair[1]
        key = PyUnicode_DecodeUTF8(<const char *>data, size, NULL)
        pair = (PyBytes_FromStringAndSize(<const char *>data, size), key)
        with cython.critical_section(self):
            self.pairs[slot] = pair
        return key


cdef tuple read_headers(Cursor *c, int32_t count, KeyCache cache):
    """``count`` headers as a tuple of (str, bytes | None); a fault leaves the cursor faulty and the tuple empty."""
    cdef Py_ssize_t key, key_size, value, value_size
    cdef Py_ssize_t i
    cdef tuple headers, pair
    # Every header takes two bytes at least: a count beyond that is found out before the tuple is made.
    if count > (c.end - c.pos) // 2:
        for _i in range(count):
            if not read_record_header(c, &key, &key_size, &value, &value_size):
                return NO_HEADERS
            if not is_utf8(c.data + key, key_size):
                cursor_fault(c, FAULT_UTF8, key, 0, 0)
                return NO_HEADERS
    headers = PyTuple_New(count)
    for i in range(count):
        if not read_record_header(c, &key, &key_size, &value, &value_size):
            return NO_HEADERS
        try:
            name = cache.get(c.data + key, key_size, i)
        except UnicodeDecodeError:
            cursor_fault(c, FAULT_UTF8, key, 0, 0)
            return NO_HEADERS
        content = None if value_size < 0 else PyBytes_FromStringAndSize(<const char *>c.data + value, value_size)
        pair = PyTuple_New(2)
        Py_INCREF(name)
        PyTuple_SET_ITEM(pair, 0, name)
        Py_INCREF(content)
        PyTuple_SET_ITEM(pair, 1, content)
        Py_INCREF(pair)
        PyTuple_SET_ITEM(headers, i, pair)
    return headers


@cython.final
cdef class RecordIterator:
    """The records of one batch v2, in order; threads that share it get each record once."""

    cdef Py_buffer view
    cdef kw_mutex lock           # of what follows it, up to the last timestamp
    cdef Cursor c               # behind the last record that was claimed
    cdef int32_t index
    cdef PyObject *timestamp
    cdef int64_t last_timestamp
    cdef Batch batch
    cdef bint inner, quick
    cdef object timestamp_type
    cdef KeyCache cache

    def __cinit__(self, data, Py_ssize_t start, Py_ssize_t end, tuple header, bint inner):
        PyObject_GetBuffer(data, &self.view, PyBUF_SIMPLE)
        if start < 0 or end < start or end > self.view.len:
            raise ValueError("the records lie outside of the data")
        cursor_init(&self.c, <const uint8_t *>self.view.buf, start, end)
        batch_from_header(&self.batch, header)
        self.index = 0
        self.inner = inner
        self.quick = is_quick(&self.batch)
        self.timestamp_type = 1 if self.batch.attributes & LOG_APPEND_TIME else 0
        self.last_timestamp = self.batch.base_timestamp
        self.timestamp = Ref_FromLongLong(self.last_timestamp)
        if self.timestamp == NULL:
            raise MemoryError
        self.cache = KeyCache()

    def __dealloc__(self):
        Ref_XDECREF(self.timestamp)
        PyBuffer_Release(&self.view)

    def __iter__(self):
        return self

    cdef inline bint claim(self, Cursor *c, Fields *f) noexcept:
        """Take the next record: ``c`` stands at its headers and ends with it. 0: ``c`` has a fault, or all are taken.

        Where the records end before or behind the batch's end, that is the fault; a walk that failed does not go on.
        """
        cdef bint found = False
        cdef Py_ssize_t batch_end
        kw_acquire(&self.lock)
        c.data = self.c.data
        c.pos = self.c.pos
        c.end = self.c.end
        c.fault = FAULT_NONE
        if self.index < self.batch.count:
            if unlikely(c.pos >= c.end):
                cursor_fault(c, FAULT_RECORD_COUNT, c.pos, self.batch.count, self.index)
            elif (self.quick and quick_record(c, &self.batch, f, &batch_end)) or open_record(
                c, &self.batch, f, &batch_end
            ):
                self.c.pos = c.end
                self.index += 1
                found = True
        elif unlikely(c.pos < c.end):
            cursor_fault(c, FAULT_BATCH_TRAILING, c.pos, c.end - c.pos, 0)
        if unlikely(not found):
            self.stop()
        kw_release(&self.lock)
        return found

    cdef void stop(self) noexcept:
        self.index = self.batch.count
        self.c.pos = self.c.end

    cdef inline PyObject *timestamp_of(self, int64_t value) noexcept:
        """The int of a timestamp, or NULL: neighbours often have the same millisecond, and may as well share it."""
        cdef PyObject *number = NULL
        cdef PyObject *before
        kw_acquire(&self.lock)
        if value == self.last_timestamp:
            number = self.timestamp
            Ref_INCREF(number)
        kw_release(&self.lock)
        if number == NULL:
            number = Ref_FromLongLong(value)
            if number != NULL:
                Ref_INCREF(number)
                kw_acquire(&self.lock)
                before = self.timestamp
                self.timestamp = number
                self.last_timestamp = value
                kw_release(&self.lock)
                Ref_XDECREF(before)
        return number

    cdef int refuse(self, Cursor *c) except -1:
        """The error of a record that was claimed in vain, if there is one."""
        if c.fault:
            kw_acquire(&self.lock)
            self.stop()
            kw_release(&self.lock)
            raise cursor_error(c, self.batch.position, self.batch.base_offset, self.inner)
        return 0

    cdef inline object record(self, Cursor *c, Fields *f):
        """The record that was claimed."""
        cdef tuple headers = NO_HEADERS
        if f.header_count:
            headers = read_headers(c, f.header_count, self.cache)
        close_record(c, c.end)
        if unlikely(c.fault):
            self.refuse(c)
        Ref_INCREF(<PyObject *>self.timestamp_type)
        Ref_INCREF(<PyObject *>headers)
        return kw_record_new(
            Ref_FromLongLong(f.offset), self.timestamp_of(f.timestamp), <PyObject *>self.timestamp_type,
            nullable(c.data, f.key, f.key_size), nullable(c.data, f.value, f.value_size), <PyObject *>headers,
        )

    def __next__(self):
        cdef Cursor c
        cdef Fields f
        if unlikely(not self.claim(&c, &f)):
            self.refuse(&c)
            raise StopIteration
        return self.record(&c, &f)

    cdef list rest(self):
        # Where there are fewer records than declared, claim finds it before the list could be left with holes.
        cdef Cursor c
        cdef Fields f
        cdef Py_ssize_t i, room = min(<Py_ssize_t>self.batch.count, (self.c.end - self.c.pos) // RECORD_MIN + 1)
        cdef list records = PyList_New(room)
        # Until it has no holes nobody may come upon it (gc.get_objects would hand it out).
        PyObject_GC_UnTrack(records)
        for i in range(room):
            if unlikely(not self.claim(&c, &f)):
                self.refuse(&c)
                return records[:i]
            record = self.record(&c, &f)
            Ref_INCREF(<PyObject *>record)
            PyList_SET_ITEM(records, i, <PyObject *>record)
        if not self.claim(&c, &f):
            self.refuse(&c)
        PyObject_GC_Track(records)
        return records


def read_records(data, Py_ssize_t start, Py_ssize_t end, tuple header, bint inner):
    return RecordIterator(data, start, end, header, inner).rest()


cdef object message_record(const uint8_t *data, const Fields *f, int magic, bint log_append_time):
    cdef object timestamp = None if magic == 0 else f.timestamp
    cdef object timestamp_type = -1 if magic == 0 else 1 if log_append_time else 0
    Ref_INCREF(<PyObject *>timestamp)
    Ref_INCREF(<PyObject *>timestamp_type)
    Ref_INCREF(<PyObject *>NO_HEADERS)
    return kw_record_new(
        Ref_FromLongLong(f.offset), <PyObject *>timestamp, <PyObject *>timestamp_type,
        nullable(data, f.key, f.key_size), nullable(data, f.value, f.value_size), <PyObject *>NO_HEADERS,
    )


cdef void batch_from_header(Batch *b, tuple header) except *:
    cdef int64_t last_offset
    (b.position, b.size, b.magic, b.crc, b.attributes, b.base_offset, last_offset, b.count, b.base_timestamp,
     b.max_timestamp, b.producer_id, b.producer_epoch, b.base_sequence, b.leader_epoch, b.records) = header
    b.last_offset_delta = <int32_t>(last_offset - b.base_offset)


def read_message_fields(data, tuple header):
    """Where the value of a message v0 or v1 stands (size -1: null), and the record if it is not compressed."""
    cdef Py_buffer view
    cdef Cursor c
    cdef Batch batch
    cdef Fields fields
    batch_from_header(&batch, header)
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    try:
        if batch.records < 0 or batch.position + batch.size > view.len:
            raise ValueError("the message lies outside of the data")
        cursor_init(&c, <const uint8_t *>view.buf, batch.records, batch.position + batch.size)
        if not read_message(&c, &batch, &fields):
            raise cursor_error(&c, batch.position, batch.base_offset, False)
        if batch.attributes & CODEC_MASK:
            if fields.value_size < 0:
                cursor_fault(&c, FAULT_WRAPPER_NULL, batch.position, 0, 0)
                raise cursor_error(&c, batch.position, batch.base_offset, False)
            return fields.value, fields.value_size, None
        record = message_record(c.data, &fields, batch.magic, batch.attributes & LOG_APPEND_TIME)
        return fields.value, fields.value_size, record
    finally:
        PyBuffer_Release(&view)


def read_inner_messages(data, tuple header, bint check_crc):
    cdef Py_buffer view
    cdef Cursor c
    cdef Batch batch, inner
    cdef Wrapper wrapper
    cdef Fields fields
    cdef list records = []
    batch_from_header(&batch, header)
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    try:
        cursor_init(&c, <const uint8_t *>view.buf, 0, view.len)
        if open_wrapper(&c, &batch, &wrapper):
            while next_inner(&c, &wrapper, check_crc, &inner, &fields):
                records.append(message_record(c.data, &fields, wrapper.magic, wrapper.log_append_time))
        if c.fault:
            raise cursor_error(&c, batch.position, batch.base_offset, True)
        return records
    finally:
        PyBuffer_Release(&view)
