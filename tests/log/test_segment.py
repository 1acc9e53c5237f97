"""One segment file through a memory map: seeking, iterating, verifying; whole, cut, damaged, empty, closed."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from tests.records.makers import FEW, Made, build, fields
from tests.records.surgery import mend
from tests.samples import segment_files

MIXED = "mixed-kafka-0.11/mixed-v0-v1-v2-0/00000000000000000000.log"
GAPS = "v2-kafka-4.3.1/v2-compact-0/00000000000000000000.log"
TXN = "v2-kafka-4.3.1/v2-txn-lz4-0/00000000000000000000.log"


@pytest.fixture
def small(kw: ModuleType, tmp_path: Path) -> Path:
    """Offsets 10 to 12, 20 to 22 (lz4), 30 to 32."""
    path = tmp_path / "00000000000000000010.log"
    path.write_bytes(b"".join(batches(kw)))
    return path


def batches(kw: ModuleType) -> list[bytes]:
    return [
        build(kw, [Made(first + at, 1000, None, b"%d" % (first + at), ()) for at in range(3)], 2, codec)
        for first, codec in ((10, "none"), (20, "lz4"), (30, "none"))
    ]


def test_name_and_size(kw: ModuleType, small: Path, tmp_path: Path) -> None:
    with kw.log.Segment(small) as segment:
        assert (segment.base_offset, segment.size) == (10, small.stat().st_size)
        assert bytes(segment.data) == small.read_bytes()
        assert segment.data.readonly
        assert str(small) in repr(segment)
    for name, base in (
        ("00000000000000000852.log.deleted", 852), ("bootstrap.checkpoint", None), ("records", None),
        ("00000000000000000152-0000000002.checkpoint", None), ("²³.log", None),
    ):
        path = tmp_path / name
        path.write_bytes(b"")
        with kw.log.Segment(str(path)) as segment:
            assert segment.base_offset == base


def test_find(kw: ModuleType, small: Path) -> None:
    sizes = [len(batch) for batch in batches(kw)]
    ends = [0, sizes[0], sizes[0] + sizes[1], sum(sizes)]
    with kw.log.Segment(small) as segment:
        for offset, batch in ((-5, 0), (0, 0), (10, 0), (12, 0), (13, 1), (20, 1), (22, 1), (23, 2), (32, 2), (33, 3),
                              (1 << 62, 3)):
            assert segment.find(offset) == ends[batch], offset


def test_records_from_an_offset(kw: ModuleType, small: Path) -> None:
    offsets = [10, 11, 12, 20, 21, 22, 30, 31, 32]
    with kw.log.Segment(small) as segment:
        for start in range(9, 34):
            found = [record.offset for record in segment.records(start)]
            assert found == [offset for offset in offsets if offset >= start]
        assert [record.offset for record in segment.records()] == offsets
        assert [record.offset for batch in segment for record in batch] == offsets
        assert [batch.base_offset for batch in segment.batches()] == [10, 20, 30]
        assert [batch.base_offset for batch in segment.read_batches(21)] == [20, 30]


@pytest.mark.parametrize("name", [MIXED, GAPS, TXN])
def test_real_segments(kw: ModuleType, name: str) -> None:
    expected = segment_files()[name]
    offsets = [record["offset"] for record in expected.records]
    plain = [record["offset"] for record in expected.records if not record["is_control"]]
    with kw.log.Segment(expected.path) as segment:
        assert [record.offset for record in segment.records(control=True)] == offsets
        assert [record.offset for record in segment.records()] == plain
        assert segment.read_columns(["offset"], control=True).to_arrow().column(0).to_pylist() == offsets
        pieces = list(segment.iter_columns(100, ["offset"]))
        assert [offset for piece in pieces for offset in piece.column(0).to_pylist()] == plain
        assert segment.verify() == (len(expected.batches), len(offsets), segment.size, 0, [])
        last = expected.batches[-1]["last_offset"]
        for start in range(0, last + 3, max(last // 40, 1)):
            found = next(segment.records(start, control=True), None)
            assert (found and found.offset) == next((offset for offset in offsets if offset >= start), None)


def test_every_bundled_segment_is_right(kw: ModuleType) -> None:
    for expected in segment_files().values():
        with kw.log.Segment(expected.path) as segment:
            found = segment.verify()
        assert found == (len(expected.batches), len(expected.records), expected.path.stat().st_size, 0, [])


def test_partial_tail(kw: ModuleType, small: Path) -> None:
    """What a killed broker leaves behind: never an error."""
    whole = small.read_bytes()
    first, second, third = batches(kw)
    for cut, missing in ((1, 1), (len(third) - 12, len(third) - 12), (len(third) - 11, None), (len(third) - 1, None)):
        small.write_bytes(whole[:-cut])
        with kw.log.Segment(small) as segment:
            assert [record.offset for record in segment.records()] == [10, 11, 12, 20, 21, 22]
            complete = len(first) + len(second)
            assert (segment.split().complete, segment.split().missing) == (complete, missing)
            assert segment.verify() == (2, 6, complete, missing, [])
            assert segment.read_columns().num_rows == 6
            assert segment.find(30) == complete


def test_verify_goes_on_behind_damage(kw: ModuleType, small: Path) -> None:
    first, second, third = batches(kw)
    # A checksum that is wrong, one that is right over records that are not; the last batch is whole.
    small.write_bytes(first[:-1] + b"?" + mend(second[:-3] + b"???") + third)
    with kw.log.Segment(small) as segment:
        found = segment.verify()
        assert (found.batches, found.records, found.complete, found.missing) == (1, 3, segment.size, 0)
        assert [type(error) for error in found.errors] == [kw.ChecksumError, kw.CorruptError]
        assert [error.position for error in found.errors] == [0, len(first)]
        with pytest.raises(kw.ChecksumError):
            list(segment)
        # Headers are read all the same.
        assert [batch.base_offset for batch in segment.batches()] == [10, 20, 30]


def test_verify_of_what_cannot_be_divided(kw: ModuleType, small: Path) -> None:
    first, second, third = batches(kw)
    for broken, error in ((second[:16] + b"\x07" + second[17:], kw.UnsupportedError),
                          (second[:8] + b"\xff" * 4 + second[12:], kw.CorruptError)):
        small.write_bytes(first[:-1] + b"?" + broken + third)
        with kw.log.Segment(small) as segment:
            found = segment.verify()
            assert (found.batches, found.records, found.complete) == (0, 0, len(first))
            assert [type(one) for one in found.errors] == [kw.ChecksumError, error]
            assert [one.position for one in found.errors] == [0, len(first)]


def test_settings(kw: ModuleType, small: Path) -> None:
    first, second, third = batches(kw)
    # A value's byte: only the checksum tells.
    damaged = third[:-2] + b"9" + third[-1:]
    small.write_bytes(first + second + damaged)
    with kw.log.Segment(small, check_crc=False) as segment:
        assert [record.value for record in segment.records(32)] == [b"39"]
        assert segment.read_columns().num_rows == 9
        with pytest.raises(kw.ChecksumError):
            segment.read_columns(check_crc=True)
        assert segment.read_columns(check_crc=True, on_corrupt="skip").skipped == [len(first) + len(second)]
        assert len(segment.verify().errors) == 1
    with kw.log.Segment(small, limits=kw.Limits(decompressed=3)) as segment, pytest.raises(kw.LimitError):
        segment.read_columns()


def test_empty_and_missing_files(kw: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "00000000000000000000.log"
    with pytest.raises(FileNotFoundError):
        kw.log.Segment(path)
    with pytest.raises(OSError):
        kw.log.Segment(tmp_path)
    path.write_bytes(b"")
    with kw.log.Segment(path) as segment:
        assert (segment.size, segment.find(5), list(segment), list(segment.records())) == (0, 0, [], [])
        assert segment.verify() == (0, 0, 0, 0, [])
        assert segment.read_columns().to_arrow().num_rows == 0
        assert tuple(segment.split()) == ([], 0, 0)


def test_preallocated_tail(kw: ModuleType, small: Path) -> None:
    """A broker with preallocate leaves zeros behind the last batch: no batch has that length."""
    whole = small.read_bytes()
    small.write_bytes(whole + bytes(4096))
    with kw.log.Segment(small) as segment:
        found = segment.verify()
        assert (found.batches, found.records, found.complete) == (3, 9, len(whole))
        assert [error.position for error in found.errors] == [len(whole)]


def test_closing_while_a_batch_lives(kw: ModuleType, small: Path) -> None:
    segment = kw.log.Segment(small)
    batch = next(segment.read_batches(20))
    records = iter(batch)
    first = next(records)
    columns = segment.read_columns().to_arrow()
    segment.close()
    segment.close()
    assert [record.offset for record in (first, *records)] == [20, 21, 22]
    assert [fields(record)[4] for record in batch.records()] == [b"20", b"21", b"22"]
    assert columns.column("value").to_pylist()[-1] == b"32"
    for use in (
        lambda: segment.data, segment.split, segment.verify, lambda: list(segment), lambda: list(segment.records()),
        segment.read_columns, lambda: segment.iter_columns(1), lambda: segment.find(1), lambda: list(segment.batches()),
    ):
        with pytest.raises(ValueError, match="closed"):
            use()


def test_a_batch_does_not_outlive_its_file_badly(kw: ModuleType, tmp_path: Path) -> None:
    """The map keeps the file's content although the file is gone."""
    path = tmp_path / "00000000000000000007.log"
    path.write_bytes(build(kw, FEW, 2, "zstd"))
    with kw.log.Segment(path) as segment:
        (batch,) = segment
        path.unlink()
    assert [fields(record) for record in batch] == [made.read_back(2) for made in FEW]
