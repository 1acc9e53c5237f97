"""Arrow columns to batches: the same bytes as from objects, for every type that a column may have; on both twins."""

from __future__ import annotations

from itertools import pairwise
from types import ModuleType
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings

from tests.records.makers import KINDS, Made, build, fields, records

relaxed = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
HEADERS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))


def table(made: list[Made], magic: int = 2) -> pa.Table:
    columns: dict[str, Any] = {
        "offset": pa.array([record.offset for record in made], pa.int64()),
        "key": pa.array([record.key for record in made], pa.binary()),
        "value": pa.array([record.value for record in made], pa.binary()),
    }
    if magic:
        columns["timestamp"] = pa.array([record.timestamp for record in made], pa.int64())
    if magic == 2:
        pairs = [[{"key": key, "value": value} for key, value in record.headers] for record in made]
        columns["headers"] = pa.array(pairs, HEADERS)
    return pa.table(columns)


def records_of(kw: ModuleType, data: bytes) -> list[Any]:
    return [record for batch in kw.read_batches(data) for record in batch]


def values_of(kw: ModuleType, column: Any) -> list[Any]:
    """What comes back of a column of values."""
    given_ = pa.table({"value": column, "timestamp": pa.array(range(len(column)), pa.int64())})
    return [record.value for record in records_of(kw, kw.write_columns(given_))]


def headers_of(kw: ModuleType, column: Any) -> list[Any]:
    given_ = pa.table({"headers": column, "timestamp": pa.array(range(len(column)), pa.int64())})
    return [record.headers for record in records_of(kw, kw.write_columns(given_))]


@pytest.mark.parametrize(("magic", "codec"), KINDS)
@relaxed
@given(made=records())
def test_columns_and_objects_give_the_same_bytes(kw: ModuleType, magic: int, codec: str, made: list[Made]) -> None:
    data = kw.write_columns(table(made, magic), codec, magic=magic, batch_size=1 << 20)
    assert data == build(kw, made, magic, codec)
    assert kw.write_columns(table(made, magic).to_batches()[0], codec, magic=magic, batch_size=1 << 20) == data


@relaxed
@given(made=records(max_size=40))
def test_both_twins_write_the_same_bytes(both: tuple[ModuleType, ModuleType], made: list[Made]) -> None:
    """Also where they divide the rows into batches."""
    one, other = (kw.write_columns(table(made), "lz4", batch_size=200) for kw in both)
    assert one == other
    assert [record.offset for record in records_of(both[0], one)] == [record.offset for record in made]


@relaxed
@given(made=records(min_size=3, max_size=20))
def test_slices_and_chunks(kw: ModuleType, made: list[Made]) -> None:
    """Columns that begin inside of their buffers, and tables of several chunks."""
    whole = table(made)
    middle = whole.slice(1, len(made) - 2)
    assert kw.write_columns(middle, batch_size=1 << 20) == build(kw, made[1:-1])
    chunked = pa.concat_tables([whole.slice(0, 1), whole.slice(1, 0), whole.slice(1, 1), whole.slice(2)])
    assert kw.write_columns(chunked, batch_size=1 << 20) == build(kw, made)
    # Chunk borders that differ from column to column.
    uneven = whole.set_column(
        whole.schema.get_field_index("value"), "value", pa.chunked_array([whole["value"].combine_chunks()[:2],
                                                                         whole["value"].combine_chunks()[2:]])
    )
    assert kw.write_columns(uneven, batch_size=1 << 20) == build(kw, made)


def test_batches_are_within_their_size(kw: ModuleType) -> None:
    rows = 5000
    given_ = pa.table({"value": [b"x" * (at % 300) for at in range(rows)], "timestamp": list(range(rows))})
    data = kw.write_columns(given_, batch_size=4096, base_offset=100, producer_id=1, producer_epoch=0, base_sequence=7)
    batches = list(kw.read_batches(data))
    assert len(batches) > 100
    assert all(batch.size <= 4096 for batch in batches)
    # None of them could have taken the next one's first record.
    for batch, after in pairwise(batches):
        assert batch.size + len(after.records()[0].value) + 6 > 4096 - 8
        assert after.base_sequence == batch.base_sequence + batch.record_count
    assert [record.offset for record in records_of(kw, data)] == list(range(100, 100 + rows))


BINARY_TYPES = [
    pa.binary(), pa.large_binary(), pa.string(), pa.large_string(), pa.binary_view(), pa.string_view(), pa.binary(3),
    pa.dictionary(pa.int8(), pa.string()), pa.dictionary(pa.int32(), pa.binary()),
    pa.dictionary(pa.int16(), pa.large_binary()),
]


@pytest.mark.parametrize("kind", BINARY_TYPES, ids=str)
def test_types_of_values(kw: ModuleType, kind: pa.DataType) -> None:
    column = pa.array([b"abc", None, b"xyz", b"abc", None], pa.binary()).cast(
        kind if not pa.types.is_dictionary(kind) else kind.value_type
    )
    if pa.types.is_dictionary(kind):
        column = column.dictionary_encode().cast(kind)
    assert values_of(kw, column) == [b"abc", None, b"xyz", b"abc", None]
    assert values_of(kw, column[1:4]) == [None, b"xyz", b"abc"]
    assert values_of(kw, column[:0]) == []


def test_long_strings_in_views(kw: ModuleType) -> None:
    for kind in (pa.binary_view(), pa.string_view()):
        column = pa.array(["short", "x" * 100, None, "y" * 5000], kind)
        assert values_of(kw, column) == [b"short", b"x" * 100, None, b"y" * 5000]


def test_nulls(kw: ModuleType) -> None:
    assert values_of(kw, pa.nulls(3)) == [None] * 3
    assert values_of(kw, pa.array([None, b""], pa.binary())) == [None, b""]
    assert headers_of(kw, pa.nulls(2)) == [(), ()]
    assert headers_of(kw, pa.array([None, [], [{"key": "k", "value": None}]], HEADERS)) == [(), (), (("k", None),)]


def test_types_of_headers(kw: ModuleType) -> None:
    pairs = [[("a", b"1"), ("a", None)], None, [], [("", b"")], [("é", b"2")]]
    wanted = [tuple(row or ()) for row in pairs]
    dicts = [None if row is None else [{"key": key, "value": value} for key, value in row] for row in pairs]
    kinds = [
        HEADERS,
        pa.list_(pa.struct([("value", pa.binary()), ("key", pa.string())])),
        pa.list_(pa.struct([("key", pa.binary()), ("value", pa.large_binary())])),
        pa.list_(pa.struct([("key", pa.dictionary(pa.int32(), pa.string())), ("value", pa.binary_view())])),
        pa.large_list(pa.struct([("key", pa.large_string()), ("value", pa.binary())])),
    ]
    for kind in kinds:
        column = pa.array(dicts, kind)
        assert headers_of(kw, column) == wanted, kind
        assert headers_of(kw, column[2:]) == wanted[2:], kind
        assert headers_of(kw, column[:2]) == wanted[:2], kind
    for kind in (pa.map_(pa.string(), pa.binary()), pa.map_(pa.large_string(), pa.string())):
        column = pa.array([None if row is None else [(key, value and value.decode()) for key, value in row]
                           for row in pairs], pa.map_(pa.string(), pa.string())).cast(kind)
        assert headers_of(kw, column) == wanted, kind
        assert headers_of(kw, column[1:4]) == wanted[1:4], kind


def test_headers_below_null_rows_are_not_written(kw: ModuleType) -> None:
    """A null list may cover entries: these are nobody's, whatever they are."""
    entries = pa.array([{"key": "a", "value": b"1"}, {"key": "b", "value": b"2"}], HEADERS.value_type)
    column = pa.ListArray.from_arrays(pa.array([0, None, 2], pa.int32()), entries)
    assert headers_of(kw, column) == [(("a", b"1"), ("b", b"2")), ()] or headers_of(kw, column) == [(("a", b"1"),), ()]
    masked = pa.ListArray.from_arrays(pa.array([0, 1, 2], pa.int32()), entries, mask=pa.array([True, False]))
    assert headers_of(kw, masked) == [(), (("b", b"2"),)]


def test_types_of_timestamps(kw: ModuleType) -> None:
    def times(column: Any) -> list[int]:
        return [record.timestamp for record in records_of(kw, kw.write_columns(pa.table({"timestamp": column})))]

    for kind in (pa.int64(), pa.int32(), pa.uint64(), pa.int8(), pa.uint16()):
        assert times(pa.array([1, 100], kind)) == [1, 100]
    for unit, factor in (("s", 1000), ("ms", 1)):
        for zone in (None, "UTC", "Europe/Berlin"):
            assert times(pa.array([-7, 100], pa.timestamp(unit, tz=zone))) == [-7 * factor, 100 * factor]
    assert times(pa.array([1_999, 2_000], pa.timestamp("us"))) == [1, 2]
    assert times(pa.array([1_999_999, 2_000_000], pa.timestamp("ns", tz="UTC"))) == [1, 2]
    assert times(pa.array([1, 2, 3], pa.int64())[1:]) == [2, 3]


REFUSED = [
    ({"value": pa.array([1])}, "column value has the type int64"),
    ({"key": pa.array([[b"a"]])}, "column key has the type"),
    ({"headers": pa.array(["text"])}, "column headers has the type"),
    ({"headers": pa.array([[{"k": "a", "v": b""}]])}, "column headers has the type"),
    ({"headers": pa.array([[{"key": None, "value": b""}]], HEADERS)}, "without a key"),
    ({"headers": pa.array([[None]], HEADERS)}, "without a key"),
    ({"headers": pa.array([[{"key": b"\xff", "value": b""}]])}, "do not fit"),
    ({"timestamp": pa.array([1.5])}, "column timestamp has the type"),
    ({"timestamp": pa.array(["2020"])}, "column timestamp has the type"),
    ({"timestamp": pa.array([1, None])}, "column timestamp has nulls"),
    ({"timestamp": pa.array([1 << 62], pa.timestamp("s"))}, "do not fit"),
    ({"timestamp": pa.array([1 << 63], pa.uint64())}, "do not fit"),
    ({"offset": pa.array([1, None])}, "column offset has nulls"),
    ({"offset": pa.array([3, 3])}, "out of order"),
    ({"offset": pa.array([3, 2])}, "out of order"),
    ({"offset": pa.array([-1])}, "out of order"),
    ({"topic": pa.array(["t"])}, "no such field of a record: topic"),
]


@pytest.mark.parametrize(("columns", "said"), REFUSED)
def test_columns_that_cannot_be_written(kw: ModuleType, columns: dict[str, Any], said: str) -> None:
    with pytest.raises(kw.EncodeError, match=said):
        kw.write_columns(pa.table(columns))


def test_two_columns_of_one_name(kw: ModuleType) -> None:
    with pytest.raises(kw.EncodeError, match="two columns of one name"):
        kw.write_columns(pa.table([pa.array([b"a"]), pa.array([b"b"])], names=["value", "value"]))


def test_what_old_magics_lack(kw: ModuleType) -> None:
    with pytest.raises(kw.EncodeError, match="no headers"):
        kw.write_columns(pa.table({"headers": pa.array([[]], HEADERS)}), magic=1)
    with pytest.raises(kw.EncodeError, match="no timestamp"):
        kw.write_columns(pa.table({"timestamp": [1]}), magic=0)


def test_nothing_to_write(kw: ModuleType) -> None:
    assert kw.write_columns(pa.table({})) == b""
    assert kw.write_columns(pa.table({"value": pa.array([], pa.binary())})) == b""
    assert kw.write_columns(pa.table({"headers": pa.array([], HEADERS), "offset": pa.array([], pa.int64())})) == b""


def test_what_was_read_can_be_written(kw: ModuleType) -> None:
    """The columns of read_columns are those of write_columns, timestamp_type apart."""
    made = [Made(5, 10, b"k", None, (("h", b"1"), ("h", None))), Made(9, 11, None, b"v", ())]
    data = build(kw, made)
    names = ["offset", "timestamp", "key", "value", "headers"]
    read = kw.read_columns(data, columns=names).to_arrow()
    assert kw.write_columns(read) == data
    assert [fields(record) for record in records_of(kw, kw.write_columns(read, "zstd"))] == [
        record.read_back(2) for record in made
    ]
