"""The options of a read, checked: what Spark passes as text becomes one typed, immutable value.

Names are those of Spark's own Kafka source where it has the thing. Case does not matter.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from kafkawire import Limits
from kafkawire.spark.given import KAFKA, Given, OptionError
from kafkawire.spark.schema import COLUMNS, INNER_INDEX


@dataclass(frozen=True)
class OffsetBounds:
    """Offsets by topic-partition, with one for all others; None is no bound."""

    default: int | None = None
    by_partition: Mapping[tuple[str, int], int | None] = field(default_factory=dict)

    def of(self, topic: str, partition: int) -> int | None:
        return self.by_partition.get((topic, partition), self.default)


@dataclass(frozen=True)
class ReadOptions:
    """How records become rows, wherever the bytes come from.

    ``columns``: Spark's names, in the order wanted. ``rows_per_batch``, ``bytes_per_batch``: the most that one Arrow
    batch on its way to Spark holds; a single row may be larger. ``check_crc``: verify every batch's checksum.
    ``skip_corrupt``: leave batches whose checksum does not match out, and say in the log how many, instead of failing.
    ``include_control``: also give the control records (commit and abort markers), which Kafka's consumers never show.
    ``max_decompressed_bytes``: the most that one record batch may decompress to, see :class:`kafkawire.Limits`.
    """

    columns: tuple[str, ...] = COLUMNS[:-1]
    rows_per_batch: int = 65_536
    bytes_per_batch: int = 16 << 20
    check_crc: bool = True
    skip_corrupt: bool = False
    include_control: bool = False
    max_decompressed_bytes: int = Limits().decompressed

    @property
    def limits(self) -> Limits:
        return Limits(decompressed=self.max_decompressed_bytes)

    def __post_init__(self) -> None:
        unknown = [name for name in self.columns if name not in (*COLUMNS, INNER_INDEX)]
        if unknown:
            raise OptionError(f"columns: there is no column {', '.join(unknown)}; there are {', '.join(COLUMNS)}")
        if not self.columns or len(set(self.columns)) != len(self.columns):
            raise OptionError("columns: one column at least, and none twice")
        if self.skip_corrupt and not self.check_crc:
            raise OptionError("mode: DROPMALFORMED leaves out what checkCrc finds; it cannot be false")
        for name, value in (("rowsPerBatch", self.rows_per_batch), ("bytesPerBatch", self.bytes_per_batch)):
            if not 1 <= value <= 1 << 30:
                raise OptionError(f"{name}: {value} is not between 1 and {1 << 30}")
        if not 1 <= self.max_decompressed_bytes < 1 << 31:
            raise OptionError(
                f"maxDecompressedBytes: {self.max_decompressed_bytes} is not between 1 and {(1 << 31) - 1}"
            )


@dataclass(frozen=True)
class FileOptions:
    """What to read, of files: ``paths`` as given, ``split_bytes`` the size of file above which it is split."""

    paths: tuple[str, ...]
    read: ReadOptions
    split_bytes: int
    starting_offsets: OffsetBounds
    ending_offsets: OffsetBounds


#: How records become rows: the same for files and for live topics.
READ_OPTIONS = (
    "columns",
    "includeHeaders",
    "includeControl",
    "rowsPerBatch",
    "bytesPerBatch",
    "checkCrc",
    "mode",
    "maxDecompressedBytes",
)

_FILE_OPTIONS = ("path", "paths", *READ_OPTIONS, "splitBytes", "startingOffsets", "endingOffsets")


def parse_read_options(given: Given) -> ReadOptions:
    """Those of :data:`READ_OPTIONS`; raises :class:`OptionError`."""
    return ReadOptions(
        columns=parse_columns(given.text("columns"), given.boolean("includeHeaders", False)),
        rows_per_batch=given.size("rowsPerBatch", ReadOptions.rows_per_batch),
        bytes_per_batch=given.size("bytesPerBatch", ReadOptions.bytes_per_batch),
        check_crc=given.boolean("checkCrc", True),
        skip_corrupt=_skip_corrupt(given.text("mode") or "FAILFAST"),
        include_control=given.boolean("includeControl", False),
        max_decompressed_bytes=given.size("maxDecompressedBytes", ReadOptions.max_decompressed_bytes),
    )


def parse_file_options(options: Mapping[str, str]) -> FileOptions:
    """The options of ``spark.read.format("kafkawire")`` over files; raises :class:`OptionError`."""
    given = Given(options)
    given.refuse_unknown(_FILE_OPTIONS)
    if given.kafka_properties():
        name = next(name for name in given.names if name.lower().startswith(KAFKA))
        raise OptionError(f"{name}: segment files, named by the option path, have no broker; give one or the other")
    return FileOptions(
        paths=_paths(given),
        read=parse_read_options(given),
        split_bytes=given.size("splitBytes", 128 << 20),
        starting_offsets=_offsets(given, "startingOffsets", "earliest", -2),
        ending_offsets=_offsets(given, "endingOffsets", "latest", -1),
    )


def parse_columns(text: str | None, include_headers: bool) -> tuple[str, ...]:
    """The columns of a comma list (any case), all but headers by default; ``include_headers`` adds these."""
    spelling = {name.lower(): name for name in (*COLUMNS, INNER_INDEX)}
    columns = COLUMNS[:-1]
    if text is not None:
        names = [name.strip() for name in text.split(",") if name.strip()]
        columns = tuple(spelling.get(name.lower(), name) for name in names)
    if include_headers and "headers" not in columns:
        columns = (*columns, "headers")
    return columns


def _paths(given: Given) -> tuple[str, ...]:
    several = given.text("paths")
    if several is not None:  # load([...])
        return tuple(json.loads(several))
    path = given.text("path")
    if not path:
        raise OptionError(
            "path: give a topic-partition directory, a directory of them, segment files, a glob, or a comma list"
        )
    return (path,)


def _skip_corrupt(mode: str) -> bool:
    modes = {"failfast": False, "dropmalformed": True}
    if mode.lower() not in modes:
        raise OptionError(f"mode: {mode!r} is neither FAILFAST nor DROPMALFORMED")
    return modes[mode.lower()]


def _offsets(given: Given, name: str, none: str, none_number: int) -> OffsetBounds:
    """``none`` and ``none_number``: the word and, in JSON, the number that mean "no bound" on this side."""
    text = given.text(name) or none
    if text.lower() == none:
        return OffsetBounds()
    if text.isdecimal():
        return OffsetBounds(default=int(text))
    try:
        by_partition = {
            (str(topic), int(partition)): None if offset == none_number else _offset(offset)
            for topic, partitions in json.loads(text).items()
            for partition, offset in partitions.items()
        }
    except (ValueError, TypeError, AttributeError):
        raise OptionError(
            f'{name}: {text!r} is neither "{none}", nor an offset, nor JSON like {{"topic": {{"0": 23}}}} '
            f"with offsets from 0 and {none_number} for {none}"
        ) from None
    return OffsetBounds(by_partition=by_partition)


def _offset(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(value)
    return value
