# cython: language_level=3
"""Plans for the compiled reader and writer of messages.

A plan becomes an array of C structs, with the offsets of the slots that the class's member descriptors name.
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.object cimport PyObject, PyTypeObject
from libc.stdint cimport uint8_t

from kafkawire._varint cimport (
    FAULT_END,
    FAULT_LENGTH_NEGATIVE,
    FAULT_UTF8,
    FAULT_VARINT_LONG,
    Cursor,
    cursor_init,
    read_int32,
)

# For the test that holds these numbers and those of _message_ops together.
numbers = {
    "INT8": KIND_INT8,
    "INT16": KIND_INT16,
    "INT32": KIND_INT32,
    "INT64": KIND_INT64,
    "UINT16": KIND_UINT16,
    "UINT32": KIND_UINT32,
    "FLOAT64": KIND_FLOAT64,
    "BOOL": KIND_BOOL,
    "UUID": KIND_UUID,
    "STRING": KIND_STRING,
    "BYTES": KIND_BYTES,
    "RECORDS": KIND_RECORDS,
    "STRUCT": KIND_STRUCT,
    "ARRAY": KIND_ARRAY,
    "DEFAULT_VALUE": DEFAULT_VALUE,
    "DEFAULT_LIST": DEFAULT_LIST,
    "DEFAULT_STRUCT": DEFAULT_STRUCT,
    "FAULT_END": FAULT_END,
    "FAULT_VARINT_LONG": FAULT_VARINT_LONG,
    "FAULT_LENGTH_NEGATIVE": FAULT_LENGTH_NEGATIVE,
    "FAULT_UTF8": FAULT_UTF8,
    "FAULT_WINDOW_END": FAULT_WINDOW_END,
    "FAULT_NULL": FAULT_NULL,
    "FAULT_STRING_LONG": FAULT_STRING_LONG,
    "FAULT_LENGTH_LARGE": FAULT_LENGTH_LARGE,
    "FAULT_PRESENCE": FAULT_PRESENCE,
    "FAULT_TAG_ORDER": FAULT_TAG_ORDER,
    "FAULT_TAG_VERSION": FAULT_TAG_VERSION,
    "FAULT_TAG_SIZE": FAULT_TAG_SIZE,
    "FAULT_TRAILING": FAULT_TRAILING,
}


kw_init_small()

cdef object NO_TAGS = ()
cdef dict _structs = {}


cdef class Packed:
    """An array of int32 as it stands on the wire, in a slot whose value nobody has asked for yet.

    A cluster's metadata has thousands of short lists of broker ids, few of them different: one Packed is shared by
    equal neighbours, and becomes a list when it is asked for.
    """


cdef Packed new_packed(const uint8_t *data, Py_ssize_t count):
    cdef Packed packed = Packed.__new__(Packed)
    packed.data = data[:4 * count]
    packed.count = count
    return packed


cdef Packed NO_INTS = new_packed(NULL, 0)


cdef class Pending:
    """A struct of defaults, in a slot whose value nobody has asked for yet; one for all that lack the field."""


cdef Pending new_pending(Table *table):
    cdef Pending pending = Pending.__new__(Pending)
    pending.table = table
    return pending


cdef object new_default_struct(Table *table):
    """A struct of defaults, its own inner structs pending."""
    cdef Py_ssize_t index
    cdef bint good = True
    cdef PyObject *target = kw_new_struct(table.type, table.plain)
    if target == NULL:
        kw_raise()
    for index in range(table.op_count):
        good &= set_default(target, &table.ops[index])
    for index in range(table.tag_count):
        good &= set_default(target, &table.tags[index])
    for index in range(table.absent_count):
        good &= set_default(target, &table.absent[index])
    Py_INCREF(<PyObject *>NO_TAGS)
    set_slot(target, table.unknown_offset, <PyObject *>NO_TAGS)
    made = <object>target
    Py_DECREF(target)
    if not good:
        raise MemoryError
    return made


cdef class LazySlot:
    """The attribute of a slot that may hold a Packed or a Pending: whoever asks gets the list or struct for it."""

    cdef object member
    cdef Py_ssize_t offset

    def __cinit__(self, member, Py_ssize_t offset):
        self.member = member
        self.offset = offset

    def __get__(self, instance, owner):
        if instance is None:
            return self.member
        value = self.member.__get__(instance, owner)
        if isinstance(value, Packed):
            made = unpack(value)
        elif isinstance(value, Pending):
            made = new_default_struct((<Pending>value).table)
        else:
            return value
        return kw_settle_slot(<PyObject *>instance, self.offset, <PyObject *>value, <PyObject *>made)

    def __set__(self, instance, value):
        self.member.__set__(instance, value)

    def __delete__(self, instance):
        self.member.__delete__(instance)


cdef list unpack(Packed packed):
    cdef Cursor cursor
    cdef Py_ssize_t index
    cdef PyObject *values = new_list(packed.count)
    cdef PyObject *value
    if values == NULL:
        kw_raise()
    cursor_init(&cursor, <const uint8_t *>PyBytes_AS_STRING(<PyObject *>packed.data), 0, 4 * packed.count)
    for index in range(packed.count):
        value = new_int(read_int32(&cursor))
        if value == NULL:
            Py_DECREF(values)
            kw_raise()
        set_item(values, index, value)
    made = <object>values
    Py_DECREF(values)
    return made


cdef int make_lazy(cls, str name, Py_ssize_t offset) except -1:
    """Let an attribute be a LazySlot, in the class that declares it."""
    owner = next(base for base in cls.__mro__ if name in base.__dict__)
    member = owner.__dict__[name]
    if not isinstance(member, LazySlot):
        setattr(owner, name, LazySlot(member, offset))
    return 0


cdef class CompiledPlan:
    """A plan as an array of ops, which lives as long as this."""

    def __cinit__(self, plan):
        self.keep = [plan]
        self.cls = plan.cls
        self.name = plan.name
        self.version = plan.version
        self.foreign_tags = plan.foreign_tags
        self.known_tags = frozenset(op.tag for op in plan.tags) | plan.foreign_tags
        self.absent = plan.absent
        cdef Table *table = &self.table
        table.owner = <PyObject *>self
        table.type = <PyTypeObject *>plan.cls
        table.plain = kw_is_plain(table.type)
        table.flexible = plan.flexible
        table.unknown_offset = self.slot("unknown_tags")
        table.op_count = len(plan.ops)
        table.tag_count = len(plan.tags)
        table.absent_count = len(plan.absent)
        if table.tag_count > TAGS_LIMIT:
            raise OverflowError(f"{self.name} has more than {TAGS_LIMIT} tags")
        table.ops = self.compile(plan.ops)
        table.tags = self.compile(plan.tags)
        table.absent = self.compile(plan.absent)

    def __dealloc__(self):
        self.release(self.table.ops, self.table.op_count)
        self.release(self.table.tags, self.table.tag_count)
        self.release(self.table.absent, self.table.absent_count)

    cdef void release(self, Op *ops, Py_ssize_t count) noexcept:
        cdef Py_ssize_t index
        if ops != NULL:
            for index in range(count):
                PyMem_Free(ops[index].element)
            PyMem_Free(ops)

    cdef Py_ssize_t slot(self, str name) except -1:
        cdef Py_ssize_t offset = kw_slot_offset(<PyObject *>self.cls, <PyObject *>name)
        if offset < 0:
            raise TypeError(f"{self.name}.{name} is not a slot")
        return offset

    cdef Op *compile(self, tuple ops) except? NULL:
        cdef Py_ssize_t index
        cdef Op *table = <Op *>PyMem_Calloc(len(ops) + 1, sizeof(Op))
        if table == NULL:
            raise MemoryError
        try:
            for index in range(len(ops)):
                self.fill(&table[index], ops[index])
                # Before anything is decoded with this plan.
                table[index].offset = self.slot(ops[index].name)
                if table[index].packed or table[index].default_kind == DEFAULT_STRUCT:
                    make_lazy(self.cls, ops[index].name, table[index].offset)
                if ops[index].element is not None:
                    table[index].element = <Op *>PyMem_Calloc(1, sizeof(Op))
                    if table[index].element == NULL:
                        raise MemoryError
                    self.fill(table[index].element, ops[index].element)
        except BaseException:
            self.release(table, len(ops))
            raise
        return table

    cdef int fill(self, Op *op, source) except -1:
        cdef CompiledPlan nested
        op.kind = source.kind
        op.packed = source.element is not None and source.element.kind == KIND_INT32
        op.compact = source.compact
        op.nullable = source.nullable
        op.tagged = source.tagged
        op.ignorable = source.ignorable
        op.default_kind = source.default_kind
        op.tag = source.tag if source.tag >= 0 else 0
        op.size = source.size
        op.default = <PyObject *>source.default  # kept by the plan
        op.name = <PyObject *>source.name
        if source.struct is not None:
            nested = compile_plan(source.struct)
            self.keep.append(nested)
            op.table = &nested.table
        if source.default_kind == DEFAULT_STRUCT:
            pending = new_pending(op.table)
            self.keep.append(pending)
            op.blank = <PyObject *>pending
        elif source.default_kind == DEFAULT_VALUE:
            op.blank = op.default
        elif op.packed:
            op.blank = <PyObject *>NO_INTS
        return 0


cpdef CompiledPlan compile_plan(plan):
    """The plan as this interpreter walks it."""
    compiled = _structs.get(plan)
    if compiled is None:
        compiled = _structs[plan] = CompiledPlan(plan)
    return compiled
