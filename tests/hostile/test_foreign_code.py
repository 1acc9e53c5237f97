"""Code of others that runs in the middle of ours (an ``__eq__``, another thread) breaks nothing."""

from __future__ import annotations

import gc
from contextlib import suppress
from types import ModuleType
from typing import Any

import pytest

from tests.records.makers import FEW, build


class EmptiesItsSlot:
    """A value whose comparison takes itself out of the message, so that nothing else holds it."""

    def __init__(self, message: Any, name: str) -> None:
        self.message, self.name = message, name

    def __eq__(self, other: object) -> Any:
        setattr(self.message, self.name, None)
        self.__dict__.clear()
        gc.collect()
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]


def test_a_value_that_goes_away_while_it_is_compared(kw: ModuleType) -> None:
    request = kw.messages.FetchRequest(topics=[])
    request.cluster_id = EmptiesItsSlot(request, "cluster_id")
    with suppress(kw.EncodeError):  # as it was, or as it has become: either is an answer
        request.encode(12)


def test_unknown_tags_that_change_while_they_are_written(kw: ModuleType) -> None:
    """The list is taken as it was when it was checked."""
    request = kw.messages.FetchRequest(topics=[])
    tags = [(1000 + number, b"x") for number in range(20)]

    request.unknown_tags = tags
    body = request.encode(12)

    class Changes:
        def __eq__(self, other: object) -> bool:
            tags[:] = [()] * 20  # type: ignore[list-item]
            return True

        __hash__ = None  # type: ignore[assignment]

    request.cluster_id = Changes()
    try:
        assert request.encode(12) == body
    except kw.EncodeError as error:
        assert "unknown_tags" in str(error)  # changed before they were checked


def test_a_second_writer_while_the_first_compresses_is_refused(kw: ModuleType) -> None:
    """What compresses may release the GIL; a second thread would move the memory under it, or lose its record."""
    from kafkawire import _twins

    met: list[Exception] = []

    def compress(data: memoryview) -> bytes:
        for act in (lambda: writer.append(b"k" * 5000, None), writer.seal, writer.take):
            with pytest.raises(RuntimeError, match="another thread") as caught:
                act()
            met.append(caught.value)
        return bytes(data)

    writer = _twins.writer.BatchWriter(2, 4, compress, 1 << 20, 0, -1, -1, -1, -1, 0)
    writer.append(b"key", b"value", (), 0, 0)
    data = bytearray(writer.take())
    assert len(met) == 3
    assert writer.append(b"next", None)
    assert b"key" in data


def test_compressing_that_fails_leaves_the_batch_as_it_was(kw: ModuleType) -> None:
    from kafkawire import _twins

    answers: list[Any] = [MemoryError(), kw.EncodeError("no"), b"compressed"]

    def compress(data: memoryview) -> Any:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    writer = _twins.writer.BatchWriter(2, 4, compress, 1 << 20, 0, -1, -1, -1, -1, 0)
    writer.append(b"key", b"value", (), 0, 0)
    with pytest.raises(MemoryError):
        writer.take()
    with pytest.raises(kw.EncodeError):
        writer.take()
    assert writer.take().endswith(b"compressed")


@pytest.mark.parametrize("magic", [0, 1, 2])
def test_no_offset_behind_the_last(kw: ModuleType, magic: int) -> None:
    """2**63 is no offset: once it became -2**63 in one twin, and was written in the other."""
    builder = kw.RecordBatchBuilder(magic)
    builder.append(value=b"last", offset=(1 << 63) - 1)
    with pytest.raises(kw.EncodeError, match="out of order"):
        builder.append(value=b"behind")
    (batch,) = kw.read_batches(builder.build())
    assert batch.last_offset == (1 << 63) - 1
    with pytest.raises(kw.EncodeError, match="out of order"):
        builder.append(value=b"behind")


FAR = (1 << 70, -(1 << 70))


@pytest.mark.parametrize("far", FAR)
def test_positions_beyond_any_memory(kw: ModuleType, far: int) -> None:
    data = build(kw, FEW)
    for decode in (
        kw.varint.decode_varint,
        kw.varint.decode_varlong,
        kw.varint.decode_unsigned_varint,
        kw.varint.decode_unsigned_varlong,
    ):
        with pytest.raises(kw.TruncatedError) as caught:
            decode(data, far)
        assert caught.value.position == far
    assert kw.split(data, far).complete == len(data)
    assert list(kw.read_batches(data, position=far)) == []
    assert kw.read_columns(data, position=max(far, 0)).num_rows == (0 if far > 0 else len(FEW))
    assert kw.read_columns(data, stop=far).num_rows == (len(FEW) if far > 0 else 0)
    assert kw.read_columns(data, start_offset=far).num_rows == (0 if far > 0 else len(FEW))
    assert kw.read_columns(data, end_offset=far).num_rows == (len(FEW) if far > 0 else 0)
    with pytest.raises(OverflowError):
        kw.crc32c(data, far)


def test_memory_with_gaps_is_refused(kw: ModuleType) -> None:
    gaps = memoryview(bytes(64))[::2]
    for read in (kw.varint.decode_varint, kw.crc32c):
        with pytest.raises(BufferError):
            read(gaps)
    for read in (kw.split, kw.read_batches, kw.read_columns):
        with pytest.raises(TypeError):
            read(gaps)
