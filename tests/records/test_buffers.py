"""What may be read from, and what is given away: any buffer in, held while it is read; read-only buffers out."""

from __future__ import annotations

import array
import ctypes
import gc
import mmap
import weakref
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pytest

from tests.records.makers import FEW, KINDS, build, fields
from tests.records.surgery import mend


def everything(kw: ModuleType, data: Any) -> list[Any]:
    """Every way to read, which all must see the same records."""
    found = [fields(record) for batch in kw.read_batches(data) for record in batch]
    assert [fields(record) for batch in kw.read_batches(data) for record in batch.records()] == found
    assert kw.read_columns(data).num_rows == len(found)
    assert sum(piece.num_rows for piece in kw.iter_columns(data, 2)) == len(found)
    assert len(kw.split(data).batches) == len(list(kw.read_batches(data)))
    return found


@pytest.mark.parametrize(("magic", "codec"), KINDS)
def test_every_buffer(kw: ModuleType, tmp_path: Path, magic: int, codec: str) -> None:
    data = build(kw, FEW, magic, codec)
    data += bytes(-len(data) % 8)  # items of eight bytes need a length to match; a partial batch is no matter
    path = tmp_path / "data"
    path.write_bytes(data)
    wanted = everything(kw, data)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert everything(kw, mapped) == wanted
    views: list[Any] = [
        bytearray(data), memoryview(data), memoryview(b"x" + data + b"y")[1:-1], array.array("B", data),
        array.array("b", data), array.array("q", data), array.array("d", data), memoryview(data).cast("I"),
        memoryview(data).cast("B", (len(data) // 8, 8)), (ctypes.c_char * len(data)).from_buffer_copy(data),
        pa.py_buffer(data),
    ]
    for view in views:
        assert everything(kw, view) == wanted, view


def test_what_is_no_buffer_of_bytes_in_a_row(kw: ModuleType) -> None:
    data = build(kw, FEW)
    for wrong in ("text", None, 5, [data], memoryview(data * 2)[::2], memoryview(data)[::-1]):
        for read in (kw.read_batches, kw.read_columns, kw.split):
            with pytest.raises((TypeError, BufferError)):
                read(wrong)


@pytest.mark.parametrize("codec", ["none", "gzip"])
def test_data_that_is_read_cannot_be_resized(kw: ModuleType, codec: str) -> None:
    data = bytearray(build(kw, FEW, 2, codec))
    batches = kw.read_batches(data)
    batch = next(batches)
    with pytest.raises(BufferError):
        data += b"more"
    records = iter(batch)
    next(records)
    with pytest.raises(BufferError):
        data.clear()
    del batches, batch, records
    gc.collect()
    data += b"more"
    # Columns are copies.
    columns = kw.read_columns(data[:-4])
    data.clear()
    assert columns.num_rows == len(FEW)
    assert kw.split(data).batches == []


def test_an_error_lets_the_data_go(kw: ModuleType) -> None:
    wrong_checksum = build(kw, FEW)[:-1] + b"\xff"
    for content in (wrong_checksum, mend(wrong_checksum), wrong_checksum[:16] + b"\x09"):
        for read in (everything, lambda kw, data: kw.read_columns(data), lambda kw, data: kw.split(data).batches[1]):
            data = bytearray(content)
            with suppress(kw.WireError, IndexError):
                read(kw, data)
                pytest.fail("no error")
            gc.collect()
            data += b"!"


def test_records_outlive_their_data(kw: ModuleType) -> None:
    class Watched(bytearray):
        """Weak references to it say when it goes."""

    data = Watched(build(kw, FEW))
    gone = weakref.ref(data)
    records = [record for batch in kw.read_batches(data) for record in batch]
    columns = kw.read_columns(data).to_arrow()
    del data
    gc.collect()
    assert gone() is None
    assert [fields(record) for record in records] == [made.read_back(2) for made in FEW]
    assert columns.column("value").to_pylist() == [made.value for made in FEW]


def test_columns_are_read_only_and_live_as_long_as_arrow_needs_them(kw: ModuleType) -> None:
    data = build(kw, FEW) * 50
    value = kw.read_columns(data, columns=["value", "offset"]).to_arrow().column("value")
    gc.collect()
    for buffer in value.buffers():
        assert buffer is None or not buffer.is_mutable
        if buffer is not None:
            with pytest.raises((TypeError, ValueError, BufferError)):
                memoryview(buffer)[0] = 1
    part = value.slice(3, 2)
    del value
    gc.collect()
    assert part.to_pylist() == [FEW[3].value, FEW[0].value]


def test_raw_bytes_of_a_batch(kw: ModuleType) -> None:
    one, other = build(kw, FEW), build(kw, FEW, 1)
    found = [batch.raw() for batch in kw.read_batches(one + other)]
    assert b"".join(bytes(view) for view in found) == one + other
    assert all(view.readonly for view in found)


def test_records_are_values(kw: ModuleType) -> None:
    """Equal by their fields, hashable, picklable, printable."""
    import copy
    import pickle

    data = build(kw, FEW)
    (one,), (other,) = ([batch.records() for batch in kw.read_batches(data)] for _ in range(2))
    assert one == other
    assert len(set(one + other)) == len(FEW)
    assert one[0] != one[1]
    assert one[0] != fields(one[0])
    assert repr(one[0]) == (
        "Record(offset=7, timestamp=1700000000000, timestamp_type=0, key=b'key', value=b'value', headers=())"
    )
    assert pickle.loads(pickle.dumps(one)) == one
    assert copy.copy(one[1]) == one[1]
    assert kw.Record(*fields(one[2])) == one[2]
    assert not hasattr(one[0], "__dict__")


def test_a_failed_iterator_does_not_go_on(kw: ModuleType) -> None:
    data = build(kw, FEW)
    records = iter(next(iter(kw.read_batches(mend(data[:-5])))))
    found = []
    with pytest.raises(kw.CorruptError):
        for record in records:
            found.append(record.offset)
    assert found == [7, 8, 11]
    assert list(records) == []
