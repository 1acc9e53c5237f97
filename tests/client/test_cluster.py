"""Three brokers: leaders that die while records are written and read, coordinators too, and replicas nearby."""

from __future__ import annotations

import threading
import time

import kafkawire as kw
from kafkawire import messages
from kafkawire.client import Client, CommittedOffset, NewTopic, TopicPartition
from tests.broker.java import Java
from tests.broker.kraft import Cluster
from tests.client.records import batch, next_values, values_from


def test_leader_is_killed_while_fetching_and_producing(cluster: Cluster, java: Java) -> None:
    """Nothing is lost, nothing is there twice, and the order of each partition stays."""
    topic = "killed-leader"
    partitions = [TopicPartition(topic, number) for number in range(3)]
    written: list[bytes] = []  # of each partition
    done = threading.Event()
    seen: dict[TopicPartition, list[bytes | None]] = {at: [] for at in partitions}
    failures: list[BaseException] = []
    with Client({"bootstrap.servers": cluster.bootstrap}) as client:
        client.create_topics([NewTopic(topic, 3, 3)])
        killed = threading.Event()

        def produce() -> None:
            producer = client.idempotent_producer()
            after = 150  # batches that still come when the leader is dead
            while after:
                values = [b"%d" % (len(written) + number) for number in range(5)]
                producer.produce({at: batch(values, **producer.settings(topic, at.partition)) for at in partitions})
                written.extend(values)
                after -= killed.is_set()
            done.set()

        def fetch() -> None:
            with Client({"bootstrap.servers": cluster.bootstrap}) as reader:
                fetcher = reader.fetcher()
                positions = dict.fromkeys(partitions, 0)
                deadline = time.monotonic() + 120
                while not done.is_set() or any(len(values) < len(written) for values in seen.values()):
                    assert time.monotonic() < deadline, {at: len(values) for at, values in seen.items()}
                    for at, fetched in fetcher.fetch(positions).items():
                        for one in kw.read_batches(fetched.records):
                            seen[at] += [record.value for record in one if record.offset >= positions[at]]
                            positions[at] = max(positions[at], one.last_offset + 1)

        def guarded(work: object) -> None:
            try:
                work()  # type: ignore[operator]
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=guarded, args=(work,)) for work in (produce, fetch)]
        for thread in threads:
            thread.start()
        deadline = time.monotonic() + 60
        while min(map(len, seen.values())) < 100 and time.monotonic() < deadline and not failures:
            time.sleep(0.05)
        cluster.kill(cluster.leader(topic, 0))  # in the midst of it
        killed.set()
        for thread in threads:
            thread.join(180)
        assert not failures, failures
        assert len(written) > 800
        for at in partitions:
            assert seen[at] == written
            assert values_from(client, at) == written
    consumed = java.consume(cluster.bootstrap, topic)
    assert [record.value for record in consumed if record.partition == 1] == written


def test_transaction_survives_its_coordinator(cluster: Cluster) -> None:
    at = TopicPartition("killed-coordinator", 0)
    with Client({"bootstrap.servers": cluster.bootstrap}) as client:
        client.create_topics([NewTopic(at.topic, 1, 3)])
        producer = client.idempotent_producer("survivor")
        producer.begin()
        producer.produce({at: batch([b"before"], **producer.settings(*at))})
        cluster.kill(client.find_coordinator("survivor", "transaction").node_id)
        producer.produce({at: batch([b"after"], **producer.settings(*at))})
        producer.commit()
        deadline = time.monotonic() + 30
        while values_from(client, at, isolation_level="read_committed") != [b"before", b"after"]:
            assert time.monotonic() < deadline
            time.sleep(0.2)


def test_group_and_controller_survive(cluster: Cluster) -> None:
    at = TopicPartition("killed-group", 0)
    with Client({"bootstrap.servers": cluster.bootstrap}) as client:
        client.create_topics([NewTopic(at.topic, 1, 3)])
        client.commit_offsets("survivors", {at: 1})
        cluster.kill(client.find_coordinator("survivors").node_id)
        client.commit_offsets("survivors", {at: 2})
        assert client.fetch_offsets("survivors") == {at: CommittedOffset(2)}
        assert client.describe_groups(["survivors"])["survivors"].group_state == "Empty"
        assert client.create_topics([NewTopic("created-with-two", 1, 2)])
        described = client.call(messages.DescribeClusterRequest(), controller=True)
        assert isinstance(described, messages.DescribeClusterResponse)


def test_fetch_from_the_nearest_replica(cluster: Cluster) -> None:
    """A follower of our rack answers (KIP-392); when it dies, the leader does."""
    at = TopicPartition("nearby", 0)
    with Client({"bootstrap.servers": cluster.bootstrap}) as client:
        client.create_topics([NewTopic(at.topic, 1, 3)])
        client.produce({at: batch([b"a", b"b"])})
        leader = cluster.leader(at.topic)
        follower = next(node for node in cluster.NODES if node != leader)
        fetcher = client.fetcher(rack=f"rack-{follower}", max_wait_ms=100)
        deadline = time.monotonic() + 20
        while True:  # until the follower knows how far the replicas are
            fetched = fetcher.fetch({at: 0}).get(at)
            if fetched is not None and fetched.records and fetched.broker == follower:
                break
            assert time.monotonic() < deadline
        assert [record.value for one in kw.read_batches(fetched.records) for record in one] == [b"a", b"b"]
        assert client.fetch({at: 0})[at].broker == leader
        cluster.kill(follower)
        client.produce({at: batch([b"c"])})
        assert next_values(fetcher, at, 2) == (3, [b"c"])
