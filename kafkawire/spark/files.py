"""Which segment files a path means, and how they are cut into the ranges that Spark's tasks read.

Only directory listings and, for large files, batch headers are read here: planning runs on the driver.
"""

from __future__ import annotations

import glob
import itertools
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

import pyarrow as pa

from kafkawire.log import open_segment
from kafkawire.spark.batches import RecordReader
from kafkawire.spark.options import FileOptions, ReadOptions

# Kafka's legal topic names; the broker's own suffixes (orders-0.<uuid>-delete, -future, -stray) do not end in digits.
_PARTITION_DIRECTORY = re.compile(r"(?P<topic>[A-Za-z0-9._-]{1,249})-(?P<partition>\d{1,10})")
# .kafka is what 0.6 and 0.7 called it.
_SEGMENT_FILE = re.compile(r"(?P<base_offset>\d{20})\.(log|kafka)")

#: Found in a broker's directory beside the user's topics; read only when a path names their own directory.
_INTERNAL_TOPICS = {"__consumer_offsets", "__transaction_state", "__share_group_state", "__cluster_metadata"}


@dataclass(frozen=True)
class SegmentFile:
    """One segment of one topic-partition; ``size`` in bytes."""

    path: str
    topic: str
    partition: int
    base_offset: int
    size: int


def topic_partition(directory: str) -> tuple[str, int] | None:
    """Topic and partition of a directory's name, such as ``orders-0``; None where it is not such a name."""
    match = _PARTITION_DIRECTORY.fullmatch(os.path.basename(directory.rstrip("/" + os.sep)))
    return (match["topic"], int(match["partition"])) if match else None


def find_segments(paths: Sequence[str]) -> list[SegmentFile]:
    """The segment files that these paths mean, by topic, partition and base offset.

    A path is a segment file, a topic-partition directory, a directory of those (a broker's log directory; internal
    topics are left out), a glob of any of these, or a comma list of all that. ``file:`` URLs are taken too.

    Raises FileNotFoundError where a path or its segments are missing, ValueError where topic and partition cannot be
    told or the same segment is found twice, such as in the directories of two replicas.
    """
    found = [segment for path in paths for local in _split_list(_local(path)) for segment in _resolve(local)]
    segments = sorted(set(found), key=lambda segment: (segment.topic, segment.partition, segment.base_offset))
    for first, second in itertools.pairwise(segments):
        if (first.topic, first.partition, first.base_offset) == (second.topic, second.partition, second.base_offset):
            raise ValueError(f"the same segment is found twice, its rows would be doubled: {first.path}, {second.path}")
    return segments


def _local(path: str) -> str:
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]+):", path)
    if scheme is None:
        return path
    if scheme[1].lower() != "file":
        raise ValueError(
            f"{path}: only files that every executor can open by their path are read here; for {scheme[1]} let Spark "
            "list them: kafkawire.spark.decode(spark.read.format('binaryFile').load(path), 'content')"
        )
    return unquote(urlsplit(path).path)


def _split_list(path: str) -> list[str]:
    if "," not in path or os.path.exists(path):
        return [path]
    return [_local(part.strip()) for part in path.split(",") if part.strip()]


def _resolve(path: str) -> Iterator[SegmentFile]:
    if os.path.isfile(path):
        yield _segment(path)
    elif os.path.isdir(path):
        yield from _of_directory(path)
    elif glob.has_magic(path):
        yield from _of_glob(path)
    else:
        raise FileNotFoundError(f"{path}: no such file or directory (on the driver's machine)")


def _of_glob(pattern: str) -> Iterator[SegmentFile]:
    matches = sorted(glob.glob(pattern, recursive=True))
    if not matches:
        raise FileNotFoundError(f"{pattern}: nothing matches this glob (on the driver's machine)")
    found = False
    for match in matches:
        segments = [match] if _is_segment(match) else _segments_in(match) if _is_wanted_directory(match) else []
        for path in segments:
            found = True
            yield _segment(path)
    if not found:
        raise FileNotFoundError(
            f"{pattern}: none of the {len(matches)} matches is a segment file or a topic-partition directory with some"
        )


def _of_directory(directory: str) -> Iterator[SegmentFile]:
    paths = _segments_in(directory)
    if not paths:
        children = sorted(entry.path for entry in os.scandir(directory) if entry.is_dir())
        paths = [path for child in children if _is_wanted_directory(child) for path in _segments_in(child)]
    if not paths:
        raise FileNotFoundError(
            f"{directory}: no segments; expected files such as 00000000000000000000.log here, or topic-partition "
            "directories such as orders-0 that hold them"
        )
    for path in paths:
        yield _segment(path)


def _segments_in(directory: str) -> list[str]:
    return sorted(entry.path for entry in os.scandir(directory) if _is_segment(entry.path))


def _is_segment(path: str) -> bool:
    return _SEGMENT_FILE.fullmatch(os.path.basename(path)) is not None and os.path.isfile(path)


def _is_wanted_directory(path: str) -> bool:
    name = topic_partition(path)
    return os.path.isdir(path) and name is not None and name[0] not in _INTERNAL_TOPICS


def _segment(path: str) -> SegmentFile:
    path = os.path.abspath(path)
    name = _SEGMENT_FILE.fullmatch(os.path.basename(path))
    if name is None:
        raise ValueError(f"{path}: not a segment file; they are named like 00000000000000000000.log")
    owner = topic_partition(os.path.dirname(path))
    if owner is None:
        raise ValueError(
            f"{path}: {os.path.dirname(path)} is not a topic-partition directory; topic and partition are taken from "
            "its name, which has to be like orders-0"
        )
    return SegmentFile(path, *owner, int(name["base_offset"]), os.path.getsize(path))


@dataclass(frozen=True)
class FileRange:
    """What one task reads: bytes ``start`` to ``stop`` of a segment, on batch boundaries, and the offsets wanted."""

    segment: SegmentFile
    start: int
    stop: int
    start_offset: int | None = None
    end_offset: int | None = None


def plan(options: FileOptions) -> list[FileRange]:
    """The ranges of a read: a segment each, those above ``split_bytes`` cut on batch boundaries; driver only."""
    segments = find_segments(options.paths)
    ranges: list[FileRange] = []
    for segment, following in zip(segments, [*segments[1:], None], strict=True):
        start = options.starting_offsets.of(segment.topic, segment.partition)
        end = options.ending_offsets.of(segment.topic, segment.partition)
        if end is not None and segment.base_offset >= end:
            continue
        if start is not None and following is not None and following.base_offset <= start and _same(segment, following):
            continue
        cuts = _cuts(segment, options.split_bytes)
        ranges += [FileRange(segment, low, high, start, end) for low, high in itertools.pairwise(cuts)]
    return ranges


def read_range(part: FileRange, options: ReadOptions) -> Iterator[pa.RecordBatch]:
    """The rows of a range as Arrow batches of Spark's schema; on an executor, which opens the file itself."""
    segment = part.segment
    reader = RecordReader(options, segment.path, segment.topic, segment.partition)
    with open_segment(segment.path) as file:
        yield from reader.read(file.iter_columns, part.start, part.stop, part.start_offset, part.end_offset)


def _same(first: SegmentFile, second: SegmentFile) -> bool:
    return (first.topic, first.partition) == (second.topic, second.partition)


def _cuts(segment: SegmentFile, split_bytes: int) -> list[int]:
    """Positions that cut a segment into equal parts of at most about ``split_bytes``, its ends included."""
    if segment.size <= split_bytes:
        return [0, segment.size]
    step = segment.size / -(-segment.size // split_bytes)
    cuts = [0]
    with open_segment(segment.path) as file:
        for batch in file.split().batches:  # lengths only, nothing is decoded
            if batch.position - cuts[-1] >= step:
                cuts.append(batch.position)
    return [*cuts, segment.size]
