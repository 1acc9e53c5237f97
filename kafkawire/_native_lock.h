/* A lock around what threads may change together. Where the interpreter has a global lock that one does, and these are
 * nothing. Hold it over plain C only: neither Python code nor a call that may run some. */
#ifndef KAFKAWIRE_NATIVE_LOCK_H
#define KAFKAWIRE_NATIVE_LOCK_H

#include <Python.h>

#if defined(Py_GIL_DISABLED)
typedef PyMutex kw_mutex;
#define kw_acquire(lock) PyMutex_Lock(lock)
#define kw_release(lock) PyMutex_Unlock(lock)
#else
typedef char kw_mutex;
#define kw_acquire(lock) ((void)(lock))
#define kw_release(lock) ((void)(lock))
#endif

#endif
