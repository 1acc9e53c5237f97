"""What the compiled reader and writer of messages share: a plan as an array of ops, and arrays in their packed form."""

from cpython.object cimport PyObject, PyTypeObject
from libc.stdint cimport int32_t, uint8_t, uint32_t

cdef extern from "_native_message.h":
    PyObject *new_list "kw_new_list"(Py_ssize_t size)
    void set_item "kw_set_item"(PyObject *list, Py_ssize_t index, PyObject *value)
    int kw_init_small() except -1
    PyObject *new_int "kw_int"(int32_t value)
    int kw_raise() except -1
    PyObject *get_slot "kw_get_slot"(PyObject *target, Py_ssize_t offset)
    object kw_settle_slot(PyObject *target, Py_ssize_t offset, PyObject *lazy, PyObject *made)
    PyObject *get_item "kw_get_item"(PyObject *list, Py_ssize_t index)
    void set_slot "kw_set_slot"(PyObject *target, Py_ssize_t offset, PyObject *value)
    Py_ssize_t kw_slot_offset(PyObject *type, PyObject *name)
    bint kw_is_plain(PyTypeObject *type)
    PyObject *kw_new(PyTypeObject *type)
    PyObject *kw_new_struct(PyTypeObject *type, bint plain)

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
    Py_ssize_t PyList_GET_SIZE(PyObject *)
    bint PyList_Check(PyObject *)
    bint PyTuple_Check(PyObject *)
    bint PyTuple_CheckExact(PyObject *)
    int PyList_Append(PyObject *, PyObject *)
    PyObject *PyLong_FromSsize_t(Py_ssize_t)
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
    # Packed arrays that a decode remembers, and their longest; longer ones seldom come twice.
    RECENT = 64
    RECENT_BYTES = 32


cdef struct Op:
    int kind
    bint packed            # an array of int32
    PyObject *blank        # what stands for the default in a slot; NULL: a new list
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
    PyObject *owner        # the CompiledPlan, which outlives what points here


cdef class Packed:
    cdef bytes data
    cdef Py_ssize_t count


cdef class Pending:
    cdef Table *table


cdef inline bint set_default(PyObject *target, Op *op) noexcept:
    """Give a slot its default; False when memory is short."""
    cdef PyObject *value = op.blank
    if value != NULL:
        Py_INCREF(value)
    else:
        value = new_list(0)
    set_slot(target, op.offset, value)
    return value != NULL


cdef object new_default_struct(Table *table)


cdef Packed new_packed(const uint8_t *data, Py_ssize_t count)


cdef class CompiledPlan:
    cdef Table table
    cdef list keep
    cdef readonly object cls
    cdef readonly str name
    cdef readonly int version
    cdef readonly object foreign_tags
    cdef readonly object known_tags
    cdef readonly object absent

    cdef void release(self, Op *ops, Py_ssize_t count) noexcept
    cdef Py_ssize_t slot(self, str name) except -1
    cdef Op *compile(self, tuple ops) except? NULL
    cdef int fill(self, Op *op, source) except -1
