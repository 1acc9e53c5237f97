"""What a client may meet at the other end: servers of a few lines, and a proxy that cuts connections."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import TracebackType

from kafkawire.client import Client
from kafkawire.connection import ServerConnection


@contextmanager
def server(behaviour: Callable[[socket.socket], None]) -> Iterator[tuple[str, list[float]]]:
    """A port, and when somebody connected to it; each connection is given to ``behaviour``, then closed."""
    listener = socket.create_server(("127.0.0.1", 0))
    accepted: list[float] = []
    ends = threading.Event()

    def serve(sock: socket.socket) -> None:
        with sock, suppress(OSError):
            behaviour(sock)

    def accept() -> None:
        while not ends.is_set():
            try:
                sock, _ = listener.accept()
            except OSError:
                return
            accepted.append(time.monotonic())
            threading.Thread(target=serve, args=(sock,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"127.0.0.1:{listener.getsockname()[1]}", accepted
    finally:
        ends.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def client_of(address: str, **properties: object) -> Client:
    given = {name.replace("_", "."): value for name, value in properties.items()}
    return Client({"bootstrap.servers": address, "default.api.timeout.ms": 1500, **given})


def after_versions(sock: socket.socket, then: Callable[[socket.socket, bytes], None]) -> None:
    """Answer ApiVersions; give the correlation id of the next request to ``then``."""
    connection = ServerConnection()
    while connection.next_event() is None:
        connection.receive_data(sock.recv(65536))
    sock.sendall(connection.send(connection.api_versions()))
    then(sock, sock.recv(65536)[8:12])


class CuttingProxy:
    """Passes connections on to a port of this machine, and cuts each after so many bytes up or down.

    ``limits``: for each connection in turn (bytes to the server, bytes from it), None for no limit; when they are used
    up, nothing is cut any more. What is under the limit arrives before the cut.
    """

    def __init__(self, port: int, limits: Iterator[tuple[int | None, int | None]]) -> None:
        self.target = port
        self.cuts = 0
        self._limits = limits

    def __enter__(self) -> CuttingProxy:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            far = socket.socket()  # not create_connection: a test may lead names and ports to this proxy
            try:
                far.connect(("127.0.0.1", self.target))
            except OSError:
                near.close()
                far.close()
                continue
            up, down = next(self._limits, (None, None))
            pumps = [(near, far, up), (far, near, down)]
            threads = [threading.Thread(target=self._pump, args=pump, daemon=True) for pump in pumps]
            for thread in threads:
                thread.start()
            threading.Thread(target=self._close, args=(threads, near, far), daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket, left: int | None) -> None:
        with suppress(OSError):
            source.settimeout(None)
            while left is None or left > 0:
                data = source.recv(65536 if left is None else min(left, 65536))
                if not data:
                    break
                target.sendall(data)
                left = None if left is None else left - len(data)
            self.cuts += left == 0
        for sock in (source, target):  # the other direction ends with this one
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    @staticmethod
    def _close(threads: list[threading.Thread], *socks: socket.socket) -> None:
        for thread in threads:
            thread.join()
        for sock in socks:
            sock.close()
