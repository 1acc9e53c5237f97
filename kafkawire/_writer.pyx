"""Writing batches, compiled: records or Arrow columns to batches v2 and messages v0 and v1. Its twin is _writer_py.py.

A BatchWriter keeps its batches in one block of memory: records are written behind a header that is filled in when the
batch is sealed, after the records were compressed in place of themselves where that is asked for.
"""

from cpython.buffer cimport PyBUF_READ, PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_CheckExact, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.memoryview cimport PyMemoryView_FromMemory
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF
from cpython.tuple cimport PyTuple_CheckExact, PyTuple_GET_ITEM, PyTuple_GET_SIZE
from cpython.unicode cimport PyUnicode_AsUTF8AndSize
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy

from kafkawire._lock cimport kw_acquire, kw_mutex, kw_release
from kafkawire._memory cimport kw_copy_exact, kw_huge
from kafkawire._codec cimport HEADER_V2, LOG_APPEND_TIME, INT64_MAX_
from kafkawire._varint cimport (
    crc32_of, crc32c_of, int16_t, int32_t, int64_t, likely, uint8_t, unlikely, varint_size, write_int16, write_int32,
    write_int64, write_varint,
)

import time

from kafkawire import errors

cdef extern from "Python.h":
    int _PyBytes_Resize(PyObject **, Py_ssize_t) except -1

cdef enum:
    INT32_MAX_ = 0x7FFFFFFF
    # Smaller results are copied out of a block that stays: fresh memory costs more than the copy.
    GIVEN_AWAY = 8 << 20
    # What became of one record.
    WRITTEN = 0
    FULL = 1
    NO_MEMORY = 2
    OFFSET_ORDER = 3
    TIMESTAMP_RANGE = 4
    TOO_LARGE = 5
    CHANGED = 6
    BUSY = 7


cdef class BytesColumn:
    """A nullable binary column of Arrow's layout, held: validity bitmap, 32-bit offsets, data, first row."""

    def __cinit__(self, validity, offsets, data, Py_ssize_t first, Py_ssize_t rows):
        cdef Py_ssize_t i
        PyObject_GetBuffer(offsets, &self.offsets, PyBUF_SIMPLE)
        self.held = 1
        PyObject_GetBuffer(data, &self.data, PyBUF_SIMPLE)
        self.held = 2
        if validity is not None:
            PyObject_GetBuffer(validity, &self.valid, PyBUF_SIMPLE)
            self.held = 3
            self.bits = <const uint8_t *>self.valid.buf
            if self.valid.len * 8 < first + rows:
                raise ValueError("the validity bitmap is shorter than the column")
        self.at = <const int32_t *>self.offsets.buf
        self.bytes = <const uint8_t *>self.data.buf
        self.first = first
        self.rows = rows
        if rows and self.offsets.len // 4 < first + rows + 1:
            raise ValueError("the offsets are fewer than the rows")
        for i in range(first, first + rows):
            if self.at[i] < 0 or self.at[i + 1] < self.at[i] or self.at[i + 1] > self.data.len:
                raise ValueError("the offsets lie outside of the data")

    def __dealloc__(self):
        if self.held > 0:
            PyBuffer_Release(&self.offsets)
        if self.held > 1:
            PyBuffer_Release(&self.data)
        if self.held > 2:
            PyBuffer_Release(&self.valid)

    cdef Py_ssize_t byte_count(self, Py_ssize_t rows) noexcept nogil:
        """About what the first ``rows`` rows take."""
        if not 0 < rows <= self.rows:
            return 0
        return max(self.at[self.first + rows] - <Py_ssize_t>self.at[self.first], <Py_ssize_t>0)


cdef class ListColumn:
    """The headers of each row: 32-bit offsets into the rows of two binary columns, held."""

    cdef Py_buffer valid, offsets
    cdef int held
    cdef const uint8_t *bits
    cdef const int32_t *at
    cdef Py_ssize_t first, entries
    cdef BytesColumn keys, values

    def __cinit__(self, validity, offsets, Py_ssize_t first, Py_ssize_t rows, BytesColumn keys, BytesColumn values,
                  Py_ssize_t entries):
        cdef Py_ssize_t i
        PyObject_GetBuffer(offsets, &self.offsets, PyBUF_SIMPLE)
        self.held = 1
        if validity is not None:
            PyObject_GetBuffer(validity, &self.valid, PyBUF_SIMPLE)
            self.held = 2
            self.bits = <const uint8_t *>self.valid.buf
            if self.valid.len * 8 < first + rows:
                raise ValueError("the validity bitmap is shorter than the column")
        self.at = <const int32_t *>self.offsets.buf
        self.first = first
        self.entries = entries
        self.keys = keys
        self.values = values
        if rows and self.offsets.len // 4 < first + rows + 1:
            raise ValueError("the offsets are fewer than the rows")
        for i in range(first, first + rows):
            if self.at[i] < 0 or self.at[i + 1] < self.at[i] or self.at[i + 1] > entries:
                raise ValueError("the offsets lie outside of the headers")

    def __dealloc__(self):
        if self.held > 0:
            PyBuffer_Release(&self.offsets)
        if self.held > 1:
            PyBuffer_Release(&self.valid)

    cdef Py_ssize_t byte_count(self, Py_ssize_t rows) noexcept nogil:
        """About what the headers of the first ``rows`` rows take."""
        cdef Py_ssize_t count
        if rows == 0:
            return 0
        count = max(self.at[self.first + rows] - <Py_ssize_t>self.at[self.first], <Py_ssize_t>0)
        return 4 * count + self.keys.byte_count(count) + self.values.byte_count(count)

    cdef inline Py_ssize_t count(self, Py_ssize_t row, Py_ssize_t *start) noexcept nogil:
        """How many headers the row has, and where they start; MOVED as of a BytesColumn's row."""
        cdef Py_ssize_t i = self.first + row, end
        if self.bits != NULL and not (self.bits[i >> 3] >> (i & 7)) & 1:
            return 0
        start[0] = self.at[i]
        end = self.at[i + 1]
        if unlikely(start[0] < 0 or end < start[0] or end > self.entries):
            return MOVED
        return end - start[0]


cdef class NumberColumn:
    """A column of int64 without nulls, held."""

    cdef Py_buffer view
    cdef bint held
    cdef const int64_t *values

    def __cinit__(self, data, Py_ssize_t first, Py_ssize_t rows):
        PyObject_GetBuffer(data, &self.view, PyBUF_SIMPLE)
        self.held = True
        if self.view.len // 8 < first + rows:
            raise ValueError("the column is shorter than its rows")
        self.values = <const int64_t *>self.view.buf + first

    def __dealloc__(self):
        if self.held:
            PyBuffer_Release(&self.view)


cdef inline int64_t following(int64_t offset) noexcept nogil:
    """The offset behind; -1, which no record may have, behind the last that there is."""
    return offset + 1 if offset != INT64_MAX_ else -1


cdef inline Py_ssize_t piece_size(const Piece *p) noexcept nogil:
    return varint_size(p.size) + (p.size if p.size > 0 else 0)


cdef inline uint8_t *write_piece(uint8_t *out, const Piece *p) noexcept nogil:
    out += write_varint(out, p.size)
    if p.size > 0:
        kw_copy_exact(out, p.data, p.size)
        out += p.size
    return out


cdef inline uint8_t *write_sized32(uint8_t *out, const Piece *p) noexcept nogil:
    write_int32(out, <int32_t>p.size)
    out += 4
    if p.size > 0:
        memcpy(out, p.data, p.size)
        out += p.size
    return out


cdef class BatchWriter:
    # A bytes object that is written in place and, if large, given away; nobody else has it before.
    cdef bytes block
    cdef uint8_t *data
    cdef Py_ssize_t size, capacity
    cdef Py_ssize_t start               # of the open batch
    cdef int count
    cdef int64_t next_offset, first_offset, last_offset
    cdef int64_t base_timestamp, max_timestamp
    cdef readonly int magic
    cdef readonly int batch_size
    cdef int attributes
    cdef int64_t log_append_time
    cdef int64_t producer_id
    cdef int producer_epoch, leader_epoch
    cdef int64_t sequence
    cdef object compress
    cdef bint busy                      # without the GIL, or in foreign code: nobody else may write meanwhile
    cdef kw_mutex lock

    def __init__(self, int magic, int attributes, compress, int batch_size, int64_t base_offset, int64_t producer_id,
                 int producer_epoch, int base_sequence, int leader_epoch, int64_t log_append_time):
        self.magic = magic
        self.attributes = attributes
        self.compress = compress
        self.batch_size = batch_size
        self.next_offset = base_offset
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.sequence = base_sequence
        self.leader_epoch = leader_epoch
        self.log_append_time = log_append_time
        self.size = self.start = self.count = 0

    @property
    def size_in_bytes(self):
        return self.size

    @property
    def record_count(self):
        return self.count

    cdef int enter(self) except -1:
        """Refuse a second thread, which would move the memory that the first one works on; until leave."""
        cdef bint busy
        kw_acquire(&self.lock)
        busy = self.busy
        self.busy = True
        kw_release(&self.lock)
        if busy:
            raise self.refusal(BUSY, None)
        return 0

    cdef void leave(self) noexcept:
        kw_acquire(&self.lock)
        self.busy = False
        kw_release(&self.lock)

    # ---- memory ----

    cdef inline bint reserve(self, Py_ssize_t more) noexcept nogil:
        if likely(more <= self.capacity - self.size):
            return 1
        with gil:
            return self.grow(more)

    cdef bint grow(self, Py_ssize_t more) noexcept:
        """A larger block, with room for ``more`` bytes. 0: no memory."""
        cdef Py_ssize_t capacity = max(self.capacity + (self.capacity >> 1), self.size + more, <Py_ssize_t>1024)
        cdef bytes block
        try:
            block = PyBytes_FromStringAndSize(NULL, capacity)
        except MemoryError:
            return 0
        if capacity >= 4 << 20:
            kw_huge(PyBytes_AS_STRING(block), capacity)
        if self.size:
            memcpy(PyBytes_AS_STRING(block), self.data, self.size)
        self.block = block
        self.data = <uint8_t *>PyBytes_AS_STRING(block)
        self.capacity = capacity
        return 1

    # ---- one record ----

    cdef int put(self, const Piece *key, const Piece *value, const Piece *headers, Py_ssize_t header_count,
                 int64_t timestamp, int64_t offset) noexcept nogil:
        """Write one record; ``headers`` are 2 * header_count pieces: key, value, key, value."""
        cdef int64_t delta, offset_delta
        cdef Py_ssize_t body, size, i, before = 0
        cdef uint8_t *out
        cdef bint legacy = self.magic < 2
        if unlikely(offset < 0 or (self.count and offset <= self.last_offset)):
            return OFFSET_ORDER
        if self.count == 0:
            self.first_offset = offset
            self.base_timestamp = timestamp
            self.max_timestamp = timestamp
            before = 0 if legacy else HEADER_V2
        offset_delta = offset - self.first_offset
        if legacy:
            body = (14 if self.magic == 0 else 22) + max(<Py_ssize_t>0, key.size) + max(<Py_ssize_t>0, value.size)
            size = 12 + body
        else:
            # None of these sums overflows: the signs are opposite.
            if unlikely(self.base_timestamp < 0 and timestamp > self.base_timestamp + INT64_MAX_) or unlikely(
                self.base_timestamp > 0 and timestamp < self.base_timestamp - INT64_MAX_ - 1
            ):
                return TIMESTAMP_RANGE
            delta = timestamp - self.base_timestamp
            body = (
                1 + varint_size(delta) + varint_size(offset_delta) + piece_size(key) + piece_size(value)
                + varint_size(header_count)
            )
            for i in range(2 * header_count):
                body += piece_size(&headers[i])
            size = varint_size(body) + body
        if unlikely(body > INT32_MAX_ - 1024):
            return TOO_LARGE
        if unlikely(self.size - self.start + before + size > self.batch_size):
            if self.count:
                return FULL
            if before + size > INT32_MAX_:
                return TOO_LARGE
        if unlikely(offset_delta > INT32_MAX_ or self.count == INT32_MAX_):
            return FULL
        if unlikely(not self.reserve(before + size)):
            return NO_MEMORY
        self.size += before
        out = self.data + self.size
        if legacy:
            self.put_message(out, <int32_t>body, key, value, timestamp, offset)
        else:
            out += write_varint(out, body)
            out[0] = 0
            out += 1
            out += write_varint(out, delta)
            out += write_varint(out, offset_delta)
            out = write_piece(out, key)
            out = write_piece(out, value)
            out += write_varint(out, header_count)
            for i in range(2 * header_count):
                out = write_piece(out, &headers[i])
        self.size += size
        self.count += 1
        self.last_offset = offset
        if timestamp > self.max_timestamp:
            self.max_timestamp = timestamp
        return WRITTEN

    cdef void put_message(self, uint8_t *out, int32_t body, const Piece *key, const Piece *value, int64_t timestamp,
                          int64_t offset) noexcept nogil:
        cdef uint8_t *start = out
        cdef int codec = self.attributes & 7
        # Inside of a wrapper of magic 1 offsets are relative (KIP-31).
        write_int64(out, offset - self.first_offset if self.magic == 1 and codec else offset)
        write_int32(out + 8, body)
        out[16] = <uint8_t>self.magic
        out[17] = <uint8_t>(self.attributes & ~7)
        out += 18
        if self.magic == 1:
            write_int64(out, self.log_append_time if self.attributes & LOG_APPEND_TIME else timestamp)
            out += 8
        out = write_sized32(out, key)
        write_sized32(out, value)
        write_int32(start + 12, <int32_t>crc32_of(0, start + 16, body - 4))

    cdef object refusal(self, int what, object offset):
        if what == BUSY:
            return RuntimeError("another thread is writing with this builder")
        if what == NO_MEMORY:
            return MemoryError("no memory for the batch")
        if what == OFFSET_ORDER:
            expected = f"more than {self.last_offset}" if self.count else "at least 0"
            return errors.EncodeError("a record's offset is out of order", offset=offset, expected=expected)
        if what == TIMESTAMP_RANGE:
            return errors.EncodeError(
                "a record's timestamp is too far from the batch's first", offset=offset, expected="64 bits between them"
            )
        if what == CHANGED:
            return errors.EncodeError("the columns changed while they were written", expected="nobody else to do that")
        return errors.EncodeError("a record is too large for a batch", offset=offset, expected="less than 2 GiB")

    # ---- from objects ----

    def append(self, key=None, value=None, headers=(), timestamp=None, offset=None):
        cdef Piece k, v
        cdef Piece few[8]
        cdef Piece *pieces = few
        cdef Py_ssize_t count = 0
        cdef int64_t at, when
        cdef int what
        cdef tuple given
        if PyBytes_CheckExact(key):
            k.data = <const uint8_t *>PyBytes_AS_STRING(key)
            k.size = PyBytes_GET_SIZE(key)
        else:
            key = as_piece(key, &k, "key")
        if PyBytes_CheckExact(value):
            v.data = <const uint8_t *>PyBytes_AS_STRING(value)
            v.size = PyBytes_GET_SIZE(value)
        else:
            value = as_piece(value, &v, "value")
        if timestamp is None:
            when = -1 if self.magic == 0 else <int64_t>(time.time() * 1000)
        else:
            if self.magic == 0:
                raise errors.EncodeError("a message of magic 0 has no timestamp", expected="magic 1 or 2")
            when = as_int64(timestamp, "timestamp")
        at = -1 if offset is None else as_int64(offset, "offset")
        if headers:
            if self.magic < 2:
                raise errors.EncodeError(f"a message of magic {self.magic} has no headers", expected="magic 2")
            given = tuple(headers)
            count = PyTuple_GET_SIZE(given)
            if count > 4:
                pieces = <Piece *>malloc(2 * count * sizeof(Piece))
                if pieces == NULL:
                    raise MemoryError("no memory for the headers")
            try:
                _held = header_pieces(given, pieces)
                what = self.put_one(&k, &v, pieces, count, when, &at, offset is None)
            finally:
                if pieces != few:
                    free(pieces)
        else:
            what = self.put_one(&k, &v, NULL, 0, when, &at, offset is None)
        if what == FULL:
            return False
        if unlikely(what):
            raise self.refusal(what, at)
        return True

    cdef int put_one(self, const Piece *key, const Piece *value, const Piece *headers, Py_ssize_t header_count,
                     int64_t timestamp, int64_t *offset, bint next_offset) noexcept:
        """``put`` for threads that take turns; with ``next_offset``, the record gets that, and ``offset`` tells it."""
        cdef int what = BUSY
        kw_acquire(&self.lock)
        if likely(not self.busy):
            if next_offset:
                offset[0] = self.next_offset
            what = self.put(key, value, headers, header_count, timestamp, offset[0])
            if what == WRITTEN:
                self.next_offset = following(offset[0])
        kw_release(&self.lock)
        return what

    # ---- from columns ----

    def append_columns(self, Py_ssize_t rows, NumberColumn offsets, NumberColumn timestamps, BytesColumn keys,
                       BytesColumn values, ListColumn headers, Py_ssize_t row=0, bint one_batch=False):
        self.enter()
        try:
            return self.put_columns(rows, offsets, timestamps, keys, values, headers, row, one_batch)
        finally:
            self.leave()

    cdef Py_ssize_t put_columns(self, Py_ssize_t rows, NumberColumn offsets, NumberColumn timestamps, BytesColumn keys,
                                BytesColumn values, ListColumn headers, Py_ssize_t row, bint one_batch) except -1:
        cdef Py_ssize_t size = 24 * rows
        cdef int what = WRITTEN
        if keys is not None:
            size += keys.byte_count(rows)
        if values is not None:
            size += values.byte_count(rows)
        if headers is not None:
            size += headers.byte_count(rows)
        if not self.reserve(min(size, self.batch_size) if one_batch else size):
            raise MemoryError("no memory for the batches")
        cdef int64_t now = -1 if self.magic == 0 else <int64_t>(time.time() * 1000)
        while row < rows:
            with nogil:
                what = self.put_rows(&row, rows, offsets, timestamps, keys, values, headers, now)
            if what == FULL and one_batch:
                break
            if what == FULL:
                self.close()
            elif what:
                raise self.refusal(what, offsets.values[row] if offsets is not None else self.next_offset)
        return row

    cdef int put_rows(self, Py_ssize_t *row, Py_ssize_t rows, NumberColumn offsets, NumberColumn timestamps,
                      BytesColumn keys, BytesColumn values, ListColumn headers, int64_t now) noexcept nogil:
        """Rows from ``row[0]`` on, which is moved on, until the batch is full or something is wrong."""
        cdef Piece key, value
        cdef Piece few[32]
        cdef Piece *pieces = few
        cdef Piece *more
        cdef Py_ssize_t room = 16, count = 0, i, at = 0
        cdef int64_t offset
        cdef int what = WRITTEN
        key.data = value.data = NULL
        key.size = value.size = -1
        while row[0] < rows:
            if keys is not None:
                key = keys.get(row[0])
            if values is not None:
                value = values.get(row[0])
            if headers is not None:
                count = headers.count(row[0], &at)
                if count > room:
                    more = <Piece *>realloc(NULL if pieces == few else pieces, 2 * count * sizeof(Piece))
                    if more == NULL:
                        what = NO_MEMORY
                        break
                    pieces = more
                    room = count
                for i in range(count):
                    pieces[2 * i] = headers.keys.get(at + i)
                    pieces[2 * i + 1] = headers.values.get(at + i)
                    if unlikely(pieces[2 * i].size == MOVED or pieces[2 * i + 1].size == MOVED):
                        count = MOVED
            if unlikely(key.size == MOVED or value.size == MOVED or count == MOVED):
                what = CHANGED
                break
            offset = self.next_offset if offsets is None else offsets.values[row[0]]
            what = self.put(&key, &value, pieces, count, now if timestamps is None else timestamps.values[row[0]],
                            offset)
            if what:
                break
            self.next_offset = following(offset)
            row[0] += 1
        if pieces != few:
            free(pieces)
        return what

    # ---- batches ----

    def seal(self):
        """Close the open batch: compress its records, fill in its header. The next record opens another."""
        self.enter()
        try:
            self.close()
        finally:
            self.leave()

    cdef int close(self) except -1:
        cdef Py_ssize_t head
        if not self.count:
            return 0
        head = HEADER_V2 if self.magic == 2 else 0
        if self.compress is not None:
            records = PyMemoryView_FromMemory(
                <char *>self.data + self.start + head, self.size - self.start - head, PyBUF_READ
            )
            self.replace(head, self.compress(records))
        if self.magic == 2:
            if self.size - self.start - 12 > INT32_MAX_:
                raise errors.EncodeError("a batch of 2 GiB or more", expected="a smaller batch_size")
            self.write_header()
            if self.sequence >= 0:
                self.sequence = (self.sequence + (self.last_offset - self.first_offset) + 1) & INT32_MAX_
        self.start = self.size
        self.count = 0
        return 0

    cdef object replace(self, Py_ssize_t head, object compressed):
        """Put ``compressed`` in the place of the open batch's records; for magic 0 and 1 with its wrapper around it."""
        cdef Py_buffer view
        cdef Py_ssize_t wrapper = 0 if self.magic == 2 else 26 if self.magic == 0 else 34
        cdef uint8_t *out
        PyObject_GetBuffer(compressed, &view, PyBUF_SIMPLE)
        try:
            if view.len > INT32_MAX_ - 1024:
                raise errors.EncodeError("a batch of 2 GiB or more", expected="a smaller batch_size")
            if not self.reserve(self.start + head + wrapper + view.len - self.size):
                raise MemoryError("no memory for the batch")
            self.size = self.start + head
            out = self.data + self.size
            memcpy(out + wrapper, view.buf, view.len)
            self.size += wrapper + view.len
            if wrapper:
                write_int64(out, self.last_offset)
                write_int32(out + 8, <int32_t>(wrapper - 12 + view.len))
                out[16] = <uint8_t>self.magic
                out[17] = <uint8_t>self.attributes
                if self.magic == 1:
                    write_int64(out + 18, self.batch_max_timestamp())
                write_int32(out + wrapper - 8, -1)
                write_int32(out + wrapper - 4, <int32_t>view.len)
                write_int32(out + 12, <int32_t>crc32_of(0, out + 16, wrapper - 16 + view.len))
        finally:
            PyBuffer_Release(&view)

    cdef int64_t batch_max_timestamp(self) noexcept:
        return self.log_append_time if self.attributes & LOG_APPEND_TIME else self.max_timestamp

    cdef void write_header(self) noexcept:
        cdef uint8_t *out = self.data + self.start
        cdef Py_ssize_t size = self.size - self.start
        write_int64(out, self.first_offset)
        write_int32(out + 8, <int32_t>(size - 12))
        write_int32(out + 12, self.leader_epoch)
        out[16] = 2
        write_int16(out + 21, <int16_t>self.attributes)
        write_int32(out + 23, <int32_t>(self.last_offset - self.first_offset))
        write_int64(out + 27, self.base_timestamp)
        write_int64(out + 35, self.batch_max_timestamp())
        write_int64(out + 43, self.producer_id)
        write_int16(out + 51, <int16_t>self.producer_epoch)
        write_int32(out + 53, <int32_t>self.sequence)
        write_int32(out + 57, self.count)
        write_int32(out + 17, <int32_t>crc32c_of(0, out + 21, size - 21))

    def take(self):
        """Seal the open batch and give away all bytes; the writer is empty then and goes on behind the last offset."""
        self.enter()
        try:
            self.close()
            return self.give()
        finally:
            self.leave()

    cdef bytes give(self):
        cdef PyObject *block
        cdef Py_ssize_t size = self.size
        if size == 0:
            return b""
        self.size = self.start = 0
        if size < GIVEN_AWAY:
            return PyBytes_FromStringAndSize(<const char *>self.data, size)
        block = <PyObject *>self.block
        Py_INCREF(self.block)
        self.block = None
        self.data = NULL
        self.capacity = 0
        _PyBytes_Resize(&block, size)
        out = <bytes>block
        Py_DECREF(out)
        return out


cdef object as_piece(object given, Piece *piece, str what):
    """Point ``piece`` at the bytes of ``given``; what is returned must live as long as the piece."""
    if given is None:
        piece.data = NULL
        piece.size = -1
        return None
    if isinstance(given, (bytearray, memoryview)) or isinstance(given, bytes):
        given = bytes(given)
    else:
        raise TypeError(f"a record's {what} is bytes or None, not {type(given).__name__}")
    piece.data = <const uint8_t *>PyBytes_AS_STRING(given)
    piece.size = PyBytes_GET_SIZE(given)
    return given


cdef list header_pieces(tuple headers, Piece *pieces):
    """Point ``pieces`` at the headers' keys and values; ``headers`` and what is returned must live as long."""
    cdef Py_ssize_t i = 0, size = 0
    cdef list held = []
    for pair in headers:
        if PyTuple_CheckExact(pair) and PyTuple_GET_SIZE(pair) == 2:
            name = <object>PyTuple_GET_ITEM(pair, 0)
            content = <object>PyTuple_GET_ITEM(pair, 1)
        else:
            try:
                name, content = pair
            except (TypeError, ValueError):
                raise TypeError(f"a header is a pair of str and bytes or None, not {pair!r}") from None
            held.append(name)
            held.append(content)
        if not isinstance(name, str):
            raise TypeError(f"a header's key is str, not {type(name).__name__}")
        try:
            pieces[2 * i].data = <const uint8_t *>PyUnicode_AsUTF8AndSize(name, &size)
        except UnicodeEncodeError:
            raise errors.EncodeError("a header's key has no UTF-8 form", expected="no lone surrogates") from None
        pieces[2 * i].size = size
        if PyBytes_CheckExact(content):
            pieces[2 * i + 1].data = <const uint8_t *>PyBytes_AS_STRING(content)
            pieces[2 * i + 1].size = PyBytes_GET_SIZE(content)
        else:
            content = as_piece(content, &pieces[2 * i + 1], "header")
            held.append(content)
        i += 1
    return held


cdef int64_t as_int64(object given, str what) except? -1:
    if not isinstance(given, int):
        raise TypeError(f"a record's {what} is an int, not {type(given).__name__}")
    if not -0x8000000000000000 <= given <= 0x7FFFFFFFFFFFFFFF:
        raise errors.EncodeError(f"the {what} {given} is outside of int64", expected="-2**63 to 2**63 - 1")
    return given
