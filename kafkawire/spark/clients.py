"""Clients that stay open between tasks: Spark uses a Python worker again, and connecting costs more than some tasks."""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from kafkawire.client import Client, ClientConfig, ClientError

#: Seconds after which a client that nobody borrows is closed, when the next one is borrowed or given back.
MAX_IDLE = 300.0
#: The most clients that are kept while nobody uses them; the one that waited longest goes first.
MAX_KEPT = 16


class _Pool:
    """Idle clients of this process, the one that waited longest first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[tuple[float, Client]] = []

    def take(self, config: ClientConfig) -> Client | None:
        with self._lock:
            self._drop(MAX_KEPT)
            for index in reversed(range(len(self._idle))):
                if self._idle[index][1].config == config:
                    return self._idle.pop(index)[1]
        return None

    def give_back(self, client: Client) -> None:
        with self._lock:
            self._idle.append((time.monotonic(), client))
            self._drop(MAX_KEPT)

    def close(self) -> None:
        with self._lock:
            self._drop(0)

    def _drop(self, kept: int) -> None:
        oldest = time.monotonic() - MAX_IDLE
        while self._idle and (len(self._idle) > kept or self._idle[0][0] < oldest):
            self._idle.pop(0)[1].close()


_pool = _Pool()


@contextmanager
def borrowed(config: ClientConfig) -> Iterator[Client]:
    """A client for one task, and for nobody else meanwhile; afterwards it is kept for the next one of this process.

    After an exception (also when a generator is closed early) it is closed instead: an answer may be on its way still.
    A ClientError tells its cause in its own text then, because Spark shows an error of its workers without causes.
    """
    client = _pool.take(config) or Client(config)
    try:
        yield client
    except BaseException as error:
        client.close()
        if isinstance(error, ClientError):
            tell_cause(error)
        raise
    _pool.give_back(client)


def tell_cause(error: ClientError) -> None:
    """Put all that the error says, its place and its causes, into its message."""
    if error.__cause__ is not None:
        error.message = str(error)
        error.broker = error.topic = error.partition = error.__cause__ = None


def close_all() -> None:
    """Close the clients that nobody uses now."""
    _pool.close()


def _forget() -> None:
    """In the child of a fork: connections belong to the parent, and its lock may be held for ever."""
    global _pool
    _pool = _Pool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
atexit.register(close_all)
