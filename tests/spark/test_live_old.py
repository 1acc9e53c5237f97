"""Live reads of brokers of former years, whose records have former formats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("pyspark.sql.datasource")

from kafkawire.client import Client, TopicPartition
from tests.broker.zookeeper import OldBroker
from tests.spark.conftest import Row
from tests.spark.live import T0, batch, offsets, reader
from tests.spark.peer import THEIRS, Peer

VALUES = [b"%d" % number for number in range(40)]


@pytest.mark.parametrize(("version", "magic"), [("0.10.2.2", 1), ("0.11.0.3", 2)])
def test_every_record(peer: Peer, old_broker: Callable[[str], OldBroker], version: str, magic: int) -> None:
    old = Peer(peer.spark, old_broker(version).bootstrap)
    topic = "live-old"
    with Client({"bootstrap.servers": old.bootstrap}) as client:
        for codec in ("none", "gzip"):
            client.produce({TopicPartition(topic, 0): batch(VALUES, magic=magic, compression=codec)})
    cases: dict[str, dict[str, Any]] = {
        "all": {"subscribe": topic},
        "cut": {"subscribe": topic, "startingOffsets": f'{{"{topic}": {{"0": 45}}}}', "minPartitions": 4},
    }
    whole = [
        Row(topic, 0, number, (T0 + 1000 * (number % 40)) * 1000, 0, None, VALUES[number % 40], None)
        for number in range(80)
    ]
    assert {name: old.ours(**options) for name, options in cases.items()} == {"all": whole, "cut": whole[45:]}
    if magic == 1:  # Spark's source wants brokers from 0.11 on for some of its options
        assert "UnsupportedVersion" in old.refusal(THEIRS, **cases.pop("cut"))
    old.same_each(cases)


def test_a_broker_that_cuts_batches(old_broker: Callable[[str], OldBroker]) -> None:
    """0.9 and earlier cut even the first batch of a response: more is asked for until it is whole."""
    broker = old_broker("0.9.0.1")
    old: dict[str, Any] = {"api.version.request": False, "broker.version.fallback": "0.9.0"}
    at = TopicPartition("live-cut", 0)
    with Client({"bootstrap.servers": broker.bootstrap, **old}) as client:
        for size in (10, 5_000, 20, 70_000, 30):
            client.produce({at: batch([b"x" * size] * 2, magic=0, compression="gzip" if size == 20 else "none")})
    given = {f"kafka.{name}": value for name, value in old.items()}
    found = reader(broker.bootstrap, subscribe=at.topic, kafka_max_partition_fetch_bytes=100, **given)
    assert offsets(found) == list(range(10))
