/* Record: one record of a batch, six read-only fields.
 *
 * It is written in C since this is what a for loop over records spends its time on: fields that are plain members
 * (Py_T_OBJECT_EX) are read by the interpreter's specialised instruction, which a property of a Cython class is not, and
 * a type without cyclic garbage collection (the fields are int, bytes, None, and tuples of str and bytes) costs neither
 * the collector's header nor its passes.
 */
#include "_native_record.h"

#include <stddef.h>
#include <structmember.h>

#define FIELDS 6

static PyObject **fields(PyObject *self)
{
    return &((KwRecord *)self)->offset;
}

static PyTypeObject RecordType;

PyObject *kw_record_new(PyObject *offset, PyObject *timestamp, PyObject *timestamp_type, PyObject *key, PyObject *value,
                        PyObject *headers)
{
    KwRecord *self;
    if (offset == NULL || timestamp == NULL || timestamp_type == NULL || key == NULL || value == NULL || headers == NULL
        || (self = PyObject_New(KwRecord, &RecordType)) == NULL) {
        Py_XDECREF(offset);
        Py_XDECREF(timestamp);
        Py_XDECREF(timestamp_type);
        Py_XDECREF(key);
        Py_XDECREF(value);
        Py_XDECREF(headers);
        return NULL;
    }
    self->offset = offset;
    self->timestamp = timestamp;
    self->timestamp_type = timestamp_type;
    self->key = key;
    self->value = value;
    self->headers = headers;
    return (PyObject *)self;
}

static PyObject *record_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"offset", "timestamp", "timestamp_type", "key", "value", "headers", NULL};
    PyObject *given[FIELDS];
    (void)type;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOOOOO:Record", names, &given[0], &given[1], &given[2], &given[3],
                                     &given[4], &given[5]))
        return NULL;
    for (int i = 0; i < FIELDS; i++)
        Py_INCREF(given[i]);
    return kw_record_new(given[0], given[1], given[2], given[3], given[4], given[5]);
}

static void record_dealloc(PyObject *self)
{
    KwRecord *record = (KwRecord *)self;
    Py_DECREF(record->offset);
    Py_DECREF(record->timestamp);
    Py_DECREF(record->timestamp_type);
    Py_DECREF(record->key);
    Py_DECREF(record->value);
    Py_DECREF(record->headers);
    PyObject_Free(self);
}

static PyObject *as_tuple(PyObject *self)
{
    PyObject **f = fields(self);
    return PyTuple_Pack(FIELDS, f[0], f[1], f[2], f[3], f[4], f[5]);
}

static PyObject *record_richcompare(PyObject *self, PyObject *other, int op)
{
    PyObject *a, *b, *result;
    if ((op != Py_EQ && op != Py_NE) || Py_TYPE(other) != &RecordType)
        Py_RETURN_NOTIMPLEMENTED;
    a = as_tuple(self);
    b = as_tuple(other);
    result = a != NULL && b != NULL ? PyObject_RichCompare(a, b, op) : NULL;
    Py_XDECREF(a);
    Py_XDECREF(b);
    return result;
}

static Py_hash_t record_hash(PyObject *self)
{
    PyObject *tuple = as_tuple(self);
    Py_hash_t hash = tuple != NULL ? PyObject_Hash(tuple) : -1;
    Py_XDECREF(tuple);
    return hash;
}

static PyObject *record_repr(PyObject *self)
{
    PyObject **f = fields(self);
    return PyUnicode_FromFormat("Record(offset=%R, timestamp=%R, timestamp_type=%R, key=%R, value=%R, headers=%R)", f[0],
                                f[1], f[2], f[3], f[4], f[5]);
}

static PyObject *record_reduce(PyObject *self, PyObject *unused)
{
    (void)unused;
    return Py_BuildValue("(ON)", (PyObject *)&RecordType, as_tuple(self));
}

static PyMemberDef members[] = {
    {"offset", T_OBJECT_EX, offsetof(KwRecord, offset), READONLY, NULL},
    {"timestamp", T_OBJECT_EX, offsetof(KwRecord, timestamp), READONLY, NULL},
    {"timestamp_type", T_OBJECT_EX, offsetof(KwRecord, timestamp_type), READONLY, NULL},
    {"key", T_OBJECT_EX, offsetof(KwRecord, key), READONLY, NULL},
    {"value", T_OBJECT_EX, offsetof(KwRecord, value), READONLY, NULL},
    {"headers", T_OBJECT_EX, offsetof(KwRecord, headers), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyMethodDef methods[] = {
    {"__reduce__", record_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject RecordType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "kafkawire._codec.Record",
    .tp_doc = "One record of a batch: offset, timestamp, timestamp_type, key, value, headers.",
    .tp_basicsize = sizeof(KwRecord),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = record_new,
    .tp_dealloc = record_dealloc,
    .tp_richcompare = record_richcompare,
    .tp_hash = record_hash,
    .tp_repr = record_repr,
    .tp_members = members,
    .tp_methods = methods,
};

PyObject *kw_record_type(void)
{
    if (PyType_Ready(&RecordType) < 0)
        return NULL;
    Py_INCREF(&RecordType);
    return (PyObject *)&RecordType;
}
