"""Logs of 0.6 and 0.7: segment files named ``.kafka`` by their first offset, and a directory of them as one log.

An offset is a position in the log, in bytes, so that a segment begins at the offset in its name and ends at that plus
its size. A broker of 0.6 and 0.7.0 begins a new segment right after the append that filled the last one, which leaves
an empty file at the end; a broker that was killed can leave a partial message there. No read crosses from one segment
into the next.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from kafkawire import _twins
from kafkawire.ancient import v07
from kafkawire.errors import WireError
from kafkawire.log.mapped import MappedSegment
from kafkawire.log.segment import Verification
from kafkawire.records.batch import Split
from kafkawire.records.columns import Columns
from kafkawire.records.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    import pyarrow as pa

    from kafkawire._codec_py import Record

#: What the files of 0.6 and 0.7 end in.
SUFFIX = ".kafka"

_SEGMENT_FILE = re.compile(r"\d{1,20}\.kafka")
_PARTITION_DIRECTORY = re.compile(r"(?P<topic>.+)-(?P<partition>\d{1,10})", re.DOTALL)


class AncientSegment(MappedSegment):
    """A segment file of 0.6 or 0.7, opened for reading; close it, or use it as a context manager.

    ``path``: the file, whose name is the offset of its first byte (0 where the name is no number); ``size``: bytes.
    ``check_crc`` and ``limits`` hold for everything that is read. Raises OSError where the file cannot be opened.
    """

    @property
    def start_offset(self) -> int:
        """The offset of the first byte."""
        return self.base_offset or 0

    @property
    def end_offset(self) -> int:
        """The offset behind the last byte, which the next segment has in its name."""
        return self.start_offset + self.size

    # ---- messages ----

    def split(self) -> Split:
        """The extents of all outer messages, and what a partial one at the end lacks; reads lengths and magics only."""
        return v07.split(self.data)

    def find(self, offset: int) -> int:
        """The position in bytes of the first outer message that starts at or behind ``offset``; where there is none,
        that of the end of the whole messages."""
        found = self.split()
        for position, _, _ in found.batches:
            if self.start_offset + position >= offset:
                return position
        return found.complete

    def _position(self, start_offset: int | None) -> int:
        return 0 if start_offset is None or start_offset <= self.start_offset else self.find(start_offset)

    def messages(self, start_offset: int | None = None) -> v07.MessageIterator:
        """The messages from ``start_offset`` on, those inside of compressed ones instead of these."""
        return v07.read_messages(
            self.data, self.start_offset, self.limits, check_crc=self.check_crc, position=self._position(start_offset)
        )

    def outer_messages(self, start_offset: int | None = None) -> v07.MessageIterator:
        """The messages from ``start_offset`` on as the broker counts them, compressed ones as they are."""
        return v07.read_outer_messages(
            self.data, self.start_offset, check_crc=self.check_crc, position=self._position(start_offset)
        )

    def records(self, start_offset: int | None = None) -> Iterator[Record]:
        """The messages as records of the later formats: ``offset`` is where the outer message starts, key and timestamp
        are None."""
        record = _twins.codec.Record
        return (record(message.start, None, -1, None, message.value, ()) for message in self.messages(start_offset))

    # ---- columns ----

    def read_columns(self, columns: Sequence[str] | None = None, **options: Any) -> Columns:
        """The messages as columns; options as in v07.read_columns."""
        return v07.read_columns(self.data, self.start_offset, columns=columns, **self._defaults(options))

    def iter_columns(
        self, max_rows: int, columns: Sequence[str] | None = None, **options: Any
    ) -> Iterator[pa.RecordBatch]:
        """The messages as Arrow record batches of at most ``max_rows`` rows; options as in v07.iter_columns."""
        return v07.iter_columns(self.data, max_rows, self.start_offset, columns=columns, **self._defaults(options))

    def _defaults(self, options: dict[str, Any]) -> dict[str, Any]:
        # Whoever reads segments of any format may say what to do with control records: here there are none.
        options.pop("control", None)
        return {"check_crc": self.check_crc, "limits": self.limits, **options}

    def verify(self) -> Verification:
        """Read everything, checksums and wrappers, and say what is wrong; goes on behind a message that is."""
        records = position = bad = 0
        errors: list[WireError] = []
        while True:
            messages = v07.read_messages(self.data, self.start_offset, self.limits, position=position)
            try:
                for _ in messages:
                    records += 1
            except WireError as error:
                errors.append(error)
                at = error.position or 0
                try:
                    # Length and magic say where the next message is, if they can be right.
                    rest = v07.split(self.data[at : at + 5]).missing
                except WireError:
                    break
                bad += 1
                position = at + 5 + (rest or 0)
                continue
            whole = self.split()
            return Verification(len(whole.batches) - bad, records, whole.complete, whole.missing, errors)
        whole = v07.split(self.data[:at])
        return Verification(len(whole.batches) - bad, records, whole.complete, None, errors)


class SegmentInfo(NamedTuple):
    """A segment of a log as the directory tells it: ``size`` in bytes, ``modified`` in ms since the epoch."""

    path: str
    base_offset: int
    size: int
    modified: int

    @property
    def end_offset(self) -> int:
        """The offset behind the last byte."""
        return self.base_offset + self.size


class LogVerification(NamedTuple):
    """What reading all segments of a log found.

    ``segments``: path and Verification of each. ``gaps``: (end of one segment, start of the next) where these differ:
    bytes are missing between them, or there twice. ``torn``: path and Verification of those that end inside of a
    message. ``empty_last``: whether the last file is empty, as brokers of 0.6 and 0.7.0 leave it.
    """

    segments: list[tuple[str, Verification]]
    gaps: list[tuple[int, int]]
    torn: list[tuple[str, Verification]]
    empty_last: bool


class AncientLog:
    """A directory of ``.kafka`` files as the one log of a topic-partition.

    ``topic`` and ``partition``: out of the directory's name, None where it is not like ``orders-0``. ``segments``: in
    the order of their offsets, as they were when the log was opened; refresh() looks again. ``start_offset`` and
    ``end_offset`` (behind the last byte). Raises OSError where the directory cannot be listed.
    """

    def __init__(
        self, directory: str | os.PathLike[str], *, check_crc: bool = True, limits: Limits = DEFAULT_LIMITS
    ) -> None:
        self.directory = os.fspath(directory)
        name = topic_partition(self.directory)
        self.topic: str | None = name[0] if name else None
        self.partition: int | None = name[1] if name else None
        self.check_crc = check_crc
        self.limits = limits
        self.segments: list[SegmentInfo] = []
        self.refresh()

    def refresh(self) -> None:
        """List the directory again: a broker may have appended, rolled or deleted."""
        found = []
        with os.scandir(self.directory) as entries:
            for entry in entries:
                if _SEGMENT_FILE.fullmatch(entry.name) and entry.is_file():
                    status = entry.stat()
                    offset = int(entry.name[: -len(SUFFIX)])
                    found.append(SegmentInfo(entry.path, offset, status.st_size, status.st_mtime_ns // 1_000_000))
        self.segments = sorted(found, key=lambda segment: segment.base_offset)

    @property
    def start_offset(self) -> int:
        """The offset of the first byte that is still there; 0 for a log without segments."""
        return self.segments[0].base_offset if self.segments else 0

    @property
    def end_offset(self) -> int:
        """The offset behind the last byte, where the next message will start."""
        return self.segments[-1].end_offset if self.segments else 0

    @property
    def gaps(self) -> list[tuple[int, int]]:
        """(end of one segment, start of the next) where these differ."""
        return [
            (before.end_offset, behind.base_offset)
            for before, behind in zip(self.segments, self.segments[1:], strict=False)
            if before.end_offset != behind.base_offset
        ]

    @property
    def empty_last(self) -> bool:
        """Whether the last file is empty."""
        return bool(self.segments) and self.segments[-1].size == 0

    def open(self, segment: SegmentInfo) -> AncientSegment:
        """The segment's file, opened with the log's settings."""
        return AncientSegment(segment.path, check_crc=self.check_crc, limits=self.limits)

    # ---- as a reader ----

    def _from(self, start_offset: int | None) -> list[SegmentInfo]:
        # A gap leads to the segment behind it.
        return [part for part in self.segments if start_offset is None or part.end_offset > start_offset]

    def messages(self, start_offset: int | None = None) -> Iterator[v07.Message]:
        """The messages of all segments, from the first outer one on that starts at or behind ``start_offset``.

        A partial message at the end of a segment is left out: verify() tells of it. Raises as v07.read_messages does.
        """
        for part in self._from(start_offset):
            with self.open(part) as segment:
                yield from segment.messages(start_offset)

    def records(self, start_offset: int | None = None) -> Iterator[Record]:
        """The messages as records of the later formats; see AncientSegment.records."""
        for part in self._from(start_offset):
            with self.open(part) as segment:
                yield from segment.records(start_offset)

    def iter_columns(
        self, max_rows: int, columns: Sequence[str] | None = None, *, start_offset: int | None = None, **options: Any
    ) -> Iterator[pa.RecordBatch]:
        """The messages of all segments as Arrow record batches of at most ``max_rows`` rows; see v07.iter_columns."""
        for part in self._from(start_offset):
            with self.open(part) as segment:
                yield from segment.iter_columns(max_rows, columns, start_offset=start_offset, **options)

    def verify(self) -> LogVerification:
        """Read all segments and say what is wrong with them, and between them."""
        checked = []
        for part in self.segments:
            with self.open(part) as segment:
                checked.append((part.path, segment.verify()))
        # Behind a length or magic that cannot be, nothing is known of the end.
        torn = [
            (path, found) for path, found in checked
            if found.missing != 0 and not any((error.position or 0) >= found.complete for error in found.errors)
        ]
        return LogVerification(checked, self.gaps, torn, self.empty_last)

    # ---- as a broker ----

    def read(self, offset: int, max_size: int) -> bytes | None:
        """What a broker answers to a fetch: the bytes from ``offset`` to the end of its segment at most, cut anywhere.

        None where the offset is out of range; b"" at the end of the log, and inside of a gap.
        """
        if not self.start_offset <= offset <= self.end_offset:
            return None
        for part in self.segments:
            if part.base_offset <= offset < part.end_offset:
                with open(part.path, "rb") as file:
                    file.seek(offset - part.base_offset)
                    return file.read(min(max(max_size, 0), part.end_offset - offset))
        return b""

    def offsets_before(self, timestamp: int, max_number: int, now: int | None = None) -> list[int]:
        """The offsets that a broker answers OFFSETS with, in descending order: where segments begin that were modified
        until ``timestamp`` (ms since the epoch; -1 latest, -2 earliest), and the end of the log where that is ``now``
        or later and the last segment is not empty."""
        now = time.time_ns() // 1_000_000 if now is None else now
        marks = [(segment.base_offset, segment.modified) for segment in self.segments]
        if self.segments and not self.empty_last:
            marks.append((self.end_offset, now))
        if timestamp == v07.EARLIEST_TIME:
            marks = marks[:1]
        elif timestamp != v07.LATEST_TIME:
            # As the broker looks: from the end, up to the last that is old enough, and all before it.
            while marks and marks[-1][1] > timestamp:
                marks.pop()
        return [offset for offset, _ in reversed(marks)][: max(max_number, 0)]

    def __repr__(self) -> str:
        return f"<AncientLog {self.directory}, offsets {self.start_offset} to {self.end_offset}>"


def topic_partition(directory: str) -> tuple[str, int] | None:
    """Topic and partition of a directory's name, such as ``orders-0``; None where it is not such a name.

    0.6 and 0.7 take any topic that is not empty, as long as the file system does.
    """
    match = _PARTITION_DIRECTORY.fullmatch(os.path.basename(os.path.abspath(directory)))
    return (match["topic"], int(match["partition"])) if match else None
