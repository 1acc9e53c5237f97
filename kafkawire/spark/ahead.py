"""An iterator that works in a thread of its own, some items ahead of who takes them."""

from __future__ import annotations

import queue
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

T = TypeVar("T")


class _End:
    """Behind the last item; ``error``: why there are no more."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error


class _Ahead(Generic[T]):
    def __init__(self, source: Iterator[T], depth: int) -> None:
        self._source = source
        self._items: queue.Queue[T | _End] = queue.Queue(depth)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="kafkawire-ahead", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        error = None
        try:
            for item in self._source:
                self._items.put(item)
                if self._stopped.is_set():
                    break
            if isinstance(self._source, Generator):
                self._source.close()
        except BaseException as caught:  # it is raised where the items are taken
            error = caught
        self._items.put(_End(error))

    def __iter__(self) -> Iterator[T]:
        while True:
            item = self._items.get()
            if isinstance(item, _End):
                if item.error is not None:
                    raise item.error
                return
            yield item

    def stop(self) -> None:
        """Take no more, and wait for the item that is being made."""
        self._stopped.set()
        while self._thread.is_alive():
            try:
                self._items.get(timeout=0.05)  # room for whoever waits to put one in
            except queue.Empty:
                continue
        self._thread.join()


@contextmanager
def ahead(source: Iterator[T], depth: int) -> Iterator[Iterator[T]]:
    """The items of ``source``, made in a thread up to ``depth`` items (and the one under way) ahead.

    What it raises is raised where its place is in the order. At the end of the ``with`` the thread has ended.
    """
    running = _Ahead(source, depth)
    try:
        yield iter(running)
    finally:
        running.stop()
