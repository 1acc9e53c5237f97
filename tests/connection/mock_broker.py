"""A broker in a few dozen lines: one topic in memory, served through ServerConnection to whoever connects."""

from __future__ import annotations

import socket
import threading
import uuid
from types import TracebackType

import kafkawire as kw
from kafkawire.connection import ConnectionClosed, RequestReceived, ServerConnection, known_versions
from kafkawire.errors import WireError
from kafkawire.messages import (
    ApiVersionsRequest,
    FetchRequest,
    FetchResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    MetadataRequest,
    MetadataResponse,
)
from kafkawire.schema import Request, Response

TOPIC, TOPIC_ID = "mock", uuid.UUID(int=7)
SERVED = (ApiVersionsRequest, MetadataRequest, ListOffsetsRequest, FetchRequest)


class MockBroker:
    """Serves one partition's batches (``records``, from offset 0 on) on a port of its own while the block runs."""

    def __init__(self, records: bytes) -> None:
        self.records = records
        self.end = max((batch.last_offset + 1 for batch in kw.read_batches(records)), default=0)
        self.seen: set[tuple[str, int]] = set()
        self.faults: list[WireError] = []
        self.versions = {cls.API_KEY: known_versions()[cls.API_KEY] for cls in SERVED}

    def __enter__(self) -> MockBroker:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    @property
    def bootstrap(self) -> str:
        return f"127.0.0.1:{self.port}"

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(sock,), daemon=True).start()

    def _serve(self, sock: socket.socket) -> None:
        connection = ServerConnection(versions=self.versions)
        with sock:
            while True:
                try:
                    event = connection.next_event()
                    if event is None:
                        connection.receive_data(sock.recv(65536))
                    elif isinstance(event, RequestReceived):
                        self.seen.add((type(event.request).__name__, event.version))
                        if isinstance(event.request, ApiVersionsRequest):
                            sock.sendall(connection.send(connection.api_versions()))
                        else:
                            sock.sendall(connection.send(self.answer(event.request)))
                    elif isinstance(event, ConnectionClosed):
                        return
                except WireError as error:
                    self.faults.append(error)
                    return
                except OSError:
                    return

    def answer(self, request: Request) -> Response:
        if isinstance(request, MetadataRequest):
            partition = MetadataResponse.Topic.Partition(
                partition_index=0, leader_id=1, leader_epoch=0, replica_nodes=[1], isr_nodes=[1]
            )
            return MetadataResponse(
                brokers=[MetadataResponse.Broker(node_id=1, host="127.0.0.1", port=self.port)],
                cluster_id="mock",
                controller_id=1,
                topics=[MetadataResponse.Topic(name=TOPIC, topic_id=TOPIC_ID, partitions=[partition])],
            )
        if isinstance(request, ListOffsetsRequest):
            asked = request.topics[0].partitions[0]
            offset = 0 if asked.timestamp == -2 else self.end
            found = ListOffsetsResponse.Topic.Partition(partition_index=0, offset=offset)
            return ListOffsetsResponse(topics=[ListOffsetsResponse.Topic(name=TOPIC, partitions=[found])])
        assert isinstance(request, FetchRequest)
        responses = []
        for topic in request.topics:
            start = topic.partitions[0].fetch_offset
            pieces = [batch for batch in kw.read_batches(self.records) if batch.last_offset >= start]
            data = self.records[pieces[0].position :] if pieces else b""
            if not pieces:
                threading.Event().wait(request.max_wait_ms / 1000)
            responses.append(
                FetchResponse.Topic(
                    topic=TOPIC,
                    topic_id=TOPIC_ID,
                    partitions=[
                        FetchResponse.Topic.Partition(
                            partition_index=0,
                            high_watermark=self.end,
                            last_stable_offset=self.end,
                            log_start_offset=0,
                            records=data,
                        )
                    ],
                )
            )
        return FetchResponse(responses=responses)
