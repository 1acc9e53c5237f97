"""The record walk into columns: many batches to a few buffers in Arrow's layout, without an object per record.

The walk itself is _codec.pxd's; its twin is _columns_py.py. Batches that are not compressed are decoded without the
GIL; for each compressed one the caller's ``decompress`` is called.
"""

cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int8_t, int16_t, uint64_t
from libc.string cimport memcpy, memset

from kafkawire._buffers cimport (
    FULL, MAX_BYTES, NO_MEMORY, Binary, Vec, binary_append, binary_free, binary_reserve, binary_take, fixed, take,
    vec_free, vec_reserve,
)
from kafkawire._codec cimport (
    CODEC_MASK, CONTROL, FAULT_BATCH_TRAILING, FAULT_CHECKSUM, FAULT_RECORD_COUNT, FAULT_UTF8, FAULT_WRAPPER_NULL,
    FRAME_FAULT, FRAME_PARTIAL, LOG_APPEND_TIME, RECORD_MIN, TRANSACTIONAL, Batch, Fields, Frame, Wrapper, close_record,
    is_quick, is_utf8, next_inner, open_batch, open_record, open_wrapper, quick_record, read_frame, read_message,
    read_record_header,
)
from kafkawire._memory cimport kw_prefetch
from kafkawire._varint cimport (
    Cursor, cursor_fault, cursor_init, cursor_take, int32_t, int64_t, uint8_t, unlikely,
)

from kafkawire import errors

# Which columns are asked for; _columns_py has the same names.
cdef enum:
    WANT_OFFSET = 1
    WANT_TIMESTAMP = 2
    WANT_TIMESTAMP_TYPE = 4
    WANT_KEY = 8
    WANT_VALUE = 16
    WANT_HEADERS = 32
    WANT_PRODUCER_ID = 64
    WANT_PRODUCER_EPOCH = 128
    WANT_SEQUENCE = 256
    WANT_LEADER_EPOCH = 512
    WANT_TRANSACTIONAL = 1024
    WANT_CONTROL = 2048
    WANT_COMPRESSION = 4096
    WANT_BATCH = 8128           # all of the batch's own


# ---- the decoder ----

@cython.final
cdef class ColumnDecoder:
    """Decodes batches into columns until told to stop; ``finish`` gives the buffers away and starts anew."""

    cdef int want
    cdef bint check_crc, skip_corrupt, control
    cdef int64_t first_offset, last_offset
    cdef bint expected
    cdef Py_ssize_t rows, nulls_timestamp
    cdef Vec offset, timestamp, timestamp_valid, timestamp_type
    cdef Vec producer_id, producer_epoch, sequence, leader_epoch, transactional, is_control, compression
    cdef Binary key, value, header_key, header_value
    cdef Vec header_offsets
    cdef readonly Py_ssize_t batches
    cdef readonly Py_ssize_t skipped
    cdef readonly list skipped_positions

    def __cinit__(self, int want, bint check_crc, bint skip_corrupt, bint control, int64_t first_offset,
                  int64_t last_offset):
        self.want = want
        self.check_crc = check_crc
        self.skip_corrupt = skip_corrupt
        self.control = control
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.skipped_positions = []

    def __dealloc__(self):
        self.release()

    cdef void release(self) noexcept:
        vec_free(&self.offset)
        vec_free(&self.timestamp)
        vec_free(&self.timestamp_valid)
        vec_free(&self.timestamp_type)
        vec_free(&self.producer_id)
        vec_free(&self.producer_epoch)
        vec_free(&self.sequence)
        vec_free(&self.leader_epoch)
        vec_free(&self.transactional)
        vec_free(&self.is_control)
        vec_free(&self.compression)
        vec_free(&self.header_offsets)
        binary_free(&self.key)
        binary_free(&self.value)
        binary_free(&self.header_key)
        binary_free(&self.header_value)

    @property
    def row_count(self):
        return self.rows

    # ---- memory ----

    cdef bint reserve(self, Py_ssize_t rows, Py_ssize_t size) noexcept nogil:
        """Room for ``rows`` rows whose keys and values take ``size`` bytes at the most. 0: no memory."""
        cdef int want = self.want
        cdef Py_ssize_t before, total = self.rows + rows
        if want & WANT_OFFSET and not vec_reserve(&self.offset, 8 * total):
            return 0
        if want & WANT_TIMESTAMP:
            before = self.timestamp_valid.capacity if self.timestamp_valid.data != NULL else 0
            if not (
                vec_reserve(&self.timestamp, 8 * total) and vec_reserve(&self.timestamp_valid, total // 8 + 1)
            ):
                return 0
            if self.timestamp_valid.capacity > before:
                memset(self.timestamp_valid.data + before, 0xFF, self.timestamp_valid.capacity - before)
        if want & WANT_TIMESTAMP_TYPE and not vec_reserve(&self.timestamp_type, 4 * total):
            return 0
        if want & WANT_KEY and not binary_reserve(&self.key, rows, size):
            return 0
        if want & WANT_VALUE and not binary_reserve(&self.value, rows, size):
            return 0
        if want & WANT_HEADERS:
            # A header takes two bytes at the least.
            if not (
                vec_reserve(&self.header_offsets, 4 * (total + 1)) and binary_reserve(&self.header_key, size // 2, size)
                and binary_reserve(&self.header_value, size // 2, size)
            ):
                return 0
            if self.rows == 0:
                memset(self.header_offsets.data, 0, 4)
        if want & WANT_BATCH:
            return (
                (not want & WANT_PRODUCER_ID or vec_reserve(&self.producer_id, 8 * total))
                and (not want & WANT_PRODUCER_EPOCH or vec_reserve(&self.producer_epoch, 2 * total))
                and (not want & WANT_SEQUENCE or vec_reserve(&self.sequence, 4 * total))
                and (not want & WANT_LEADER_EPOCH or vec_reserve(&self.leader_epoch, 4 * total))
                and (not want & WANT_TRANSACTIONAL or vec_reserve(&self.transactional, total // 8 + 1))
                and (not want & WANT_CONTROL or vec_reserve(&self.is_control, total // 8 + 1))
                and (not want & WANT_COMPRESSION or vec_reserve(&self.compression, total))
            )
        return 1

    cdef bint fits(self, Py_ssize_t size) noexcept nogil:
        """Whether ``size`` more bytes stay within what 32-bit offsets reach."""
        return (
            size <= MAX_BYTES - self.key.data.size and size <= MAX_BYTES - self.value.data.size
            and size <= MAX_BYTES - self.header_key.data.size and size <= MAX_BYTES - self.header_value.data.size
            and size // 2 <= MAX_BYTES - self.header_key.rows
        )

    cdef void expect(self, Py_ssize_t done, Py_ssize_t left, Py_ssize_t max_bytes) noexcept nogil:
        """Reserve for the bytes that are left as much as those before took in proportion: growing costs copies.

        Only a guess, and bounded by what is left: where there is no memory for it, decoding goes on without.
        """
        cdef double scale = 1.05 * left / done
        cdef Py_ssize_t most = min(4 * left, max_bytes)
        if self.expected or not self.rows:
            return
        self.expected = True
        if not self.reserve(min(<Py_ssize_t>(self.rows * scale), left), 0):
            return
        if self.want & WANT_KEY:
            vec_reserve(&self.key.data, min(<Py_ssize_t>(self.key.data.size * scale), most))
        if self.want & WANT_VALUE:
            vec_reserve(&self.value.data, min(<Py_ssize_t>(self.value.data.size * scale), most))
        if self.want & WANT_HEADERS and self.header_key.rows:
            if not binary_reserve(
                &self.header_key, min(<Py_ssize_t>(self.header_key.rows * scale), left),
                min(<Py_ssize_t>(self.header_key.data.size * scale), most),
            ):
                return
            binary_reserve(
                &self.header_value, min(<Py_ssize_t>(self.header_value.rows * scale), left),
                min(<Py_ssize_t>(self.header_value.data.size * scale), most),
            )

    # ---- rows ----

    cdef void append_batch_fields(self, Py_ssize_t row, const Fields *f, const Batch *batch) noexcept nogil:
        cdef int want = self.want
        cdef int64_t sequence
        if want & WANT_PRODUCER_ID:
            (<int64_t *>self.producer_id.data)[row] = batch.producer_id
        if want & WANT_PRODUCER_EPOCH:
            (<int16_t *>self.producer_epoch.data)[row] = batch.producer_epoch
        if want & WANT_SEQUENCE:
            sequence = batch.base_sequence
            if sequence >= 0:
                # Sequences wrap from 2**31 - 1 to 0.
                sequence = (sequence + (f.offset - batch.base_offset)) & MAX_BYTES
            (<int32_t *>self.sequence.data)[row] = <int32_t>sequence
        if want & WANT_LEADER_EPOCH:
            (<int32_t *>self.leader_epoch.data)[row] = batch.leader_epoch
        if want & WANT_TRANSACTIONAL:
            set_bit(self.transactional.data, row, batch.magic == 2 and batch.attributes & TRANSACTIONAL != 0)
        if want & WANT_CONTROL:
            set_bit(self.is_control.data, row, batch.magic == 2 and batch.attributes & CONTROL != 0)
        if want & WANT_COMPRESSION:
            (<int8_t *>self.compression.data)[row] = <int8_t>(batch.attributes & CODEC_MASK)

    cdef bint walk_records(self, Cursor *cursor, const Batch *given, Py_ssize_t ahead) noexcept nogil:
        """All records of a batch v2; the cursor covers just them. 0: a fault.

        ``ahead``: so many bytes of the data behind the batch are fetched from memory meanwhile, at the same pace.

        What the loop writes is kept in local copies, which the compiler can hold in registers: a store of bytes may
        alias any field of an object.
        """
        cdef Cursor c = cursor[0]
        cdef Batch batch = given[0]
        cdef Fields f
        cdef Py_ssize_t start, batch_end, row, name, name_size, content, content_size
        cdef int32_t i, _h
        cdef int want = self.want
        cdef bint log_append_time = batch.attributes & LOG_APPEND_TIME != 0, keep, quick = is_quick(&batch)
        if not self.reserve(min(<Py_ssize_t>batch.count, (c.end - c.pos) // RECORD_MIN), c.end - c.pos):
            cursor_fault(cursor, NO_MEMORY, c.pos, 0, 0)
            return 0
        cdef int64_t *offsets = <int64_t *>self.offset.data
        cdef int64_t *timestamps = <int64_t *>self.timestamp.data
        cdef int32_t *types = <int32_t *>self.timestamp_type.data
        cdef int32_t *header_offsets = <int32_t *>self.header_offsets.data
        cdef Binary key = self.key, value = self.value, header_key = self.header_key, header_value = self.header_value
        row = self.rows
        for i in range(batch.count):
            if unlikely(c.pos >= c.end):
                cursor_fault(&c, FAULT_RECORD_COUNT, c.pos, batch.count, i)
                break
            start = c.pos
            if unlikely(not quick or not quick_record(&c, &batch, &f, &batch_end)):
                if unlikely(not open_record(&c, &batch, &f, &batch_end)):
                    break
            if ahead:
                kw_prefetch(c.data + start + ahead, c.end - start)
            keep = self.first_offset <= f.offset <= self.last_offset
            for _h in range(f.header_count):
                if unlikely(not read_record_header(&c, &name, &name_size, &content, &content_size)):
                    break
                if unlikely(not is_ascii(c.data + name, name_size)) and not is_utf8(c.data + name, name_size):
                    cursor_fault(&c, FAULT_UTF8, name, 0, 0)
                    break
                if want & WANT_HEADERS and keep:
                    binary_append(&header_key, c.data + name, name_size, batch_end - name)
                    binary_append(&header_value, c.data + content, content_size, batch_end - content)
            if unlikely(not close_record(&c, batch_end)):
                break
            if unlikely(not keep):
                continue
            if want & WANT_OFFSET:
                offsets[row] = f.offset
            if want & WANT_TIMESTAMP:
                timestamps[row] = f.timestamp
            if want & WANT_TIMESTAMP_TYPE:
                types[row] = log_append_time
            if want & WANT_KEY:
                binary_append(&key, c.data + f.key, f.key_size, batch_end - f.key)
            if want & WANT_VALUE:
                binary_append(&value, c.data + f.value, f.value_size, batch_end - f.value)
            if unlikely(want & WANT_BATCH):
                self.append_batch_fields(row, &f, &batch)
            row += 1
            if want & WANT_HEADERS:
                header_offsets[row] = <int32_t>header_key.rows
        self.rows = row
        self.key = key
        self.value = value
        self.header_key = header_key
        self.header_value = header_value
        if unlikely(c.fault == 0 and c.pos != c.end):
            cursor_fault(&c, FAULT_BATCH_TRAILING, c.pos, c.end - c.pos, 0)
        cursor[0] = c
        return c.fault == 0

    cdef bint walk_message(self, Cursor *c, const Batch *batch) noexcept nogil:
        """One message v0 or v1 that is not compressed."""
        cdef Cursor body
        cdef Fields f
        cursor_init(&body, c.data, batch.records, batch.position + batch.size)
        if not read_message(&body, batch, &f):
            cursor_fault(c, body.fault, body.fault_pos, body.a, body.b)
            return 0
        if not self.append_message(&body, &f, batch, batch.attributes & LOG_APPEND_TIME != 0):
            cursor_fault(c, body.fault, body.fault_pos, body.a, body.b)
            return 0
        return 1

    cdef bint append_message(self, Cursor *c, const Fields *f, const Batch *batch, bint log_append) noexcept nogil:
        """One row from a message v0 or v1. 0: no memory."""
        cdef Py_ssize_t row = self.rows
        cdef int want = self.want
        if not self.first_offset <= f.offset <= self.last_offset:
            return 1
        if not self.reserve(1, max(<Py_ssize_t>0, f.key_size) + max(<Py_ssize_t>0, f.value_size)):
            cursor_fault(c, NO_MEMORY, c.pos, 0, 0)
            return 0
        if want & WANT_OFFSET:
            (<int64_t *>self.offset.data)[row] = f.offset
        if want & WANT_TIMESTAMP:
            (<int64_t *>self.timestamp.data)[row] = f.timestamp
            if batch.magic == 0:
                self.timestamp_valid.data[row >> 3] &= <uint8_t>~(1 << (row & 7))
                self.nulls_timestamp += 1
        if want & WANT_TIMESTAMP_TYPE:
            (<int32_t *>self.timestamp_type.data)[row] = -1 if batch.magic == 0 else log_append
        if want & WANT_KEY:
            binary_append(&self.key, c.data + f.key, f.key_size, c.end - f.key)
        if want & WANT_VALUE:
            binary_append(&self.value, c.data + f.value, f.value_size, c.end - f.value)
        if want & WANT_HEADERS:
            (<int32_t *>self.header_offsets.data)[row + 1] = <int32_t>self.header_key.rows
        if want & WANT_BATCH:
            self.append_batch_fields(row, f, batch)
        self.rows = row + 1
        return 1

    cdef bint walk_inner(self, Cursor *c, const Batch *message) noexcept nogil:
        """The messages inside of a compressed one; the cursor covers the decompressed set."""
        cdef Wrapper wrapper
        cdef Batch inner
        cdef Fields f
        if not open_wrapper(c, message, &wrapper):
            return 0
        while next_inner(c, &wrapper, self.check_crc, &inner, &f):
            inner.attributes = message.attributes
            if not self.append_message(c, &f, &inner, wrapper.log_append_time):
                return 0
        return c.fault == 0

    cdef bint skips(self, const Batch *batch) noexcept nogil:
        """Whether nothing of the batch is asked for, as far as its header tells."""
        cdef bint compressed = batch.attributes & CODEC_MASK != 0
        if batch.magic == 2 and batch.attributes & CONTROL and not self.control:
            return 1
        # A compressed message v0 or v1 has the offset of its last; where the first is only its inside tells.
        return batch.base_offset + batch.last_offset_delta < self.first_offset or (
            batch.base_offset > self.last_offset and not (compressed and batch.magic < 2)
        )

    cdef int advance(
        self, Cursor *c, Py_ssize_t max_rows, Py_ssize_t max_bytes, Py_ssize_t stop, Batch *batch
    ) noexcept nogil:
        """Decode batch by batch up to a compressed one (1, left at its start), the end (0), or a fault (0)."""
        cdef Frame frame
        cdef Cursor records
        cdef int kind
        while c.pos < c.end and c.pos < stop and self.rows < max_rows:
            if (
                self.value.data.size + self.key.data.size + self.header_key.data.size + self.header_value.data.size
                >= max_bytes
            ):
                return 0
            kind = read_frame(c, &frame)
            if kind == FRAME_PARTIAL or kind == FRAME_FAULT:
                batch.size = 0
                return 0
            if not open_batch(c, &frame, batch, self.check_crc):
                return 0
            if self.skips(batch):
                self.batches += 1
                cursor_take(c, frame.size)
                continue
            if batch.attributes & CODEC_MASK:
                return 1
            if not self.fits(frame.size):
                cursor_fault(c, FULL, frame.position, 0, 0)
                return 0
            if batch.magic == 2:
                cursor_init(&records, c.data, batch.records, frame.position + frame.size)
                if not self.walk_records(&records, batch, min(frame.size, c.end - records.end)):
                    cursor_fault(c, records.fault, records.fault_pos, records.a, records.b)
                    return 0
            elif not self.walk_message(c, batch):
                return 0
            self.batches += 1
            cursor_take(c, frame.size)
            if not self.expected:
                self.expect(c.pos - frame.position, min(stop, c.end) - c.pos, max_bytes)
        return 0

    # ---- from Python ----

    cdef object error(self, Cursor *c, const Batch *batch, bint inner):
        if c.fault == NO_MEMORY:
            return MemoryError("no memory for the columns")
        return errors.fault_error(
            c.fault, c.a, c.b, batch.position if inner else c.fault_pos, batch.base_offset,
            c.fault_pos if inner else None,
        )

    cdef bint decode_compressed(self, Cursor *c, const Batch *batch, object view, object decompress) except -1:
        """One compressed batch. False: its columns would pass what 32-bit offsets reach, nothing was decoded."""
        cdef Py_buffer content
        cdef Cursor inside
        cdef Fields f
        cdef Py_ssize_t start = batch.records, end = batch.position + batch.size
        cdef int codec = batch.attributes & CODEC_MASK
        if batch.magic < 2:
            cursor_init(&inside, c.data, start, end)
            if read_message(&inside, batch, &f) and f.value_size < 0:
                cursor_fault(&inside, FAULT_WRAPPER_NULL, batch.position, 0, 0)
            if inside.fault:
                raise self.error(&inside, batch, False)
            start = f.value
            end = start + f.value_size
        # The next one is probably of about the same size.
        kw_prefetch(c.data + batch.position + batch.size, min(batch.size, c.end - batch.position - batch.size))
        try:
            plain = decompress(codec, batch.magic, view[start:end])
        except errors.WireError as error:
            error.position = batch.position
            error.offset = batch.base_offset
            raise
        PyObject_GetBuffer(plain, &content, PyBUF_SIMPLE)
        try:
            if not self.fits(content.len):
                if self.rows:
                    return False
                raise errors.LimitError(
                    f"a batch decompresses to {content.len} bytes", position=batch.position, offset=batch.base_offset,
                    expected="less than 2 GiB in a column",
                )
            cursor_init(&inside, <const uint8_t *>content.buf, 0, content.len)
            with nogil:
                if batch.magic == 2:
                    self.walk_records(&inside, batch, 0)
                else:
                    self.walk_inner(&inside, batch)
            if inside.fault:
                raise self.error(&inside, batch, True)
        finally:
            PyBuffer_Release(&content)
        return True

    def decode(self, data, Py_ssize_t position, Py_ssize_t stop, Py_ssize_t max_rows, Py_ssize_t max_bytes, decompress):
        cdef Py_buffer view
        cdef Cursor c
        cdef Batch batch
        cdef bint compressed
        mv = memoryview(data)
        PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
        try:
            cursor_init(&c, <const uint8_t *>view.buf, min(max(position, 0), view.len), view.len)
            memset(&batch, 0, sizeof(Batch))
            while True:
                batch.position = c.pos
                with nogil:
                    compressed = self.advance(&c, max_rows, max_bytes, stop, &batch)
                if compressed:
                    if not self.decode_compressed(&c, &batch, mv, decompress):
                        return batch.position
                    self.batches += 1
                    cursor_take(&c, batch.size)
                    self.expect(batch.size, min(stop, view.len) - c.pos, max_bytes)
                    continue
                if c.fault == FULL:
                    if not self.rows:
                        raise errors.LimitError(
                            f"a batch of {batch.size} bytes", position=batch.position, offset=batch.base_offset,
                            expected="less than 2 GiB in a column",
                        )
                    return c.fault_pos
                if c.fault == FAULT_CHECKSUM and self.skip_corrupt and c.fault_pos == batch.position:
                    self.skipped += 1
                    self.skipped_positions.append(batch.position)
                    cursor_init(&c, c.data, batch.position, view.len)
                    cursor_take(&c, batch.size)
                    continue
                if c.fault:
                    if batch.size == 0:  # a frame that cannot be has no offset
                        raise errors.fault_error(c.fault, c.a, c.b, c.fault_pos)
                    raise self.error(&c, &batch, False)
                return c.pos
        finally:
            PyBuffer_Release(&view)

    def finish(self):
        cdef dict columns = {}
        cdef Py_ssize_t rows = self.rows
        cdef int want = self.want
        if not self.reserve(0, 0):
            raise MemoryError("no memory for the columns")
        if want & WANT_OFFSET:
            columns["offset"] = fixed(&self.offset, 8 * rows)
        if want & WANT_TIMESTAMP:
            self.timestamp_valid.size = (rows + 7) // 8
            valid = take(&self.timestamp_valid) if self.nulls_timestamp else None
            columns["timestamp"] = (valid, fixed(&self.timestamp, 8 * rows)[1], self.nulls_timestamp)
        if want & WANT_TIMESTAMP_TYPE:
            columns["timestamp_type"] = fixed(&self.timestamp_type, 4 * rows)
        if want & WANT_KEY:
            columns["key"] = binary_take(&self.key)
        if want & WANT_VALUE:
            columns["value"] = binary_take(&self.value)
        if want & WANT_HEADERS:
            count = self.header_key.rows
            self.header_offsets.size = 4 * (rows + 1)
            columns["headers"] = (
                take(&self.header_offsets), count, binary_take(&self.header_key), binary_take(&self.header_value)
            )
        if want & WANT_PRODUCER_ID:
            columns["producer_id"] = fixed(&self.producer_id, 8 * rows)
        if want & WANT_PRODUCER_EPOCH:
            columns["producer_epoch"] = fixed(&self.producer_epoch, 2 * rows)
        if want & WANT_SEQUENCE:
            columns["sequence"] = fixed(&self.sequence, 4 * rows)
        if want & WANT_LEADER_EPOCH:
            columns["partition_leader_epoch"] = fixed(&self.leader_epoch, 4 * rows)
        if want & WANT_TRANSACTIONAL:
            columns["is_transactional"] = fixed(&self.transactional, (rows + 7) // 8)
        if want & WANT_CONTROL:
            columns["is_control"] = fixed(&self.is_control, (rows + 7) // 8)
        if want & WANT_COMPRESSION:
            columns["compression"] = fixed(&self.compression, rows)
        self.release()
        self.reset()
        return rows, columns

    cdef void reset(self) noexcept:
        cdef Vec none
        cdef Binary empty
        memset(&none, 0, sizeof(Vec))
        memset(&empty, 0, sizeof(Binary))
        self.offset = self.timestamp = self.timestamp_valid = self.timestamp_type = self.header_offsets = none
        self.producer_id = self.producer_epoch = self.sequence = self.leader_epoch = none
        self.transactional = self.is_control = self.compression = none
        self.key = self.value = self.header_key = self.header_value = empty
        self.rows = self.nulls_timestamp = 0
        self.expected = False


cdef inline void set_bit(uint8_t *bits, Py_ssize_t row, bint on) noexcept nogil:
    if row & 7 == 0:
        bits[row >> 3] = 0
    bits[row >> 3] |= <uint8_t>(on << (row & 7))


cdef inline bint is_ascii(const uint8_t *data, Py_ssize_t size) noexcept nogil:
    cdef uint64_t word, seen = 0
    cdef Py_ssize_t i = 0
    while i + 8 <= size:
        memcpy(&word, data + i, 8)
        seen |= word
        i += 8
    while i < size:
        seen |= data[i]
        i += 1
    return seen & <uint64_t>0x8080808080808080 == 0
