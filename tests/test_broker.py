"""The broker fixtures themselves: what they start works, what is missing is said, and nothing is left behind."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import aiokafka  # type: ignore[import-untyped]
import pytest
from aiokafka.abc import AbstractTokenProvider  # type: ignore[import-untyped]
from aiokafka.errors import KafkaError  # type: ignore[import-untyped]

from tests.broker import maven
from tests.broker.fixtures import made_or_skipped
from tests.broker.java import ConsumedRecord, Java, JavaError, NewRecord
from tests.broker.kraft import Broker, Cluster
from tests.broker.process import Deadline, ToolMissingError, free_ports
from tests.broker.security import MECHANISMS, USERS, oauth_token

HEADERS = (("twice", b"1"), ("twice", b"2"), ("null", None), ("empty", b""))
RECORDS = [
    NewRecord(b"key", b"value", HEADERS, timestamp=1_700_000_000_000, partition=0),
    NewRecord(None, b"", timestamp=1_700_000_000_001, partition=0),
    NewRecord(b"", None, timestamp=1_700_000_000_002, partition=0),
]
SECURE_LISTENERS = ["SSL", "MTLS", *(f"{name} {by}" for name in ("SASL_SSL", "SASL_PLAINTEXT") for by in MECHANISMS)]


def _expected(records: list[NewRecord]) -> list[ConsumedRecord]:
    return [
        ConsumedRecord(0, offset, record.timestamp or 0, "CreateTime", record.key, record.value, record.headers)
        for offset, record in enumerate(records)
    ]


async def _produce_with_aiokafka(topic: str, records: list[NewRecord], **options: Any) -> None:
    producer = aiokafka.AIOKafkaProducer(**options)
    try:
        await producer.start()
        for record in records:
            await producer.send_and_wait(
                topic,
                record.value,
                record.key,
                partition=record.partition,
                timestamp_ms=record.timestamp,
                headers=list(record.headers),
            )
    finally:  # also of a start that fails
        await producer.stop()


async def _consume_with_aiokafka(topic: str, count: int, **options: Any) -> list[ConsumedRecord]:
    consumed: list[ConsumedRecord] = []
    async with aiokafka.AIOKafkaConsumer(topic, auto_offset_reset="earliest", **options) as consumer:
        while len(consumed) < count:
            record = await asyncio.wait_for(consumer.getone(), 20)
            kind = ("CreateTime", "LogAppendTime")[record.timestamp_type]
            consumed.append(
                ConsumedRecord(
                    record.partition,
                    record.offset,
                    record.timestamp,
                    kind,
                    record.key,
                    record.value,
                    tuple(record.headers),
                )
            )
    return consumed


@pytest.mark.parametrize("compression", ["none", "zstd"])
def test_java_produces_what_both_consume(broker: Broker, java: Java, compression: str) -> None:
    topic = f"from-java-{compression}"
    positions = java.produce(broker.bootstrap, topic, RECORDS, compression=compression)
    assert [position.offset for position in positions] == [0, 1, 2]
    assert java.consume(broker.bootstrap, topic) == _expected(RECORDS)
    by_aiokafka = asyncio.run(_consume_with_aiokafka(topic, 3, bootstrap_servers=broker.bootstrap))
    assert by_aiokafka == _expected(RECORDS)


def test_aiokafka_produces_what_java_consumes(broker: Broker, java: Java) -> None:
    asyncio.run(_produce_with_aiokafka("from-aiokafka", RECORDS, bootstrap_servers=broker.bootstrap))
    assert java.consume(broker.bootstrap, "from-aiokafka") == _expected(RECORDS)


def test_topic_with_configs(broker: Broker, java: Java) -> None:
    configs = {"message.timestamp.type": "LogAppendTime"}
    java.create_topic(broker.bootstrap, "configured", partitions=2, configs=configs)
    java.produce(broker.bootstrap, "configured", [NewRecord(None, b"v", timestamp=1, partition=1)])
    (record,) = java.consume(broker.bootstrap, "configured")
    assert (record.partition, record.timestamp_type) == (1, "LogAppendTime")
    assert record.timestamp > 1_700_000_000_000
    with pytest.raises(JavaError, match="TopicExistsException"):
        java.create_topic(broker.bootstrap, "configured")


def test_transactions(broker: Broker, java: Java) -> None:
    for ending in ("commit", "abort", "open"):
        record = NewRecord(None, ending.encode(), partition=0)
        java.produce(broker.bootstrap, "transactions", [record], transactional_id=f"id-{ending}", transaction=ending)
    committed = java.consume(broker.bootstrap, "transactions", isolation_level="read_committed")
    assert [record.value for record in committed] == [b"commit"]
    everything = java.consume(broker.bootstrap, "transactions")
    assert [record.value for record in everything] == [b"commit", b"abort", b"open"]


def test_segment_of_the_broker(broker: Broker, java: Java) -> None:
    java.produce(broker.bootstrap, "segment", RECORDS, compression="lz4")
    path = broker.log_directory / "segment-0" / "00000000000000000000.log"
    segment = java.read_segment(path)
    (batch,) = segment.batches
    assert segment.complete == segment.size == batch.size_in_bytes == path.stat().st_size
    assert (batch.magic, batch.compression, batch.is_valid, batch.count_or_null) == (2, "lz4", True, 3)
    assert [record.headers for record in batch.records] == [HEADERS, (), ()]


def test_damaged_segment_is_told(broker: Broker, java: Java, tmp_path: Path) -> None:
    java.produce(broker.bootstrap, "damaged", RECORDS)
    data = (broker.log_directory / "damaged-0" / "00000000000000000000.log").read_bytes()
    copy = tmp_path / "00000000000000000000.log"
    wrong_crc = bytes(byte ^ 1 for byte in data[17:21])
    copy.write_bytes(data[:17] + wrong_crc + data[21:] + data[:40])  # and the beginning of a second batch
    segment = java.read_segment(copy)
    assert [batch.is_valid for batch in segment.batches] == [False]
    assert segment.size - segment.complete == 40


def _secure_options(secure_broker: Broker, listener: str, password: str = "") -> dict[str, Any]:
    assert secure_broker.certificates is not None
    name, _, mechanism = listener.partition(" ")
    protocol = "SSL" if name == "MTLS" else name
    options: dict[str, Any] = {"bootstrap_servers": secure_broker.address(name), "security_protocol": protocol}
    if protocol in ("SSL", "SASL_SSL"):
        options["ssl_context"] = secure_broker.certificates.client_context(with_certificate=name == "MTLS")
    if mechanism:
        options |= {
            "sasl_mechanism": mechanism,
            "sasl_plain_username": "alice",
            "sasl_plain_password": password or USERS["alice"],
        }
    return options


@pytest.mark.parametrize("listener", SECURE_LISTENERS)
def test_secure_listener_by_aiokafka(secure_broker: Broker, listener: str) -> None:
    options = _secure_options(secure_broker, listener)
    topic = f"secure-{listener.replace(' ', '-')}"
    asyncio.run(_produce_with_aiokafka(topic, RECORDS, **options))
    assert asyncio.run(_consume_with_aiokafka(topic, 3, **options)) == _expected(RECORDS)


class _Token(AbstractTokenProvider):  # type: ignore[misc]
    def __init__(self, token: str) -> None:
        self._token = token

    async def token(self) -> str:
        return self._token


@pytest.mark.parametrize("listener", ["SASL_SSL OAUTHBEARER", "SASL_PLAINTEXT OAUTHBEARER"])
def test_oauth_token_by_aiokafka(secure_broker: Broker, listener: str) -> None:
    options = _secure_options(secure_broker, listener)
    topic = f"secure-{listener.replace(' ', '-')}"
    options["sasl_oauth_token_provider"] = _Token(oauth_token())
    asyncio.run(_produce_with_aiokafka(topic, RECORDS, **options))
    assert asyncio.run(_consume_with_aiokafka(topic, 3, **options)) == _expected(RECORDS)
    # The broker answers with its reasons and waits for the client to take note, which aiokafka never does.
    options |= {"sasl_oauth_token_provider": _Token(oauth_token(lifetime=-100)), "request_timeout_ms": 500}
    with pytest.raises(KafkaError):
        asyncio.run(_produce_with_aiokafka(topic, RECORDS, **options))


@pytest.mark.parametrize("listener", ["MTLS", "SASL_SSL SCRAM-SHA-512"])
def test_secure_listener_by_java(secure_broker: Broker, java: Java, listener: str) -> None:
    name, _, mechanism = listener.partition(" ")
    properties = secure_broker.client_properties(name, mechanism, user="bob")
    address = secure_broker.address(name)
    java.produce(address, f"java-{name}", RECORDS, properties=properties)
    assert java.consume(address, f"java-{name}", properties=properties) == _expected(RECORDS)


@pytest.mark.parametrize("listener", [listener for listener in SECURE_LISTENERS if "SASL" in listener])
def test_wrong_password_is_refused(secure_broker: Broker, listener: str) -> None:
    with pytest.raises(KafkaError):
        asyncio.run(_produce_with_aiokafka("refused", RECORDS, **_secure_options(secure_broker, listener, "wrong")))


def test_mtls_without_certificate_is_refused(secure_broker: Broker) -> None:
    options = {**_secure_options(secure_broker, "SSL"), "bootstrap_servers": secure_broker.address("MTLS")}
    with pytest.raises(KafkaError):
        asyncio.run(_produce_with_aiokafka("refused", RECORDS, **options))


def test_cluster_survives_its_leader(cluster: Cluster, java: Java) -> None:
    first = [NewRecord(None, b"%d" % number, partition=0) for number in range(200)]
    then = [NewRecord(None, b"%d" % number, partition=0) for number in range(200, 400)]
    java.produce(cluster.bootstrap, "failover", first, properties={"acks": "all"})
    leader = cluster.leader("failover")
    cluster.kill(leader)
    assert not cluster.nodes[leader].is_running
    java.produce(cluster.bootstrap, "failover", then, properties={"acks": "all"})
    assert cluster.leader("failover", other_than=leader) != leader
    cluster.restart(leader)
    consumed = java.consume(cluster.bootstrap, "failover")
    assert [record.value for record in consumed] == [record.value for record in first + then]


def test_killed_broker_comes_back_with_its_data(broker: Broker, java: Java) -> None:
    java.produce(broker.bootstrap, "survivor", RECORDS)
    port = broker.port
    broker.kill()
    broker.start()
    assert broker.port == port
    assert java.consume(broker.bootstrap, "survivor") == _expected(RECORDS)


def test_broker_that_does_not_start_says_why() -> None:
    broken = made_or_skipped(lambda: Broker(properties={"num.partitions": "none"}))
    with pytest.raises(RuntimeError, match=r"ended with code 1\n(.|\n)*num\.partitions"), broken:
        pytest.fail("it started")
    assert not broken.log_directory.parent.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends children with their parent")
def test_nothing_outlives_a_killed_test_run(tmp_path: Path) -> None:
    program = """
        import pathlib, sys, time
        from tests.broker.process import Process
        child = Process("sleep", ["sleep", "60"], pathlib.Path(sys.argv[1]))
        print(child.pid, flush=True)
        time.sleep(60)
    """
    command = [sys.executable, "-c", textwrap.dedent(program), str(tmp_path / "log")]
    root = Path(__file__).parents[1]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as run:
        assert run.stdout is not None
        child = int(run.stdout.readline())
        command_line = Path(f"/proc/{child}/cmdline")
        deadline = Deadline(10)
        while b"sleep" not in command_line.read_bytes().split(b"\0")[:1] and deadline.pause():
            pass  # still the launcher: what counts is that the request survives exec
        run.kill()
    deadline = Deadline(10)
    while command_line.exists() and command_line.read_bytes() and deadline.pause():
        pass
    assert not command_line.exists() or not command_line.read_bytes()  # a zombie has no command line


def test_free_ports_are_different() -> None:
    assert len(set(free_ports(50))) == 50


def _fake_mvn(directory: Path, script: str) -> None:
    mvn = directory / "mvn"
    mvn.write_text(f"#!/bin/sh\n{script}\n")
    mvn.chmod(0o755)


@pytest.fixture
def fake_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory first on PATH with a java that says 17, and an empty cache beside it."""
    tools = tmp_path / "tools"
    tools.mkdir()
    java = tools / "java"
    java.write_text("#!/bin/sh\necho 'openjdk version \"17.0.1\"' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("KAFKAWIRE_TEST_CACHE", str(tmp_path / "cache"))
    return tools


def test_two_processes_resolve_once(fake_tools: Path, tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    _fake_mvn(fake_tools, f'echo call >> {calls}; sleep 1; cd "$(dirname "$5")"; mkdir jars; echo jar > jars/a.jar')
    program = "from tests.broker import maven; print(maven.resolve('x', ['g:a:1']))"
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[1]
        )
        for _ in range(2)
    ]
    outputs = {run.communicate(timeout=30)[0].strip() for run in runs}
    assert len(outputs) == 1
    assert (Path(outputs.pop()) / "a.jar").read_text() == "jar\n"
    assert calls.read_text() == "call\n"


def test_failed_resolution_says_why_and_leaves_nothing(fake_tools: Path, tmp_path: Path) -> None:
    _fake_mvn(fake_tools, "echo '[ERROR] no such artifact'; exit 1")
    with pytest.raises(ToolMissingError, match="no such artifact"):
        maven.resolve("x", ["g:a:1"])
    assert [path.name for path in (tmp_path / "cache" / "jars").iterdir() if not path.name.endswith(".lock")] == []


def test_resolution_is_bounded_in_time(fake_tools: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _fake_mvn(fake_tools, "exec sleep 60")
    monkeypatch.setattr(maven, "_TIMEOUT", 0.5)
    begun = time.monotonic()
    with pytest.raises(ToolMissingError, match="within"):
        maven.resolve("x", ["g:a:1"])
    assert time.monotonic() - begun < 20


def test_missing_tool_skips_but_fails_where_it_must_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("KAFKAWIRE_TEST_CACHE", str(tmp_path / "cache"))
    for name in ("CI", "KAFKAWIRE_REQUIRE_BROKER"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(pytest.skip.Exception, match="mvn is not on this machine"):
        made_or_skipped(Broker)
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="must run here: mvn is not"):
        made_or_skipped(Broker)
