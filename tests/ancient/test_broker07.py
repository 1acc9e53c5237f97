"""The small broker over a real socket, against the sans-IO client: as a 0.7.2 broker answers, refuses and closes."""

from __future__ import annotations

import importlib.util
import os
import shutil
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.ancient.samples import captures
from tests.samples import unpacked

EXAMPLE = Path(__file__).parents[2] / "examples" / "broker07.py"
RESPONSES = {"fetch": "FetchResponse", "multifetch": "MultiFetchResponse", "offsets": "OffsetsResponse"}


def load_example(path: Path) -> ModuleType:
    """A script as a module, with the copy of kafkawire that is in sys.modules."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[path.stem]
    return module


class Client:
    """A blocking client of a few lines: sends requests, waits for all that is to come."""

    def __init__(self, kw: ModuleType, address: tuple[str, int]) -> None:
        self.socket = socket.create_connection(address, timeout=10)
        self.connection = kw.ancient.v07.ClientConnection()

    def send(self, *requests: Any) -> None:
        self.socket.sendall(b"".join(self.connection.send(request) for request in requests))

    def next(self) -> Any:
        while (event := self.connection.next_event()) is None:
            self.connection.receive(self.socket.recv(65536))
        return event

    def ask(self, request: Any) -> Any:
        self.send(request)
        event = self.next()
        assert event.request is request
        return event.response


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return Path(shutil.copytree(unpacked("kafka07") / "segments-0.7.2", tmp_path / "logs"))


@pytest.fixture
def broker(kw: ModuleType, directory: Path) -> Iterator[Any]:
    with load_example(EXAMPLE).Broker07(directory, partitions=4, segment_size=2000) as broker:
        yield broker


@pytest.fixture
def client(kw: ModuleType, broker: Any) -> Iterator[Client]:
    client = Client(kw, broker.address)
    yield client
    client.socket.close()


def content(directory: Path, name: str) -> bytes:
    return b"".join(path.read_bytes() for path in sorted((directory / name).glob("*.kafka")))


def test_answers_what_the_real_broker_answered(kw: ModuleType, client: Client) -> None:
    """Every fetch that was captured, asked again: the same frames, byte for byte."""
    v07 = kw.ancient.v07
    asked = [row for row in captures() if row["dir"] == "resp" and row["type"] in (1, 2)]
    client.send(*[v07.decode_request(row["request"]["data"]) for row in asked])
    for row in asked:
        assert client.next().response.encode() == row["data"], row["file"]


def test_offsets_as_the_real_broker_answered(kw: ModuleType, client: Client, directory: Path) -> None:
    """Every OFFSETS that was captured; a time an hour ahead of the clock of then is asked for an hour ahead of ours."""
    v07 = kw.ancient.v07
    for path in directory.glob("*/*.kafka"):
        os.utime(path)
    for row in captures():
        if row["dir"] == "resp" and row["type"] == 4:
            request = v07.decode_request(row["request"]["data"])
            if request.time > 1_790_000_000_000:
                request.time = time.time_ns() // 1_000_000 + 3_600_000
            assert client.ask(request).offsets == row["request"]["op"]["offsets"], row["file"]


def test_offsets_by_time(kw: ModuleType, client: Client, directory: Path) -> None:
    v07 = kw.ancient.v07
    first, second = sorted((directory / "segs-0").glob("*.kafka"))
    os.utime(first, (1000, 1000))
    os.utime(second, (2000, 2000))

    def offsets(stamp: int, number: int = 10) -> list[int]:
        return list(client.ask(v07.OffsetsRequest("segs", 0, stamp, number)).offsets)

    assert offsets(999_999) == []
    assert offsets(1_000_000) == [0]
    assert offsets(1_999_999) == [0]
    assert offsets(2_000_000) == [2012, 0]
    assert offsets(2_000_000, 1) == [2012]
    assert offsets(int(time.time() * 1000) - 60_000) == [2012, 0]
    assert offsets(int(time.time() * 1000) + 60_000) == [3830, 2012, 0]
    assert (offsets(-1), offsets(-2), offsets(-1, 0)) == ([3830, 2012, 0], [0], [])


def test_a_log_read_from_end_to_end(kw: ModuleType, client: Client, directory: Path) -> None:
    """Small chunks, each cut anywhere, never across a segment: together they are the log."""
    v07 = kw.ancient.v07
    offset, values = 0, []
    while True:
        response = client.ask(v07.FetchRequest("segs", 1, offset, 900))
        assert response.error_code == 0
        if not len(response.messages):
            break
        values += [message.value for message in v07.read_messages(response.messages, offset)]
        offset = v07.next_fetch_offset(response.messages, offset)
    log = kw.log.AncientLog(directory / "segs-1")
    assert offset == log.end_offset
    assert values == [message.value for message in log.messages()]


def test_edges_of_a_fetch(kw: ModuleType, client: Client, directory: Path) -> None:
    v07 = kw.ancient.v07
    data = content(directory, "plain-0")

    def fetch(offset: int, size: int = 1000, topic: str = "plain", partition: int = 0) -> tuple[int, bytes]:
        response = client.ask(v07.FetchRequest(topic, partition, offset, size))
        return response.error_code, bytes(response.messages)

    assert fetch(0, 7) == (0, data[:7])
    assert fetch(0, 0) == (0, b"")
    assert fetch(3, 30) == (0, data[3:33])  # inside of a message, unchecked
    assert fetch(len(data)) == (0, b"")
    assert fetch(len(data) + 1) == fetch(-1) == (1, b"")
    assert fetch(0, partition=99) == fetch(0, partition=-1) == (3, b"")
    assert fetch(0, topic="nosuch") == (0, b"")
    assert fetch(0, topic="") == (-1, b"")
    assert fetch(0, 15) == (0, data[:15])  # all that was asked before leaves the connection as it was
    with pytest.raises(kw.WireError):
        list(v07.read_messages(fetch(3)[1], 3))


def closes(client: Client, *requests: Any, answered: int = 0) -> None:
    client.send(*requests)
    events = [client.next() for _ in range(answered + 1)]
    assert [type(event).__name__ for event in events] == ["Answer"] * answered + ["Closed"]


def test_where_the_connection_closes(kw: ModuleType, broker: Any, directory: Path) -> None:
    v07 = kw.ancient.v07
    good = v07.encode_message(b"good")
    before = content(directory, "plain-0")
    fine = v07.FetchRequest("plain", 0, 0, 100)
    for bad in (
        v07.ProduceRequest("plain", 0, good + v07.encode_message(b"x")[:-1] + b"y"),
        v07.ProduceRequest("plain", 0, v07.encode_message(b"x", attributes=3)),
        v07.ProduceRequest("plain", 0, b"\0\0\0\x06\x02" + good[5:]),
        v07.ProduceRequest("plain", 99, good),
        v07.ProduceRequest("", 0, good),
        v07.OffsetsRequest("plain", 99, -1, 1),
        v07.OffsetsRequest("", 0, -1, 1),
        v07.OffsetsRequest("plain", 0, -1, -1),
        v07.FetchRequest("plain", 0, 0, -1),
    ):
        client = Client(kw, broker.address)
        closes(client, fine, bad, answered=1)
        client.socket.close()
    client = Client(kw, broker.address)
    client.socket.sendall(b"\0\0\0\x02\0\x07")
    assert type(client.next()).__name__ == "Closed"
    client.socket.close()
    assert content(directory, "plain-0") == before


def test_what_was_not_answered_is_told(kw: ModuleType, broker: Any) -> None:
    v07 = kw.ancient.v07
    client = Client(kw, broker.address)
    first, bad, lost = (
        v07.FetchRequest("plain", 0, 0, 10), v07.OffsetsRequest("plain", 99, -1, 1), v07.FetchRequest("plain", 0, 0, 10)
    )
    client.send(first, bad, lost)
    assert client.next().request is first
    assert client.next() == v07.Closed([bad, lost])
    with pytest.raises(v07.LocalProtocolError):
        client.connection.send(first)
    client.socket.close()


def test_producing(kw: ModuleType, client: Client, directory: Path) -> None:
    v07 = kw.ancient.v07
    sets = [v07.write_messages([b"%d" % n] * 30, compression=kind) for n, kind in enumerate(["none", "gzip", "snappy"])]
    for data in sets:
        client.send(v07.ProduceRequest("fresh", 2, data))
    client.send(v07.ProduceRequest("fresh", 2, v07.encode_message(b"whole") + v07.encode_message(b"torn")[:-1]))
    response = client.ask(v07.FetchRequest("fresh", 2, 0, 1 << 20))
    assert bytes(response.messages) == b"".join(sets) + v07.encode_message(b"whole")
    client.send(v07.ProduceRequest("fresh", v07.RANDOM_PARTITION, sets[0]), v07.MultiProduceRequest([]))
    sent = [v07.ProduceRequest("many", n, v07.encode_message(b"%d" % n)) for n in range(3)]
    bad = v07.ProduceRequest("many", 99, sets[0])
    client.send(v07.MultiProduceRequest([*sent, bad, v07.ProduceRequest("many", 3, sets[0])]))
    assert type(client.next()).__name__ == "Closed"
    # Not atomic: what stands before the bad one is stored.
    assert [content(directory, f"many-{n}") for n in range(4)] == [bytes(part.messages) for part in sent] + [b""]
    assert sum(content(directory, f"fresh-{n}").count(sets[0]) for n in range(4)) == 2


def test_segments_roll(kw: ModuleType, client: Client, directory: Path) -> None:
    v07 = kw.ancient.v07
    data = v07.encode_message(bytes(1500))
    client.send(*[v07.ProduceRequest("rolls", 0, data) for _ in range(5)])
    size = len(data)
    assert client.ask(v07.OffsetsRequest("rolls", 0, -1, 10)).offsets == [5 * size, 4 * size, 2 * size, 0]
    log = kw.log.AncientLog(directory / "rolls-0")
    assert [segment.base_offset for segment in log.segments] == [0, 2 * len(data), 4 * len(data)]
    assert (log.gaps, len(list(log.messages()))) == ([], 5)
