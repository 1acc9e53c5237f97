/* What _message.pyx needs of CPython beyond its usual API: slots by offset, and instances and lists made cheaply. */

#ifndef KAFKAWIRE_NATIVE_MESSAGE_H
#define KAFKAWIRE_NATIVE_MESSAGE_H

#include <Python.h>
#include <string.h>
#include <structmember.h>
#ifndef Py_T_OBJECT_EX
  #define Py_T_OBJECT_EX T_OBJECT_EX
#endif

/* Where a slot of a class stands in its instances; -1 if the attribute is no plain slot. */
static inline Py_ssize_t kw_slot_offset(PyObject *type, PyObject *name) {
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
static inline int kw_is_plain(PyTypeObject *type) {
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

static inline PyObject *kw_new_struct(PyTypeObject *type, int plain) {
    PyObject *no_arguments, *target;
    if (plain)
        return kw_new(type);
    no_arguments = PyTuple_New(0);
    if (no_arguments == NULL)
        return NULL;
    target = type->tp_new(type, no_arguments, NULL);
    Py_DECREF(no_arguments);
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

static inline int kw_init_small(void) {
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
static inline int kw_raise(void) { return -1; }

/* A new reference to what a slot holds, NULL if that is nothing. Where there is no global lock, the interpreter changes
   slots of an object under the object's own one. */
static inline PyObject *kw_get_slot(PyObject *target, Py_ssize_t offset) {
    PyObject *value;
#if defined(Py_GIL_DISABLED)
    Py_BEGIN_CRITICAL_SECTION(target);
#endif
    value = Py_XNewRef(*(PyObject **)((char *)target + offset));
#if defined(Py_GIL_DISABLED)
    Py_END_CRITICAL_SECTION();
#endif
    return value;
}

/* Puts `made` into a slot that still holds `lazy`; a new reference to what the slot holds then, so that all threads get
   the same one: what is there if it was set meanwhile, `made` if it was emptied. */
static inline PyObject *kw_settle_slot(PyObject *target, Py_ssize_t offset, PyObject *lazy, PyObject *made) {
    PyObject **slot = (PyObject **)((char *)target + offset);
    PyObject *value, *before = NULL;
#if defined(Py_GIL_DISABLED)
    Py_BEGIN_CRITICAL_SECTION(target);
    if (*slot == lazy) {
        before = lazy;
        _Py_atomic_store_ptr_release(slot, Py_NewRef(made));
    }
    value = Py_NewRef(*slot != NULL ? *slot : made);
    Py_END_CRITICAL_SECTION();
#else
    if (*slot == lazy) {
        before = lazy;
        *slot = Py_NewRef(made);
    }
    value = Py_NewRef(*slot != NULL ? *slot : made);
#endif
    Py_XDECREF(before);
    return value;
}

/* A new reference to a list's item; NULL, without an error set, behind its end. */
static inline PyObject *kw_get_item(PyObject *list, Py_ssize_t index) {
#if defined(Py_GIL_DISABLED)
    PyObject *item = PyList_GetItemRef(list, index);
    if (item == NULL)
        PyErr_Clear();
    return item;
#else
    return index < PyList_GET_SIZE(list) ? Py_NewRef(PyList_GET_ITEM(list, index)) : NULL;
#endif
}

/* For an instance that nobody else has yet. */
static inline void kw_set_slot(PyObject *target, Py_ssize_t offset, PyObject *value) {
    *(PyObject **)((char *)target + offset) = value;
}

#endif
