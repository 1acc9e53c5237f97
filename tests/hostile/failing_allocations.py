"""Does one thing again and again, and each time another of Python's allocations fails, for test_short_of_memory.

The kernels are called directly: the interpreter itself does not survive failing allocations everywhere. Prints how many
failures it took until everything succeeded.
"""

from __future__ import annotations

import _testcapi
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import kafkawire as kw
from kafkawire import _twins, errors, messages
from kafkawire.records.columns import COLUMNS, INT64_MAX
from kafkawire.schema import plan
from tests.records.makers import FEW, build

Case = tuple[Callable[[], Any], Callable[[Any], bool]]


def equal(act: Callable[[], Any]) -> Case:
    """What succeeds must give what it gave before."""
    wanted = act()
    return act, lambda found: bool(found == wanted)


def records() -> Case:
    data = build(kw, FEW)
    header = _twins.codec.read_header(data, 0, True)
    return equal(partial(_twins.codec.read_records, data, 61, len(data), header, False))


def iterator() -> Case:
    data = build(kw, FEW)
    header = _twins.codec.read_header(data, 0, True)
    codec = _twins.codec
    return equal(lambda: list(codec.RecordIterator(data, 61, len(data), header, False)))


def message() -> Case:
    data = build(kw, FEW[:1], 1)
    header = _twins.codec.read_header(data, 0, True)
    return equal(partial(_twins.codec.read_message_fields, data, header))


def inner() -> Case:
    data = build(kw, FEW, 1)
    header = (0, 100, 1, 0, 1, 12, 12, 1, 0, 0, -1, -1, -1, -1, 26)
    return equal(partial(_twins.codec.read_inner_messages, data, header, True))


def columns() -> Case:
    data = memoryview(build(kw, FEW) + build(kw, FEW, 1))

    def act() -> Any:
        decoder = _twins.columns.ColumnDecoder(sum(COLUMNS.values()), True, False, False, 0, INT64_MAX)
        decoder.decode(data, 0, len(data), INT64_MAX, 1 << 30, None)
        return decoder.finish()[0]

    return equal(act)


def response() -> Case:
    cls = messages.MetadataResponse
    body = cls(
        brokers=[cls.Broker(node_id=1000, host="a", port=9092, rack="r", unknown_tags=((1000, b"content"),))],
        topics=[
            cls.Topic(
                name="t",
                partitions=[cls.Topic.Partition(leader_id=1000, replica_nodes=[1000] * 3, isr_nodes=[2000] * 20)],
            )
        ],
    ).encode(12)
    return equal(partial(_twins.message.decode, plan._compiled(cls, 12), body))


def fault() -> Case:
    """An error with a path: the 290th topic has a name that is not UTF-8."""
    cls = messages.MetadataResponse
    topics = [cls.Topic(name="x") for _ in range(290)]
    topics[-1].name = "\x01\x02\x03"
    body = cls(topics=topics).encode(12).replace(b"\x01\x02\x03", b"\xff\xff\xff")
    return partial(_twins.message.decode, plan._compiled(cls, 12), body), lambda found: False


def foreign() -> Case:
    """A tag that this version does not define, of more than one digit of CPython's small ints."""
    cls = messages.FetchResponse
    body = bytes.fromhex("00000000 0000 00000000 01 01 0000")
    return partial(_twins.message.decode, plan._compiled(cls, 12), body), lambda found: False


def encode() -> Case:
    cls = messages.MetadataResponse
    message = cls(topics=[cls.Topic(name="t" * 300, partitions=[cls.Topic.Partition()])])
    return equal(partial(_twins.message.encode, plan._compiled(cls, 12), message))


def builder() -> Case:
    def act() -> Any:
        writer = _twins.writer.BatchWriter(2, 0, None, 1 << 30, 0, -1, -1, -1, -1, 0)
        for record in FEW:
            writer.append(record.key, record.value, record.headers, record.timestamp, record.offset)
        return writer.take()

    return equal(act)


CASES = (records, iterator, message, inner, columns, response, fault, foreign, encode, builder)


def main(name: str) -> None:
    act, right = next(case for case in CASES if case.__name__ == name)()
    failed = survived = number = 0
    # Some failures are survived (a cache that does not grow); at the end all are, since nothing fails.
    while survived < 60:
        number += 1
        error: BaseException | None = None
        found: Any = None
        _testcapi.set_nomemory(number, number + 1)
        try:
            found = act()
        except BaseException as caught:
            error = caught
        finally:
            _testcapi.remove_mem_hooks()
        if isinstance(error, MemoryError):
            survived = 0
            failed += 1
        else:
            survived += 1
            assert isinstance(error, errors.WireError) if error is not None else right(found), f"{number}: {error!r}"
    print(failed)


if __name__ == "__main__":
    main(sys.argv[1])
