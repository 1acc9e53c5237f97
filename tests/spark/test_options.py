"""Options: defaults, spelling, and that every wrong one is named."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspark")

import kafkawire as kw
from kafkawire.spark.given import OptionError
from kafkawire.spark.options import ReadOptions, parse_file_options
from kafkawire.spark.schema import COLUMNS


def test_defaults() -> None:
    options = parse_file_options({"path": "a"})
    assert options.paths == ("a",)
    assert options.read == ReadOptions()
    assert options.read.columns == ("key", "value", "topic", "partition", "offset", "timestamp", "timestampType")
    assert options.read.check_crc and not options.read.skip_corrupt and not options.read.include_control
    assert options.split_bytes == 128 << 20
    assert options.starting_offsets.of("t", 0) is None
    assert options.ending_offsets.of("t", 0) is None


def test_what_a_batch_may_decompress_to() -> None:
    assert parse_file_options({"path": "a"}).read.limits == kw.Limits()
    assert parse_file_options({"path": "a", "maxDecompressedBytes": "1g"}).read.limits == kw.Limits(1 << 30)


def test_case_does_not_matter() -> None:
    options = parse_file_options(
        {
            "PATH": "a",
            "INCLUDEHEADERS": "True",
            "rowsperbatch": "9",
            "Mode": "dropMalformed",
            "columns": "VALUE, Offset",
        }
    )
    assert options.read.columns == ("value", "offset", "headers")
    assert options.read.rows_per_batch == 9
    assert options.read.skip_corrupt


def test_all_columns() -> None:
    assert parse_file_options({"path": "a", "includeHeaders": "true"}).read.columns == COLUMNS


def test_several_paths() -> None:
    assert parse_file_options({"paths": '["a", "b,c"]'}).paths == ("a", "b,c")


@pytest.mark.parametrize(("text", "size"), [("65536", 65536), ("64k", 65536), ("16m", 16 << 20), ("1 GB", 1 << 30)])
def test_sizes(text: str, size: int) -> None:
    assert parse_file_options({"path": "a", "bytesPerBatch": text}).read.bytes_per_batch == size


def test_offsets() -> None:
    options = parse_file_options({"path": "a", "startingOffsets": '{"t": {"0": 23, "1": -2}}', "endingOffsets": "100"})
    assert options.starting_offsets.of("t", 0) == 23
    assert options.starting_offsets.of("t", 1) is None
    assert options.starting_offsets.of("u", 0) is None
    assert options.ending_offsets.of("u", 7) == 100
    assert parse_file_options({"path": "a", "startingOffsets": "Earliest"}).starting_offsets.of("t", 0) is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "path: give a topic-partition directory"),
        ({"path": " "}, "path: give a topic-partition directory"),
        ({"path": "a", "colums": "key"}, "colums: there is no such option; did you mean columns?"),
        ({"path": "a", "zzz": "1"}, "zzz: there is no such option; there are path"),
        ({"path": "a", "columns": "key,when"}, "columns: there is no column when; there are key, value"),
        ({"path": "a", "columns": ""}, "columns: one column at least"),
        ({"path": "a", "columns": "key,KEY"}, "none twice"),
        ({"path": "a", "includeHeaders": "yes"}, "includeHeaders: 'yes' is neither true nor false"),
        ({"path": "a", "rowsPerBatch": "0"}, "rowsPerBatch: '0' is not a positive number"),
        ({"path": "a", "rowsPerBatch": "many"}, "rowsPerBatch: 'many' is not a positive number"),
        ({"path": "a", "maxDecompressedBytes": "2g"}, "maxDecompressedBytes: 2147483648 is not between"),
        ({"path": "a", "bytesPerBatch": "2g"}, "bytesPerBatch: 2147483648 is not between"),
        ({"path": "a", "mode": "PERMISSIVE"}, "mode: 'PERMISSIVE' is neither FAILFAST nor DROPMALFORMED"),
        ({"path": "a", "mode": "DROPMALFORMED", "checkCrc": "false"}, "mode: DROPMALFORMED leaves out what checkCrc"),
        ({"path": "a", "startingOffsets": "latest"}, "startingOffsets: 'latest' is neither \"earliest\""),
        ({"path": "a", "startingOffsets": '{"t": {"0": -1}}'}, "startingOffsets: "),
        ({"path": "a", "endingOffsets": '{"t": {"0": -2}}'}, "endingOffsets: "),
        ({"path": "a", "endingOffsets": '{"t": 5}'}, "endingOffsets: "),
        ({"subscribe": "t"}, "subscribe: there is no such option"),
        ({"path": "a", "kafka.bootstrap.servers": "b:9092"}, "kafka.bootstrap.servers: segment files, named by"),
    ],
)
def test_wrong_options_are_named(options: dict[str, str], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        parse_file_options(options)
    assert message in str(caught.value)
