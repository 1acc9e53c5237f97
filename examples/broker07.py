"""A broker of Kafka 0.7.2, small: serves the topic directories of a data directory over a socket, on loopback.

It answers, refuses and closes as the real one did: a fetch is the bytes of one segment from the offset on, cut
anywhere; an offset out of range is error 1, a partition that is not there error 3, a topic that is not there an empty
set; what it does not like closes the connection. It appends what is produced, and begins a new segment where the last
one is full.

    python examples/broker07.py DIRECTORY [PORT]
"""

from __future__ import annotations

import random
import socketserver
import sys
import threading
import time
from pathlib import Path

from kafkawire.ancient import v07
from kafkawire.errors import WireError
from kafkawire.log import AncientLog


class CloseConnection(Exception):
    """What the broker does about most mistakes."""


class Broker07(socketserver.ThreadingTCPServer):
    """``directory``: that of the topic-partition directories. ``partitions``: how many a topic has. ``segment_size``:
    bytes from which on a segment is full. Use as a context manager; ``address`` is where it listens."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, directory: Path, partitions: int = 1, segment_size: int = 512 << 20, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Conversation)
        self.directory, self.partitions, self.segment_size = directory, partitions, segment_size
        self.lock = threading.Lock()
        self.thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def address(self) -> tuple[str, int]:
        return self.server_address[0], self.server_address[1]  # type: ignore[return-value]

    def __enter__(self) -> Broker07:
        self.thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.shutdown()
        self.thread.join()
        super().__exit__(*exception)

    def log(self, topic: str, partition: int) -> AncientLog | None:
        """The log of a partition, None where nobody has written to it."""
        directory = self.directory / f"{topic}-{partition}"
        return AncientLog(directory) if directory.is_dir() else None

    def answer(self, request: v07.Request) -> v07.Response | None:
        if isinstance(request, v07.FetchRequest):
            return self.fetch(request)
        if isinstance(request, v07.MultiFetchRequest):
            return v07.MultiFetchResponse(responses=[self.fetch(part) for part in request.requests])
        if isinstance(request, v07.OffsetsRequest):
            return self.offsets(request)
        for part in [request] if isinstance(request, v07.ProduceRequest) else request.requests:
            self.produce(part)
        return None

    def fetch(self, request: v07.FetchRequest) -> v07.FetchResponse:
        if not request.topic:
            return v07.FetchResponse(v07.ErrorCode.UNKNOWN)
        if not 0 <= request.partition < self.partitions:
            return v07.FetchResponse(v07.ErrorCode.WRONG_PARTITION)
        if request.max_size < 0:
            raise CloseConnection
        log = self.log(request.topic, request.partition)
        if log is None:
            return v07.FetchResponse()
        data = log.read(request.offset, request.max_size)
        if data is None:
            return v07.FetchResponse(v07.ErrorCode.OFFSET_OUT_OF_RANGE)
        return v07.FetchResponse(messages=data)

    def offsets(self, request: v07.OffsetsRequest) -> v07.OffsetsResponse:
        if not request.topic or not 0 <= request.partition < self.partitions or request.max_number < 0:
            raise CloseConnection
        log = self.log(request.topic, request.partition)
        if log is None:
            ends = request.time in (v07.LATEST_TIME, v07.EARLIEST_TIME) and request.max_number > 0
            return v07.OffsetsResponse(offsets=[0] if ends else [])
        return v07.OffsetsResponse(offsets=log.offsets_before(request.time, request.max_number))

    def produce(self, request: v07.ProduceRequest) -> None:
        partition = request.partition
        if partition == v07.RANDOM_PARTITION:
            partition = random.randrange(self.partitions)
        if not request.topic or not 0 <= partition < self.partitions:
            raise CloseConnection
        messages = v07.read_outer_messages(request.messages)
        for _ in messages:
            pass  # checked one and all before any is stored
        with self.lock:
            directory = self.directory / f"{request.topic}-{partition}"
            directory.mkdir(parents=True, exist_ok=True)
            log = AncientLog(directory)
            last = log.segments[-1] if log.segments else None
            full = last is None or last.size > self.segment_size
            path = directory / f"{log.end_offset:020}.kafka" if last is None or full else Path(last.path)
            with path.open("ab") as file:
                file.write(request.messages[: messages.complete])  # a torn tail is cut off


class Conversation(socketserver.BaseRequestHandler):
    """One connection, until either side closes it."""

    server: Broker07

    def handle(self) -> None:
        connection = v07.ServerConnection()
        self.request.settimeout(10)
        try:
            while not connection.ended:
                connection.receive(self.request.recv(1 << 16))
                while (request := connection.next_request()) is not None:
                    response = self.server.answer(request)
                    if response is not None:
                        self.request.sendall(connection.send(response))
        except (CloseConnection, WireError, OSError):
            pass  # leaving closes the connection


def main() -> None:
    directory, port = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 9092
    with Broker07(directory, partitions=64, port=port) as broker:
        print(f"serving {directory} on {broker.address[0]}:{broker.address[1]}; end with ctrl-c")
        while True:
            time.sleep(1)


if __name__ == "__main__":
    main()
