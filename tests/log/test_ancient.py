"""Segments and directories of 0.6 and 0.7: offsets, gaps, torn tails, empty files; the door that the others share."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.samples import unpacked


@pytest.fixture
def archive() -> Path:
    return unpacked("kafka07") / "segments-0.7.2"


@pytest.fixture
def directory(archive: Path, tmp_path: Path) -> Path:
    """A copy of a log of five segments, to damage."""
    return Path(shutil.copytree(archive / "segs-1", tmp_path / "segs-1", ignore=shutil.ignore_patterns("*.jsonl")))


def test_a_directory_is_one_log(kw: ModuleType, directory: Path) -> None:
    log = kw.log.AncientLog(directory)
    assert (log.topic, log.partition) == ("segs", 1)
    assert [segment.base_offset for segment in log.segments] == [0, 2311, 4628, 6931, 9243]
    assert (log.start_offset, log.end_offset, log.gaps, log.empty_last) == (0, 11548, [], False)
    messages = list(log.messages())
    assert len(messages) == 400
    assert messages[-1].end == messages[-1].next_offset == 11548
    starts = sorted({message.start for message in messages})
    ends = sorted({message.end for message in messages})
    assert starts[1:] == ends[:-1]
    found = log.verify()
    assert [(v.batches, v.records, v.missing, v.errors) for _, v in found.segments] == [(4, 80, 0, [])] * 5
    assert (found.gaps, found.torn, found.empty_last) == ([], [], False)


def test_reading_from_an_offset(kw: ModuleType, directory: Path) -> None:
    log = kw.log.AncientLog(directory)
    every = list(log.messages())
    for offset in (0, 1, 600, 2311, 4627, 4628, 4629, 11547, 11548, 20000):
        wanted = [message for message in every if message.start >= offset]
        assert list(log.messages(offset)) == wanted
        assert [record.offset for record in log.records(offset)] == [message.start for message in wanted]
        table = [row for batch in log.iter_columns(33, ["offset", "inner_index"], start_offset=offset)
                 for row in batch.to_pylist()]
        assert table == [{"offset": message.start, "inner_index": message.inner_index} for message in wanted]


def test_one_segment(kw: ModuleType, directory: Path) -> None:
    with kw.log.open_segment(directory / "00000000000000002311.kafka") as segment:
        assert type(segment) is kw.log.AncientSegment
        assert (segment.base_offset, segment.start_offset, segment.end_offset) == (2311, 2311, 4628)
        found = segment.split()
        assert (len(found.batches), found.complete, found.missing) == (4, 2317, 0)
        second = found.batches[1].position
        assert (segment.find(0), segment.find(2311), segment.find(2312), segment.find(9999)) == (0, 0, second, 2317)
        outer = list(segment.outer_messages(2312))
        assert [message.start - 2311 for message in outer] == [batch.position for batch in found.batches[1:]]
        assert segment.read_columns().num_rows == 80
        assert "AncientSegment" in repr(segment)
    assert type(kw.log.open_segment(__file__)) is kw.log.Segment


def test_in_the_shape_of_the_later_formats(kw: ModuleType, archive: Path) -> None:
    """What Spark and all else that reads columns needs: the same names and types, and null for what there is not."""
    later = kw.RecordBatchBuilder(magic=0)
    later.append(key=b"k", value=b"v")
    others = ["is_control", "key", "headers", "timestamp", "sequence", "producer_id", "producer_epoch",
              "partition_leader_epoch", "is_transactional", "compression"]
    for names in (None, list(kw.read_columns(b"").names), ["value"], others):
        wanted = kw.read_columns(later.build(), columns=names).to_arrow().schema
        with kw.log.open_segment(archive / "gzip-0" / "00000000000000000000.kafka") as segment:
            batch = segment.read_columns(names).to_arrow()
            batch.validate(full=True)
            assert batch.schema == wanted
            assert batch.num_rows == 109
            pieces = list(segment.iter_columns(10, names, control=True))
            assert sum(piece.num_rows for piece in pieces) == 109 and all(piece.num_rows <= 10 for piece in pieces)
    with kw.log.open_segment(archive / "nested-2" / "00000000000000000000.kafka") as segment:
        row = segment.read_columns([*kw.ancient.v07.COLUMNS]).to_arrow().to_pylist()[3]
        record = list(segment.records())[3]
    assert row == {
        "offset": 0, "timestamp": None, "timestamp_type": -1, "key": None, "value": b"q4", "headers": [],
        "producer_id": -1, "producer_epoch": -1, "sequence": -1, "partition_leader_epoch": -1,
        "is_transactional": False, "is_control": False, "compression": "gzip", "inner_index": 3, "next_offset": 119,
    }
    assert (record.offset, record.timestamp, record.timestamp_type, record.key, record.value, record.headers) == (
        0, None, -1, None, b"q4", ()
    )


def test_an_empty_last_file(kw: ModuleType, directory: Path) -> None:
    """As brokers of 0.6 and 0.7.0 leave it, which begin a new segment right after the append."""
    (directory / "00000000000000011548.kafka").touch()
    log = kw.log.AncientLog(directory)
    assert log.empty_last
    assert (log.gaps, log.end_offset, len(list(log.messages()))) == ([], 11548, 400)
    found = log.verify()
    assert found.empty_last
    assert found.segments[-1][1] == (0, 0, 0, 0, [])
    assert log.read(11548, 100) == b""
    assert log.offsets_before(-1, 10)[0] == 11548
    assert log.offsets_before(-1, 10).count(11548) == 1


def test_a_torn_tail(kw: ModuleType, directory: Path) -> None:
    last = directory / "00000000000000009243.kafka"
    data = last.read_bytes()
    for cut in (1, 3, 10, 500):
        last.write_bytes(data[:-cut])
        log = kw.log.AncientLog(directory)
        with kw.log.open_segment(last) as segment:
            extents = segment.split()
        ((path, torn),) = log.verify().torn
        assert (path, torn.complete, torn.missing) == (str(last), extents.complete, cut)
        assert torn.batches == 3
        assert len(list(log.messages())) == 380
        assert log.gaps == []
    last.write_bytes(data + b"\0\0")
    ((_, torn),) = kw.log.AncientLog(directory).verify().torn
    assert (torn.complete, torn.missing, torn.batches) == (len(data), None, 4)


def test_a_torn_tail_is_not_continued_in_the_next_segment(kw: ModuleType, directory: Path) -> None:
    first = directory / "00000000000000000000.kafka"
    whole = first.read_bytes()
    first.write_bytes(whole[:-5])
    (directory / "00000000000000002311.kafka").rename(directory / "00000000000000002306.kafka")
    log = kw.log.AncientLog(directory)
    found = log.verify()
    assert [(path, torn.missing) for path, torn in found.torn] == [(str(first), 5)]
    assert found.gaps == [(4623, 4628)]
    assert len(list(log.messages())) == 380


def test_a_gap(kw: ModuleType, directory: Path) -> None:
    (directory / "00000000000000004628.kafka").unlink()
    log = kw.log.AncientLog(directory)
    assert log.gaps == log.verify().gaps == [(4628, 6931)]
    assert len(list(log.messages())) == 320
    # A reader goes on behind the gap; a broker says that nothing is there.
    assert next(log.messages(5000)).start == 6931
    assert (log.read(5000, 100), log.read(4628, 100)) == (b"", b"")


def test_reading_as_a_broker(kw: ModuleType, directory: Path) -> None:
    log = kw.log.AncientLog(directory)
    first = (directory / "00000000000000000000.kafka").read_bytes()
    second = (directory / "00000000000000002311.kafka").read_bytes()
    assert log.read(0, 10**9) == first
    assert log.read(2311, 10**9) == second
    assert log.read(2300, 100) == first[2300:]
    assert log.read(7, 20) == first[7:27]
    assert (log.read(0, 0), log.read(0, -1)) == (b"", b"")
    assert (log.read(11548, 10), log.read(11549, 10), log.read(-1, 10)) == (b"", None, None)


def test_damage_in_the_middle(kw: ModuleType, directory: Path) -> None:
    path = directory / "00000000000000002311.kafka"
    data = bytearray(path.read_bytes())
    with kw.log.open_segment(path) as segment:
        at = segment.split().batches[1].position
    data[at + 12] ^= 1
    path.write_bytes(data)
    with kw.log.open_segment(path) as segment:
        found = segment.verify()
        assert (found.batches, found.records, found.complete, found.missing) == (3, 60, len(data), 0)
        assert [(type(error).__name__, error.position, error.offset) for error in found.errors] == [
            ("ChecksumError", at, 2311 + at)
        ]
        skipped: list[int] = []
        assert sum(p.num_rows for p in segment.iter_columns(1000, on_corrupt="skip", skipped=skipped)) == 60
        assert skipped == [at]
    data[at + 4] = 9
    path.write_bytes(data)
    log = kw.log.AncientLog(directory)
    (_, found) = log.verify().segments[1]
    assert (found.batches, found.records, found.complete) == (1, 20, at)
    assert [type(error).__name__ for error in found.errors] == ["UnsupportedError"]
    assert log.verify().torn == []


def test_names(kw: ModuleType, tmp_path: Path) -> None:
    names = {"orders-0": ("orders", 0), "a-b-12": ("a-b", 12), "orders": (None, None), "-1": (None, None),
             "wéird topic-3": ("wéird topic", 3), "x-": (None, None)}
    for name, wanted in names.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "notes.txt").touch()
        log: Any = kw.log.AncientLog(tmp_path / name)
        assert ((log.topic, log.partition), log.segments, log.end_offset) == (wanted, [], 0)
        assert (log.read(0, 10), log.offsets_before(-1, 5), list(log.messages())) == (b"", [], [])
        assert log.verify() == ([], [], [], False)
