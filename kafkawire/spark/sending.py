"""Batches on their way to the brokers, while the next ones are being built."""

from __future__ import annotations

import threading
from collections import deque

import kafkawire as kw
from kafkawire.client import Client, IdempotentProducer, PartitionError, TopicPartition
from kafkawire.spark.write_options import WriteOptions

#: Bytes of finished batches that may wait; who brings more waits, too.
WAITING_BYTES = 8 * 1024 * 1024

_TOO_LARGE = (10, 18)  # MESSAGE_TOO_LARGE, RECORD_LIST_TOO_LARGE
_STOP_SECONDS = 10.0


class Sender:
    """A thread that writes batches, each partition's in their order; for one task.

    Batches that a broker finds too large are divided, as by Kafka's own producer; ``refused``: the size in bytes of the
    smallest of them, by topic.
    """

    def __init__(self, client: Client, options: WriteOptions, producer: IdempotentProducer | None) -> None:
        self.refused: dict[str, int] = {}
        self._client = client
        self._config = options.config
        self._producer = producer
        self._changed = threading.Condition()
        self._waiting: deque[tuple[TopicPartition, bytes]] = deque()
        self._bytes = 0  # of those that wait, and of those that are under way
        self._failure: BaseException | None = None
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="kafkawire-sender", daemon=True)
        self._thread.start()

    def put(self, at: TopicPartition, batch: bytes) -> None:
        """Send a batch, some time. Raises what went wrong with any before it."""
        with self._changed:
            while self._failure is None and self._bytes and self._bytes + len(batch) > WAITING_BYTES:
                self._changed.wait()
            self._raise_failure()
            self._waiting.append((at, batch))
            self._bytes += len(batch)
            self._changed.notify_all()

    def finish(self) -> None:
        """Wait until everything is written, and end the thread. Raises what went wrong."""
        with self._changed:
            while self._failure is None and self._bytes:
                self._changed.wait()
            self._stopped = True
            self._changed.notify_all()
        self._thread.join()
        self._raise_failure()

    def stop(self) -> bool:
        """Send nothing more. Whether the client is free again: one request may be under way still."""
        with self._changed:
            self._stopped = True
            self._waiting.clear()
            self._changed.notify_all()
        self._thread.join(_STOP_SECONDS)
        return not self._thread.is_alive()

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure

    # ---- the thread ----

    def _run(self) -> None:
        try:
            while (heads := self._next()) is not None:
                while heads:
                    heads = self._write(heads)
                with self._changed:
                    self._bytes = sum(len(batch) for _, batch in self._waiting)
                    self._changed.notify_all()
        except BaseException as error:
            with self._changed:
                self._failure = error
                self._waiting.clear()
                self._changed.notify_all()

    def _next(self) -> dict[TopicPartition, list[bytes]] | None:
        """The first batch of each partition that waits; None at the end."""
        with self._changed:
            while not self._waiting and not self._stopped:
                self._changed.wait()
            if self._stopped:
                return None
            heads: dict[TopicPartition, list[bytes]] = {}
            later: deque[tuple[TopicPartition, bytes]] = deque()
            for at, batch in self._waiting:
                if at in heads:
                    later.append((at, batch))
                else:
                    heads[at] = [batch]
            self._waiting = later
            return heads

    def _write(self, queues: dict[TopicPartition, list[bytes]]) -> dict[TopicPartition, list[bytes]]:
        """Write the first batch of each queue; gives what is left of them."""
        queues = {at: self._cut(at, queue) for at, queue in queues.items()}
        heads = {at: queue[0] for at, queue in queues.items()}
        try:
            if self._producer is not None:
                self._producer.produce(heads)
            else:
                self._client.produce(heads)
            done = set(heads)
        except PartitionError as error:
            at = TopicPartition(error.topic, error.partition)  # type: ignore[arg-type]
            if error.code not in _TOO_LARGE or at not in heads:
                raise
            done = set(error.completed)
            queues[at] = self._halves(at, heads[at], error) + queues[at][1:]
            self.refused[at.topic] = min(len(heads[at]), self.refused.get(at.topic, len(heads[at])))
        left = {at: queue[1:] if at in done else queue for at, queue in queues.items()}
        return {at: queue for at, queue in left.items() if queue}

    def _cut(self, at: TopicPartition, queue: list[bytes]) -> list[bytes]:
        """The queue with a first batch that max.request.size allows."""
        while len(queue[0]) > self._config.max_request_size:
            queue = self._halves(at, queue[0], None) + queue[1:]
        return queue

    def _halves(self, at: TopicPartition, batch: bytes, error: PartitionError | None) -> list[bytes]:
        """The same records, with the same sequence numbers, in two batches."""
        header = next(kw.read_batches(batch, check_crc=False))
        count = header.record_count
        if count < 2:
            failure = PartitionError(
                f"a record is too large: its batch has {len(batch)} bytes, "
                + (
                    "more than the topic allows (max.message.bytes, or the broker's message.max.bytes)"
                    if error is not None
                    else f"more than kafka.max.request.size, {self._config.max_request_size}"
                ),
                broker=error.broker if error is not None else None,
                topic=at.topic,
                partition=at.partition,
            )
            raise failure from (error.__cause__ if error is not None else None)
        columns = ("timestamp", "key", "value", "headers")
        table = kw.read_columns(batch, columns=columns, check_crc=False).to_arrow()
        halves = []
        for start, size in ((0, count // 2), (count // 2, count - count // 2)):
            builder = kw.RecordBatchBuilder(
                2,
                self._config.compression_type,
                level=self._config.compression_level,
                producer_id=header.producer_id,
                producer_epoch=header.producer_epoch,
                base_sequence=following(header.base_sequence, start),
                is_transactional=header.is_transactional,
            )
            list(builder.extend(table.slice(start, size)))
            halves.append(builder.build())
        return halves


def following(sequence: int, records: int) -> int:
    """The sequence number behind so many records; -1, of a producer that does not count, stays."""
    return sequence if sequence < 0 else (sequence + records) & 0x7FFFFFFF
