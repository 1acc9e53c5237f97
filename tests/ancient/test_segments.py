"""Every segment of a 0.7.2 broker, on both twins: equal to what Kafka's own code read from it, and written back."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from tests.ancient.samples import CODECS, expected, payload, segment_files

everywhere = pytest.mark.parametrize("name", list(segment_files()))


def base_of(name: str) -> int:
    return int(name.rpartition("/")[2].split(".")[0])


def test_the_data_is_all_there() -> None:
    files = segment_files()
    assert len(files) == 36
    views = [view for path in files.values() for views in expected(path).values() for view in views.items()]
    assert sum(len(rows) for view, rows in views if view == "file") > 2000
    assert sum(len(rows) for view, rows in views if view == "deep") > 4000


@everywhere
def test_outer_messages(kw: ModuleType, name: str) -> None:
    path, base = segment_files()[name], base_of(name)
    data = path.read_bytes()
    messages = list(kw.ancient.v07.read_outer_messages(data, base))
    for views in expected(path).values():
        for view in ("file", "shallow"):
            for message, row in zip(messages, views.get(view, messages), strict=True):
                if row is message:
                    continue
                assert (message.start, message.end, message.next_offset) == (
                    base + row["file_pos"], base + row["file_pos"] + 4 + row["size"], row["next_offset"]
                )
                assert (message.magic, message.attributes, message.crc, message.value) == (
                    row["magic"], row["attributes"] or 0, row["checksum"], payload(row)
                )
                assert message.compression == CODECS[row["codec"]]
                assert row["valid"]
    found = kw.ancient.v07.split(data)
    assert [(at, size, magic) for at, size, magic in found.batches] == [
        (m.start - base, m.end - m.start, m.magic) for m in messages
    ]
    assert (found.complete, found.missing) == (len(data), 0)


@everywhere
def test_inner_messages(kw: ModuleType, name: str) -> None:
    path, base = segment_files()[name], base_of(name)
    data = path.read_bytes()
    outer = {message.start: message for message in kw.ancient.v07.read_outer_messages(data, base)}
    read = kw.ancient.v07.read_messages(data, base)
    messages = list(read)
    assert (read.complete, read.missing) == (len(data), 0)
    versions = [views["deep"] for views in expected(path).values() if "deep" in views]
    assert versions
    for rows in versions:
        for message, row in zip(messages, rows, strict=True):
            assert (message.value, message.magic, message.attributes, message.crc, message.next_offset) == (
                payload(row), row["magic"], row["attributes"] or 0, row["checksum"], row["next_offset"]
            )
    for message in messages:
        around = outer[message.start]
        assert (message.end, message.compression) == (around.end, around.compression)
    for start, end in ((m.start, m.end) for m in messages):
        inside = [m for m in messages if m.start == start]
        assert [m.inner_index for m in inside] == list(range(len(inside)))
        assert [m.next_offset for m in inside] == [*[start] * (len(inside) - 1), end]


@everywhere
def test_columns(kw: ModuleType, name: str) -> None:
    data, base = segment_files()[name].read_bytes(), base_of(name)
    v07 = kw.ancient.v07
    names = ["offset", "next_offset", "inner_index", "value", "compression"]
    batch = v07.read_columns(data, base, columns=names).to_arrow()
    batch.validate(full=True)
    assert batch.to_pylist() == [
        {"offset": m.start, "next_offset": m.next_offset, "inner_index": m.inner_index, "value": m.value,
         "compression": m.compression}
        for m in v07.read_messages(data, base)
    ]


@everywhere
def test_written_back(kw: ModuleType, name: str) -> None:
    data = segment_files()[name].read_bytes()
    v07 = kw.ancient.v07
    again = [
        v07.encode_message(message.value, magic=message.magic, attributes=message.attributes)
        for message in v07.read_outer_messages(data)
    ]
    assert b"".join(again) == data


@everywhere
def test_written_back_as_a_set(kw: ModuleType, name: str) -> None:
    """A set without compression and of one magic comes out of write_messages byte for byte."""
    data = segment_files()[name].read_bytes()
    v07 = kw.ancient.v07
    position = 0
    runs: list[tuple[int, list[Any]]] = []
    for message in v07.read_outer_messages(data):
        if message.attributes:
            runs.append((-1, []))
        elif runs and runs[-1][0] == message.magic:
            runs[-1][1].append(message)
        else:
            runs.append((message.magic, [message]))
    for magic, messages in runs:
        if magic >= 0:
            start, end = messages[0].start, messages[-1].end
            assert v07.write_messages([m.value for m in messages], magic=magic) == data[start:end]
            position += end - start
    assert position or not data or all(magic < 0 for magic, _ in runs)
