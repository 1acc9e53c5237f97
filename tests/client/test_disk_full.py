"""A broker whose disk is full."""

from __future__ import annotations

import pytest

from kafkawire.client import Client, ClientError, NewTopic, TopicPartition
from tests.broker.fixtures import made_or_skipped
from tests.broker.kraft import Broker
from tests.client.records import batch, values_from

resource = pytest.importorskip("resource", reason="limits of a process are Unix's")

# Beyond Kafka's index files, which have 10 MiB from the start.
_ROOM = 12 << 20
_VALUE = bytes(500_000)


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="only Linux can limit another process")
def test_a_broker_that_cannot_write_any_more() -> None:
    """An error in bounded time, with place and cause; what was acknowledged before is there, once and in order."""
    at = TopicPartition("full", 0)
    with made_or_skipped(Broker) as broker:
        times = {"request.timeout.ms": 2000, "delivery.timeout.ms": 6000, "default.api.timeout.ms": 60_000}
        with Client({"bootstrap.servers": broker.bootstrap, **times}) as client:
            client.create_topics([NewTopic(at.topic, 1, 1)])
            producer = client.idempotent_producer()
            # A file that would become larger: the system refuses it as it refuses a write to a full disk.
            resource.prlimit(broker.pid, resource.RLIMIT_FSIZE, (_ROOM, resource.RLIM_INFINITY))
            acknowledged: list[bytes] = []
            with pytest.raises(ClientError) as caught:
                while len(acknowledged) * len(_VALUE) <= _ROOM:
                    value = b"%d:" % len(acknowledged) + _VALUE
                    producer.produce({at: batch([value], **producer.settings(*at))})
                    acknowledged.append(value)
            assert acknowledged
            assert (caught.value.topic, caught.value.partition) == at
            assert caught.value.__cause__ is not None

            broker.kill()
            broker.start()
            found = values_from(client, at)
            assert found[: len(acknowledged)] == acknowledged
            assert len(found) <= len(acknowledged) + 1  # of the last one nothing is known
            producer.reset()
            producer.produce({at: batch([b"again"], **producer.settings(*at))})
            assert values_from(client, at) == [*found, b"again"]
