"""Paths to segment files to ranges, without Spark."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pyspark")

import kafkawire as kw
from kafkawire.spark.files import find_segments, plan, topic_partition
from kafkawire.spark.options import parse_file_options

FIRST, SECOND = "00000000000000000000.log", "00000000000000000100.log"
TOPICS = Path(__file__).parents[2] / "examples" / "demo" / "topics"


@pytest.fixture
def broker(tmp_path: Path) -> Path:
    """A broker's directory: two topics, an internal one, and everything else that lies around there."""
    for name in (
        f"orders-0/{FIRST}",
        f"orders-0/{SECOND}",
        "orders-0/00000000000000000000.index",
        "orders-0/00000000000000000000.timeindex",
        "orders-0/00000000000000000000.log.deleted",
        "orders-0/00000000000000000100.snapshot",
        "orders-0/leader-epoch-checkpoint",
        f"orders-10/{FIRST}",
        f"my-shop.v2_x-3/{FIRST}",
        f"gone-0.8f1d2c3b4a5e6f70819a2b3c4d5e6f70-delete/{FIRST}",
        f"moved-0.8f1d2c3b4a5e6f70819a2b3c4d5e6f70-future/{FIRST}",
        f"__consumer_offsets-7/{FIRST}",
        "meta.properties",
    ):
        path = tmp_path / "kafka-logs-1" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    return tmp_path / "kafka-logs-1"


def found(*paths: object) -> list[tuple[str, int, int]]:
    return [(one.topic, one.partition, one.base_offset) for one in find_segments([str(path) for path in paths])]


ORDERS = [("orders", 0, 0), ("orders", 0, 100)]


def test_topic_partition() -> None:
    assert topic_partition("/data/orders-0") == ("orders", 0)
    assert topic_partition("/data/a-b-12/") == ("a-b", 12)
    assert topic_partition("/data/orders") is None
    assert topic_partition("/data/orders-0.8f1d-delete") is None


def test_broker_directory(broker: Path) -> None:
    assert found(broker) == [("my-shop.v2_x", 3, 0), *ORDERS, ("orders", 10, 0)]


def test_partition_directory_file_glob_list_url(broker: Path) -> None:
    assert found(broker / "orders-0") == ORDERS
    assert found(f"{broker}/orders-0/") == ORDERS
    assert found(broker / "orders-0" / SECOND) == ORDERS[1:]
    assert found(broker / "orders-0" / "*") == ORDERS
    assert found(broker / "orders-*") == [*ORDERS, ("orders", 10, 0)]
    assert found(f"{broker}/orders-0, {broker}/orders-10/*.log") == [*ORDERS, ("orders", 10, 0)]
    assert found(f"file://{broker}/orders-0") == ORDERS
    assert found(f"file:{broker}/orders-0,file:{broker}/orders-10") == [*ORDERS, ("orders", 10, 0)]
    assert found(broker / "orders-0", broker / "orders-0" / FIRST) == ORDERS


def test_internal_topics_have_to_be_named(broker: Path) -> None:
    assert found(broker / "__consumer_offsets-7") == [("__consumer_offsets", 7, 0)]
    assert ("__consumer_offsets", 7, 0) not in found(broker / "*")


def test_a_name_with_a_comma(tmp_path: Path) -> None:
    (tmp_path / "a,b" / "t-0").mkdir(parents=True)
    (tmp_path / "a,b" / "t-0" / FIRST).touch()
    assert found(tmp_path / "a,b") == [("t", 0, 0)]


def test_missing_paths_are_named(broker: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere: no such file or directory"):
        find_segments([f"{broker}/nowhere"])
    with pytest.raises(FileNotFoundError, match=r"nowhere-\*: nothing matches this glob"):
        find_segments([f"{broker}/nowhere-*"])
    with pytest.raises(FileNotFoundError, match=r"none of the 1 matches is a segment file"):
        find_segments([f"{broker}/meta.*"])
    (broker / "empty-0").mkdir()
    with pytest.raises(FileNotFoundError, match=r"empty-0: no segments; expected files such as 0{20}\.log"):
        find_segments([str(broker / "empty-0")])


def test_wrong_paths_are_named(broker: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"00000000000000000000\.index: not a segment file"):
        find_segments([str(broker / "orders-0" / "00000000000000000000.index")])
    (tmp_path / "loose").mkdir()
    (tmp_path / "loose" / FIRST).touch()
    with pytest.raises(ValueError, match=r"loose is not a topic-partition directory"):
        find_segments([str(tmp_path / "loose")])
    with pytest.raises(ValueError, match=r"s3a://bucket/orders-0: only files .* kafkawire\.spark\.decode"):
        find_segments(["s3a://bucket/orders-0"])


def test_replicas_are_not_read_twice(broker: Path, tmp_path: Path) -> None:
    (tmp_path / "kafka-logs-2" / "orders-0").mkdir(parents=True)
    (tmp_path / "kafka-logs-2" / "orders-0" / FIRST).touch()
    with pytest.raises(ValueError, match=r"the same segment is found twice"):
        find_segments([str(broker), str(tmp_path / "kafka-logs-2")])


def ranges(**options: str) -> list[tuple[str, int, int]]:
    return [(one.segment.topic, one.start, one.stop) for one in plan(parse_file_options(options))]


def test_a_range_for_each_segment() -> None:
    path = TOPICS / "v2-none-0"
    sizes = [(path / name).stat().st_size for name in (FIRST, "00000000000000000356.log")]
    assert ranges(path=str(path)) == [("v2-none", 0, sizes[0]), ("v2-none", 0, sizes[1])]


@pytest.mark.parametrize("topic", ["v2-none-0", "mixed-v0-v1-v2-0", "v0-lz4-0"])
@pytest.mark.parametrize("split", ["1000", "5000", "9k"])
def test_large_segments_are_cut_on_batch_boundaries(topic: str, split: str) -> None:
    path = TOPICS / topic / FIRST
    data = path.read_bytes()
    boundaries = {batch.position for batch in kw.split(data).batches} | {len(data)}
    largest = max(batch.size for batch in kw.split(data).batches)
    parts = ranges(path=str(path), splitBytes=split)
    size = int(split.replace("k", "000"))
    assert len(parts) > 1
    assert {start for _, start, _ in parts} <= boundaries
    assert [start for _, start, _ in parts] == [0, *(stop for _, _, stop in parts[:-1])]
    assert parts[-1][2] == len(data)
    assert all(stop - start <= size * 1.024 + largest for _, start, stop in parts)


def test_segments_outside_of_the_offsets_are_not_planned(segments: Path) -> None:
    path = str(segments / "v2-kafka-4.3.1" / "v2-segments-0")

    def bases(**options: str) -> list[int]:
        return [one.segment.base_offset for one in plan(parse_file_options({"path": path, **options}))]

    assert bases() == [0, 100, 1212, 1312, 2467, 2567]
    assert bases(startingOffsets="1212") == [1212, 1312, 2467, 2567]
    assert bases(startingOffsets="1211") == [100, 1212, 1312, 2467, 2567]
    assert bases(endingOffsets="1312") == [0, 100, 1212]
    assert bases(endingOffsets="1313") == [0, 100, 1212, 1312]
    assert bases(startingOffsets='{"v2-segments": {"0": 99999}}') == [2567]
    assert bases(startingOffsets='{"v2-segments": {"1": 99999}}') == [0, 100, 1212, 1312, 2467, 2567]
