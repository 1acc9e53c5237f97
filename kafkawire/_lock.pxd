"""A lock around what threads may change together, which costs nothing under a global one: see _native_lock.h."""

cdef extern from "_native_lock.h" nogil:
    ctypedef char kw_mutex       # all zeros is free
    void kw_acquire(kw_mutex *lock)
    void kw_release(kw_mutex *lock)
