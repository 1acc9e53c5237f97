"""Every operation against a real broker."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

import kafkawire as kw
from kafkawire import messages
from kafkawire.client import (
    Client,
    ClientError,
    ClosedError,
    CommittedOffset,
    DeadlineError,
    NewTopic,
    OffsetAndTimestamp,
    OffsetOutOfRangeError,
    PartitionError,
    Produced,
    RefusedError,
    TopicMetadata,
    TopicPartition,
)
from kafkawire.errors import EncodeError, LocalProtocolError, UnsupportedError
from tests.broker.java import Java, NewRecord
from tests.broker.kraft import Broker
from tests.client.records import batch, next_values, values_from


@pytest.fixture
def client(broker: Broker) -> Iterator[Client]:
    with Client({"bootstrap.servers": broker.bootstrap}) as made:
        yield made


@pytest.fixture
def topic(client: Client, request: pytest.FixtureRequest) -> Iterator[str]:
    """A topic of three partitions for this test alone."""
    name = "".join(letter if letter.isalnum() else "-" for letter in request.node.name)
    client.create_topics([NewTopic(name, 3)])
    client.list_offsets({TopicPartition(name, number): "latest" for number in range(3)})  # until all have leaders
    yield name
    client.delete_topics([name])


@pytest.mark.parametrize("compression", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_produce_and_fetch(client: Client, java: Java, broker: Broker, topic: str, compression: str) -> None:
    values = [b"value-%d" % number * 20 for number in range(100)]
    first, second = TopicPartition(topic, 0), TopicPartition(topic, 2)
    two = batch(values[:60], compression=compression) + batch(values[60:], compression=compression)
    written = client.produce({first: two, second: batch([b"other"], compression=compression)})
    assert [one.base_offset for one in written[first]] == [0, 60]
    assert [one.base_offset for one in written[second]] == [0]
    assert values_from(client, first) == values
    assert values_from(client, first, 95) == values[95:]
    fetched = client.fetch({first: 0, second: 0})
    assert {batch.compression for batch in kw.read_batches(fetched[first].records)} == {compression}
    assert (fetched[first].high_watermark, fetched[first].last_stable_offset, fetched[first].broker) == (100, 100, 1)
    consumed = java.consume(broker.bootstrap, topic)
    assert [record.value for record in consumed if record.partition == 0] == values


def test_fetch_what_java_wrote(client: Client, java: Java, broker: Broker, topic: str) -> None:
    records = [NewRecord(b"k", b"%d" % number, partition=1) for number in range(500)]
    java.produce(broker.bootstrap, topic, records, compression="zstd")
    assert values_from(client, TopicPartition(topic, 1)) == [record.value for record in records]


def test_list_offsets(client: Client, topic: str) -> None:
    at, empty = TopicPartition(topic, 0), TopicPartition(topic, 1)
    client.produce({at: batch([b"a", b"b", b"c"], timestamp=1000) + batch([b"d"], timestamp=500)})

    def listed(moment: object) -> OffsetAndTimestamp | None:
        return client.list_offsets({at: moment})[at]  # type: ignore[dict-item]

    assert listed("earliest") == OffsetAndTimestamp(0, -1, 0)
    assert listed("latest") == OffsetAndTimestamp(4, -1, 0)
    assert listed("max_timestamp") == OffsetAndTimestamp(2, 1002, 0)
    assert listed(1001) == OffsetAndTimestamp(1, 1001, 0)
    assert listed(0) == OffsetAndTimestamp(0, 1000, 0)
    assert listed(1003) is None
    both = client.list_offsets({at: "latest", empty: "latest"})
    assert both == {at: OffsetAndTimestamp(4, -1, 0), empty: OffsetAndTimestamp(0, -1, -1)} or (
        both[empty] is not None and both[empty].offset == 0  # type: ignore[union-attr]
    )
    assert client.list_offsets({empty: 0}) == {empty: None}
    assert client.list_offsets({}) == {}


def test_metadata(client: Client, broker: Broker, topic: str) -> None:
    metadata = client.metadata([topic])
    assert list(metadata.topics) == [topic]
    assert sorted(metadata.topics[topic].partitions) == [0, 1, 2]
    one = metadata.topics[topic].partitions[0]
    assert (one.leader, one.replicas, one.isr, one.error_code) == (1, (1,), (1,), 0)
    assert metadata.nodes[1].port == broker.port and metadata.nodes[1].rack == "rack-1"
    assert metadata.cluster_id and metadata.controller_id == 1
    assert topic in client.metadata().topics
    assert client.metadata([]).topics == {}
    assert client.metadata(["not-there"]).topics["not-there"].error_code == 3
    assert "not-there" not in client.metadata().topics  # nobody asked for it to be created


def test_api_versions_and_call(client: Client) -> None:
    assert client.api_versions()[18][1] >= 4
    assert client.api_versions(broker=1) == client.api_versions()
    response = client.call(messages.DescribeClusterRequest(), controller=True)
    assert isinstance(response, messages.DescribeClusterResponse)
    assert [one.broker_id for one in response.brokers] == [1]
    response = client.call(messages.MetadataRequest(topics=[]), broker=1, version=4)
    assert isinstance(response, messages.MetadataResponse)
    groups = client.call(messages.ListGroupsRequest(), coordinator="some-group")
    assert isinstance(groups, messages.ListGroupsResponse) and groups.error_code == 0
    with pytest.raises(ValueError, match="one of"):
        client.call(messages.ListGroupsRequest(), broker=1, controller=True)
    with pytest.raises(UnsupportedError, match="StopReplica"):
        client.call(messages.StopReplicaRequest())


def appeared(client: Client, topic: str) -> TopicMetadata:
    """What a broker knows of a topic, as soon as it does: the controller has created it a moment before."""
    deadline = time.monotonic() + 30
    while (found := client.metadata([topic]).topics[topic]).error_code != 0:
        assert time.monotonic() < deadline, found
        time.sleep(0.05)
    return found


def test_topics(client: Client) -> None:
    created = client.create_topics([NewTopic("made", 2, 1, {"cleanup.policy": "compact"})])
    assert created["made"] == appeared(client, "made").topic_id
    with pytest.raises(RefusedError, match=r"already exists") as caught:
        client.create_topics([NewTopic("made")])
    assert (caught.value.code, caught.value.topic) == (36, "made")
    with pytest.raises(RefusedError, match="INVALID_REPLICATION_FACTOR"):
        client.create_topics([NewTopic("too-many", 1, 9)])
    client.create_topics([NewTopic("checked-only", 1)], validate_only=True)
    assert client.metadata(["checked-only"]).topics["checked-only"].error_code == 3
    client.create_topics([NewTopic("placed", assignments={0: [1], 1: [1]})])
    assert len(appeared(client, "placed").partitions) == 2
    client.delete_topics(["made", "placed"])
    deadline = time.monotonic() + 30
    while "made" in client.metadata().topics:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    with pytest.raises(RefusedError, match="UNKNOWN_TOPIC") as caught:
        client.delete_topics(["made"])
    assert caught.value.topic == "made"


def test_a_topic_created_anew_is_another(client: Client) -> None:
    """A fetch by id does not read on in a topic that only has the name of the old one."""
    at = TopicPartition("phoenix", 0)
    client.create_topics([NewTopic("phoenix", 1)])
    client.produce({at: batch([b"old"] * 5)})
    fetcher = client.fetcher(max_wait_ms=50)
    assert next_values(fetcher, at, 0) == (5, [b"old"] * 5)
    client.delete_topics(["phoenix"])
    client.create_topics([NewTopic("phoenix", 1)])
    client.produce({at: batch([b"new"])})
    with pytest.raises(OffsetOutOfRangeError):
        while True:
            fetcher.fetch({at: 5})
    assert next_values(fetcher, at, 0) == (1, [b"new"])


def test_committed_offsets(client: Client, topic: str) -> None:
    first, second = TopicPartition(topic, 0), TopicPartition(topic, 1)
    client.commit_offsets("readers", {first: 5, second: CommittedOffset(7, 0, "so far")})
    expected = {first: CommittedOffset(5), second: CommittedOffset(7, 0, "so far")}
    assert client.fetch_offsets("readers") == expected
    third = TopicPartition(topic, 2)
    assert client.fetch_offsets("readers", [second, third]) == {second: expected[second], third: None}
    assert client.fetch_offsets("nobody", require_stable=True) == {}
    described = client.describe_groups(["readers", "nobody"])
    assert (described["readers"].group_state, described["nobody"].group_state) == ("Empty", "Dead")
    assert client.find_coordinator("readers").node_id == 1
    with pytest.raises(ClientError, match=r"'readers'.*UNKNOWN_MEMBER_ID|UNKNOWN_MEMBER_ID") as caught:
        client.commit_offsets("readers", {first: 6}, generation=3, member_id="stranger")
    assert caught.value.code == 25


def test_fetch_sessions(client: Client, topic: str) -> None:
    """Later requests name what changed only, and the answers stay right."""
    here = [TopicPartition(topic, number) for number in range(3)]
    fetcher = client.fetcher(max_wait_ms=30)
    positions = dict.fromkeys(here, 0)
    assert fetcher.fetch(positions).keys() == positions.keys()  # the session's first answer has all of them
    session = fetcher._sessions[1]
    assert session.session_id != 0 and session.epoch == 1
    assert fetcher.fetch(positions) == {}
    client.produce({here[1]: batch([b"one", b"two"])})
    fetched = fetcher.fetch(positions)
    assert list(fetched) == [here[1]]
    positions[here[1]] = 2
    assert fetcher.fetch(positions) == {}
    client.produce({here[0]: batch([b"zero"]), here[1]: batch([b"three"])})
    assert list(fetcher.fetch({here[0]: 0})) == [here[0]]  # the other one is forgotten
    assert values_from(client, here[1], 2) == [b"three"]
    assert next_values(fetcher, here[1], 2) == (3, [b"three"])  # and taken in again
    assert session.session_id == fetcher._sessions[1].session_id
    # The broker forgets the session, or somebody else has used it: it is begun anew, unnoticed.
    session.epoch += 5
    assert next_values(fetcher, here[0], 0) == (1, [b"zero"])
    session.session_id += 1
    assert next_values(fetcher, here[1], 0) == (3, [b"one", b"two", b"three"])


def test_fetch_waits_for_records(client: Client, topic: str) -> None:
    at = TopicPartition(topic, 0)
    client.metadata([topic])
    began = time.monotonic()
    assert not any(one.records for one in client.fetch({at: 0}, max_wait_ms=300).values())
    assert 0.25 < time.monotonic() - began < 5
    with Client(client.config) as other:
        timer = threading.Timer(0.3, lambda: other.produce({at: batch([b"late"])}))
        timer.start()
        began = time.monotonic()
        assert next_values(client.fetcher(max_wait_ms=20_000), at, 0) == (1, [b"late"])
        assert time.monotonic() - began < 10
        timer.join()


def test_fetch_sizes(client: Client, topic: str) -> None:
    at = TopicPartition(topic, 0)
    large = [bytes([number]) * 50_000 for number in range(4)]
    client.produce({at: b"".join(batch([value]) for value in large)})
    small = client.fetch({at: 0}, partition_max_bytes=1)[at]
    assert [record.value for one in kw.read_batches(small.records) for record in one] == large[:1]  # one comes always
    assert len(client.fetch({at: 0}, max_bytes=120_000)[at].records) < 160_000
    assert values_from(client, at, partition_max_bytes=1) == large


def test_started_fetches_travel_meanwhile(client: Client, topic: str) -> None:
    at = TopicPartition(topic, 0)
    client.produce({at: batch([b"a"]) + batch([b"b"])})
    fetcher = client.fetcher()
    started = fetcher.start({at: 0})
    assert client.metadata([topic]).topics  # on the same connection, behind it
    assert len(list(kw.read_batches(started.result()[at].records))) == 2


def test_offset_out_of_range(client: Client, topic: str) -> None:
    at = TopicPartition(topic, 1)
    with pytest.raises(OffsetOutOfRangeError) as caught:
        client.fetch({at: 10})
    assert (caught.value.topic, caught.value.partition, caught.value.code) == (topic, 1, 1)
    assert f"{topic}-1" in str(caught.value) and "node 1" in str(caught.value)


def test_what_is_not_there(client: Client, topic: str) -> None:
    began = time.monotonic()
    with pytest.raises(DeadlineError, match=r"UNKNOWN_TOPIC_OR_PARTITION") as caught:
        client.list_offsets({TopicPartition("not-there", 0): "latest"})
    assert caught.value.topic == "not-there"
    with pytest.raises(DeadlineError, match="has no partition 99"):
        client.fetch({TopicPartition(topic, 99): 0}, timeout_ms=1000)
    assert time.monotonic() - began < 20


def test_refused_batches(client: Client, topic: str) -> None:
    at = TopicPartition(topic, 0)
    good = batch([b"x"])
    with pytest.raises(PartitionError, match="MESSAGE_TOO_LARGE") as caught:
        client.produce({at: batch([bytes(2_000_000)])})
    assert caught.value.partition == 0
    with pytest.raises(EncodeError, match="3 bytes at the end"):
        client.produce({at: good + b"abc"})
    with pytest.raises(EncodeError, match="magic 1"):
        client.produce({at: batch([b"x"], magic=1)})
    broken = bytearray(good)
    broken[-1] ^= 1
    with pytest.raises(ClientError, match="CORRUPT_MESSAGE"):
        client.produce({at: bytes(broken)}, timeout_ms=500)
    assert values_from(client, at) == []
    client.produce({at: good})
    assert values_from(client, at) == [b"x"]


def test_acks(client: Client, topic: str) -> None:
    at = TopicPartition(topic, 0)
    assert client.produce({at: batch([b"leader"])}, acks=1) == {at: [Produced(0, -1, 0)]}
    assert client.produce({at: batch([b"nobody"])}, acks=0) == {at: [Produced(-1)]}
    deadline = time.monotonic() + 10
    while values_from(client, at) != [b"leader", b"nobody"]:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_produce_creates_topics(client: Client, broker: Broker) -> None:
    at = TopicPartition("made-by-producing", 0)
    assert client.produce({at: batch([b"first"])})[at][0].base_offset == 0
    with (
        Client({"bootstrap.servers": broker.bootstrap, "allow.auto.create.topics": "false"}) as careful,
        pytest.raises(DeadlineError, match="UNKNOWN_TOPIC"),
    ):
        careful.produce({TopicPartition("not-to-be-made", 0): batch([b"x"])}, timeout_ms=1000)


def test_idempotent_producer(client: Client, topic: str) -> None:
    at = TopicPartition(topic, 0)
    producer = client.idempotent_producer()
    first = batch([b"a", b"b"], **producer.settings(topic, 0))
    assert producer.produce({at: first})[at] == [Produced(0, -1, 0)]
    assert producer.settings(topic, 0)["base_sequence"] == 2
    assert client.produce({at: first})[at][0].base_offset == 0  # the broker has it: nothing is written
    second = batch([b"c"], **producer.settings(topic, 0))
    producer.produce({at: second})
    assert values_from(client, at) == [b"a", b"b", b"c"]
    with pytest.raises(LocalProtocolError, match="has sequence 2, 3 is next"):
        producer.produce({at: second})
    with pytest.raises(LocalProtocolError, match="other settings"):
        producer.produce({at: batch([b"x"])})
    # A gap that the producer did not notice, as after another process used its id.
    producer._sequences[at] = 50
    with pytest.raises(PartitionError, match="OUT_OF_ORDER_SEQUENCE_NUMBER"):
        producer.produce({at: batch([b"gap"], **producer.settings(topic, 0))})
    with pytest.raises(LocalProtocolError, match=r"reset\(\) first"):
        producer.produce({at: second})
    old = producer.id
    producer.reset()
    assert producer.id != old
    producer.produce({at: batch([b"d"], **producer.settings(topic, 0))})
    assert values_from(client, at) == [b"a", b"b", b"c", b"d"]


def test_transactions(client: Client, java: Java, broker: Broker, topic: str) -> None:
    at, other = TopicPartition(topic, 0), TopicPartition(topic, 1)
    producer = client.idempotent_producer("tx")

    def write(value: bytes) -> None:
        producer.produce({one: batch([value], **producer.settings(topic, one.partition)) for one in (at, other)})

    with pytest.raises(LocalProtocolError, match="begin"):
        write(b"too early")
    producer.begin()
    write(b"committed")
    producer.send_offsets("tx-readers", {at: 1})
    assert values_from(client, at, isolation_level="read_committed") == []
    assert values_from(client, at) == [b"committed"]
    producer.commit()
    producer.begin()
    write(b"aborted")
    producer.send_offsets("tx-readers", {at: 2})
    producer.abort()
    producer.begin()
    producer.commit()  # nothing in it, nobody is asked
    producer.begin()
    write(b"again")
    write(b"and more")
    producer.commit()
    deadline = time.monotonic() + 10  # the markers are written soon after
    wanted = [b"committed", b"again", b"and more"]
    while values_from(client, at, isolation_level="read_committed") != wanted:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert values_from(client, at) == [b"committed", b"aborted", b"again", b"and more"]
    assert client.fetch_offsets("tx-readers", require_stable=True) == {at: CommittedOffset(1)}
    consumed = java.consume(broker.bootstrap, topic, isolation_level="read_committed")
    assert [record.value for record in consumed if record.partition == 1] == wanted


def test_transactions_are_fenced(client: Client, topic: str) -> None:
    at = TopicPartition(topic, 0)
    old = client.idempotent_producer("fenced")
    old.begin()
    old.produce({at: batch([b"zombie"], **old.settings(topic, 0))})
    new = client.idempotent_producer("fenced")  # aborts what the old one left open
    assert new.id.producer_epoch > old.id.producer_epoch
    with pytest.raises(ClientError) as caught:
        old.commit()
    assert caught.value.code in (47, 90)
    new.begin()
    new.produce({at: batch([b"new"], **new.settings(topic, 0))})
    new.commit()
    deadline = time.monotonic() + 10
    while values_from(client, at, isolation_level="read_committed") != [b"new"]:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_failed_transaction_is_aborted(client: Client, topic: str) -> None:
    at = TopicPartition(topic, 0)
    producer = client.idempotent_producer("failing")
    producer.begin()
    producer.produce({at: batch([b"lost"], **producer.settings(topic, 0))})
    tomorrow = int(time.time() * 1000) + 86_400_000  # later than message.timestamp.after.max.ms allows
    with pytest.raises(PartitionError, match="INVALID_TIMESTAMP"):
        producer.produce({at: batch([b"early"], tomorrow, **producer.settings(topic, 0))})
    with pytest.raises(LocalProtocolError, match=r"abort\(\) first"):
        producer.commit()
    epoch = producer.id.producer_epoch
    producer.abort()
    assert producer.id.producer_epoch > epoch
    producer.begin()
    producer.produce({at: batch([b"kept"], **producer.settings(topic, 0))})
    producer.commit()
    deadline = time.monotonic() + 10
    while values_from(client, at, isolation_level="read_committed") != [b"kept"]:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_state_kept_by_the_caller(client: Client, topic: str) -> None:
    """As a driver commits what executors have written."""
    at = TopicPartition(topic, 2)
    producer = client.init_producer_id("by-hand")
    client.add_partitions_to_txn("by-hand", producer, [at])
    settings = {"producer_id": producer.producer_id, "producer_epoch": producer.producer_epoch}
    data = batch([b"x"], base_sequence=0, is_transactional=True, **settings)
    client.produce({at: data}, transactional_id="by-hand")
    client.end_txn("by-hand", producer, committed=True)
    client.end_txn("by-hand", producer, committed=True)
    deadline = time.monotonic() + 10
    while values_from(client, at, isolation_level="read_committed") != [b"x"]:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_threads_share_a_client(client: Client, topic: str) -> None:
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            at = TopicPartition(topic, number % 3)
            for _ in range(20):
                client.produce({at: batch([b"%d" % number])})
                client.list_offsets({at: "latest"})
                client.fetch({at: 0}, max_wait_ms=10)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failures
    assert sum(len(values_from(client, TopicPartition(topic, number))) for number in range(3)) == 120


def test_closed(broker: Broker) -> None:
    client = Client({"bootstrap.servers": broker.bootstrap})
    client.metadata([])
    client.close()
    client.close()
    with pytest.raises(ClosedError):
        client.metadata([])
