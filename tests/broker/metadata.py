"""Who is in the cluster and who leads what: one Metadata v0 request, which every broker from 0.8 to 4.4 answers.

Written out by hand on purpose, so that the fixtures stand without the library that they test.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.broker.process import HOST, Deadline, Process

START_TIMEOUT = 90.0  # seconds; 3 to 8 are usual, a busy machine takes longer

_HEADER = struct.Struct(">hhih")  # api_key 3, version 0, correlation_id, length of the client_id


@dataclass(frozen=True)
class Metadata:
    """Brokers as node id to port, and each topic's leaders as partition to node id (-1: none)."""

    brokers: dict[int, int] = field(default_factory=dict)
    leaders: dict[str, dict[int, int]] = field(default_factory=dict)


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def int16(self) -> int:
        return self._int(">h")

    def int32(self) -> int:
        return self._int(">i")

    def string(self) -> str:
        length = self.int16()
        self._at += length
        return self._data[self._at - length : self._at].decode()

    def _int(self, layout: str) -> int:
        (value,) = struct.unpack_from(layout, self._data, self._at)
        self._at += struct.calcsize(layout)
        return int(value)


def fetch_metadata(port: int, topics: Sequence[str], timeout: float = 5.0) -> Metadata:
    """Ask the broker on this port of 127.0.0.1; no topics means all. Topics that do not exist may be created by it.

    Raises OSError when it does not answer within ``timeout`` seconds.
    """
    client = b"kafkawire-tests"
    body = struct.pack(">i", len(topics)) + b"".join(
        struct.pack(">h", len(name)) + name for name in (topic.encode() for topic in topics)
    )
    request = _HEADER.pack(3, 0, 1, len(client)) + client + body
    with socket.create_connection((HOST, port), timeout) as connection:
        connection.sendall(struct.pack(">i", len(request)) + request)
        (size,) = struct.unpack(">i", _receive(connection, 4))
        return _parse(_Reader(_receive(connection, size)))


def wait_until_ready(processes: Sequence[Process], port: int, brokers: int = 1) -> None:
    """Wait until the broker answers, and knows of so many brokers that are up.

    Raises RuntimeError with the end of its log when one of the processes dies, or after START_TIMEOUT seconds.
    """
    deadline = Deadline(START_TIMEOUT)
    while deadline.pause():
        for process in processes:
            process.require_alive()
        try:
            if len(fetch_metadata(port, ()).brokers) >= brokers:
                return
        except OSError:
            continue
    logs = "\n".join(process.log_tail() for process in processes)
    raise RuntimeError(f"{processes[-1].name} is not ready after {START_TIMEOUT:.0f} s\n{logs}")


def wait_for_leader(ports: Sequence[int], topic: str, partition: int = 0, other_than: int | None = None) -> int:
    """Node id of the partition's leader, as the first of the brokers that answers knows it; creates a missing topic.

    Waits until there is one, and while it is still ``other_than``. Raises RuntimeError after 30 seconds.
    """
    deadline = Deadline(30.0)
    known: Metadata | None = None
    while deadline.pause():
        for port in ports:
            try:
                known = fetch_metadata(port, (topic,))
                break
            except OSError:
                continue
        leader = known.leaders.get(topic, {}).get(partition, -1) if known is not None else -1
        if leader not in (-1, other_than):
            return leader
    raise RuntimeError(f"no leader for {topic}-{partition}: {known}")


def _receive(connection: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        chunk = connection.recv(size - len(data))
        if not chunk:
            raise ConnectionError("the broker closed the connection instead of answering")
        data += chunk
    return bytes(data)


def _parse(reader: _Reader) -> Metadata:
    metadata = Metadata()
    reader.int32()  # correlation_id
    for _ in range(reader.int32()):
        node_id = reader.int32()
        reader.string()  # host
        metadata.brokers[node_id] = reader.int32()
    for _ in range(reader.int32()):
        reader.int16()  # error_code: a topic that is being created has one, and no partitions yet
        leaders = metadata.leaders.setdefault(reader.string(), {})
        for _ in range(reader.int32()):
            reader.int16()  # error_code
            partition, leader = reader.int32(), reader.int32()
            leaders[partition] = leader
            for _ in range(2):  # replicas, in-sync replicas
                for _ in range(reader.int32()):
                    reader.int32()
    return metadata
