"""Names to addresses, in bounded time: the system's resolver knows no deadline."""

from __future__ import annotations

import queue
import socket
import threading
from typing import Any, TypeAlias

from kafkawire.client.waiting import Deadline

#: Family, type, protocol, canonical name, address: as socket.getaddrinfo gives them.
Address: TypeAlias = tuple[Any, Any, int, str, Any]


def resolve(host: str, port: int, deadline: Deadline) -> list[Address]:
    """The addresses of a host, at least one. Raises OSError where it has none, TimeoutError when the time is up.

    A resolver that does not answer keeps a thread until it gives up by itself, some seconds later; it keeps nobody from
    ending the process.
    """
    try:
        return list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST))
    except (socket.gaierror, UnicodeError):
        pass  # not an address, but a name
    answers: queue.SimpleQueue[list[Address] | Exception] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)))
        except Exception as error:  # raised below, to whom it concerns
            answers.put(error)

    threading.Thread(target=ask, name=f"resolving {host}", daemon=True).start()
    try:
        answer = answers.get(timeout=deadline.remaining)
    except queue.Empty:
        raise TimeoutError(f"resolving the name {host} took too long") from None
    if isinstance(answer, UnicodeError):
        raise OSError(f"{host!r} cannot be a host's name") from None
    if isinstance(answer, Exception):
        raise answer
    if not answer:
        raise OSError(f"the host {host} has no address")
    return answer
