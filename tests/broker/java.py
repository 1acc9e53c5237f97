"""Kafka's own Java classes as judges: produce to a broker, consume from it, read a segment file.

The programs are in java/*.java, compiled once into the test cache. Each call is one JVM: half a second or more.
"""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tests.broker.maven import KAFKA_VERSION, kafka_jars
from tests.broker.process import bound_to_parent, cache_directory, find_tool, java_command

Headers = tuple[tuple[str, bytes | None], ...]
_SOURCES = Path(__file__).with_name("java")


@dataclass(frozen=True)
class NewRecord:
    """A record to produce; without a timestamp (ms since epoch) or a partition the producer chooses."""

    key: bytes | None
    value: bytes | None
    headers: Headers = ()
    timestamp: int | None = None
    partition: int | None = None


@dataclass(frozen=True)
class Position:
    """Where a produced record is; the timestamp is in ms since epoch."""

    partition: int
    offset: int
    timestamp: int


@dataclass(frozen=True)
class ConsumedRecord:
    """A record as KafkaConsumer gives it: a missing timestamp is -1, of type "NoTimestampType"."""

    partition: int
    offset: int
    timestamp: int
    timestamp_type: str
    key: bytes | None
    value: bytes | None
    headers: Headers


@dataclass(frozen=True)
class SegmentRecord:
    """A record as Record gives it; see SegmentBatch."""

    offset: int
    timestamp: int
    timestamp_type: str
    sequence: int
    key: bytes | None
    value: bytes | None
    headers: Headers


@dataclass(frozen=True)
class SegmentBatch:
    """A batch as FileChannelRecordBatch gives it: what a format lacks is -1, the compression has Kafka's name."""

    position: int
    base_offset: int
    last_offset: int
    size_in_bytes: int
    magic: int
    is_valid: bool
    crc: int
    compression: str
    timestamp_type: str
    max_timestamp: int
    delete_horizon_ms: int | None
    producer_id: int
    producer_epoch: int
    base_sequence: int
    last_sequence: int
    partition_leader_epoch: int
    is_control: bool
    is_transactional: bool
    count_or_null: int | None
    records: tuple[SegmentRecord, ...]


@dataclass(frozen=True)
class SegmentFile:
    """All batches of a segment file, the bytes that they take from its start, and its size in bytes."""

    batches: tuple[SegmentBatch, ...]
    complete: int
    size: int


@dataclass(frozen=True)
class Judgement:
    """What a consumer makes of a buffer of batches.

    ``count`` records with a CRC-32 ``crc`` over their contents (see JudgeBatches.java), or the class ``thrown`` and its
    message ``text``. ``complete``: bytes of the whole batches that were read.
    """

    complete: int
    count: int | None = None
    crc: int | None = None
    thrown: str | None = None
    text: str | None = None


class JavaError(RuntimeError):
    """The Java side threw; the message is its stack trace."""


class Java:
    """The programs, compiled against one version of Kafka's classes (4.2 or later)."""

    def __init__(self, version: str = KAFKA_VERSION) -> None:
        """Resolves and compiles what is not in the cache; raises ToolMissingError without Maven or a JDK."""
        jars = kafka_jars(version)
        self._classpath = f"{_compiled(jars)}:{jars / '*'}"

    def consume(
        self,
        bootstrap: str,
        topic: str,
        *,
        isolation_level: Literal["read_committed", "read_uncommitted"] = "read_uncommitted",
        properties: Mapping[str, str] | None = None,
        timeout: int = 30,
    ) -> list[ConsumedRecord]:
        """All records from the beginning of each partition to its end; JavaError after ``timeout`` seconds."""
        config = {"bootstrap.servers": bootstrap, "isolation.level": isolation_level, **(properties or {})}
        lines = self._run("Consume", config, topic, str(timeout), timeout=timeout + 30)
        return [ConsumedRecord(**_record_fields(line)) for line in lines]

    def produce(
        self,
        bootstrap: str,
        topic: str,
        records: Iterable[NewRecord],
        *,
        compression: str = "none",
        properties: Mapping[str, str] | None = None,
        transactional_id: str | None = None,
        transaction: Literal["commit", "abort", "open"] = "commit",
        timeout: int = 60,
    ) -> list[Position]:
        """Write the records, in one transaction if it has an id; "open" leaves that as a crashed producer would."""
        # The flush at the end sends what lingers: batches are as full as batch.size allows, whatever the pace.
        config = {"linger.ms": "1000", "compression.type": compression, "bootstrap.servers": bootstrap}
        config |= properties or {}
        if transactional_id is not None:
            config["transactional.id"] = transactional_id
        ending = "none" if transactional_id is None else transaction
        lines = [
            json.dumps(
                {
                    "partition": record.partition,
                    "timestamp": record.timestamp,
                    "key": _base64(record.key),
                    "value": _base64(record.value),
                    "headers": [[name, _base64(value)] for name, value in record.headers],
                }
            )
            for record in records
        ]
        output = self._run("Produce", config, topic, ending, lines=lines, timeout=timeout)
        return [Position(**line) for line in output]

    def create_topic(
        self,
        bootstrap: str,
        topic: str,
        *,
        partitions: int = 1,
        replication_factor: int = -1,
        configs: Mapping[str, str] | None = None,
        properties: Mapping[str, str] | None = None,
    ) -> None:
        """Create a topic, with the broker's own replication factor unless one is given; JavaError if it exists."""
        config = {"bootstrap.servers": bootstrap, **(properties or {})}
        numbers = (str(partitions), str(replication_factor))
        self._run("CreateTopic", config, topic, *numbers, json.dumps(dict(configs or {})), timeout=60)

    def config_defaults(self) -> dict[str, set[str | None]]:
        """The options of consumer, producer and admin client, with the defaults that they have in these."""
        defaults: dict[str, set[str | None]] = {}
        for line in self._run("ConfigDefaults", None, timeout=60):
            defaults.setdefault(line["name"], set()).add(line["default"])
        return defaults

    def parse_jaas(self, texts: Iterable[str]) -> list[tuple[str, dict[str, str]] | None]:
        """The login module and options of each ``sasl.jaas.config``; None for what Java refuses."""
        lines = [base64.b64encode(text.encode()).decode() for text in texts]
        parsed = self._run("ParseJaas", None, lines=lines, timeout=60)
        return [(line["login_module"], line["options"]) if line else None for line in parsed]

    def read_segment(self, path: Path) -> SegmentFile:
        """Read a segment file as a broker would; JavaError for what cannot be read (a wrong CRC is is_valid=False)."""
        *batches, last = self._run("ReadSegment", None, str(path), timeout=120)
        return SegmentFile(tuple(_batch(line) for line in batches), last["complete"], last["size"])

    def judge_batches(self, buffers: Sequence[bytes], timeout: float = 300) -> list[Judgement]:
        """What a consumer makes of each buffer, checksums checked; whatever it throws is an answer."""
        given = b"".join(len(data).to_bytes(4, "big") + data for data in buffers)
        return [Judgement(**line) for line in self._run("JudgeBatches", None, given=given, timeout=timeout)]

    def _run(
        self,
        program: str,
        config: Mapping[str, str] | None,
        *arguments: str,
        lines: Sequence[str] = (),
        given: bytes | None = None,
        timeout: float,
    ) -> list[dict[str, Any]]:
        """The program's lines; its standard input are ``lines``, or the bytes ``given``."""
        leading = () if config is None else (json.dumps(config),)
        command = java_command(self._classpath, program, *leading, *arguments, heap="512m", log_level="warn")
        try:
            done = subprocess.run(
                bound_to_parent(command),
                input="\n".join(lines).encode() if given is None else given,
                capture_output=True,
                timeout=timeout,
            )
        except subprocess.TimeoutExpired as error:
            log = (error.stderr or b"").decode(errors="replace")[-4000:]
            raise JavaError(f"{program} took more than {timeout:.0f} s\n{log}") from None
        if done.returncode != 0:
            raise JavaError(
                f"{program} ended with code {done.returncode}\n{done.stderr.decode(errors='replace')[-4000:]}"
            )
        return [json.loads(line) for line in done.stdout.splitlines()]


def _compiled(jars: Path) -> Path:
    """Directory with the compiled programs, made whole or not at all."""
    sources = sorted(_SOURCES.glob("*.java"))
    digest = hashlib.sha256(b"\0".join([jars.name.encode(), *(source.read_bytes() for source in sources)]))
    root = cache_directory() / "classes"
    target = root / digest.hexdigest()[:16]
    if target.is_dir():
        return target
    javac = find_tool("javac")
    root.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=".javac-", dir=root))
    try:
        command = [javac, "--release", "17", "-Xlint:all,-processing", "-cp", str(jars / "*"), "-d", str(work)]
        done = subprocess.run([*command, *map(str, sources)], capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            raise JavaError(f"javac ended with code {done.returncode}\n{done.stderr}")
        try:
            work.rename(target)
        except OSError:  # another process was faster, with the same result
            if not target.is_dir():
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return target


def _base64(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)


def _record_fields(line: Mapping[str, Any]) -> dict[str, Any]:
    fields = {_snake_case(name): value for name, value in line.items()}
    fields["key"], fields["value"] = _bytes(line["key"]), _bytes(line["value"])
    fields["headers"] = tuple((name, _bytes(value)) for name, value in line["headers"])
    return fields


def _batch(line: Mapping[str, Any]) -> SegmentBatch:
    fields = {_snake_case(name): value for name, value in line.items()}
    fields["records"] = tuple(SegmentRecord(**_record_fields(record)) for record in line["records"])
    return SegmentBatch(**fields)


def _snake_case(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
