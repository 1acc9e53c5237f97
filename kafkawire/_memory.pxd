"""Memory for the kernels: large blocks, copies of short pieces, fetching ahead. See _native_memory.h."""

from libc.stdint cimport uint8_t

cdef extern from "_native_memory.h" nogil:
    uint8_t *kw_allocate(size_t wanted, size_t *size)
    void kw_huge(void *data, size_t size)
    void kw_prefetch(const uint8_t *from_, Py_ssize_t size)
    void kw_copy(uint8_t *to, const uint8_t *from_, Py_ssize_t size, Py_ssize_t readable)
    void kw_copy_exact(uint8_t *to, const uint8_t *from_, Py_ssize_t size)
