"""What a task does with a range of offsets: fetch, check, decode, and give Arrow batches of Spark's schema.

The next response is fetched in a thread while the last is decoded, so that memory holds at most three responses and
one Arrow batch (with ``threads``, as many of each more).
"""

from __future__ import annotations

import logging
import struct
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

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

_FIRST_OFFSET = struct.Struct(">q")  # of a batch's bytes
_LAST_OFFSET_DELTA = struct.Struct(">23xi")  # of those of magic 2
_TOPIC_IS_GONE = (3, 100)  # UNKNOWN_TOPIC_OR_PARTITION, UNKNOWN_TOPIC_ID


def read_range(part: OffsetRange, options: LiveOptions) -> Iterator[pa.RecordBatch]:
    """The rows of a range as Arrow batches of Spark's schema; on an executor.

    Raises DataLossError where records are gone (with failOnDataLoss), ClientError where brokers refuse or do not answer
    within kafkaConsumer.pollTimeoutMs, WireError for records that are corrupt.
    """
    with borrowed(options.config) as client, ahead(_responses(client, part, options), 1) as responses:
        try:
            if options.threads == 1:
                for response in responses:
                    yield from _decode(response, part, options)
            else:
                yield from _decode_side_by_side(responses, part, options)
        except BaseException:  # GeneratorExit too, of a LIMIT: nobody waits for the fetch that is under way
            client.close()
            raise


def _decode(found: _Found, part: OffsetRange, options: LiveOptions) -> Iterator[pa.RecordBatch]:
    reader = RecordReader(options.read, f"{part.topic}-{part.partition}", part.topic, part.partition)
    records = partial(kw.iter_columns, found.records, aborted_transactions=found.aborted_transactions)
    return reader.read(records, start_offset=found.position, end_offset=min(found.behind, part.end))


def _decode_side_by_side(
    responses: Iterator[_Found], part: OffsetRange, options: LiveOptions
) -> Iterator[pa.RecordBatch]:
    """The same in order, ``threads`` responses at a time."""

    def decode(found: _Found) -> list[pa.RecordBatch]:
        return list(_decode(found, part, options))

    under_way: deque[Future[list[pa.RecordBatch]]] = deque()
    with ThreadPoolExecutor(options.threads, "kafkawire-decode") as pool:
        for found in responses:
            under_way.append(pool.submit(decode, found))
            if len(under_way) > options.threads:
                yield from under_way.popleft().result()
        while under_way:
            yield from under_way.popleft().result()


# ---- fetching ----


class _Found(NamedTuple):
    """Batches of a response, and which offsets of them are meant: from ``position``, which was asked for, to before
    ``behind``."""

    records: memoryview
    aborted_transactions: tuple[tuple[int, int], ...]
    position: int
    behind: int


def _responses(client: Client, part: OffsetRange, options: LiveOptions) -> Iterator[_Found]:
    """Responses that have record batches, until the range is covered."""
    limit = options.poll_timeout_ms / 1000
    config = options.config
    max_bytes, most = config.max_partition_fetch_bytes, 0
    fetcher = client.fetcher(sessions=False)
    position, waited_since = part.start, time.monotonic()
    trouble: ClientError | None = None
    while position < part.end:
        left = waited_since + limit - time.monotonic()
        if left <= 0:
            raise DeadlineError(
                f"no record at offset {position} or after it came within {limit:g} seconds "
                "(kafkaConsumer.pollTimeoutMs)", topic=part.topic, partition=part.partition,
            ) from trouble  # fmt: skip
        try:
            response = fetcher.fetch({part.at: position}, timeout_ms=max(int(left * 1000), 1)).get(part.at)
        except OffsetOutOfRangeError as error:
            position = _behind_the_gap(client, part, position, options, error)
            continue
        except ClientError as error:
            if error.code in _TOPIC_IS_GONE:
                report_data_loss(options, f"{part.topic}-{part.partition} is not there any more ({error})")
                return
            if not isinstance(error, DeadlineError):
                raise
            trouble = error  # the fetcher's patience is shorter than ours where it had trouble before
            time.sleep(config.retry_backoff_ms / 1000)
            continue
        if response is None or not response.records:
            continue
        try:
            split = kw.split(response.records)
            usable = _usable(response, split, position, options, last_try=len(response.records) <= most)
            if usable is not None and usable.behind > response.high_watermark:
                _check_end(usable, split, _listed(client, part.at, "latest"))
        except kw.WireError as error:
            error.message = f"{part.topic}-{part.partition}, fetched from offset {position} on: {error.message}"
            raise
        if usable is None:
            most = len(response.records)
            max_bytes = _larger(max_bytes, split, part, position, options)
            fetcher = client.fetcher(
                sessions=False, partition_max_bytes=max_bytes, max_bytes=max(max_bytes, config.fetch_max_bytes)
            )
            continue
        yield usable
        if most:
            max_bytes, most, fetcher = config.max_partition_fetch_bytes, 0, client.fetcher(sessions=False)
        position = usable.behind
        trouble = None
        waited_since = time.monotonic()  # whoever takes the rows may take long: the broker is not to blame


def _usable(
    response: FetchedPartition, split: kw.Split, position: int, options: LiveOptions, *, last_try: bool
) -> _Found | None:
    """What can be used of a response; None where more bytes have to be asked for.

    Brokers before 0.10.1 cut the first batch too. With DROPMALFORMED, what a damaged batch says of its own end is not
    believed, or whole batches behind it might be left out with it: the last intact one says where to go on. If damaged
    ones only are there, then larger responses show what follows, up to the segment's end (``last_try``).
    """

    def up_to(last: kw.BatchSlice, behind: int) -> _Found:
        records = response.records[: last.position + last.size]
        return _Found(records, response.aborted_transactions, position, behind)

    if not split.batches:
        return None
    _check_order(response.records, split.batches)
    if options.read.skip_corrupt:
        for one in reversed(split.batches):
            intact = next(kw.read_batches(up_to(one, 0).records, position=one.position, on_corrupt="skip"), None)
            if intact is not None and intact.last_offset >= position:
                return up_to(one, intact.last_offset + 1)
        if not last_try:
            return None
    last = split.batches[-1]
    behind = _last_offset(response.records, last) + 1
    if behind <= position:
        raise kw.CorruptError(
            "the batches are not those that were asked for", position=last.position, offset=behind - 1,
            expected=f"offset {position} or one after it at their end",
        )  # fmt: skip
    return up_to(last, behind)


def _last_offset(records: memoryview, batch: kw.BatchSlice) -> int:
    """As its header has it, whatever else is there: the rest is checked when it is decoded."""
    if batch.magic >= 2:
        first: int = _FIRST_OFFSET.unpack_from(records, batch.position)[0]
        delta: int = _LAST_OFFSET_DELTA.unpack_from(records, batch.position)[0]
        return first + delta
    return next(kw.read_batches(records, check_crc=False, position=batch.position)).last_offset


def _check_order(records: memoryview, batches: list[kw.BatchSlice]) -> None:
    """No checksum covers a batch's first offset: a damaged one would put its records out of the range unnoticed."""
    before = -1
    for one in batches:
        (first,) = _FIRST_OFFSET.unpack_from(records, one.position)
        if first <= before:
            raise kw.CorruptError(
                f"a batch of offset {first} behind one of {before}", position=one.position, offset=first,
                expected="offsets that rise from batch to batch",
            )  # fmt: skip
        before = first


def _check_end(found: _Found, split: kw.Split, latest: int) -> None:
    """The same of the last batch. Its partition may have grown since the broker noted the high watermark."""
    if found.behind > latest:
        raise kw.CorruptError(
            f"the last batch says that it ends at offset {found.behind - 1}", position=split.batches[-1].position,
            offset=found.behind - 1, expected=f"an offset below the partition's end, {latest}",
        )  # fmt: skip


def _larger(max_bytes: int, split: kw.Split, part: OffsetRange, position: int, options: LiveOptions) -> int:
    limit = options.config.max_frame_size
    if max_bytes >= limit:
        raise kw.LimitError(
            f"{part.topic}-{part.partition}: the batch at offset {position} is larger than {max_bytes} bytes",
            position=0, offset=position, expected=f"at most max.frame.size, {limit} bytes",
        )  # fmt: skip
    return min(max(2 * max_bytes, 2 * split.complete, max_bytes + (split.missing or 0)), limit)


def _behind_the_gap(
    client: Client, part: OffsetRange, position: int, options: LiveOptions, error: OffsetOutOfRangeError
) -> int:
    """Where to go on after the broker said that it does not have this offset."""
    ends = {moment: _listed(client, part.at, moment) for moment in ("earliest", "latest")}
    name = f"{part.topic}-{part.partition}"
    if position < ends["earliest"]:
        gone = min(ends["earliest"], part.end)
        if part.earliest and position == part.start:
            return gone  # nothing of it was promised: retention went on between the plan and this task
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
