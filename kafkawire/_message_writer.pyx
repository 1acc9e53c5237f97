# cython: language_level=3
"""The writer of the compiled plan interpreter for messages: see ``_message``."""

import uuid

from cpython.object cimport Py_EQ, PyObject, PyTypeObject
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memmove

from kafkawire._message_plan cimport *
from kafkawire._varint cimport (
    unlikely,
    uvarint_size,
    write_int16,
    write_int32,
    write_int64,
    write_uvarint,
)

from kafkawire._message_ops import (
    ValueFault,
    absent_fault,
    check_unknown_tag,
    encode_error,
    size_fault,
    string_fault,
    tags_fault,
    value_fault,
)

cdef object UUID = uuid.UUID
cdef tuple NO_TAGS = ()
cdef PyTypeObject *PACKED_TYPE = <PyTypeObject *>Packed
cdef PyTypeObject *PENDING_TYPE = <PyTypeObject *>Pending

# Writing. A function that returns -1 has raised.

cdef struct Writer:
    PyObject *out          # bytes that only this function knows
    uint8_t *data
    Py_ssize_t size
    Py_ssize_t capacity
    PyObject *path         # a list: the steps to the fault, the innermost first


cdef int grow(Writer *w, Py_ssize_t size) except -1:
    cdef Py_ssize_t capacity = max(w.size + size, 2 * w.capacity)
    # On failure it frees the bytes and sets the pointer to NULL.
    _PyBytes_Resize(&w.out, capacity)
    if w.out == NULL:
        raise MemoryError
    w.data = <uint8_t *>PyBytes_AS_STRING(w.out)
    w.capacity = capacity
    return 0


cdef inline uint8_t *room(Writer *w, Py_ssize_t size) except NULL:
    """Where the next ``size`` bytes go; they count as written."""
    cdef Py_ssize_t at = w.size
    if unlikely(size > w.capacity - at):
        grow(w, size)
    w.size = at + size
    return w.data + at


cdef inline int put_uvarint(Writer *w, uint64_t value) except -1:
    write_uvarint(room(w, uvarint_size(value)), value)
    return 0


cdef int put_length(Writer *w, Op *op, bint short_prefix, Py_ssize_t size) except -1:
    if unlikely(size > INT32_LIMIT):
        raise size_fault(size)
    if op.compact:
        put_uvarint(w, <uint64_t>(size + 1))
    elif short_prefix:
        write_int16(room(w, 2), <int16_t>size)
    else:
        write_int32(room(w, 4), <int32_t>size)
    return 0


cdef int is_default(Op *op, PyObject *value) except -1:
    if op.default_kind == DEFAULT_VALUE:
        if value == op.default:
            return 1
        held = <object>value  # foreign code (an ``__eq__``) may empty the slot
        return PyObject_RichCompareBool(<PyObject *>held, op.default, Py_EQ)
    if op.default_kind == DEFAULT_LIST:
        if PyList_Check(value):
            return PyList_GET_SIZE(value) == 0
        if PyTuple_Check(value):
            return PyTuple_GET_SIZE(value) == 0
        return Py_TYPE(value) == PACKED_TYPE and (<Packed>value).count == 0
    return is_default_struct(op.table, value)


cdef int is_default_struct(Table *table, PyObject *given) except -1:
    cdef Py_ssize_t index
    cdef PyObject *unknown
    cdef bint empty
    held = <object>given
    cdef PyObject *value = <PyObject *>held
    if Py_TYPE(value) == PENDING_TYPE:
        return 1
    if Py_TYPE(value) != table.type:
        return <object>value == (<object>table.type)()
    for index in range(table.op_count):
        if not holds_default(value, &table.ops[index]):
            return 0
    for index in range(table.tag_count):
        if not holds_default(value, &table.tags[index]):
            return 0
    for index in range(table.absent_count):
        if not holds_default(value, &table.absent[index]):
            return 0
    unknown = get_slot(value, table.unknown_offset)
    empty = unknown != NULL and PyTuple_Check(unknown) and PyTuple_GET_SIZE(unknown) == 0
    Py_XDECREF(unknown)
    return empty


cdef int holds_default(PyObject *target, Op *op) except -1:
    """Whether a slot equals its default, as ``==`` of two structs has it: an empty tuple is no empty list."""
    cdef PyObject *value = get_slot(target, op.offset)
    cdef int result = 0
    if value != NULL and not (op.default_kind == DEFAULT_LIST and PyTuple_Check(value)):
        result = quiet_is_default(op, value)
    Py_XDECREF(value)
    return result


cdef int field_is_default(PyObject *target, Op *op) except -1:
    cdef PyObject *value = field_value(target, op)
    cdef int result = quiet_is_default(op, value)
    Py_DECREF(value)
    return result


cdef PyObject *field_value(PyObject *target, Op *op) except NULL:
    """A new reference to what the slot holds."""
    cdef PyObject *value = get_slot(target, op.offset)
    if unlikely(value == NULL):
        raise ValueFault("the field is not set", "a value").at(<object>op.name)
    return value


cdef int write_struct(Writer *w, Table *table, PyObject *target) except -1:
    cdef Py_ssize_t index
    cdef Op *op
    if unlikely(not PyObject_TypeCheck(target, table.type)):
        raise value_fault(KIND_STRUCT, <object>target, (<CompiledPlan>table.owner).name)
    for index in range(table.absent_count):
        op = &table.absent[index]
        if not op.ignorable:
            if unlikely(not field_is_default(target, op)):
                raise absent_fault(
                    getattr(<object>target, <object>op.name),
                    (<CompiledPlan>table.owner).absent[index].versions,
                    (<CompiledPlan>table.owner).version,
                ).at(<object>op.name)
    for index in range(table.op_count):
        op = &table.ops[index]
        write_field(w, op, field_value(target, op))
    if table.flexible:
        write_tags(w, table, target)
    else:
        unknown_tags(table, target)
    return 0


cdef int write_field(Writer *w, Op *op, PyObject *value) except -1:
    """Write a field's value, and drop the reference, which kept it while foreign code (a buffer, an ``__eq__``) ran."""
    cdef int result = quiet_write(w, op, value)
    Py_DECREF(value)
    if unlikely(result < 0):
        PyList_Append(w.path, op.name)
    return result


cdef tuple unknown_tags(Table *table, PyObject *target):
    cdef PyObject *value = get_slot(target, table.unknown_offset)
    if unlikely(value == NULL):
        raise ValueFault("the field is not set", "a value").at("unknown_tags")
    unknown = <object>value
    Py_DECREF(value)
    if value == <PyObject *>NO_TAGS:
        return NO_TAGS
    if not isinstance(unknown, (list, tuple)):
        raise tags_fault(f"a {type(unknown).__name__}")
    if unknown and not table.flexible:
        version = (<CompiledPlan>table.owner).version
        raise tags_fault(f"unknown tags in version {version}, which has no tagged fields")
    # A copy: foreign code that runs in between may change a list after its entries were checked.
    return tuple(unknown)


cdef int write_tags(Writer *w, Table *table, PyObject *target) except -1:
    cdef Py_ssize_t index
    cdef uint64_t present = 0
    cdef Py_ssize_t count = 0, position = 0
    cdef Op *op
    cdef tuple unknown = unknown_tags(table, target)
    for index in range(table.tag_count):
        op = &table.tags[index]
        if not field_is_default(target, op):
            present |= <uint64_t>1 << index
            count += 1
    if unknown:
        before = -1
        for pair in unknown:
            before = check_unknown_tag(pair, before, (<CompiledPlan>table.owner).known_tags)
        count += len(unknown)
    put_uvarint(w, count)
    for index in range(table.tag_count):
        if present >> index & 1:
            op = &table.tags[index]
            while position < len(unknown) and unknown[position][0] < op.tag:
                write_unknown_tag(w, unknown[position])
                position += 1
            write_tag(w, op, target)
    while position < len(unknown):
        write_unknown_tag(w, unknown[position])
        position += 1
    return 0


cdef int write_unknown_tag(Writer *w, pair) except -1:
    cdef bytes content = pair[1]
    put_uvarint(w, pair[0])
    put_uvarint(w, len(content))
    memcpy(room(w, len(content)), PyBytes_AS_STRING(<PyObject *>content), len(content))
    return 0


cdef int write_tag(Writer *w, Op *op, PyObject *target) except -1:
    """A tagged field. Its size stands before it: one byte is left free for it, and a longer one moves the value."""
    cdef Py_ssize_t start, size, more
    put_uvarint(w, op.tag)
    room(w, 1)
    start = w.size
    write_field(w, op, field_value(target, op))
    size = w.size - start
    more = uvarint_size(size) - 1
    if more:
        room(w, more)
        memmove(w.data + start + more, w.data + start, size)
    write_uvarint(w.data + start - 1, size)
    return 0


cdef int write_value(Writer *w, Op *op, PyObject *value) except -1:
    cdef int kind = op.kind
    cdef int overflow = 0
    cdef int64_t number
    cdef double real
    if kind <= KIND_UINT32:
        if unlikely(not PyLong_Check(value)):
            raise value_fault(kind, <object>value)
        number = PyLong_AsLongLongAndOverflow(value, &overflow)
        if kind == KIND_INT32:
            if unlikely(overflow or number != <int32_t>number):
                raise value_fault(kind, <object>value)
            write_int32(room(w, 4), <int32_t>number)
        elif kind == KIND_INT16:
            if unlikely(overflow or number != <int16_t>number):
                raise value_fault(kind, <object>value)
            write_int16(room(w, 2), <int16_t>number)
        elif kind == KIND_INT64:
            if unlikely(overflow):
                raise value_fault(kind, <object>value)
            write_int64(room(w, 8), number)
        elif kind == KIND_INT8:
            if unlikely(overflow or number != <int8_t>number):
                raise value_fault(kind, <object>value)
            room(w, 1)[0] = <uint8_t>number
        elif kind == KIND_UINT16:
            if unlikely(overflow or number != <uint16_t>number):
                raise value_fault(kind, <object>value)
            write_int16(room(w, 2), <int16_t>number)
        else:
            if unlikely(overflow or number != <uint32_t>number):
                raise value_fault(kind, <object>value)
            write_int32(room(w, 4), <int32_t>number)
    elif kind == KIND_ARRAY:
        write_array(w, op, value)
    elif kind == KIND_STRING:
        write_string(w, op, value)
    elif kind == KIND_STRUCT:
        if op.nullable:
            if value == Py_None:
                room(w, 1)[0] = 0 if op.tagged else 0xFF
                return 0
            room(w, 1)[0] = 1
        if Py_TYPE(value) == PENDING_TYPE:
            made = new_default_struct((<Pending>value).table)
            write_struct(w, op.table, <PyObject *>made)
        else:
            write_struct(w, op.table, value)
    elif kind == KIND_BOOL:
        if unlikely(value != Py_True and value != Py_False):
            raise value_fault(kind, <object>value)
        room(w, 1)[0] = value == Py_True
    elif kind == KIND_UUID:
        write_uuid(w, value)
    elif kind == KIND_FLOAT64:
        if PyFloat_Check(value):
            real = PyFloat_AS_DOUBLE(value)
        elif PyLong_Check(value):
            try:
                real = <object>value
            except OverflowError:
                raise value_fault(kind, <object>value) from None
        else:
            raise value_fault(kind, <object>value)
        memcpy(&number, &real, 8)
        write_int64(room(w, 8), number)
    else:
        write_bytes(w, op, value)
    return 0


# For callers that add a step to the path before they pass the error on: without a try, which costs at each value.
ctypedef int (*quiet_function)(Writer *, Op *, PyObject *) noexcept
cdef quiet_function quiet_write = <quiet_function>write_value

# And for those that drop a reference before.
ctypedef int (*quiet_test)(Op *, PyObject *) noexcept
cdef quiet_test quiet_is_default = <quiet_test>is_default


cdef int write_uuid(Writer *w, PyObject *value) except -1:
    cdef uint8_t *target
    if not isinstance(<object>value, UUID):
        raise value_fault(KIND_UUID, <object>value)
    number = (<object>value).int
    target = room(w, 16)
    write_int64(target, <int64_t><uint64_t>(number >> 64))
    write_int64(target + 8, <int64_t><uint64_t>(number & 0xFFFFFFFFFFFFFFFF))
    return 0


cdef int write_string(Writer *w, Op *op, PyObject *value) except -1:
    cdef Py_ssize_t size
    cdef const char *text
    if unlikely(not PyUnicode_Check(value)):
        if value == Py_None and op.nullable:
            return put_length(w, op, True, -1)
        raise value_fault(KIND_STRING, <object>value)
    text = PyUnicode_AsUTF8AndSize(value, &size)
    if unlikely(text == NULL):
        PyErr_Clear()
        raise string_fault(<object>value, -1)
    if unlikely(size > STRING_MAX):
        raise string_fault(<object>value, size)
    put_length(w, op, True, size)
    memcpy(room(w, size), text, size)
    return 0


cdef int write_bytes(Writer *w, Op *op, PyObject *value) except -1:
    cdef Py_ssize_t size
    cdef const uint8_t[::1] buffer
    if PyBytes_Check(value):
        size = PyBytes_GET_SIZE(value)
        put_length(w, op, False, size)
        memcpy(room(w, size), PyBytes_AS_STRING(value), size)
        return 0
    if value == Py_None and op.nullable:
        return put_length(w, op, False, -1)
    try:
        view = memoryview(<object>value)
    except TypeError:
        raise value_fault(op.kind, <object>value) from None
    buffer = view.cast("B") if view.c_contiguous else view.tobytes()
    size = buffer.shape[0]
    put_length(w, op, False, size)
    if size:
        memcpy(room(w, size), &buffer[0], size)
    return 0


cdef int write_array(Writer *w, Op *op, PyObject *value) except -1:
    cdef bint is_list = PyList_Check(value)
    cdef Py_ssize_t index, count
    cdef int result
    cdef PyObject *one
    cdef PyObject *step
    if Py_TYPE(value) == PACKED_TYPE:
        count = (<Packed>value).count
        put_length(w, op, False, count)
        memcpy(room(w, 4 * count), PyBytes_AS_STRING(<PyObject *>(<Packed>value).data), 4 * count)
        return 0
    if unlikely(not is_list and not PyTuple_Check(value)):
        if value == Py_None and op.nullable:
            return put_length(w, op, False, -1)
        raise value_fault(KIND_ARRAY, <object>value)
    count = PyList_GET_SIZE(value) if is_list else PyTuple_GET_SIZE(value)
    put_length(w, op, False, count)
    for index in range(count):
        if is_list:
            one = get_item(value, index)
            if unlikely(one == NULL):
                raise ValueFault("the list changed while it was written", "the same list")
        else:
            one = PyTuple_GET_ITEM(value, index)
            Py_INCREF(one)
        result = quiet_write(w, op.element, one)
        Py_DECREF(one)
        if unlikely(result < 0):
            step = PyLong_FromSsize_t(index)
            if step != NULL:
                PyList_Append(w.path, step)
                Py_DECREF(step)
            return -1
    return 0


def encode(CompiledPlan plan not None, message):
    """The message's bytes."""
    cdef Writer w
    cdef list path = []
    w.path = <PyObject *>path
    w.capacity = 256
    w.size = 0
    w.out = PyBytes_FromStringAndSize(NULL, w.capacity)
    if w.out == NULL:
        raise MemoryError
    w.data = <uint8_t *>PyBytes_AS_STRING(w.out)
    try:
        write_struct(&w, &plan.table, <PyObject *>message)
        _PyBytes_Resize(&w.out, w.size)
        if w.out == NULL:
            raise MemoryError
        return <object>w.out
    except ValueFault as fault:
        fault.path += path
        raise encode_error(fault, plan.name) from None
    finally:
        Py_XDECREF(w.out)
