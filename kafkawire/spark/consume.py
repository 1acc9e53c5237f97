"""What a task does with a range of offsets: fetch, check, decode, and give Arrow batches of Spark's schema.

The next response is fetched in a thread while the last is decoded, so that memory holds at most three responses and
one Arrow batch (with ``threads``, as many of each more).
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

import pyarrow as pa

import kafkawire as kw
from kafkawire.client import (
    Client,
    ClientError,
    DeadlineError,
    FetchedPartition,
    OffsetOutOfRangeError,
    TopicPartition,
)
from kafkawire.spark.ahead import ahead
from kafkawire.spark.batches import RecordReader
from kafkawire.spark.clients import borrowed
from kafkawire.spark.live_options import LiveOptions
from kafkawire.spark.planning import OffsetRange, report_data_loss

log = logging.getLogger(__name__)

_UNKNOWN_TOPIC_OR_PARTITION = 3


def read_range(part: OffsetRange, options: LiveOptions) -> Iterator[pa.RecordBatch]:
    """The rows of a range as Arrow batches of Spark's schema; on an executor.

    Raises DataLossError where records are gone (with failOnDataLoss), ClientError where brokers refuse or do not answer
    within kafkaConsumer.pollTimeoutMs, WireError for records that are corrupt.
    """
    with borrowed(options.config) as client, ahead(_responses(client, part, options), 1) as responses:
        if options.threads == 1:
            for response in responses:
                yield from _decode(response, part, options)
        else:
            yield from _decode_side_by_side(responses, part, options)


def _decode(response: FetchedPartition, part: OffsetRange, options: LiveOptions) -> Iterator[pa.RecordBatch]:
    reader = RecordReader(options.read, f"{part.topic}-{part.partition}", part.topic, part.partition)
    records = partial(kw.iter_columns, response.records, aborted_transactions=response.aborted_transactions)
    return reader.read(records, start_offset=part.start, end_offset=part.end)


def _decode_side_by_side(
    responses: Iterator[FetchedPartition], part: OffsetRange, options: LiveOptions
) -> Iterator[pa.RecordBatch]:
    """The same in order, ``threads`` responses at a time."""

    def decode(response: FetchedPartition) -> list[pa.RecordBatch]:
        return list(_decode(response, part, options))

    under_way: deque[Future[list[pa.RecordBatch]]] = deque()
    with ThreadPoolExecutor(options.threads, "kafkawire-decode") as pool:
        for response in responses:
            under_way.append(pool.submit(decode, response))
            if len(under_way) > options.threads:
                yield from under_way.popleft().result()
        while under_way:
            yield from under_way.popleft().result()


# ---- fetching ----


def _responses(client: Client, part: OffsetRange, options: LiveOptions) -> Iterator[FetchedPartition]:
    """Responses that have record batches, until the range is covered."""
    limit = options.poll_timeout_ms / 1000
    max_bytes = options.config.max_partition_fetch_bytes
    fetcher = client.fetcher(sessions=False, partition_max_bytes=max_bytes)
    position, waited_since = part.start, time.monotonic()
    while position < part.end:
        left = waited_since + limit - time.monotonic()
        if left <= 0:
            raise DeadlineError(
                f"no record at offset {position} or after it came within {limit:g} seconds "
                "(kafkaConsumer.pollTimeoutMs)", topic=part.topic, partition=part.partition,
            )  # fmt: skip
        try:
            response = fetcher.fetch({part.at: position}, timeout_ms=max(int(left * 1000), 1)).get(part.at)
        except OffsetOutOfRangeError as error:
            position = _behind_the_gap(client, part, position, options, error)
            continue
        except ClientError as error:
            if error.code != _UNKNOWN_TOPIC_OR_PARTITION:
                raise
            report_data_loss(options, f"{part.topic}-{part.partition} is not there any more ({error})")
            return
        if response is None or not response.records:
            continue
        found = kw.split(response.records)
        if not found.batches:
            # Brokers before 0.10.1 cut the first batch too.
            max_bytes = _larger(max_bytes, found, part, position, options)
            fetcher = client.fetcher(sessions=False, partition_max_bytes=max_bytes)
            continue
        last = found.batches[-1]
        data = response.records[last.position : last.position + last.size]
        behind = next(kw.read_batches(data, check_crc=False)).last_offset + 1
        if behind <= position:
            raise kw.CorruptError(
                f"{part.topic}-{part.partition}: the broker's batches end at offset {behind - 1}",
                position=last.position, offset=behind - 1, expected=f"records from offset {position} on",
            )  # fmt: skip
        position, waited_since = behind, time.monotonic()
        yield response


def _larger(max_bytes: int, found: kw.Split, part: OffsetRange, position: int, options: LiveOptions) -> int:
    limit = options.config.max_frame_size
    if max_bytes >= limit:
        raise kw.LimitError(
            f"{part.topic}-{part.partition}: the batch at offset {position} is larger than {max_bytes} bytes",
            position=0, offset=position, expected=f"at most max.frame.size, {limit} bytes",
        )  # fmt: skip
    return min(max(2 * max_bytes, max_bytes + (found.missing or 0)), limit)


def _behind_the_gap(
    client: Client, part: OffsetRange, position: int, options: LiveOptions, error: OffsetOutOfRangeError
) -> int:
    """Where to go on after the broker said that it does not have this offset."""
    ends = {moment: _listed(client, part.at, moment) for moment in ("earliest", "latest")}
    name = f"{part.topic}-{part.partition}"
    if position < ends["earliest"]:
        gone = min(ends["earliest"], part.end)
        report_data_loss(
            options,
            f"{name}: the offsets {position} to {gone - 1} are gone, the log starts at {ends['earliest']} now "
            "(retention or deletion)",
        )
        return gone
    if position > ends["latest"]:
        report_data_loss(
            options,
            f"{name}: the log ends at {ends['latest']}, before the offset {position} that was there once "
            "(the topic was created anew, or an unclean leader election cut it)",
        )
        return part.end
    log.info("%s: offset %d is there again", name, position, exc_info=error)
    time.sleep(options.config.retry_backoff_ms / 1000)
    return position


def _listed(client: Client, at: TopicPartition, moment: str) -> int:
    found = client.list_offsets({at: moment})[at]  # type: ignore[dict-item]
    return 0 if found is None else found.offset
