"""Every segment of the bundled logs, on both twins: equal to what Kafka's Java implementation read from it."""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pytest

from tests.samples import Expected, segment_files

FILES = list(segment_files())
MIXED = "mixed-kafka-0.11/mixed-v0-v1-v2-0/00000000000000000000.log"
GAPS = "v2-kafka-4.3.1/v2-compact-0/00000000000000000000.log"
RECORD = ("offset", "timestamp", "timestamp_type", "key", "value", "headers")
CONTROL_TYPES = {"COMMIT": "commit", "ABORT": "abort", "LEADER_CHANGE": "leader_change",
                 "SNAPSHOT_HEADER": "snapshot_header", "SNAPSHOT_FOOTER": "snapshot_footer",
                 "KRAFT_VERSION": "kraft_version", "KRAFT_VOTERS": "kraft_voters"}

everywhere = pytest.mark.parametrize("name", FILES)


def as_dict(record: Any) -> dict[str, Any]:
    return {field: getattr(record, field) for field in RECORD}


def rows(table: pa.Table | pa.RecordBatch) -> list[dict[str, Any]]:
    """The rows as Python values like those of records: timestamps as ms, headers as pairs."""
    if "timestamp" in table.schema.names:
        at = table.schema.get_field_index("timestamp")
        table = table.set_column(at, "timestamp", table.column("timestamp").cast(pa.int64()))
    found = table.to_pylist()
    for row in found:
        if "headers" in row:
            row["headers"] = tuple((header["key"], header["value"]) for header in row["headers"])
    return found


def wanted(expected: Expected, columns: tuple[str, ...], *, control: bool = True) -> list[dict[str, Any]]:
    return [
        {name: record[name] for name in columns} for record in expected.records if control or not record["is_control"]
    ]


def all_columns(kw: ModuleType) -> tuple[str, ...]:
    """Every column; a line of Java's has no leader epoch, so that is looked at by batch."""
    names = tuple(kw.read_columns(b"", columns=None).names)
    assert names == RECORD
    return (*RECORD, "producer_id", "producer_epoch", "sequence", "is_transactional", "is_control", "compression")


def test_the_data_is_all_there() -> None:
    files = segment_files()
    assert (len(files), sum(len(file.batches) for file in files.values())) == (82, 3020)
    assert sum(len(file.records) for file in files.values()) == 14917


@everywhere
def test_headers(kw: ModuleType, name: str) -> None:
    data = segment_files()[name].path.read_bytes()
    batches = list(kw.read_batches(data))
    assert len(batches) == len(segment_files()[name].batches)
    for batch, expected in zip(batches, segment_files()[name].batches, strict=True):
        read = {field: getattr(batch, field) for field in expected if field != "records_read"}
        if expected["record_count"] is None:
            read["record_count"] = None
        assert read == {field: expected[field] for field in read}
        assert len(batch.records()) == expected["records_read"]
        assert bytes(batch.raw()) == data[batch.position : batch.position + batch.size]


@everywhere
def test_split(kw: ModuleType, name: str) -> None:
    expected = segment_files()[name]
    found = kw.split(expected.path.read_bytes())
    assert [tuple(piece) for piece in found.batches] == [
        (batch["position"], batch["size"], batch["magic"]) for batch in expected.batches
    ]
    assert (found.complete, found.missing) == (expected.path.stat().st_size, 0)


@everywhere
def test_records(kw: ModuleType, name: str) -> None:
    expected = segment_files()[name]
    data = expected.path.read_bytes()
    asked = [as_dict(record) for batch in kw.read_batches(data) for record in batch]
    listed = [as_dict(record) for batch in kw.read_batches(data) for record in batch.records()]
    assert asked == wanted(expected, RECORD)
    assert listed == asked


@everywhere
def test_control_records(kw: ModuleType, name: str) -> None:
    expected = segment_files()[name]
    read = [
        kw.parse_control_record(record.key, record.value).name
        for batch in kw.read_batches(expected.path.read_bytes())
        if batch.is_control
        for record in batch
    ]
    assert read == [CONTROL_TYPES[record["control_type"]] for record in expected.records if record["is_control"]]


@everywhere
@pytest.mark.parametrize("control", [True, False])
def test_columns(kw: ModuleType, name: str, control: bool) -> None:
    expected = segment_files()[name]
    columns = all_columns(kw)
    read = kw.read_columns(expected.path.read_bytes(), columns=columns, control=control)
    table = read.to_arrow()
    table.validate(full=True)
    assert rows(table) == wanted(expected, columns, control=control)
    assert read.num_rows == table.num_rows
    assert (read.complete, read.skipped) == (expected.path.stat().st_size, [])


@everywhere
def test_leader_epochs(kw: ModuleType, name: str) -> None:
    expected = segment_files()[name]
    table = kw.read_columns(expected.path.read_bytes(), columns=["partition_leader_epoch"], control=True).to_arrow()
    assert table.column(0).to_pylist() == [
        batch["partition_leader_epoch"] for batch in expected.batches for _ in range(batch["records_read"])
    ]


@everywhere
def test_threads(kw: ModuleType, name: str) -> None:
    expected = segment_files()[name]
    columns = all_columns(kw)
    table = kw.read_columns(expected.path.read_bytes(), columns=columns, control=True, threads=4).to_arrow()
    assert rows(table) == wanted(expected, columns)


def test_threads_divide_the_work(kw: ModuleType) -> None:
    """The largest segment is large enough for several ranges, so that the test above says something."""
    name = max(FILES, key=lambda name: segment_files()[name].path.stat().st_size)
    assert len(kw.read_columns(segment_files()[name].path.read_bytes(), threads=4).to_batches()) > 1


@everywhere
@pytest.mark.parametrize("max_rows", [1, 7, 1000])
def test_iter_columns(kw: ModuleType, name: str, max_rows: int) -> None:
    expected = segment_files()[name]
    columns = all_columns(kw)
    pieces = list(kw.iter_columns(expected.path.read_bytes(), max_rows, columns=columns, control=True))
    assert all(piece.num_rows <= max_rows for piece in pieces)
    assert [row for piece in pieces for row in rows(piece)] == wanted(expected, columns)


@pytest.mark.parametrize("name", [MIXED, GAPS, "v2-kafka-4.3.1/v2-txn-zstd-0/00000000000000000000.log"])
def test_offset_ranges(kw: ModuleType, name: str) -> None:
    """From and up to both sides of every batch's first and last offset, and beyond the ends."""
    expected = segment_files()[name]
    data = expected.path.read_bytes()
    everything = wanted(expected, ("offset", "value"))
    edges = {-1, 0, 1 << 62}
    for batch in expected.batches:
        edges |= {batch["base_offset"], batch["base_offset"] + 1, batch["last_offset"], batch["last_offset"] + 1}
    # All of them for a few batches of each kind, in between some.
    chosen = sorted(edges)
    chosen = chosen if kw.BACKEND == "compiled" else chosen[:8] + chosen[8:-8:13] + chosen[-8:]
    for edge in chosen:
        for start, end in ((edge, None), (None, edge), (edge, edge + 5)):
            read = kw.read_columns(data, columns=["offset", "value"], control=True, start_offset=start, end_offset=end)
            assert read.to_arrow().to_pylist() == [
                row
                for row in everything
                if (start is None or row["offset"] >= start) and (end is None or row["offset"] < end)
            ], (start, end)
            assert read.complete == len(data)


def test_every_offset_of_some_batches(kw: ModuleType) -> None:
    """Ranges that begin and end inside of batches: the first 60 offsets of a mixed log's small batches."""
    expected = segment_files()[MIXED]
    first = next(at for at, batch in enumerate(expected.batches) if batch["magic"] == 1 and batch["records_read"] > 3)
    batches = expected.batches[first - 3 : first + 3]
    data = expected.path.read_bytes()[batches[0]["position"] : batches[-1]["position"] + batches[-1]["size"]]
    offsets = [
        record["offset"]
        for record in expected.records
        if batches[0]["base_offset"] <= record["offset"] <= batches[-1]["last_offset"]
    ]
    for start in offsets[:60]:
        for length in (1, 2, 5):
            read = kw.read_columns(data, columns=["offset"], start_offset=start, end_offset=start + length).to_arrow()
            assert read.column(0).to_pylist() == [offset for offset in offsets if start <= offset < start + length]


def test_position_and_stop(kw: ModuleType) -> None:
    """Pieces of a log by the positions of its batches add up, with one thread and with several."""
    expected = segment_files()[MIXED]
    data = expected.path.read_bytes()
    counts = list(accumulate((batch["records_read"] for batch in expected.batches), initial=0))
    for at in range(0, len(expected.batches), 61):
        position = expected.batches[at]["position"]
        for threads in (1, 4):
            before = kw.read_columns(data, columns=["offset"], stop=position, threads=threads)
            behind = kw.read_columns(data, columns=["offset"], position=position, threads=threads)
            assert (before.num_rows, behind.num_rows) == (counts[at], counts[-1] - counts[at])
            assert (before.complete, behind.complete) == (position, len(data))


@pytest.mark.parametrize("columns", [["value"], ["headers", "offset"], ["compression", "is_control", "key"]])
def test_column_selection(kw: ModuleType, columns: list[str]) -> None:
    for name in (MIXED, GAPS):
        expected = segment_files()[name]
        table = kw.read_columns(expected.path.read_bytes(), columns=columns, control=True).to_arrow()
        assert table.schema.names == columns
        assert rows(table) == wanted(expected, tuple(columns))


def test_no_columns_at_all(kw: ModuleType) -> None:
    """Counting rows needs no column."""
    expected = segment_files()[MIXED]
    read = kw.read_columns(expected.path.read_bytes(), columns=[])
    assert read.num_rows == len(expected.records)
    assert read.names == ()


def test_arguments_that_cannot_be(kw: ModuleType) -> None:
    with pytest.raises(ValueError, match="no such column: colour"):
        kw.read_columns(b"", columns=["offset", "colour"])
    with pytest.raises(TypeError, match="list of names"):
        kw.read_columns(b"", columns="offset")
    with pytest.raises(ValueError, match="max_rows"):
        kw.iter_columns(b"", 0)
    for read in (kw.read_columns, kw.read_batches):
        with pytest.raises(ValueError, match="on_corrupt"):
            read(b"", on_corrupt="ignore")


def test_replaced_files_read_as_well(kw: ModuleType, segments: Path) -> None:
    """What the log cleaner has put aside was not read by Java, but it is whole batches all the same."""
    found = sorted(segments.glob("*/*/*.log.deleted"))
    assert len(found) > 5
    for path in found:
        data = path.read_bytes()
        split = kw.split(data)
        assert split.complete == len(data)
        read = [as_dict(record) for batch in kw.read_batches(data) for record in batch]
        assert rows(kw.read_columns(data, control=True).to_arrow()) == read
