/* Memory for the kernels: large blocks, and copies of short pieces. */
#ifndef KAFKAWIRE_NATIVE_MEMORY_H
#define KAFKAWIRE_NATIVE_MEMORY_H

#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#define KW_HUGE_PAGE ((size_t)2 << 20)

/* Ask for huge pages where the block covers some: large blocks are written once from end to end, and with small pages
 * half of the time goes to page faults. */
static inline void kw_huge(void *data, size_t size)
{
#if defined(__linux__)
    uintptr_t start = ((uintptr_t)data + KW_HUGE_PAGE - 1) & ~(uintptr_t)(KW_HUGE_PAGE - 1);
    uintptr_t end = ((uintptr_t)data + size) & ~(uintptr_t)(KW_HUGE_PAGE - 1);
    if (end > start)
        (void)madvise((void *)start, end - start, MADV_HUGEPAGE);
#else
    (void)data;
    (void)size;
#endif
}

/* A block of at least `wanted` bytes, aligned to huge pages from a megabyte on; *size becomes what it has. NULL: no
 * memory. It is freed with free(). */
static inline uint8_t *kw_allocate(size_t wanted, size_t *size)
{
#if defined(__linux__)
    if (wanted >= KW_HUGE_PAGE / 2) {
        void *fresh;
        wanted = (wanted + KW_HUGE_PAGE - 1) & ~(KW_HUGE_PAGE - 1);
        if (posix_memalign(&fresh, KW_HUGE_PAGE, wanted) != 0)
            return NULL;
        kw_huge(fresh, wanted);
        *size = wanted;
        return fresh;
    }
#endif
    *size = wanted;
    return malloc(wanted);
}

/* The next batch is fetched from memory while this one is decoded: its checksum would wait for it otherwise. */
#if defined(__GNUC__) || defined(__clang__)
static inline void kw_prefetch(const uint8_t *from, Py_ssize_t size)
{
    for (Py_ssize_t i = 0; i < size; i += 64)
        __builtin_prefetch(from + i);
}
#else
static inline void kw_prefetch(const uint8_t *from, Py_ssize_t size) { (void)from; (void)size; }
#endif

/* Copies whole blocks of 32 bytes where the target has room for them (columns have) and the source does. */
static inline void kw_copy(uint8_t *to, const uint8_t *from, Py_ssize_t size, Py_ssize_t readable)
{
    if (size <= 128 && readable >= ((size + 31) & ~(Py_ssize_t)31)) {
        for (Py_ssize_t i = 0; i < size; i += 32)
            memcpy(to + i, from + i, 32);
    } else
        memcpy(to, from, (size_t)size);
}

/* Copies exactly `size` bytes; short pieces by two overlapping halves instead of by a call. */
static inline void kw_copy_exact(uint8_t *to, const uint8_t *from, Py_ssize_t size)
{
    if (size > 128) {
        memcpy(to, from, (size_t)size);
    } else if (size > 64) {
        memcpy(to, from, 64);
        memcpy(to + size - 64, from + size - 64, 64);
    } else if (size > 32) {
        memcpy(to, from, 32);
        memcpy(to + size - 32, from + size - 32, 32);
    } else if (size >= 16) {
        memcpy(to, from, 16);
        memcpy(to + size - 16, from + size - 16, 16);
    } else if (size >= 8) {
        memcpy(to, from, 8);
        memcpy(to + size - 8, from + size - 8, 8);
    } else {
        for (Py_ssize_t i = 0; i < size; i++)
            to[i] = from[i];
    }
}

#endif
