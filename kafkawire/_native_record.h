/* The Record object of the compiled kernel: see _native_record.c. Include after Python.h. */
#ifndef KAFKAWIRE_NATIVE_RECORD_H
#define KAFKAWIRE_NATIVE_RECORD_H

#include <Python.h>

typedef struct {
    PyObject_HEAD
    PyObject *offset;
    PyObject *timestamp;
    PyObject *timestamp_type;
    PyObject *key;
    PyObject *value;
    PyObject *headers;
} KwRecord;

/* The type, ready to use, or NULL with an error set; called once, when kafkawire._codec is imported. */
PyObject *kw_record_type(void);

/* A record that takes over the six references; where it fails, or where one of them is NULL, it releases the others and
 * returns NULL. */
PyObject *kw_record_new(PyObject *offset, PyObject *timestamp, PyObject *timestamp_type, PyObject *key, PyObject *value,
                        PyObject *headers);

#endif
