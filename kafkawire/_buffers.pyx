"""The one class of _buffers.pxd: a column's memory on its way to Python."""

from cpython.buffer cimport PyBuffer_FillInfo


cdef class Buffer:
    """Memory that a column was decoded into, given away through the buffer protocol, read-only."""

    def __dealloc__(self):
        free(self.vec.data)

    def __getbuffer__(self, Py_buffer *view, int flags):
        PyBuffer_FillInfo(view, self, self.vec.data, self.vec.size, 1, flags)

    def __len__(self):
        return self.vec.size
