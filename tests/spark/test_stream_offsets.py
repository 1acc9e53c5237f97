"""The reader of a stream, called as Spark calls it, with a real broker and without Spark."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import pytest

pytest.importorskip("pyspark.sql.datasource")

from kafkawire.client import Client, TopicPartition
from kafkawire.spark import OptionError
from kafkawire.spark.planning import DataLossError
from kafkawire.spark.stream import LiveStreamReader, from_json, to_json
from tests.broker.kraft import Broker
from tests.client.records import batch
from tests.spark.streams import LIMITS, Topic, read_batch, stream_reader, wait_until


@pytest.fixture
def client(broker: Broker) -> Iterator[Client]:
    with Client({"bootstrap.servers": broker.bootstrap}) as opened:
        yield opened


def latest(reader: LiveStreamReader, start: object) -> dict[str, dict[str, int]]:
    """As Spark 4.2 asks at each trigger."""
    found: dict[str, dict[str, int]] = reader.latestOffset(
        start,  # type: ignore[arg-type]
        reader.getDefaultReadLimit() if LIMITS else None,
    )
    return found


# ---- the format ----


def test_offsets_are_those_of_sparks_own_source_in_one_order() -> None:
    offsets = {TopicPartition("b", 10): 1, TopicPartition("b", 9): 2**62, TopicPartition("a", 0): 0}
    assert json.dumps(to_json(offsets)) == '{"a": {"0": 0}, "b": {"9": 4611686018427387904, "10": 1}}'
    assert from_json(to_json(offsets)) == offsets


@pytest.mark.parametrize("wrong", [{"a": 5}, {"a": {"x": 1}}, {"a": {"0": None}}, 7])
def test_a_checkpoint_of_something_else(wrong: object) -> None:
    with pytest.raises(OptionError, match="no offsets of topics"):
        from_json(wrong)  # type: ignore[arg-type]


# ---- the order of Spark's calls ----


def test_from_earliest_and_on(broker: Broker, client: Client) -> None:
    topic = Topic(client, 2)
    topic.add(3, 2)
    reader = stream_reader(broker, subscribe=topic.name, startingOffsets="earliest")
    start = reader.initialOffset()
    assert start == topic.offsets(0, 0)
    end = latest(reader, start)
    assert end == topic.offsets(3, 2)
    assert read_batch(reader, start, end) == topic.everything()
    assert latest(reader, end) == end
    assert read_batch(reader, end, end) == []
    topic.add(0, 4)
    assert read_batch(reader, end, latest(reader, end)) == [(1, offset) for offset in range(2, 6)]
    reader.stop()


def test_before_4_2_without_a_start(broker: Broker, client: Client) -> None:
    """Spark 4.0 and 4.1: the first call is latestOffset(), and no limit can be kept then; later ones know the start."""
    topic = Topic(client)
    topic.add(10)
    reader = stream_reader(broker, subscribe=topic.name, startingOffsets="earliest", maxOffsetsPerTrigger=4)
    end = reader.latestOffset()
    assert end == topic.offsets(10)
    start = reader.initialOffset()
    assert read_batch(reader, start, end) == topic.everything()
    topic.add(10)
    assert reader.latestOffset() == topic.offsets(14)
    assert reader.latestOffset() == topic.offsets(14)  # the batch was not planned yet
    assert len(read_batch(reader, end, topic.offsets(14))) == 4
    assert reader.latestOffset() == topic.offsets(18)
    reader.stop()
    # From a checkpoint.
    reader = stream_reader(broker, subscribe=topic.name, maxOffsetsPerTrigger=4)
    assert reader.partitions(topic.offsets(14), topic.offsets(14)) == []
    assert reader.latestOffset() == topic.offsets(18)
    reader.stop()


@pytest.mark.parametrize("old", [False, True], ids=["4.2", "4.0"])
@pytest.mark.parametrize(
    "starting",
    [
        {"startingOffsets": "latest"},
        {"startingTimestamp": 1_900_000_000_000, "startingOffsetsByTimestampStrategy": "latest"},
        {"startingOffsets": '{"TOPIC": {"0": -1}}'},
    ],
    ids=["latest", "timestamp", "offsets"],
)
def test_a_first_batch_from_latest_that_is_done_again(
    broker: Broker, client: Client, starting: dict[str, str], old: bool
) -> None:
    """Spark writes down the end of the first batch only, and asks for its start again after a crash: nothing that came
    in between may be lost."""
    topic = Topic(client)
    topic.add(5)
    options = {name: str(value).replace("TOPIC", topic.name) for name, value in starting.items()}
    reader = stream_reader(broker, subscribe=topic.name, **options)
    if old:
        end = reader.latestOffset()
        topic.add(3)
        start = reader.initialOffset()
    else:
        start = reader.initialOffset()
        topic.add(3)
        end = latest(reader, start)
    assert (start, end) == (topic.offsets(5), topic.offsets(5))
    assert read_batch(reader, start, end) == []
    reader.stop()  # killed before the batch was done

    topic.add(2)
    reader = stream_reader(broker, subscribe=topic.name, **options)
    assert reader.partitions(end, end) == []
    start_again = reader.initialOffset()
    assert start_again == topic.offsets(10)
    assert read_batch(reader, start_again, end) == []
    following = reader.latestOffset() if old else latest(reader, end)
    assert read_batch(reader, end, following) == [(0, offset) for offset in range(5, 10)]
    reader.stop()


def test_a_first_batch_from_earliest_that_is_done_again(broker: Broker, client: Client) -> None:
    topic = Topic(client)
    topic.add(5)
    reader = stream_reader(broker, subscribe=topic.name, startingOffsets="earliest")
    topic.grow(2)  # in between: none of the first batch
    start = reader.initialOffset()
    assert read_batch(reader, start, topic.offsets(5)) == [(0, offset) for offset in range(5)]
    topic.add(0, 2)
    assert read_batch(reader, topic.offsets(5), latest(reader, topic.offsets(5))) == [(1, 0), (1, 1)]
    # Records that a first batch had, and that are gone now.
    topic.delete_records(0, 4)
    again = stream_reader(broker, subscribe=topic.name, startingOffsets="earliest")
    with pytest.raises(DataLossError, match=f"{topic.name}-0 ends at the offset 3, before 4"):
        again.partitions(again.initialOffset(), topic.offsets(3))
    reader.stop()
    again.stop()


# ---- partitions and topics that come and go ----


def test_new_partitions_start_at_their_first_record(broker: Broker, client: Client) -> None:
    topic = Topic(client)
    topic.add(3)
    reader = stream_reader(broker, subscribe=topic.name, startingOffsets="latest", maxOffsetsPerTrigger=4)
    start = reader.initialOffset()
    assert latest(reader, start) == start
    topic.grow(3)
    topic.add(2, 4, 0)
    end = latest(reader, start)
    assert end == topic.offsets(4, 2, 0)  # 4 of the 6, in proportion
    assert read_batch(reader, start, end) == [(0, 3), (1, 0), (1, 1)]
    assert read_batch(reader, end, latest(reader, end)) == [(0, 4), (1, 2), (1, 3)]
    # The same batch again, after a crash.
    again = stream_reader(broker, subscribe=topic.name)
    assert read_batch(again, start, end) == [(0, 3), (1, 0), (1, 1)]
    # One whose first records are gone already.
    topic.delete_records(1, 1)
    with pytest.raises(DataLossError, match=f"{topic.name}-1: new, but starts at the offset 1"):
        again.partitions(start, end)
    reader.stop()
    again.stop()


def test_topics_of_a_pattern(broker: Broker, client: Client) -> None:
    prefix = Topic(client).name
    reader = stream_reader(broker, subscribePattern=f"{prefix}-x.*")
    start = reader.initialOffset()
    assert start == latest(reader, start) == {}
    assert reader.partitions(start, start) == []
    first, second = Topic(client, name=f"{prefix}-x1"), Topic(client, name=f"{prefix}-x2")
    first.add(2)
    end = latest(reader, start)
    assert end == {**first.offsets(2), **second.offsets(0)}
    assert read_batch(reader, start, end) == [(0, 0), (0, 1)]

    client.delete_topics([second.name])
    wait_until(lambda: second.name not in client.metadata().topics)
    with pytest.raises(DataLossError, match=f"{second.name}-0: gone"):
        latest(reader, end)
    with pytest.raises(DataLossError, match=f"{second.name}-0: gone"):
        reader.partitions(end, first.offsets(2))
    with pytest.raises(DataLossError, match=f"{second.name}-0: new, and gone"):
        reader.partitions(start, end)
    careless = stream_reader(broker, subscribePattern=f"{prefix}-x.*", failOnDataLoss=False)
    assert latest(careless, end) == first.offsets(2)
    assert read_batch(careless, start, end) == [(0, 0), (0, 1)]
    assert careless.partitions(end, first.offsets(2)) == []
    reader.stop()
    careless.stop()


def test_a_topic_that_is_shorter_than_it_was(broker: Broker, client: Client) -> None:
    topic = Topic(client)
    topic.add(3)
    options = {"subscribe": topic.name, "fetchOffset.retryIntervalMs": 1}
    reader = stream_reader(broker, **options)
    with pytest.raises(DataLossError, match=f"{topic.name}-0 ends at the offset 3, before 7"):
        latest(reader, topic.offsets(7))
    with pytest.raises(DataLossError, match=f"{topic.name}-0 ends at the offset 3, before 7"):
        reader.partitions(topic.offsets(7), topic.offsets(3))
    careless = stream_reader(broker, **options, failOnDataLoss=False)
    assert latest(careless, topic.offsets(7)) == topic.offsets(3)
    assert careless.partitions(topic.offsets(7), topic.offsets(3)) == []
    reader.stop()
    careless.stop()


# ---- limits ----


@pytest.mark.skipif(not LIMITS, reason="PySpark has limits since 4.2")
def test_limits_of_a_trigger(broker: Broker, client: Client) -> None:
    from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows, ReadMinRows

    topic = Topic(client, 2)
    topic.add(30, 10)
    reader = stream_reader(broker, subscribe=topic.name, startingOffsets="earliest", maxOffsetsPerTrigger=8)
    assert reader.getDefaultReadLimit() == ReadMaxRows(8)
    start = reader.initialOffset()
    assert latest(reader, start) == topic.offsets(6, 2)
    assert reader.reportLatestOffset() == topic.offsets(30, 10)
    assert reader.latestOffset(topic.offsets(6, 2), ReadAllAvailable()) == topic.offsets(30, 10)
    reader.stop()

    options = {"subscribe": topic.name, "startingOffsets": "earliest", "minOffsetsPerTrigger": 8}
    reader = stream_reader(broker, **options)
    assert reader.getDefaultReadLimit() == ReadMinRows(8)
    assert latest(reader, topic.offsets(29, 10)) == topic.offsets(30, 10)  # the first of a run does not wait
    end = topic.offsets(30, 10)
    topic.grow(3)
    topic.add(3, 2, 2)
    assert latest(reader, end) == end
    topic.add(1)
    assert latest(reader, end) == topic.offsets(34, 12, 2)
    assert reader.latestOffset(topic.offsets(33, 12, 2), ReadAllAvailable()) == topic.offsets(34, 12, 2)
    reader.stop()

    reader = stream_reader(broker, **options, maxOffsetsPerTrigger=8, maxTriggerDelay="0ms")
    assert reader.getDefaultReadLimit() == ReadMaxRows(8)
    assert latest(reader, end) == topic.offsets(34, 12, 2)
    assert latest(reader, topic.offsets(34, 12, 1)) == topic.offsets(34, 12, 2)  # no delay at all
    reader.stop()


def test_available_now_ends_where_it_was_when_it_began(broker: Broker, client: Client) -> None:
    topic = Topic(client)
    topic.add(10)
    options = {"subscribe": topic.name, "startingOffsets": "earliest", "maxOffsetsPerTrigger": 4}
    reader = stream_reader(broker, **options, minOffsetsPerTrigger=3)
    reader.prepareForTriggerAvailableNow()
    topic.add(10)
    topic.grow(2)
    topic.add(0, 10)
    start = reader.initialOffset()
    found = [start]
    for _ in range(4):
        found.append(latest(reader, found[-1]))
        topic.add(1)
    # The last batch has fewer than minOffsetsPerTrigger: there will not be more in this run.
    assert found == [topic.offsets(offset) for offset in (0, 4, 8, 10, 10)]
    assert reader.reportLatestOffset() == topic.offsets(10)
    reader.stop()

    # The next run finds the new partition; a broker that lags when the run is prepared is asked again.
    reader = stream_reader(broker, **options)
    reader.prepareForTriggerAvailableNow()
    end = latest(reader, topic.offsets(10))
    assert end == topic.offsets(12, 1)
    reader.stop()
    reader = stream_reader(broker, **options)
    reader.prepareForTriggerAvailableNow()
    topic.add(5)
    assert latest(reader, topic.offsets(27, 10)) == topic.offsets(29, 10)
    reader.stop()


def test_only_what_is_stable(broker: Broker, client: Client) -> None:
    """With read_committed a stream ends before the first open transaction."""
    topic = Topic(client)
    topic.add(2)
    mine = f"producer-{topic.name}"
    producer = client.init_producer_id(mine)
    client.add_partitions_to_txn(mine, producer, [topic[0]])
    settings = {"producer_id": producer.producer_id, "producer_epoch": producer.producer_epoch}
    data = batch([b"open"], base_sequence=0, is_transactional=True, **settings)
    client.produce({topic[0]: data}, transactional_id=mine)
    topic.add(3)
    options = {"subscribe": topic.name, "startingOffsets": "earliest"}
    reader = stream_reader(broker, **options, **{"kafka.isolation.level": "read_committed"})
    assert latest(reader, topic.offsets(0)) == topic.offsets(2)
    everything = stream_reader(broker, **options)
    assert latest(everything, topic.offsets(0)) == topic.offsets(6)
    client.end_txn(mine, producer, committed=False)
    wait_until(lambda: latest(reader, topic.offsets(0)) == topic.offsets(7))  # with the marker
    assert read_batch(reader, topic.offsets(0), topic.offsets(7)) == [(0, offset) for offset in (0, 1, 3, 4, 5)]
    reader.stop()
    everything.stop()


# ---- the group ----


def test_what_is_done_is_committed_to_the_group(broker: Broker, client: Client) -> None:
    topic = Topic(client)
    topic.add(10)
    group = f"group-{topic.name}"

    def committed() -> int | None:
        found = client.fetch_offsets(group, [topic[0]])[topic[0]]
        return None if found is None else found.offset

    client.fetch_offsets(group)  # the broker's first use of groups takes its time
    options = {"subscribe": topic.name, "kafka.group.id": group, "commitOffsets": "true", "maxOffsetsPerTrigger": 4}
    reader = stream_reader(broker, **options, startingOffsets="earliest")
    start = reader.initialOffset()
    assert latest(reader, start) == topic.offsets(4)
    assert len(read_batch(reader, start, topic.offsets(4))) == 4
    assert committed() is None  # a plan is no promise
    assert latest(reader, topic.offsets(4)) == topic.offsets(8)
    assert committed() == 4
    reader.commit(topic.offsets(8))
    assert committed() == 8
    reader.stop()
    # From a checkpoint: the last batch may not have been done, until another one starts where it ended.
    reader = stream_reader(broker, **options)
    assert reader.partitions(topic.offsets(10), topic.offsets(10)) == []
    assert committed() == 8
    assert latest(reader, topic.offsets(10)) == topic.offsets(10)
    assert committed() == 10
    reader.stop()


def test_a_group_that_refuses(broker: Broker, client: Client, caplog: pytest.LogCaptureFixture) -> None:
    """A member of the group: the query goes on, says so, and does not ask at every trigger."""
    from kafkawire.messages import JoinGroupRequest

    topic = Topic(client)
    topic.add(3)
    group = f"group-{topic.name}"
    client.fetch_offsets(group)
    coordinator = client.find_coordinator(group).node_id
    join = JoinGroupRequest(
        group_id=group, session_timeout_ms=60_000, rebalance_timeout_ms=60_000, protocol_type="consumer",
        protocols=[JoinGroupRequest.Protocol(name="range", metadata=b"")],
    )  # fmt: skip
    for _ in range(2):  # the first answer is only the member's name
        response = client.call(join, broker=coordinator)
        assert response is not None
        join.member_id = response.member_id
    assert response.error_code == 0

    reader = stream_reader(broker, **{"subscribe": topic.name, "kafka.group.id": group, "commitOffsets": True})
    with caplog.at_level(logging.WARNING, "kafkawire.spark.group"):
        assert latest(reader, topic.offsets(1)) == topic.offsets(3)
        assert latest(reader, topic.offsets(2)) == topic.offsets(3)
    assert len(caplog.records) == 1
    assert "the query goes on" in caplog.text
    assert "active members" in caplog.text
    assert client.fetch_offsets(group, [topic[0]])[topic[0]] is None
    reader.stop()
