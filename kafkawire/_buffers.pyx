"""Where columns' memory comes from and goes: see _buffers.pxd.

Blocks that were given back are kept for the next columns, up to 192 MiB in all: a reader that goes through a log piece
by piece would otherwise spend more time on the system's clearing of fresh pages than on decoding. Where an allocation
fails they are freed, and it is tried again.
"""

from cpython.buffer cimport PyBuffer_FillInfo
from libc.string cimport memcpy

from kafkawire._memory cimport kw_allocate

cdef extern from *:
    """
    #include <stdlib.h>
    #include <string.h>
    #define KW_SLOTS 32
    #define KW_KEPT ((size_t)192 << 20)
    /* A checked build must see each block come and go: gcc says so by a macro, clang by a feature. */
    #if defined(__SANITIZE_ADDRESS__)
      #define KW_CHECKED 1
    #elif defined(__has_feature)
      #if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
        #define KW_CHECKED 1
      #endif
    #endif
    #if (defined(__GNUC__) || defined(__clang__)) && !defined(KW_CHECKED)
    static struct { uint8_t *data; size_t size; } kw_blocks[KW_SLOTS];
    static int kw_count;
    static size_t kw_kept;
    static char kw_lock;

    /* Whoever finds the lock taken does without: a process that was forked while another thread held it would wait
       for ever, and allocating anew is no slower than waiting. */
    static int kw_enter(void) { return !__atomic_test_and_set(&kw_lock, __ATOMIC_ACQUIRE); }
    static void kw_leave(void) { __atomic_clear(&kw_lock, __ATOMIC_RELEASE); }

    /* The smallest kept block that fits and is not far too large, or NULL. */
    static uint8_t *kw_again(size_t wanted, size_t *size)
    {
        uint8_t *data = NULL;
        int best = -1;
        if (!kw_enter())
            return NULL;
        for (int i = 0; i < kw_count; i++)
            if (kw_blocks[i].size >= wanted && kw_blocks[i].size / 4 <= wanted
                && (best < 0 || kw_blocks[i].size < kw_blocks[best].size))
                best = i;
        if (best >= 0) {
            data = kw_blocks[best].data;
            *size = kw_blocks[best].size;
            kw_kept -= *size;
            kw_count--;
            memmove(&kw_blocks[best], &kw_blocks[best + 1], (size_t)(kw_count - best) * sizeof kw_blocks[0]);
        }
        kw_leave();
        return data;
    }

    /* Keeps a block, and frees the oldest ones where that makes too many. */
    static void kw_keep(uint8_t *data, size_t size)
    {
        uint8_t *old[KW_SLOTS];
        int count = 0;
        if (size > KW_KEPT * 2 / 3 || !kw_enter()) {
            free(data);
            return;
        }
        while (kw_count == KW_SLOTS || (kw_count && kw_kept + size > KW_KEPT)) {
            old[count++] = kw_blocks[0].data;
            kw_kept -= kw_blocks[0].size;
            kw_count--;
            memmove(&kw_blocks[0], &kw_blocks[1], (size_t)kw_count * sizeof kw_blocks[0]);
        }
        kw_blocks[kw_count].data = data;
        kw_blocks[kw_count].size = size;
        kw_count++;
        kw_kept += size;
        kw_leave();
        while (count)
            free(old[--count]);
    }

    /* Frees all kept blocks, for who has no memory; whether there were any. */
    static int kw_drop(void)
    {
        uint8_t *old[KW_SLOTS];
        int count = 0, dropped;
        if (!kw_enter())
            return 0;
        for (; count < kw_count; count++)
            old[count] = kw_blocks[count].data;
        kw_count = 0;
        kw_kept = 0;
        kw_leave();
        dropped = count > 0;
        while (count)
            free(old[--count]);
        return dropped;
    }
    #else
    static int kw_drop(void) { return 0; }
    static uint8_t *kw_again(size_t wanted, size_t *size) { (void)wanted; (void)size; return NULL; }
    static void kw_keep(uint8_t *data, size_t size) { (void)size; free(data); }
    #endif
    """
    uint8_t *kw_again(size_t wanted, size_t *size) nogil
    void kw_keep(uint8_t *data, size_t size) nogil
    bint kw_drop() nogil
    void free(void *data) nogil


cdef void vec_free(Vec *v) noexcept nogil:
    if v.data != NULL and v.capacity >= SMALL:
        kw_keep(v.data, v.capacity + SLACK)
    else:
        free(v.data)
    v.data = NULL
    v.size = v.capacity = 0


cdef bint vec_grow(Vec *v, Py_ssize_t more) noexcept nogil:
    """A larger block with the bytes of the old one. 0: no memory, and the old one stays."""
    cdef Py_ssize_t capacity = max(v.capacity + (v.capacity >> 1), v.size + more, <Py_ssize_t>256)
    cdef size_t size = capacity + SLACK
    cdef uint8_t *data = NULL
    cdef Vec old = v[0]
    if capacity < SMALL:
        data = <uint8_t *>realloc(v.data, size)
        if data == NULL and kw_drop():
            data = <uint8_t *>realloc(v.data, size)
        if data == NULL:
            return 0
        v.data = data
        v.capacity = capacity
        return 1
    data = kw_again(size, &size)
    if data == NULL:
        data = kw_allocate(size, &size)
    if data == NULL and kw_drop():
        data = kw_allocate(size, &size)
    if data == NULL:
        return 0
    if old.capacity:
        # Columns that are written in place do not count their bytes, so all of the block may be in use.
        memcpy(data, old.data, old.capacity)
    v.data = data
    v.capacity = size - SLACK
    vec_free(&old)
    return 1


cdef class Buffer:
    """Memory that a column was decoded into, given away through the buffer protocol, read-only."""

    def __dealloc__(self):
        vec_free(&self.vec)

    def __getbuffer__(self, Py_buffer *view, int flags):
        PyBuffer_FillInfo(view, self, self.vec.data, self.vec.size, 1, flags)

    def __len__(self):
        return self.vec.size
