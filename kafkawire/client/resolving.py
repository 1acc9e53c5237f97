"""Names to addresses, in bounded time: the system's resolver knows no deadline."""

from __future__ import annotations

import socket
from typing import Any, TypeAlias

from kafkawire.client.waiting import Deadline, in_time

#: Family, type, protocol, canonical name, address: as socket.getaddrinfo gives them.
Address: TypeAlias = tuple[Any, Any, int, str, Any]


def resolve(host: str, port: int, deadline: Deadline) -> list[Address]:
    """The addresses of a host, at least one. Raises OSError where it has none, TimeoutError when the time is up."""
    try:
        return list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST))
    except (socket.gaierror, UnicodeError):
        pass  # not an address, but a name

    def ask() -> list[Address]:
        return list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))

    try:
        found = in_time(ask, deadline, f"resolving the name {host}")
    except UnicodeError:
        raise OSError(f"{host!r} cannot be a host's name") from None
    if not found:
        raise OSError(f"the host {host} has no address")
    return found
