# cython: language_level=3
"""The plan interpreter for messages, compiled twin: what ``_message_py`` does, to the same results and the same errors.

A plan becomes an array of C structs. Instances are made without ``__init__``: their slots are written at the offsets that
the class's member descriptors name. Reading goes through the bounded cursor only. Types are as deep as their declarations:
no input makes the interpreter recurse further.
"""

import uuid

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.object cimport Py_EQ, PyObject, PyTypeObject
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memmove

from kafkawire._varint cimport (
    FAULT_END,
    FAULT_LENGTH_NEGATIVE,
    FAULT_UTF8,
    FAULT_VARINT_LONG,
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
    decode_error,
    encode_error,
    size_fault,
    string_fault,
    tags_fault,
    value_fault,
)

cdef extern from *:
    """
    #include <structmember.h>
    #ifndef Py_T_OBJECT_EX
      #define Py_T_OBJECT_EX T_OBJECT_EX
    #endif

    /* Where a slot of a class stands in its instances; -1 if the attribute is no plain slot. */
    static Py_ssize_t kw_slot_offset(PyObject *type, PyObject *name) {
        Py_ssize_t offset = -1;
        PyObject *descriptor = PyObject_GetAttr(type, name);
        if (descriptor == NULL) {
            PyErr_Clear();
            return -1;
        }
        if (Py_TYPE(descriptor) == &PyMemberDescr_Type
                && ((PyMemberDescrObject *)descriptor)->d_member->type == Py_T_OBJECT_EX)
            offset = ((PyMemberDescrObject *)descriptor)->d_member->offset;
        Py_DECREF(descriptor);
        return offset;
    }

    /* Whether kw_new may make instances: slots only, and made as object makes them. */
    static int kw_is_plain(PyTypeObject *type) {
        return type->tp_alloc == PyType_GenericAlloc && type->tp_dictoffset == 0 && type->tp_itemsize == 0
            && type->tp_new == PyBaseObject_Type.tp_new && PyType_HasFeature(type, Py_TPFLAGS_HAVE_GC);
    }

    /* A new instance with empty slots. The collector does not know it: what is made from wire bytes is a tree. */
    static inline PyObject *kw_new(PyTypeObject *type) {
        PyObject *target = (PyObject *)PyObject_GC_New(PyObject, type);
        if (target != NULL)
            memset((char *)target + sizeof(PyObject), 0, (size_t)type->tp_basicsize - sizeof(PyObject));
        return target;
    }

    /* A list for exactly size items, which the collector does not know either. PyList_New would clear the items and enter
       thousands of short lists into the collector's books, where each collection would walk them. */
    static inline PyObject *kw_new_list(Py_ssize_t size) {
    #if defined(Py_GIL_DISABLED)
        PyObject *list = PyList_New(size);
        if (list != NULL)
            PyObject_GC_UnTrack(list);
        return list;
    #else
        PyListObject *list = PyObject_GC_New(PyListObject, &PyList_Type);
        if (list == NULL)
            return NULL;
        list->ob_item = NULL;
        Py_SET_SIZE(list, 0);
        list->allocated = 0;
        if (size > 0) {
            list->ob_item = PyMem_New(PyObject *, size);
            if (list->ob_item == NULL) {
                Py_DECREF(list);
                return PyErr_NoMemory();
            }
            list->allocated = size;
        }
        return (PyObject *)list;
    #endif
    }

    /* The next item of a list of kw_new_list. */
    static inline void kw_set_item(PyObject *list, Py_ssize_t index, PyObject *value) {
    #if !defined(Py_GIL_DISABLED)
        Py_SET_SIZE(list, index + 1);
    #endif
        PyList_SET_ITEM(list, index, value);
    }

    /* The ints that CPython keeps, without a call for each. */
    #define KW_SMALL_LOW (-1)
    #define KW_SMALL_HIGH 256
    static PyObject *kw_small[KW_SMALL_HIGH - KW_SMALL_LOW + 1];

    static int kw_init_small(void) {
        for (long value = KW_SMALL_LOW; value <= KW_SMALL_HIGH; value++)
            if ((kw_small[value - KW_SMALL_LOW] = PyLong_FromLong(value)) == NULL)
                return -1;
        return 0;
    }

    static inline PyObject *kw_int(int32_t value) {
        if (value >= KW_SMALL_LOW && value <= KW_SMALL_HIGH)
            return Py_NewRef(kw_small[value - KW_SMALL_LOW]);
        return PyLong_FromLong(value);
    }

    /* For Cython: Python's error is set already. */
    static int kw_raise(void) { return -1; }

    static inline PyObject *kw_get_slot(PyObject *target, Py_ssize_t offset) {
        return *(PyObject **)((char *)target + offset);
    }

    static inline void kw_set_slot(PyObject *target, Py_ssize_t offset, PyObject *value) {
        *(PyObject **)((char *)target + offset) = value;
    }
    """
    PyObject *new_list "kw_new_list"(Py_ssize_t size)
    void set_item "kw_set_item"(PyObject *list, Py_ssize_t index, PyObject *value)
    int kw_init_small() except -1
    PyObject *new_int "kw_int"(int32_t value)
    int kw_raise() except -1
    PyObject *get_slot "kw_get_slot"(PyObject *target, Py_ssize_t offset)
    void set_slot "kw_set_slot"(PyObject *target, Py_ssize_t offset, PyObject *value)
    Py_ssize_t kw_slot_offset(PyObject *type, PyObject *name)
    bint kw_is_plain(PyTypeObject *type)
    PyObject *kw_new(PyTypeObject *type)

cdef extern from "Python.h":
    void Py_INCREF(PyObject *)
    void Py_DECREF(PyObject *)
    void Py_XDECREF(PyObject *)
    PyTypeObject *Py_TYPE(PyObject *)
    PyObject *Py_None
    PyObject *Py_True
    PyObject *Py_False
    bint PyObject_TypeCheck(PyObject *, PyTypeObject *)
    int PyObject_RichCompareBool(PyObject *, PyObject *, int) except -1
    PyObject *PyList_GET_ITEM(PyObject *, Py_ssize_t)
    Py_ssize_t PyList_GET_SIZE(PyObject *)
    bint PyList_Check(PyObject *)
    bint PyTuple_Check(PyObject *)
    bint PyTuple_CheckExact(PyObject *)
    PyObject *PyTuple_GET_ITEM(PyObject *, Py_ssize_t)
    Py_ssize_t PyTuple_GET_SIZE(PyObject *)
    PyObject *PyLong_FromLong(long)
    PyObject *PyLong_FromLongLong(long long)
    PyObject *PyLong_FromUnsignedLong(unsigned long)
    bint PyLong_Check(PyObject *)
    long long PyLong_AsLongLongAndOverflow(PyObject *, int *)
    PyObject *PyFloat_FromDouble(double)
    bint PyFloat_Check(PyObject *)
    double PyFloat_AS_DOUBLE(PyObject *)
    PyObject *PyUnicode_DecodeUTF8(const char *, Py_ssize_t, const char *)
    bint PyUnicode_Check(PyObject *)
    const char *PyUnicode_AsUTF8AndSize(PyObject *, Py_ssize_t *)
    PyObject *PyBytes_FromStringAndSize(const char *, Py_ssize_t)
    bint PyBytes_Check(PyObject *)
    char *PyBytes_AS_STRING(PyObject *)
    Py_ssize_t PyBytes_GET_SIZE(PyObject *)
    int _PyBytes_Resize(PyObject **, Py_ssize_t)
    PyObject *PyMemoryView_FromObject(PyObject *)
    PyObject *PySequence_GetSlice(PyObject *, Py_ssize_t, Py_ssize_t)
    PyObject *_PyLong_FromByteArray(const unsigned char *, size_t, int, int)
    PyObject *PyErr_Occurred()
    bint PyErr_ExceptionMatches(PyObject *)
    void PyErr_Clear()
    PyObject *PyExc_UnicodeDecodeError
    PyObject *PyExc_MemoryError
    PyObject *PyErr_NoMemory()

# _message_ops.Kind, Default and MessageFault, for C.
cdef enum:
    KIND_INT8 = 0
    KIND_INT16 = 1
    KIND_INT32 = 2
    KIND_INT64 = 3
    KIND_UINT16 = 4
    KIND_UINT32 = 5
    KIND_FLOAT64 = 6
    KIND_BOOL = 7
    KIND_UUID = 8
    KIND_STRING = 9
    KIND_BYTES = 10
    KIND_RECORDS = 11
    KIND_STRUCT = 12
    KIND_ARRAY = 13

    DEFAULT_VALUE = 0
    DEFAULT_LIST = 1
    DEFAULT_STRUCT = 2

    FAULT_WINDOW_END = 101
    FAULT_NULL = 102
    FAULT_STRING_LONG = 103
    FAULT_LENGTH_LARGE = 104
    FAULT_PRESENCE = 105
    FAULT_TAG_ORDER = 106
    FAULT_TAG_VERSION = 107
    FAULT_TAG_SIZE = 108
    FAULT_TRAILING = 109

    STRING_MAX = 32767
    INT32_LIMIT = 2147483647
    TAGS_LIMIT = 64


# For the test that holds these numbers and those of _message_ops together.
numbers = {
    "INT8": KIND_INT8,
    "INT16": KIND_INT16,
    "INT32": KIND_INT32,
    "INT64": KIND_INT64,
    "UINT16": KIND_UINT16,
    "UINT32": KIND_UINT32,
    "FLOAT64": KIND_FLOAT64,
    "BOOL": KIND_BOOL,
    "UUID": KIND_UUID,
    "STRING": KIND_STRING,
    "BYTES": KIND_BYTES,
    "RECORDS": KIND_RECORDS,
    "STRUCT": KIND_STRUCT,
    "ARRAY": KIND_ARRAY,
    "DEFAULT_VALUE": DEFAULT_VALUE,
    "DEFAULT_LIST": DEFAULT_LIST,
    "DEFAULT_STRUCT": DEFAULT_STRUCT,
    "FAULT_END": FAULT_END,
    "FAULT_VARINT_LONG": FAULT_VARINT_LONG,
    "FAULT_LENGTH_NEGATIVE": FAULT_LENGTH_NEGATIVE,
    "FAULT_UTF8": FAULT_UTF8,
    "FAULT_WINDOW_END": FAULT_WINDOW_END,
    "FAULT_NULL": FAULT_NULL,
    "FAULT_STRING_LONG": FAULT_STRING_LONG,
    "FAULT_LENGTH_LARGE": FAULT_LENGTH_LARGE,
    "FAULT_PRESENCE": FAULT_PRESENCE,
    "FAULT_TAG_ORDER": FAULT_TAG_ORDER,
    "FAULT_TAG_VERSION": FAULT_TAG_VERSION,
    "FAULT_TAG_SIZE": FAULT_TAG_SIZE,
    "FAULT_TRAILING": FAULT_TRAILING,
}


cdef struct Op:
    int kind
    bint compact
    bint nullable
    bint tagged
    bint ignorable
    int default_kind
    uint32_t tag
    Py_ssize_t offset      # of the slot in the instance
    Py_ssize_t size        # the least bytes of a value
    PyObject *default
    PyObject *name
    Op *element            # of an array
    Table *table           # of a struct


cdef struct Table:
    PyTypeObject *type
    bint plain
    bint flexible
    Py_ssize_t unknown_offset
    Py_ssize_t op_count
    Py_ssize_t tag_count
    Py_ssize_t absent_count
    Op *ops
    Op *tags
    Op *absent
    PyObject *owner        # the CompiledPlan


cdef object UUID = uuid.UUID
cdef PyTypeObject *UUID_TYPE = <PyTypeObject *>UUID
cdef object ZERO_UUID = uuid.UUID(int=0)
cdef object UNKNOWN_SAFETY = ZERO_UUID.is_safe
cdef Py_ssize_t UUID_INT = kw_slot_offset(<PyObject *>UUID, <PyObject *>"int")
cdef Py_ssize_t UUID_SAFETY = kw_slot_offset(<PyObject *>UUID, <PyObject *>"is_safe")
cdef bint UUID_PLAIN = UUID_INT > 0 and UUID_SAFETY > 0 and kw_is_plain(UUID_TYPE)
cdef object NO_TAGS = ()

kw_init_small()

plans = {}
cdef dict _structs = {}


cdef class CompiledPlan:
    """A plan as an array of ops, which lives as long as this."""

    cdef Table table
    cdef list keep
    cdef readonly object cls
    cdef readonly str name
    cdef readonly int version
    cdef readonly object foreign_tags
    cdef readonly object known_tags
    cdef readonly object absent

    def __cinit__(self, plan):
        self.keep = [plan]
        self.cls = plan.cls
        self.name = plan.name
        self.version = plan.version
        self.foreign_tags = plan.foreign_tags
        self.known_tags = frozenset(op.tag for op in plan.tags) | plan.foreign_tags
        self.absent = plan.absent
        cdef Table *table = &self.table
        table.owner = <PyObject *>self
        table.type = <PyTypeObject *>plan.cls
        table.plain = kw_is_plain(table.type)
        table.flexible = plan.flexible
        table.unknown_offset = self.slot("unknown_tags")
        table.op_count = len(plan.ops)
        table.tag_count = len(plan.tags)
        table.absent_count = len(plan.absent)
        if table.tag_count > TAGS_LIMIT:
            raise OverflowError(f"{self.name} has more than {TAGS_LIMIT} tags")
        table.ops = self.compile(plan.ops)
        table.tags = self.compile(plan.tags)
        table.absent = self.compile(plan.absent)

    def __dealloc__(self):
        self.release(self.table.ops, self.table.op_count)
        self.release(self.table.tags, self.table.tag_count)
        self.release(self.table.absent, self.table.absent_count)

    cdef void release(self, Op *ops, Py_ssize_t count) noexcept:
        cdef Py_ssize_t index
        if ops != NULL:
            for index in range(count):
                PyMem_Free(ops[index].element)
            PyMem_Free(ops)

    cdef Py_ssize_t slot(self, str name) except -1:
        cdef Py_ssize_t offset = kw_slot_offset(<PyObject *>self.cls, <PyObject *>name)
        if offset < 0:
            raise TypeError(f"{self.name}.{name} is not a slot")
        return offset

    cdef Op *compile(self, tuple ops) except? NULL:
        cdef Py_ssize_t index
        cdef Op *table = <Op *>PyMem_Calloc(len(ops) + 1, sizeof(Op))
        if table == NULL:
            raise MemoryError
        for index in range(len(ops)):
            self.fill(&table[index], ops[index])
            table[index].offset = self.slot(ops[index].name)
            if ops[index].element is not None:
                table[index].element = <Op *>PyMem_Calloc(1, sizeof(Op))
                if table[index].element == NULL:
                    raise MemoryError
                self.fill(table[index].element, ops[index].element)
        return table

    cdef int fill(self, Op *op, source) except -1:
        cdef CompiledPlan nested
        op.kind = source.kind
        op.compact = source.compact
        op.nullable = source.nullable
        op.tagged = source.tagged
        op.ignorable = source.ignorable
        op.default_kind = source.default_kind
        op.tag = source.tag if source.tag >= 0 else 0
        op.size = source.size
        op.default = <PyObject *>source.default  # kept by the plan
        op.name = <PyObject *>source.name
        if source.struct is not None:
            nested = compile_plan(source.struct)
            self.keep.append(nested)
            op.table = &nested.table
        return 0


cpdef CompiledPlan compile_plan(plan):
    """The plan as this interpreter walks it."""
    compiled = _structs.get(plan)
    if compiled is None:
        compiled = _structs[plan] = CompiledPlan(plan)
    return compiled


# Reading. A function that returns NULL has set the cursor's fault, or Python's error.

cdef struct Reader:
    Cursor cursor
    PyObject *data         # what the caller gave
    PyObject *view         # a memoryview of it, made when records are met
    PyObject *path         # a list: the steps to the fault, the innermost first


cdef void step_out(Reader *r, object step) noexcept:
    """One level further out on the way to the fault."""
    if PyErr_Occurred() == NULL:
        (<list>r.path).append(step)


cdef PyObject *new_struct(Table *table) noexcept:
    if likely(table.plain):
        return kw_new(table.type)
    try:
        made = (<object>table.type).__new__(<object>table.type)
    except BaseException:
        return PyErr_NoMemory()
    Py_INCREF(<PyObject *>made)
    return <PyObject *>made


cdef PyObject *new_default(Op *op) noexcept:
    if op.default_kind == DEFAULT_LIST:
        return new_list(0)
    if op.default_kind == DEFAULT_STRUCT:
        return new_default_struct(op.table)
    Py_INCREF(op.default)
    return op.default


cdef bint set_default(PyObject *target, Op *op) noexcept:
    cdef PyObject *value = new_default(op)
    if unlikely(value == NULL):
        return False
    set_slot(target, op.offset, value)
    return True


cdef PyObject *new_default_struct(Table *table) noexcept:
    cdef Py_ssize_t index
    cdef PyObject *target = new_struct(table)
    cdef bint good = target != NULL
    if good:
        for index in range(table.op_count):
            good = good and set_default(target, &table.ops[index])
        for index in range(table.tag_count):
            good = good and set_default(target, &table.tags[index])
        for index in range(table.absent_count):
            good = good and set_default(target, &table.absent[index])
        Py_INCREF(<PyObject *>NO_TAGS)
        set_slot(target, table.unknown_offset, <PyObject *>NO_TAGS)
        if not good:
            Py_DECREF(target)
            return NULL
    return target


cdef PyObject *read_struct(Reader *r, Table *table) noexcept:
    cdef Py_ssize_t index
    cdef Op *op = table.ops
    cdef PyObject *value
    cdef PyObject *target = new_struct(table)
    if unlikely(target == NULL):
        return NULL
    for index in range(table.op_count):
        value = read_value(r, op)
        if unlikely(value == NULL):
            step_out(r, <object>op.name)
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
        if unlikely(tag in (<CompiledPlan>table.owner).foreign_tags):
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
            if unknown is None:
                unknown = []
            unknown.append((tag, c.data[start:start + size]))
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
            step_out(r, <object>table.tags[known].name)
            return NULL
        set_slot(target, table.tags[known].offset, value)
        known += 1
        c.end = outer
    while known < table.tag_count:
        if unlikely(not set_default(target, &table.tags[known])):
            return NULL
        known += 1
    found = NO_TAGS if unknown is None else tuple(unknown)
    Py_INCREF(<PyObject *>found)
    return <PyObject *>found


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
    cdef Py_ssize_t at
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
    values = new_list(count)
    if unlikely(values == NULL):
        return NULL
    for index in range(count):
        if kind == KIND_INT32:
            value = new_int(read_int32(c))
        elif kind == KIND_STRUCT:
            value = read_struct(r, element.table)
        else:
            value = read_value(r, element)
        if unlikely(value == NULL):
            step_out(r, index)
            Py_DECREF(values)
            return NULL
        set_item(values, index, value)
    return values


cdef tuple decode_head(CompiledPlan plan, data, bint refuse):
    cdef Reader r
    cdef PyObject *message
    cdef Py_ssize_t size
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
    message = read_struct(&r, &plan.table)
    Py_XDECREF(r.view)
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


# Writing. A function that returns -1 has raised; a ValueFault takes its path as it passes.

cdef struct Writer:
    PyObject *out          # bytes that only this function knows
    uint8_t *data
    Py_ssize_t size
    Py_ssize_t capacity


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
        return value == op.default or PyObject_RichCompareBool(value, op.default, Py_EQ)
    if op.default_kind == DEFAULT_LIST:
        if PyList_Check(value):
            return PyList_GET_SIZE(value) == 0
        return PyTuple_Check(value) and PyTuple_GET_SIZE(value) == 0
    return is_default_struct(op.table, value)


cdef int is_default_struct(Table *table, PyObject *value) except -1:
    cdef Py_ssize_t index
    cdef PyObject *unknown
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
    return unknown != NULL and PyTuple_Check(unknown) and PyTuple_GET_SIZE(unknown) == 0


cdef int holds_default(PyObject *target, Op *op) except -1:
    """Whether a slot equals its default, as ``==`` of two structs has it: an empty tuple is no empty list."""
    cdef PyObject *value = get_slot(target, op.offset)
    if value == NULL or (op.default_kind == DEFAULT_LIST and not PyList_Check(value)):
        return 0
    return is_default(op, value)


cdef PyObject *field_value(PyObject *target, Op *op) except NULL:
    cdef PyObject *value = get_slot(target, op.offset)
    if unlikely(value == NULL):
        raise ValueFault("the field is not set", "a value").at(<object>op.name)
    return value


cdef int write_struct(Writer *w, Table *table, PyObject *target) except -1:
    cdef Py_ssize_t index
    cdef Op *op
    cdef PyObject *value
    if unlikely(not PyObject_TypeCheck(target, table.type)):
        raise value_fault(KIND_STRUCT, <object>target, (<CompiledPlan>table.owner).name)
    for index in range(table.absent_count):
        op = &table.absent[index]
        if not op.ignorable:
            value = field_value(target, op)
            if unlikely(not is_default(op, value)):
                raise absent_fault(
                    <object>value,
                    (<CompiledPlan>table.owner).absent[index].versions,
                    (<CompiledPlan>table.owner).version,
                ).at(<object>op.name)
    for index in range(table.op_count):
        op = &table.ops[index]
        write_field(w, op, field_value(target, op))
    if table.flexible:
        write_tags(w, table, target)
    elif unlikely(get_slot(target, table.unknown_offset) != <PyObject *>NO_TAGS):
        unknown_tags(table, target)
    return 0


cdef int write_field(Writer *w, Op *op, PyObject *value) except -1:
    """Write a field's value; the reference keeps it alive while foreign code (a buffer, an ``__eq__``) runs."""
    Py_INCREF(value)
    try:
        write_value(w, op, value)
    except ValueFault as fault:
        raise fault.at(<object>op.name) from None
    finally:
        Py_DECREF(value)
    return 0


cdef object unknown_tags(Table *table, PyObject *target):
    cdef PyObject *value = get_slot(target, table.unknown_offset)
    if value == NULL:
        raise ValueFault("the field is not set", "a value").at("unknown_tags")
    unknown = <object>value
    if not isinstance(unknown, (list, tuple)):
        raise tags_fault(f"a {type(unknown).__name__}")
    if unknown and not table.flexible:
        version = (<CompiledPlan>table.owner).version
        raise tags_fault(f"unknown tags in version {version}, which has no tagged fields")
    return unknown


cdef int write_tags(Writer *w, Table *table, PyObject *target) except -1:
    cdef Py_ssize_t index
    cdef uint64_t present = 0
    cdef Py_ssize_t count = 0, position = 0
    cdef Op *op
    unknown = NO_TAGS
    if unlikely(get_slot(target, table.unknown_offset) != <PyObject *>NO_TAGS):
        unknown = unknown_tags(table, target)
    for index in range(table.tag_count):
        op = &table.tags[index]
        if not is_default(op, field_value(target, op)):
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
            write_tag(w, op, field_value(target, op))
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


cdef int write_tag(Writer *w, Op *op, PyObject *value) except -1:
    """A tagged field. Its size stands before it: one byte is left free for it, and a longer one moves the value."""
    cdef Py_ssize_t start, size, more
    put_uvarint(w, op.tag)
    room(w, 1)
    start = w.size
    write_field(w, op, value)
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
    cdef PyObject *one
    if unlikely(not is_list and not PyTuple_Check(value)):
        if value == Py_None and op.nullable:
            return put_length(w, op, False, -1)
        raise value_fault(KIND_ARRAY, <object>value)
    count = PyList_GET_SIZE(value) if is_list else PyTuple_GET_SIZE(value)
    put_length(w, op, False, count)
    for index in range(count):
        if unlikely(is_list and index >= PyList_GET_SIZE(value)):
            raise ValueFault("the list changed while it was written", "the same list")
        one = PyList_GET_ITEM(value, index) if is_list else PyTuple_GET_ITEM(value, index)
        Py_INCREF(one)
        try:
            write_value(w, op.element, one)
        except ValueFault as fault:
            raise fault.at(index) from None
        finally:
            Py_DECREF(one)
    return 0


def encode(CompiledPlan plan not None, message):
    """The message's bytes."""
    cdef Writer w
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
        raise encode_error(fault, plan.name) from None
    finally:
        Py_XDECREF(w.out)
