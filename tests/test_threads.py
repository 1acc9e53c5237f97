"""Objects that threads share: each record, offset and list once, whoever asks first; with and without a global lock.

Many threads on one buffer are in hostile/test_concurrency.py. On a free-threaded CPython run this with PYTHON_GIL=0.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests import twins
from tests.hostile.test_concurrency import at_once

THREADS = 6
compiled_only = pytest.mark.skipif(
    twins.PURE_ONLY, reason="KAFKAWIRE_PURE_PYTHON=1: what is shared there is Python's own generator and bytearray"
)


def batch_of(kw: ModuleType, count: int, **settings: Any) -> bytes:
    """One batch, each record of which is all made from its number."""
    builder = kw.RecordBatchBuilder(**settings)
    for number in range(count):
        headers = ((f"name{number % 7}", b"%d" % number), (f"other{number % 3}", None))
        assert builder.append(b"k%d" % number, b"v%d" % number, headers, 10**12 + number // 4 % 3)
    made: bytes = builder.build()
    return made


def is_whole(record: Any) -> bool:
    number = record.offset
    return bool(
        record.key == b"k%d" % number
        and record.value == b"v%d" % number
        and record.timestamp == 10**12 + number // 4 % 3
        and record.headers == ((f"name{number % 7}", b"%d" % number), (f"other{number % 3}", None))
    )


def drain(records: Any, errors: tuple[type[Exception], ...] = ()) -> tuple[list[Any], int]:
    """What is left of an iterator, and how many errors there were on the way."""
    found: list[Any] = []
    wrong = 0
    while True:
        try:
            found.append(next(records))
        except StopIteration:
            return found, wrong
        except errors:
            wrong += 1


@compiled_only
@pytest.mark.parametrize("compression", ["none", "lz4"])
def test_one_iterator(compression: str) -> None:
    kw = twins.load("compiled")
    for _ in range(5):
        (batch,) = kw.read_batches(batch_of(kw, 2000, compression=compression))
        shared = iter(batch)
        parts = [found for found, _ in at_once(*[lambda shared=shared: drain(shared)] * THREADS)]
        assert sorted(record.offset for part in parts for record in part) == list(range(2000))
        assert all(is_whole(record) for part in parts for record in part)
        for part in parts:
            assert [record.offset for record in part] == sorted(record.offset for record in part)


@compiled_only
@pytest.mark.parametrize("what", [b"name5", b"k1500"])
def test_one_iterator_of_a_broken_batch(what: bytes) -> None:
    """Whoever meets the fault gets the error; the others get records, each once, or the end."""
    kw = twins.load("compiled")
    data = bytearray(batch_of(kw, 2000))
    at = data.index(what, len(data) // 2)
    data[at] = 0xFF  # a header's key that is no UTF-8
    if what != b"name5":
        data[at - 1] = 0x7F  # a key that is longer than its record
    (batch,) = kw.read_batches(data, check_crc=False)
    shared = iter(batch)
    parts = at_once(*[lambda: drain(shared, (kw.CorruptError,))] * THREADS)
    offsets = [record.offset for found, _ in parts for record in found]
    assert sum(wrong for _, wrong in parts) >= 1
    assert len(offsets) == len(set(offsets)) < 2000
    assert all(is_whole(record) for found, _ in parts for record in found)
    assert next(shared, None) is None


def test_a_decoded_message(kw: ModuleType) -> None:
    """A list or a struct that is made when it is asked for is the same for all, and keeps what each puts in."""
    response = kw.messages.MetadataResponse
    body = response(
        topics=[
            response.Topic(partitions=[response.Topic.Partition(replica_nodes=[n, 2, 3]) for n in range(20)])
            for _ in range(5)
        ]
    ).encode(12)
    shared = response.decode(body, 12)
    lists = [partition.isr_nodes for topic in response.decode(body, 12).topics for partition in topic.partitions]
    assert lists == [[]] * 100

    def add(mine: int) -> list[int]:
        met = []
        for topic in shared.topics:
            for partition in topic.partitions:
                partition.replica_nodes.append(mine)
                partition.isr_nodes.append(mine)
                met += [id(partition.replica_nodes), id(partition.isr_nodes)]
        return met

    first, *others = at_once(*[lambda mine=mine: add(mine) for mine in range(100, 100 + THREADS)])
    assert all(other == first for other in others)
    mine = list(range(100, 100 + THREADS))
    for topic in shared.topics:
        for number, partition in enumerate(topic.partitions):
            assert partition.replica_nodes[:3] == [number, 2, 3]
            assert sorted(partition.replica_nodes[3:]) == sorted(partition.isr_nodes) == mine


def while_others_change(act: Callable[[], Any], change: Callable[[int], Any], rounds: int = 300) -> list[Any]:
    """What ``act`` gives, time and again, while two threads call ``change`` with ever higher numbers."""
    over = threading.Event()

    def go_on() -> None:
        number = 0
        while not over.is_set():
            change(number)
            number += 1

    def watch() -> list[Any]:
        try:
            return [act() for _ in range(rounds)]
        finally:
            over.set()

    found: list[Any] = at_once(watch, go_on, go_on)[0]
    return found


def test_a_message_that_others_change_while_it_is_written(kw: ModuleType) -> None:
    """Each field is one of the values that it had."""
    response = kw.messages.MetadataResponse
    topic = response.Topic(name="before", partitions=[])
    message = response(cluster_id="c" * 40, topics=[topic])

    def change(number: int) -> None:
        message.cluster_id = "cluster" + str(number)
        topic.name = "topic" + str(number)
        topic.partitions = [response.Topic.Partition(replica_nodes=list(range(number % 5)))]
        message.unknown_tags = ((number + 100, b"content"),)
        message.throttle_time_ms = 10**6 + number

    for body in while_others_change(lambda: message.encode(12), change):
        again = response.decode(body, 12)
        assert again.cluster_id.startswith("c")
        assert again.topics[0].name.startswith(("topic", "before"))
        assert all(partition.replica_nodes in ([], [0], [0, 1], [0, 1, 2], [0, 1, 2, 3])
                   for partition in again.topics[0].partitions)


def test_a_list_that_others_change_while_it_is_written(kw: ModuleType) -> None:
    response = kw.messages.MetadataResponse
    topics = [response.Topic(name=f"topic{number}") for number in range(20)]
    message = response(topics=topics)

    def change(number: int) -> None:
        if number % 2:
            del topics[5:]
        else:
            topics.extend(response.Topic(name=f"topic{number}") for _ in range(20))

    def write() -> Any:
        try:
            return message.encode(12)
        except kw.EncodeError as error:
            assert "changed while it was written" in str(error)
            return None

    bodies = [body for body in while_others_change(write, change) if body is not None]
    for body in bodies:
        # The pure twin writes a count and then what is there: it may have been another count.
        if kw.BACKEND == "compiled":
            assert all(topic.name.startswith("topic") for topic in response.decode(body, 12).topics)


def test_messages_that_nobody_has_used_before(kw: ModuleType) -> None:
    """What is worked out once for each class and version, by all at once."""
    names = [name for name in dir(kw.messages) if name.endswith(("Request", "Response"))]
    classes = [getattr(kw.messages, name) for name in names[:60]]
    assert len(classes) == 60

    def write() -> list[bytes]:
        bodies = []
        for one in classes:
            for version in one.VERSIONS:
                body = one().encode(version)
                assert one.decode(body, version) == one()
                bodies.append(body)
        return bodies

    first, *others = at_once(*[write] * 4)
    assert all(other == first for other in others)


@compiled_only
def test_one_builder() -> None:
    """Threads take turns: each record gets an offset of its own, and no bytes are mixed."""
    kw = twins.load("compiled")
    builder = kw.RecordBatchBuilder()

    def append(mine: int) -> None:
        for number in range(600):
            assert builder.append(b"%d" % mine, b"%d" % number * 20, [("name", b"%d" % mine)], 10**12)

    at_once(*[lambda mine=mine: append(mine) for mine in range(THREADS)])
    (batch,) = kw.read_batches(builder.build())
    records = batch.records()
    assert [record.offset for record in records] == list(range(600 * THREADS))
    for mine in range(THREADS):
        values = [record.value for record in records if record.key == b"%d" % mine]
        assert values == [b"%d" % number * 20 for number in range(600)]
    assert all(record.headers == (("name", record.key),) for record in records)


@compiled_only
@pytest.mark.parametrize("compression", ["none", "gzip"])
def test_one_builder_that_is_emptied_meanwhile(compression: str) -> None:
    """An append is refused, or its record is in just one of the batches."""
    kw = twins.load("compiled")
    builder = kw.RecordBatchBuilder(compression=compression)
    written: list[bytes] = []
    batches: list[bytes] = []

    def append(mine: int) -> None:
        for number in range(500):
            value = b"%d %d" % (mine, number)
            try:
                taken = builder.append(value=value)
            except RuntimeError:
                continue
            assert taken
            written.append(value)

    def build() -> None:
        for _ in range(100):
            try:
                batches.append(builder.build())
            except RuntimeError:
                continue

    at_once(*[lambda mine=mine: append(mine) for mine in range(3)], build, build)
    batches.append(builder.build())
    read = [record for data in batches for batch in kw.read_batches(data) for record in batch]
    assert sorted(record.value for record in read) == sorted(written)
    assert sorted(record.offset for record in read) == list(range(len(written)))


@compiled_only
def test_kernel_objects_are_not_pickled() -> None:
    """They hold pointers: a pickle that could make one would be a pickle that makes pointers."""
    kw = twins.load("compiled")
    data = batch_of(kw, 3)
    (batch,) = kw.read_batches(data)
    for one in (iter(batch), kw.RecordBatchBuilder(), kw.read_columns(data)._pieces[0][1]["value"][1]):
        with pytest.raises(TypeError, match="pickle"):
            pickle.dumps(one)


@compiled_only
@pytest.mark.skipif(
    not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this CPython has a global lock, and cannot do without"
)
def test_the_kernels_leave_the_global_lock_off() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", "import sys, kafkawire; print(sys._is_gil_enabled(), kafkawire.BACKEND)"],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.split() == ["False", "compiled"], done.stderr
