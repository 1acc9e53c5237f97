"""The bench measures what it says: its bytes hold the records it generated, and everybody reads them. No timing."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from bench import datasets, limits, measure, peers, report, subject
from bench.datasets import CODECS, DATASETS, Encoded

COUNT = 700  # several batches of every 16 KiB set

SETS_AND_CODECS = [(name, codec) for name, dataset in DATASETS.items() for codec in dataset.codecs]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KAFKAWIRE_BENCH_CACHE", str(tmp_path))
    return tmp_path


def load(name: str, codec: str) -> Encoded:
    return datasets.load(name, codec, COUNT / DATASETS[name].count)


def generated(encoded: Encoded) -> list[tuple[object, ...]]:
    magic = encoded.dataset.magic
    return [
        (offset, None if magic == 0 else timestamp, key, value, headers if magic == 2 else [])
        for offset, (timestamp, key, value, headers) in enumerate(encoded.dataset.rows(encoded.count))
    ]


@pytest.mark.parametrize(("name", "codec"), SETS_AND_CODECS)
def test_aiokafka_reads_back_what_was_generated(name: str, codec: str) -> None:
    encoded = load(name, codec)
    assert encoded.count == COUNT
    assert peers.aiokafka_rows(encoded.data) == generated(encoded)


@pytest.mark.parametrize(("name", "codec"), SETS_AND_CODECS)
def test_kafkawire_reads_back_what_was_generated(name: str, codec: str) -> None:
    encoded = load(name, codec)
    assert subject.rows(encoded.data) == generated(encoded)


@pytest.mark.parametrize("name", ["D1", "D1n", "D2", "D3"])
def test_the_columns_measured_hold_the_records(name: str) -> None:
    encoded = load(name, "lz4")
    table = subject.columns(encoded)
    expected = generated(encoded)
    assert table.column("offset").to_pylist() == [row[0] for row in expected]
    assert table.column("key").to_pylist() == [row[2] for row in expected]
    assert table.column("value").to_pylist() == [row[3] for row in expected]


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("name", ["D1", "D1n", "D2", "D3"])
def test_every_encoder_writes_all_records_in_several_batches(name: str, codec: str) -> None:
    dataset = DATASETS[name]
    rows = list(dataset.rows(COUNT))
    expected = [(timestamp, key, value, headers) for timestamp, key, value, headers in rows]
    table = subject.columns_to_write(load(name, "none"))
    # A small limit, so that all of them must split, D2 too.
    size = 8 << 10
    written = {
        "aiokafka": peers.aiokafka_encode(rows, codec, size),
        "kafka-python": peers.kafka_python_encode(rows, codec, size),
        "kafkawire objects": subject.encode_objects(rows, codec, size),
        "kafkawire columns": [subject.encode_columns(table, codec, size)],
    }
    for who, batches in written.items():
        data = b"".join(bytes(batch) for batch in batches)
        assert [row[1:] for row in peers.aiokafka_rows(data)] == expected, who
        assert len(list(Encoded(dataset, codec, COUNT, data).batches())) > 1, who


def test_sets_are_the_same_every_time_and_sized_as_described() -> None:
    for name, key, value in (("D1", 20, 100), ("D1n", 20, 100), ("D2", None, 1024), ("D3", None, 10)):
        rows = list(DATASETS[name].rows(50))
        assert rows == list(DATASETS[name].rows(50))
        assert {(None if row[1] is None else len(row[1]), len(row[2] or b"")) for row in rows} == {(key, value)}
    for _, _, _, headers in DATASETS["D1"].rows(50):
        assert [(len(name), len(value or b"")) for name, value in headers] == [(12, 16), (12, 16)]


def test_batches_fill_their_size_and_values_compress_about_three_times() -> None:
    plain, packed = load("D1n", "none"), load("D1n", "gzip")
    sizes = [len(batch) for batch in plain.batches()]
    assert all(15 << 10 < size <= 16 << 10 for size in sizes[:-1])
    assert 2.5 < len(plain.data) / len(packed.data) < 4


@pytest.mark.parametrize(
    ("codec", "library"), [(codec, library) for codec, found in limits.LIBRARIES.items() for library in found]
)
def test_decompression_limits_decompress(codec: str, library: str) -> None:
    plain, packed = load("D1n", "none"), load("D1n", codec)
    for before, after in zip(plain.batches(), packed.batches(), strict=True):
        payload, size = bytes(datasets.compressed_payload(after)), len(before) - 61
        assert limits.SIZES[codec](payload) == size
        made: Any = limits.LIBRARIES[codec][library](payload, size)
        assert b"".join(map(bytes, made if isinstance(made, list) else [made])) == before[61:]


def test_work_in_other_processes_is_timed_unless_cpu_time_is_asked_for() -> None:
    waiting = [measure.Competitor("waits", 10, lambda: time.sleep(0.05))]
    wall, cpu = measure.measure(waiting, 3)["waits"], measure.measure(waiting, 3, measure.CPU)["waits"]
    assert min(wall.seconds) >= 0.045 and wall.median <= 10 / 0.045
    assert max(cpu.seconds) < 0.04 and min(cpu.wall_seconds) >= 0.045


def test_a_ratio_is_the_median_of_the_rounds_and_knows_both_clocks() -> None:
    ours = measure.Result("ours", 100, [1.0, 1.0, 10.0], [2.0, 2.0, 2.0])
    other = measure.Result("other", 50, [1.0, 2.0, 1.0], [1.0, 1.0, 1.0])
    assert ours.ratio(other) == 2.0  # of 2, 4 and 0.2
    assert ours.wall_ratio(other) == 1.0
    assert (ours.best, ours.median) == (100.0, 100.0)


def test_a_prefix_is_whole_batches() -> None:
    encoded = load("D1n", "none")
    first = encoded.prefix(0.01)
    assert 0 < first.count < encoded.count
    assert peers.aiokafka_rows(first.data) == generated(encoded)[: first.count]


def test_a_codec_that_the_format_lacks_is_refused() -> None:
    with pytest.raises(ValueError, match="D1n-v1 has no zstd"):
        datasets.load("D1n-v1", "zstd", 0.001)


def test_the_whole_bench_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = tmp_path / "bench.json"
    options = ["--scale", "0.0007", "--rounds", "2", "--sets", "D1n", "--codecs", "none", "lz4", "--json", str(written)]
    assert report.main(options) == 0
    printed = capsys.readouterr().out
    assert "decode D1n" in printed and "encode D1n" in printed and "pure decode D1n" in printed
    found = json.loads(written.read_text())
    assert all(len(result["seconds"]) == 2 for result in found["results"])
    measured = [target for target in found["targets"] if target["got"] is not None]
    # Every target about D1n without compression or with lz4 was measured.
    assert measured == [t for t in found["targets"] if t["dataset"] == "D1n" and t["codec"] in ("none", "lz4")]
    assert len(measured) == 8
