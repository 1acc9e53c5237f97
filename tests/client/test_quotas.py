"""Brokers that want to be left alone for a while (KIP-219)."""

from __future__ import annotations

import time

import pytest

from kafkawire.client import Client, DeadlineError, TopicPartition
from kafkawire.client.throttling import throttled_ms
from kafkawire.messages import (
    AlterClientQuotasRequest,
    AlterClientQuotasResponse,
    FetchResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
)
from kafkawire.schema import Request, Response
from tests.broker.kraft import Broker
from tests.client.records import batch, values_from
from tests.connection.mock_broker import TOPIC, MockBroker

AT = TopicPartition(TOPIC, 0)


class Throttling(MockBroker):
    """Answers ListOffsets at once, and wants nothing for a while after the first time."""

    def __init__(self, milliseconds: int) -> None:
        super().__init__(batch([b"x"]))
        self.milliseconds = milliseconds
        self.answered: list[float] = []
        self.asked: list[float] = []

    def answer(self, request: Request) -> Response:
        response = super().answer(request)
        if isinstance(request, ListOffsetsRequest):
            assert isinstance(response, ListOffsetsResponse)
            self.asked.append(time.monotonic())
            response.throttle_time_ms = 0 if self.answered else self.milliseconds
            self.answered.append(time.monotonic())
        return response


def test_waits_as_long_as_asked() -> None:
    with Throttling(700) as mock, Client({"bootstrap.servers": mock.bootstrap}) as client:
        client.list_offsets({AT: "latest"})
        cpu = time.process_time()
        for _ in range(3):
            client.list_offsets({AT: "latest"})
        assert time.process_time() - cpu < 0.5  # nothing spins
        assert mock.asked[1] - mock.answered[0] >= 0.69
        assert len(mock.asked) == 4


def test_never_longer_than_the_caller_waits() -> None:
    with (
        Throttling(2**31 - 1) as mock,
        Client({"bootstrap.servers": mock.bootstrap, "default.api.timeout.ms": 600}) as client,
    ):
        client.list_offsets({AT: "latest"})
        began = time.monotonic()
        with pytest.raises(DeadlineError, match=r"a quota is used up: .* 21474\d\d\.\d seconds"):
            client.list_offsets({AT: "latest"})
        assert time.monotonic() - began < 5
        assert len(mock.asked) == 1


def test_versions_in_which_the_broker_has_waited() -> None:
    response = FetchResponse(throttle_time_ms=500)
    assert throttled_ms(1, 8, response) == 500
    assert throttled_ms(1, 7, response) == 0
    assert throttled_ms(1, 8, FetchResponse(throttle_time_ms=-5)) == 0
    assert throttled_ms(49, 0, AlterClientQuotasResponse(throttle_time_ms=5)) == 5


def test_a_quota_of_a_real_broker(broker: Broker) -> None:
    name, at = "client-with-a-quota", TopicPartition("quota", 0)
    entry = AlterClientQuotasRequest.Entry
    request = AlterClientQuotasRequest(
        entries=[
            entry(
                entity=[entry.Entity(entity_type="client-id", entity_name=name)],
                ops=[entry.Op(key="producer_byte_rate", value=100_000.0)],
            )
        ]
    )
    with Client({"bootstrap.servers": broker.bootstrap, "client.id": name}) as client:
        response = client.call(request, controller=True)
        assert isinstance(response, AlterClientQuotasResponse) and response.entries[0].error_code == 0
        values = [bytes(50_000) for _ in range(2)]
        written, throttled = 0, 0
        end = time.monotonic() + 60
        while throttled < 2:  # the quota comes into force a moment after it was set
            assert time.monotonic() < end
            client.produce({at: batch(values)})
            written += len(values)
            brokers = client._cluster._brokers.values()
            throttled += any(one._throttled_until > time.monotonic() for one in brokers)
            began = max(one._throttled_until for one in brokers)
            client.list_offsets({at: "latest"})
            assert time.monotonic() >= began
    with Client({"bootstrap.servers": broker.bootstrap}) as client:
        assert len(values_from(client, at)) == written
