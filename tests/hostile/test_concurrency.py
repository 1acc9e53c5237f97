"""Many threads on one buffer, and buffers that somebody else has his hands on."""

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import Any

import pytest

from tests import twins
from tests.records.makers import FEW, KINDS, build, fields
from tests.records.surgery import mend

THREADS = 8


@pytest.fixture
def log(kw: ModuleType) -> bytes:
    """Some 600 kB of batches of every kind: more than one thread's share."""
    made = [record._replace(value=b"value" * 40) for record in FEW]
    return b"".join(build(kw, made, *kind) for kind in KINDS) * 40


def at_once(*acts: Callable[[], Any]) -> list[Any]:
    """What each gives when all begin at the same moment."""
    barrier = threading.Barrier(len(acts))

    def begin(act: Callable[[], Any]) -> Any:
        barrier.wait(20)
        return act()

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(len(acts)) as pool:
            return [future.result(60) for future in [pool.submit(begin, act) for act in acts]]
    finally:
        sys.setswitchinterval(before)


def test_many_threads_read_one_buffer(kw: ModuleType, log: bytes) -> None:
    shared = bytearray(log)

    def objects() -> Any:
        return [fields(record) for batch in kw.read_batches(shared) for record in batch]

    def lists() -> Any:
        return [fields(record) for batch in kw.read_batches(shared) for record in batch.records()]

    def columns(threads: int) -> Any:
        found = kw.read_columns(shared, threads=threads)
        return found.num_rows, found.complete, found.to_arrow().column("value").to_pylist()

    wanted = objects()
    one = columns(1)
    assert one[0] == len(wanted)
    found = at_once(objects, lists, lambda: columns(4), lambda: columns(1), objects, lists, lambda: columns(4), objects)
    for answer in found:
        assert answer in (wanted, one)


def test_many_threads_read_one_broken_buffer(kw: ModuleType, log: bytes) -> None:
    """All get the same error, whatever the others do."""
    broken = bytearray(log)
    broken[len(log) * 3 // 4] ^= 0xFF

    def error(threads: int) -> Any:
        with pytest.raises(kw.WireError) as caught:
            kw.read_columns(broken, threads=threads)
        return str(caught.value)

    assert len(set(at_once(*[lambda threads=threads: error(threads) for threads in (1, 4) * 4]))) == 1


def test_many_threads_read_the_records_of_one_batch(kw: ModuleType) -> None:
    """A batch may be shared: each iteration is one of its own."""
    batches = [next(iter(kw.read_batches(build(kw, FEW, *kind)))) for kind in KINDS]

    def read() -> Any:
        return [[fields(record) for record in batch] for _ in range(20) for batch in batches]

    first, *others = at_once(*[read] * THREADS)
    assert all(other == first for other in others)


@pytest.mark.skipif(twins.PURE_ONLY, reason="KAFKAWIRE_PURE_PYTHON=1: what is shared there is Python's own generator")
def test_many_threads_share_one_iterator() -> None:
    """Every record goes to one of them; no promise of the pure twin, whose generator says that it is busy."""
    kw = twins.load("compiled")
    many = [FEW[0]._replace(offset=number, headers=(("name", b"content"),)) for number in range(3000)]
    (batch,) = kw.read_batches(build(kw, many))
    shared = iter(batch)
    found = at_once(*[lambda: [record.offset for record in shared]] * 4)
    assert sorted(offset for part in found for offset in part) == list(range(3000))


def test_many_threads_decode_messages(kw: ModuleType) -> None:
    response = kw.messages.MetadataResponse
    body = response(
        topics=[
            response.Topic(name=f"t{number}", partitions=[response.Topic.Partition(replica_nodes=[1, 2, 3])])
            for number in range(50)
        ]
    ).encode(12)
    wanted = response.decode(body, 12)
    lazy = response.decode(body, 12)

    def read() -> bool:
        same = all(response.decode(body, 12) == wanted for _ in range(10))
        # Values that are made when they are asked for, by all at once.
        return same and all(topic.partitions[0].replica_nodes == [1, 2, 3] for topic in lazy.topics)

    assert all(at_once(*[read] * THREADS))


def resize(data: bytearray) -> None:
    with pytest.raises(BufferError):
        data.append(0)


def test_a_buffer_in_use_is_not_resized(kw: ModuleType) -> None:
    data = bytearray(build(kw, FEW))
    batches = kw.read_batches(data)
    batch = next(batches)
    resize(data)
    records = iter(batch)
    next(records)
    del batches, batch
    if kw.BACKEND == "compiled":  # the pure twin has taken a copy of the batch
        resize(data)
    del records
    data.append(0)  # nobody has it any more
    table = kw.read_columns(data).to_arrow()
    assert table.num_rows == len(FEW)
    data.append(0)  # columns are copies
    for failing in (b"\0" * 30, mend(bytes(data[:61]) + b"\xff" * 40)):
        broken = bytearray(failing)
        for read in (kw.read_columns, lambda data: [list(batch) for batch in kw.read_batches(data)]):
            with pytest.raises(kw.WireError) as caught:
                read(broken)
            del caught
        broken.append(0)


def test_a_buffer_is_not_resized_while_it_is_decompressed(kw: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    data = bytearray(build(kw, FEW, 2, "gzip"))
    compression = kw.records.compression
    codec = compression.CODECS[1]
    met: list[int] = []

    def decompress(body: Any, magic: int, limits: Any) -> Any:
        resize(data)
        met.append(len(body))
        return codec.decompress(body, magic, limits)

    monkeypatch.setattr(
        compression,
        "CODECS",
        tuple(one._replace(decompress=decompress) if one.id == 1 else one for one in compression.CODECS),
    )
    assert kw.read_columns(data).num_rows == len(FEW)
    assert sum(len(batch.records()) for batch in kw.read_batches(data)) == len(FEW)
    assert len(met) == 2
    data.append(0)


def test_content_that_changes_under_the_reader(kw: ModuleType) -> None:
    """Somebody writes into the buffer all the while: any answer, or an error of ours, and nothing worse."""
    made = [record._replace(value=b"value" * 40) for record in FEW]
    data = bytearray(b"".join(build(kw, made, *kind) for kind in KINDS if kind[1] == "none") * 100)
    over = threading.Event()

    def write() -> int:
        changes = 0
        state = 12345
        while not over.is_set():
            state = (state * 1103515245 + 12345) & 0x7FFFFFFF
            data[state % len(data)] ^= 1 << (state >> 20 & 7)
            changes += 1
        return changes

    def read() -> int:
        rounds = 0
        try:
            for check_crc in (True, False) * 30:
                for act in (
                    lambda: kw.read_columns(data, check_crc, threads=2),  # noqa: B023
                    lambda: [list(batch) for batch in kw.read_batches(data, check_crc)],  # noqa: B023
                    lambda: kw.split(data),
                ):
                    rounds += 1
                    try:
                        act()
                    except kw.WireError:
                        continue
        finally:
            over.set()
        return rounds

    changes, rounds = at_once(write, read)
    assert changes > 0
    assert rounds == 180


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.skipif(sys.version_info >= (3, 14), reason="threads and fork together are warned about, and rightly")
def test_a_process_forked_while_others_decode(kw: ModuleType, log: bytes) -> None:
    """Spark forks its workers: what threads of the parent held at that moment must not be waited for."""
    over = threading.Event()

    def decode() -> None:
        while not over.is_set():
            kw.read_columns(log)

    others = [threading.Thread(target=decode) for _ in range(3)]
    for other in others:
        other.start()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            for _ in range(30):
                child = os.fork()
                if child == 0:
                    status = 1
                    try:
                        signal.alarm(20)
                        kw.read_columns(log)
                        status = 0
                    finally:
                        os._exit(status)
                assert os.waitpid(child, 0)[1] == 0
    finally:
        over.set()
        for other in others:
            other.join()
