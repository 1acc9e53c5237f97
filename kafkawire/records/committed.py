"""What a consumer with isolation.level=read_committed sees: batches without those of aborted transactions.

Source: KIP-98; the protocol guide's FetchResponse, aborted_transactions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from kafkawire.errors import WireError
from kafkawire.records.batch import RecordBatch
from kafkawire.records.control import parse_control_record

#: A producer and the first offset of a transaction of its own that was aborted, as a FetchResponse lists them.
AbortedTransaction: TypeAlias = tuple[int, int]

_ABORT = 0


def committed_batches(batches: Iterable[RecordBatch], aborted: Iterable[AbortedTransaction]) -> Iterator[RecordBatch]:
    """The batches that no aborted transaction wrote, control batches included; for batches of one partition in order.

    ``aborted``: (producer id, first offset) of the transactions that were aborted in the range, as the response says
    that brought the batches. Open transactions do not come in such a response: it ends before the first of them.

    Raises CorruptError for a control batch that cannot be read.
    """
    waiting = sorted(aborted, key=lambda one: one[1], reverse=True)
    aborting: set[int] = set()
    for batch in batches:
        while waiting and waiting[-1][1] <= batch.last_offset:
            aborting.add(waiting.pop()[0])
        if batch.producer_id in aborting and batch.is_transactional:
            if not batch.is_control:
                continue
            if _aborts(batch):
                aborting.discard(batch.producer_id)
        yield batch


def _aborts(batch: RecordBatch) -> bool:
    try:
        return any(parse_control_record(record.key, record.value).type == _ABORT for record in batch)
    except WireError as error:
        if error.position is None:
            error.position, error.offset = batch.position, batch.base_offset
        raise
