"""``python -m bench.messages``: requests and responses beside kio (Rust), kafka-python and aiokafka, in one process.

Three bodies, in the newest version that all four speak; every competitor decodes the same bytes to its own objects,
and encodes those objects. "decode, read" also reads every field: kafkawire makes lists of broker ids when they are
asked for, and there it has to. A peer that is not installed is named as missing. The figures are microseconds of CPU,
the best round; the ratios are medians over the rounds, above 1 where kafkawire is faster.
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from bench.measure import Competitor, measure
from kafkawire import BACKEND, messages
from kafkawire.schema import Versions

Codec = tuple[Callable[[bytes], Any], Callable[[Any], bytes]]


@dataclass(frozen=True)
class Subject:
    """A body, its version, and where the peers keep their classes."""

    title: str
    name: str
    version: int
    body: bytes
    kafka_python: str
    aiokafka: str
    kio: str


def metadata() -> Subject:
    """Three brokers, 200 topics of 12 partitions."""
    response = messages.MetadataResponse
    partition = response.Topic.Partition
    body = response(
        brokers=[response.Broker(node_id=node, host=f"broker-{node}.example.com", port=9092) for node in range(3)],
        cluster_id="abcdefghijklmnopqrstuv",
        controller_id=1,
        topics=[
            response.Topic(
                name=f"topic-{topic:04d}",
                partitions=[
                    partition(
                        partition_index=index,
                        leader_id=index % 3,
                        replica_nodes=[(index + step) % 3 for step in range(3)],
                        isr_nodes=[(index + step) % 3 for step in range(3)],
                    )
                    for index in range(12)
                ],
            )
            for topic in range(200)
        ],
    ).encode(5)
    return Subject(
        "MetadataResponse v5, 200 topics of 12 partitions", "MetadataResponse", 5, body,
        "kafka.protocol.metadata", "aiokafka.protocol.metadata", "kio.schema.metadata.v5.response",
    )  # fmt: skip


def fetch() -> Subject:
    """100 partitions without records."""
    response = messages.FetchResponse
    partition = response.Topic.Partition
    body = response(
        responses=[
            response.Topic(
                topic=f"topic-{topic:04d}",
                partitions=[
                    partition(
                        partition_index=index,
                        high_watermark=1_000_000 + index,
                        last_stable_offset=1_000_000 + index,
                        log_start_offset=1000,
                        aborted_transactions=[],
                        records=b"",
                    )
                    for index in range(10)
                ],
            )
            for topic in range(10)
        ]
    ).encode(11)
    return Subject(
        "FetchResponse v11, 100 partitions without records", "FetchResponse", 11, body,
        "kafka.protocol.consumer", "aiokafka.protocol.fetch", "kio.schema.fetch.v11.response",
    )  # fmt: skip


def produce() -> Subject:
    """100 partitions of 1 KiB each."""
    request = messages.ProduceRequest
    partition = request.TopicData.PartitionData
    body = request(
        acks=-1,
        timeout_ms=30_000,
        topic_data=[
            request.TopicData(
                name=f"topic-{topic:04d}",
                partition_data=[partition(index=index, records=bytes(1024)) for index in range(10)],
            )
            for topic in range(10)
        ],
    ).encode(7)
    return Subject(
        "ProduceRequest v7, 100 partitions of 1 KiB", "ProduceRequest", 7, body,
        "kafka.protocol.producer", "aiokafka.protocol.produce", "kio.schema.produce.v7.request",
    )  # fmt: skip


def kafkawire_codec(subject: Subject) -> Codec:
    cls: Any = getattr(messages, subject.name)
    version = subject.version
    return lambda data: cls.decode(data, version), lambda message: bytes(message.encode(version))


def kio_codec(subject: Subject) -> Codec:
    cls = getattr(import_module(subject.kio), subject.name)
    serial = import_module("kio.serial")
    read, write = serial.entity_reader(cls), serial.entity_writer(cls)

    def encode(message: Any) -> bytes:
        out = io.BytesIO()
        write(out, message)
        return out.getvalue()

    return lambda data: read(data, 0)[0], encode


def kafka_python_codec(subject: Subject) -> Codec:
    cls = getattr(import_module(subject.kafka_python), subject.name)
    version = subject.version

    def encode(message: Any) -> bytes:
        message._header = None  # what its own constructor sets and its decode forgets
        encoded: bytes = message.encode(version=version)
        return encoded

    return lambda data: cls.decode(data, version=version), encode


def aiokafka_codec(subject: Subject) -> Codec:
    cls = getattr(import_module(subject.aiokafka), f"{subject.name}_v{subject.version}")
    return cls.decode, cls.encode


CODECS: dict[str, Callable[[Subject], Codec]] = {
    "kafkawire": kafkawire_codec,
    "kio": kio_codec,
    "kafka-python": kafka_python_codec,
    "aiokafka": aiokafka_codec,
}


def field_names(value: Any, version: int) -> list[str]:
    """The fields of a competitor's object that its version carries; none of a tuple or a list."""
    kind = type(value)
    if hasattr(kind, "FIELDS"):
        return [name for name, declared in kind.FIELDS.items() if version in Versions(declared.versions)]
    if hasattr(kind, "__dataclass_fields__"):
        return [*kind.__dataclass_fields__]
    if hasattr(kind, "SCHEMA"):
        return list(kind.SCHEMA.names)
    if kind.__module__.startswith("kafka."):
        return [*value.to_dict()]
    return []


def reader(version: int) -> Callable[[Any], None]:
    """A function that reads every field of an object and of what is in it; it learns a type's fields but once."""
    known: dict[type, list[str]] = {}
    leaves = frozenset((int, str, bool, bytes, memoryview, type(None)))

    def read(value: Any) -> None:
        kind = type(value)
        if kind is list or kind is tuple:
            for one in value:
                if type(one) not in leaves:
                    read(one)
            return
        names = known.get(kind)
        if names is None:
            names = known[kind] = field_names(value, version)
        for name in names:
            inner = getattr(value, name)
            if type(inner) not in leaves:
                read(inner)

    return read


def jobs(
    subject: Subject, decode: Callable[[bytes], Any], encode: Callable[[Any], bytes]
) -> dict[str, Callable[[], Any]]:
    """What is measured of one competitor; it must read and write the same bytes first."""
    message = decode(subject.body)
    read = reader(subject.version)
    read(message)
    if encode(message) != subject.body:
        raise ValueError(f"{type(message)} does not encode to the bytes that it was decoded from")
    return {
        "decode": lambda: decode(subject.body),
        "decode, read": lambda: read(decode(subject.body)),
        "encode": lambda: encode(message),
    }


def times(work: Callable[[], Any], count: int) -> Callable[[], None]:
    def repeated() -> None:
        for _ in range(count):
            work()

    return repeated


def report(subject: Subject, rounds: int) -> None:
    """Measure one body and print its lines."""
    print(f"\n{subject.title}: {len(subject.body)} bytes")
    found: dict[str, dict[str, Callable[[], Any]]] = {}
    for name, codec in CODECS.items():
        try:
            found[name] = jobs(subject, *codec(subject))
        except ImportError as error:
            print(f"  {name}: missing ({error})")
    for job in ("decode", "decode, read", "encode"):
        count = 5 if len(subject.body) > 50_000 and job != "encode" else 20
        results = measure([Competitor(name, count, times(work[job], count)) for name, work in found.items()], rounds)
        cells = [f"kafkawire {1e6 / results['kafkawire'].best:8.1f} us"]
        for name, result in results.items():
            if name != "kafkawire":
                cells.append(f"{name} {1e6 / result.best:8.1f} us ({results['kafkawire'].ratio(result):.1f}x)")
        print(f"  {job:13}", "   ".join(cells))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.messages", description=__doc__)
    parser.add_argument("--rounds", type=int, default=25, help="turns of each competitor (default 25)")
    options = parser.parse_args()
    print(f"kafkawire: {BACKEND}")
    for subject in (metadata(), fetch(), produce()):
        report(subject, options.rounds)


if __name__ == "__main__":
    main()
