# cython: language_level=3
"""The plan interpreter for messages, compiled twin: what ``_message_py`` does, to the same results and the same errors.

This is its reader; ``_message_writer`` is the other half. Instances are made without ``__init__``: their slots are
written at the offsets that the plan knows. Reading goes through the bounded cursor only. Types are as deep as their
declarations: no input makes the interpreter recurse further.
"""

import uuid

from cpython.object cimport PyObject, PyTypeObject
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from kafkawire._message_plan cimport *
from kafkawire._varint cimport (
    FAULT_END,
    FAULT_LENGTH_NEGATIVE,
    FAULT_UTF8,
    Cursor,
    cursor_fault,
    cursor_init,
    cursor_take,
    likely,
    read_int8,
    read_int16,
    read_int32,
    read_int64,
    read_uvarint32,
    unlikely,
)

from kafkawire._message_ops import decode_error
from kafkawire._message_plan import compile_plan, numbers
from kafkawire._message_writer import encode

__all__ = ["compile_plan", "decode", "decode_prefix", "encode", "numbers", "plans"]

#: Compiled plans by class and version; filled by schema.plan.
plans = {}

kw_init_small()

cdef object UUID = uuid.UUID
cdef PyTypeObject *UUID_TYPE = <PyTypeObject *>UUID
cdef object ZERO_UUID = uuid.UUID(int=0)
cdef object UNKNOWN_SAFETY = ZERO_UUID.is_safe
cdef Py_ssize_t UUID_INT = kw_slot_offset(<PyObject *>UUID, <PyObject *>"int")
cdef Py_ssize_t UUID_SAFETY = kw_slot_offset(<PyObject *>UUID, <PyObject *>"is_safe")
cdef bint UUID_PLAIN = UUID_INT > 0 and UUID_SAFETY > 0 and kw_is_plain(UUID_TYPE)
cdef object NO_TAGS = ()
cdef object NO_RECORDS = memoryview(b"")
cdef Packed NO_INTS = new_packed(NULL, 0)


# Reading. A function that returns NULL has set the cursor's fault, or Python's error.

cdef struct Reader:
    Cursor cursor
    PyObject *recent[RECENT]   # Packed arrays, to be shared
    PyObject *data         # what the caller gave
    PyObject *view         # a memoryview of it, made when records are met
    PyObject *path         # a list: the steps to the fault, the innermost first


cdef void step_out(Reader *r, PyObject *step) noexcept:
    """One level further out on the way to the fault; where memory is short, that is the error."""
    if PyErr_Occurred() == NULL:
        PyList_Append(r.path, step)


cdef void step_out_of(Reader *r, Py_ssize_t index) noexcept:
    """The same for an item of an array."""
    cdef PyObject *step
    if PyErr_Occurred() == NULL:
        step = PyLong_FromSsize_t(index)
        if step != NULL:
            PyList_Append(r.path, step)
            Py_DECREF(step)


cdef PyObject *read_struct(Reader *r, Table *table) noexcept:
    cdef Py_ssize_t index
    cdef Op *op = table.ops
    cdef PyObject *value
    cdef PyObject *target = kw_new_struct(table.type, table.plain)
    if unlikely(target == NULL):
        return NULL
    for _index in range(table.op_count):
        value = read_value(r, op)
        if unlikely(value == NULL):
            step_out(r, op.name)
            Py_DECREF(target)
            return NULL
        set_slot(target, op.offset, value)
        op += 1
    for index in range(table.absent_count):
        if unlikely(not set_default(target, &table.absent[index])):
            Py_DECREF(target)
            return NULL
    value = read_tags(r, table, target) if table.flexible else <PyObject *>NO_TAGS
    if unlikely(value == NULL):
        Py_DECREF(target)
        return NULL
    if not table.flexible:
        Py_INCREF(value)
    set_slot(target, table.unknown_offset, value)
    return target


cdef PyObject *read_tags(Reader *r, Table *table, PyObject *target) noexcept:
    """Read the tagged fields into ``target``; the unknown ones are the result."""
    cdef Cursor *c = &r.cursor
    cdef uint32_t count = read_uvarint32(c)
    cdef uint32_t tag, size
    cdef int64_t before = -1
    cdef Py_ssize_t known = 0, at, start, outer
    cdef PyObject *value
    cdef list unknown = None
    if unlikely(c.fault):
        return NULL
    while count:
        count -= 1
        at = c.pos
        tag = read_uvarint32(c)
        if unlikely(c.fault):
            return NULL
        if unlikely(tag <= before):
            cursor_fault(c, FAULT_TAG_ORDER, at, tag, before)
            return NULL
        before = tag
        if unlikely((<CompiledPlan>table.owner).foreign_tags and is_foreign(table, tag)):
            if PyErr_Occurred() == NULL:
                cursor_fault(c, FAULT_TAG_VERSION, at, tag, 0)
            return NULL
        size = read_uvarint32(c)
        if unlikely(c.fault):
            return NULL
        start = cursor_take(c, size)
        if unlikely(c.fault):
            return NULL
        while known < table.tag_count and table.tags[known].tag < tag:
            if unlikely(not set_default(target, &table.tags[known])):
                return NULL
            known += 1
        if known == table.tag_count or table.tags[known].tag != tag:
            try:
                if unknown is None:
                    unknown = []
                unknown.append((tag, c.data[start:start + size]))
            except BaseException:
                return PyErr_NoMemory()
            continue
        outer = c.end
        c.pos = start
        c.end = start + size
        value = read_value(r, &table.tags[known])
        if value != NULL and unlikely(c.pos != c.end):
            Py_DECREF(value)
            value = NULL
            cursor_fault(c, FAULT_TAG_SIZE, start, size, c.pos - start)
        if unlikely(value == NULL):
            step_out(r, table.tags[known].name)
            return NULL
        set_slot(target, table.tags[known].offset, value)
        known += 1
        c.end = outer
    while known < table.tag_count:
        if unlikely(not set_default(target, &table.tags[known])):
            return NULL
        known += 1
    found = NO_TAGS
    if unknown is not None:
        try:
            found = tuple(unknown)
        except BaseException:
            return PyErr_NoMemory()
    Py_INCREF(<PyObject *>found)
    return <PyObject *>found


cdef bint is_foreign(Table *table, uint32_t tag) noexcept:
    """Whether only other versions define the tag; True with Python's error set where memory is short."""
    try:
        return tag in (<CompiledPlan>table.owner).foreign_tags
    except BaseException:
        PyErr_NoMemory()
        return True


cdef inline Py_ssize_t read_length(Reader *r, Op *op, bint short_prefix) noexcept:
    """The length after the cursor; -1 is a null that is allowed, -2 a fault."""
    cdef Cursor *c = &r.cursor
    cdef Py_ssize_t at = c.pos
    cdef int64_t size
    if op.compact:
        size = <int64_t>read_uvarint32(c) - 1
    elif short_prefix:
        size = read_int16(c)
    else:
        size = read_int32(c)
    if unlikely(c.fault):
        return -2
    if unlikely(size < 0):
        if size < -1:
            cursor_fault(c, FAULT_LENGTH_NEGATIVE, at, size, 0)
            return -2
        if op.nullable:
            return -1
        cursor_fault(c, FAULT_NULL, at, 0, 0)
        return -2
    if short_prefix:
        if unlikely(size > STRING_MAX):
            cursor_fault(c, FAULT_STRING_LONG if size <= INT32_LIMIT else FAULT_LENGTH_LARGE, at, size, 0)
            return -2
    elif unlikely(size > INT32_LIMIT):
        cursor_fault(c, FAULT_LENGTH_LARGE, at, size, 0)
        return -2
    return size


cdef inline PyObject *none() noexcept:
    Py_INCREF(Py_None)
    return Py_None


cdef PyObject *read_value(Reader *r, Op *op) noexcept:
    cdef Cursor *c = &r.cursor
    cdef int kind = op.kind
    cdef int64_t number
    if kind == KIND_INT32:
        number = read_int32(c)
        return new_int(<int32_t>number) if likely(not c.fault) else NULL
    if kind == KIND_ARRAY:
        return read_array(r, op)
    if kind == KIND_INT16:
        number = read_int16(c)
        return new_int(<int32_t>number) if likely(not c.fault) else NULL
    if kind == KIND_STRING:
        return read_string(r, op)
    if kind == KIND_INT64:
        number = read_int64(c)
        return PyLong_FromLongLong(number) if likely(not c.fault) else NULL
    if kind == KIND_STRUCT:
        return read_nullable_struct(r, op) if op.nullable else read_struct(r, op.table)
    if kind == KIND_INT8:
        number = read_int8(c)
        return new_int(<int32_t>number) if likely(not c.fault) else NULL
    if kind == KIND_BOOL:
        number = read_int8(c)
        if unlikely(c.fault):
            return NULL
        if number:
            Py_INCREF(Py_True)
            return Py_True
        Py_INCREF(Py_False)
        return Py_False
    if kind == KIND_UUID:
        return read_uuid(r)
    if kind == KIND_BYTES or kind == KIND_RECORDS:
        return read_bytes(r, op)
    if kind == KIND_UINT16:
        number = <uint16_t>read_int16(c)
        return new_int(<int32_t>number) if likely(not c.fault) else NULL
    if kind == KIND_UINT32:
        number = <uint32_t>read_int32(c)
        return PyLong_FromLongLong(number) if likely(not c.fault) else NULL
    return read_float64(r)


cdef PyObject *read_float64(Reader *r) noexcept:
    cdef int64_t raw = read_int64(&r.cursor)
    cdef double number
    if r.cursor.fault:
        return NULL
    memcpy(&number, &raw, 8)
    return PyFloat_FromDouble(number)


cdef PyObject *read_uuid(Reader *r) noexcept:
    cdef Cursor *c = &r.cursor
    cdef Py_ssize_t at = cursor_take(c, 16)
    cdef uint64_t halves[2]
    cdef PyObject *number
    cdef PyObject *made
    if unlikely(c.fault):
        return NULL
    memcpy(halves, c.data + at, 16)
    if halves[0] == 0 and halves[1] == 0:
        Py_INCREF(<PyObject *>ZERO_UUID)
        return <PyObject *>ZERO_UUID
    number = _PyLong_FromByteArray(c.data + at, 16, 0, 0)
    if unlikely(number == NULL):
        return NULL
    if likely(UUID_PLAIN):
        made = kw_new(UUID_TYPE)
        if unlikely(made == NULL):
            Py_DECREF(number)
            return NULL
        set_slot(made, UUID_INT, number)
        Py_INCREF(<PyObject *>UNKNOWN_SAFETY)
        set_slot(made, UUID_SAFETY, <PyObject *>UNKNOWN_SAFETY)
        return made
    try:
        built = UUID(int=<object>number)
    except BaseException:
        Py_DECREF(number)
        return PyErr_NoMemory()
    Py_DECREF(number)
    Py_INCREF(<PyObject *>built)
    return <PyObject *>built


cdef PyObject *read_string(Reader *r, Op *op) noexcept:
    cdef Cursor *c = &r.cursor
    cdef Py_ssize_t size = read_length(r, op, True)
    cdef Py_ssize_t at
    cdef PyObject *text
    if unlikely(size < 0):
        return none() if size == -1 else NULL
    at = cursor_take(c, size)
    if unlikely(c.fault):
        return NULL
    text = PyUnicode_DecodeUTF8(<const char *>c.data + at, size, NULL)
    if unlikely(text == NULL) and PyErr_ExceptionMatches(PyExc_UnicodeDecodeError):
        PyErr_Clear()
        cursor_fault(c, FAULT_UTF8, at, 0, 0)
    return text


cdef PyObject *read_bytes(Reader *r, Op *op) noexcept:
    cdef Cursor *c = &r.cursor
    cdef Py_ssize_t size = read_length(r, op, False)
    cdef Py_ssize_t at
    if size < 0:
        return none() if size == -1 else NULL
    at = cursor_take(c, size)
    if unlikely(c.fault):
        return NULL
    if op.kind == KIND_BYTES:
        return PyBytes_FromStringAndSize(<const char *>c.data + at, size)
    if size == 0:
        Py_INCREF(<PyObject *>NO_RECORDS)
        return <PyObject *>NO_RECORDS
    if r.view == NULL:
        r.view = byte_view(r.data)
        if r.view == NULL:
            return NULL
    return PySequence_GetSlice(r.view, at, at + size)


cdef PyObject *byte_view(PyObject *data) noexcept:
    try:
        view = memoryview(<object>data).cast("B")
    except BaseException:
        return PyErr_NoMemory()
    Py_INCREF(<PyObject *>view)
    return <PyObject *>view


cdef PyObject *read_nullable_struct(Reader *r, Op *op) noexcept:
    cdef Cursor *c = &r.cursor
    cdef Py_ssize_t at = c.pos
    cdef int present
    if op.tagged:
        present = read_uvarint32(c) != 0
        if likely(not c.fault) and not present:
            return none()
    else:
        present = read_int8(c)
        if likely(not c.fault) and present < 0:
            if present == -1:
                return none()
            cursor_fault(c, FAULT_PRESENCE, at, present, 0)
    if unlikely(c.fault):
        return NULL
    return read_struct(r, op.table)


cdef PyObject *read_array(Reader *r, Op *op) noexcept:
    cdef Cursor *c = &r.cursor
    cdef Py_ssize_t at = c.pos
    cdef Py_ssize_t count = read_length(r, op, False)
    cdef Py_ssize_t index
    cdef Op *element = op.element
    cdef int kind = element.kind
    cdef PyObject *values
    cdef PyObject *value
    if unlikely(count < 0):
        return none() if count == -1 else NULL
    # The count is held against the bytes before anything is allocated.
    if unlikely(<int64_t>count * element.size > c.end - c.pos):
        cursor_fault(c, FAULT_END, at, <int64_t>count * element.size, c.end - c.pos)
        return NULL
    if kind == KIND_INT32:
        return read_packed(r, count)
    values = new_list(count)
    if unlikely(values == NULL):
        return NULL
    for index in range(count):
        if kind == KIND_STRUCT:
            value = read_struct(r, element.table)
        else:
            value = read_value(r, element)
        if unlikely(value == NULL):
            step_out_of(r, index)
            Py_DECREF(values)
            return NULL
        set_item(values, index, value)
    return values


cdef PyObject *read_packed(Reader *r, Py_ssize_t count) noexcept:
    """An array of int32, whose bytes are there."""
    cdef Cursor *c = &r.cursor
    cdef Py_ssize_t size = 4 * count
    cdef Py_ssize_t at = cursor_take(c, size)
    cdef PyObject **recent = NULL
    cdef uint32_t word
    cdef uint64_t mixed = 0
    cdef Py_ssize_t index
    if count == 0:
        Py_INCREF(<PyObject *>NO_INTS)
        return <PyObject *>NO_INTS
    if size <= RECENT_BYTES:
        for index in range(count):
            memcpy(&word, c.data + at + 4 * index, 4)
            mixed = (mixed ^ word) * <uint64_t>0x9E3779B97F4A7C15
            mixed ^= mixed >> 32
        recent = &r.recent[mixed % RECENT]
        if (
            recent[0] != NULL
            and (<Packed>recent[0]).count == count
            and memcmp(PyBytes_AS_STRING(<PyObject *>(<Packed>recent[0]).data), c.data + at, size) == 0
        ):
            Py_INCREF(recent[0])
            return recent[0]
    try:
        made = new_packed(c.data + at, count)
    except BaseException:
        return PyErr_NoMemory()
    if recent != NULL:
        Py_XDECREF(recent[0])
        Py_INCREF(<PyObject *>made)
        recent[0] = <PyObject *>made
    Py_INCREF(<PyObject *>made)
    return <PyObject *>made


cdef tuple decode_head(CompiledPlan plan, data, bint refuse):
    cdef Reader r
    cdef PyObject *message
    cdef Py_ssize_t size, index
    cdef list path = []
    cdef const uint8_t[::1] buffer
    if isinstance(data, bytes):
        size = PyBytes_GET_SIZE(<PyObject *>data)
        cursor_init(&r.cursor, <const uint8_t *>PyBytes_AS_STRING(<PyObject *>data), 0, size)
    else:
        view = memoryview(data)
        if not view.c_contiguous:
            raise BufferError("memoryview: underlying buffer is not C-contiguous")
        buffer = view.cast("B")
        size = buffer.shape[0]
        cursor_init(&r.cursor, &buffer[0] if size else NULL, 0, size)
    r.data = <PyObject *>data
    r.view = NULL
    r.path = <PyObject *>path
    memset(r.recent, 0, sizeof(r.recent))
    message = read_struct(&r, &plan.table)
    Py_XDECREF(r.view)
    for index in range(RECENT):
        Py_XDECREF(r.recent[index])
    if message == NULL:
        if PyErr_Occurred() != NULL:
            kw_raise()
        path.append(plan.name)
        if r.cursor.fault == FAULT_END and r.cursor.end != size:
            r.cursor.fault = FAULT_WINDOW_END
        raise decode_error(r.cursor.fault, r.cursor.a, r.cursor.b, r.cursor.fault_pos, path[::-1])
    made = <object>message
    Py_DECREF(message)
    if refuse and r.cursor.pos != size:
        raise decode_error(FAULT_TRAILING, size - r.cursor.pos, 0, r.cursor.pos, [plan.name])
    return made, r.cursor.pos


def decode(CompiledPlan plan not None, data):
    """The message that ``data`` holds; CorruptError if bytes are left over."""
    return decode_head(plan, data, True)[0]


def decode_prefix(CompiledPlan plan not None, data):
    """The message at the head of ``data``, and where it ends."""
    return decode_head(plan, data, False)
