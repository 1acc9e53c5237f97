"""The brokers from the time of ZooKeeper: each writes its own record format, which the Java classes of today read."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.broker.fixtures import made_or_skipped
from tests.broker.java import Java
from tests.broker.zookeeper import LAST_WITHOUT_KRAFT, MAGIC_0, MAGIC_1, MAGIC_2, OldBroker

RECORDS = [(f"key-{number}", f"value-{number}") for number in range(5)]


def _check(broker: OldBroker, java: Java, topic: str, magic: int) -> None:
    broker.console_produce(topic, RECORDS, compression="gzip")
    assert broker.console_consume(topic, len(RECORDS)) == RECORDS
    segment = java.read_segment(broker.log_directory / f"{topic}-0" / "00000000000000000000.log")
    assert {(batch.magic, batch.compression, batch.is_valid) for batch in segment.batches} == {(magic, "gzip", True)}
    records = [record for batch in segment.batches for record in batch.records]
    assert [(record.key, record.value) for record in records] == [(k.encode(), v.encode()) for k, v in RECORDS]


@pytest.mark.parametrize(("version", "magic"), [(MAGIC_0, 0), (MAGIC_1, 1), (MAGIC_2, 2)])
def test_each_writes_its_own_format(
    old_broker: Callable[[str], OldBroker], java: Java, version: str, magic: int
) -> None:
    _check(old_broker(version), java, "own-format", magic)


def test_later_broker_converts_to_an_old_format(java: Java) -> None:
    properties = {"log.message.format.version": "0.9.0"}
    with made_or_skipped(lambda: OldBroker(LAST_WITHOUT_KRAFT, properties=properties)) as broker:
        _check(broker, java, "converted", magic=0)


def test_version_out_of_range_is_refused() -> None:
    with pytest.raises(ValueError, match="not one of"):
        OldBroker("3.9.2")
