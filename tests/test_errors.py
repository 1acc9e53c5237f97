"""The error family: what the kernels' numbers mean, what the texts say, and that errors travel between processes."""

from __future__ import annotations

import copy
import pickle
import re
from pathlib import Path
from types import ModuleType

import pytest

from tests.records.makers import FEW, build
from tests.records.surgery import mend, with_records

ROOT = Path(__file__).parents[1]


def test_the_kernels_number_faults_alike(kw: ModuleType) -> None:
    """_varint.pxd repeats errors.Fault for C."""
    source = (ROOT / "kafkawire" / "_varint.pxd").read_text()
    numbers = {name: int(number) for name, number in re.findall(r"^ +FAULT_(\w+) = (\d+)", source, re.M)}
    assert numbers == {fault.name: fault.value for fault in kw.errors.Fault}
    assert len(numbers) == len(set(numbers.values())) > 20


def test_every_fault_has_an_error(kw: ModuleType) -> None:
    faults = [fault for fault in kw.errors.Fault if fault.value]
    texts = set()
    for fault in faults:
        error = kw.errors.fault_error(fault.value, 12345, 67890, 11, 22, 33)
        assert isinstance(error, kw.WireError)
        assert (error.position, error.offset, error.inner_position) == (11, 22, 33)
        assert error.expected
        texts.add(error.message)
        assert str(error) == (
            f"{error.message}, expected {error.expected} "
            "(at position 11, byte 33 of the decompressed data, offset 22)"
        )
    assert len(texts) == len(faults)


def test_family(kw: ModuleType) -> None:
    parents = {
        "CorruptError": "WireError", "ChecksumError": "CorruptError", "TruncatedError": "WireError",
        "UnsupportedError": "WireError", "MissingLibraryError": "UnsupportedError", "LimitError": "WireError",
        "EncodeError": "WireError",
    }
    for name, parent in parents.items():
        assert getattr(kw, name).__bases__ == (getattr(kw, parent),)
    assert issubclass(kw.WireError, ValueError)


def test_text_of_a_plain_error(kw: ModuleType) -> None:
    assert str(kw.CorruptError("wrong")) == "wrong"
    assert str(kw.CorruptError("wrong", position=0)) == "wrong (at position 0)"
    assert str(kw.LimitError("much", offset=7, expected="less")) == "much, expected less (at offset 7)"


def test_pickles(kw: ModuleType) -> None:
    names = ("WireError", "CorruptError", "ChecksumError", "UnsupportedError", "MissingLibraryError", "LimitError",
             "EncodeError")
    for name in names:
        error = getattr(kw, name)("said", position=1, offset=2, expected="that", inner_position=3)
        check_copy(error)
    check_copy(kw.TruncatedError("said", missing=5, position=1))


def check_copy(error: Exception) -> None:
    copies = [pickle.loads(pickle.dumps(error, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
    for found in (*copies, copy.copy(error)):
        assert type(found) is type(error)
        assert str(found) == str(error)
        assert found.__dict__ == error.__dict__


def test_what_a_reader_raises_pickles(kw: ModuleType) -> None:
    with pytest.raises(kw.ChecksumError) as caught:
        list(kw.read_batches(build(kw, FEW)[:-1] + b"\xff"))
    check_copy(caught.value)


@pytest.mark.parametrize("magic", [0, 1, 2])
def test_checksum_text(kw: ModuleType, magic: int) -> None:
    """Where, which offset, what stands there and what should."""
    good = build(kw, FEW[:1], magic)
    data = good + good[:-2] + b"\xff\xff"
    with pytest.raises(kw.ChecksumError) as caught:
        list(kw.read_batches(data))
    stored = next(iter(kw.read_batches(good))).crc
    computed = next(iter(kw.read_batches(mend(good[:-2] + b"\xff\xff")))).crc
    assert str(caught.value) == (
        f"the checksum stored is {stored:#010x}, that of the bytes is {computed:#010x}, expected equal ones "
        f"(at position {len(good)}, offset 7)"
    )


def test_place_of_a_fault_in_a_record(kw: ModuleType) -> None:
    """The position is that of the field, in the caller's buffer; and in decompressed data where that is where it is."""
    good = build(kw, FEW)
    # The value's length of the first record: behind length, attributes, two deltas, and the key.
    at = 61 + 1 + 1 + 1 + 1 + 4
    broken = mend(good[:at] + b"\x03" + good[at + 1 :])
    with pytest.raises(kw.CorruptError) as caught:
        list(next(iter(kw.read_batches(good + broken, position=len(good)))))
    assert (caught.value.position, caught.value.inner_position, caught.value.offset) == (len(good) + at, None, 7)
    assert str(caught.value) == (
        f"a length of -2, expected -1 for null, or a length from 0 (at position {len(good) + at}, offset 7)"
    )
    packed = build(kw, FEW, 2, "zstd")
    broken = with_records(kw, packed, broken[61:])
    with pytest.raises(kw.CorruptError) as caught:
        list(next(iter(kw.read_batches(good + broken, position=len(good)))))
    assert (caught.value.position, caught.value.inner_position, caught.value.offset) == (len(good), at - 61, 7)


def test_offset_of_a_damaged_frame(kw: ModuleType) -> None:
    """A batch whose length cannot be has no offset to believe in."""
    good = build(kw, FEW)
    bad = good[:8] + b"\x00\x00\x00\x05" + good[12:]
    for read in (lambda: kw.split(good + bad), lambda: list(kw.read_batches(good + bad)),
                 lambda: kw.read_columns(good + bad)):
        with pytest.raises(kw.CorruptError) as caught:
            read()
        assert str(caught.value) == f"a batch length of 5, expected at least 14 (at position {len(good)})"
