"""Every truncation of small buffers: a partial batch at the end is no error; one that is cut inside is."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.records.makers import FEW, KINDS, Made, build, fields
from tests.records.surgery import mend, plain_records, seal_message, with_records

every_kind = pytest.mark.parametrize(("magic", "codec"), KINDS)
SHORT = [Made(record.offset, record.timestamp, record.key and record.key[:9], record.value and record.value[:9],
              record.headers) for record in FEW]


def boundaries(kw: ModuleType, data: bytes) -> list[tuple[int, int]]:
    return [(piece.position, piece.size) for piece in kw.split(data).batches]


def check_every_cut(kw: ModuleType, data: bytes) -> None:
    batches = boundaries(kw, data)
    records = [[fields(record) for record in batch] for batch in kw.read_batches(data)]
    for cut in range(len(data) + 1):
        piece = data[:cut]
        whole = [(position, size) for position, size in batches if position + size <= cut]
        complete = sum(size for _, size in whole)
        split = kw.split(piece)
        assert [tuple(batch)[:2] for batch in split.batches] == whole
        assert split.complete == complete
        left = cut - complete
        if left == 0:
            assert split.missing == 0
        elif left < 12:
            assert split.missing is None
        else:
            assert split.missing == batches[len(whole)][1] - left
        wanted = [record for batch in records[: len(whole)] for record in batch]
        assert [fields(record) for batch in kw.read_batches(piece) for record in batch] == wanted
        columns = kw.read_columns(piece, columns=["offset", "value"])
        assert columns.complete == complete
        assert columns.num_rows == len(wanted)
        # Pieces say the same.
        assert sum(part.num_rows for part in kw.iter_columns(piece, 2, columns=["offset"])) == len(wanted)
        # The bytes that are missing are all that is missing.
        if split.missing:
            assert kw.split(data[: cut + split.missing]).missing == 0


@every_kind
def test_every_cut(kw: ModuleType, magic: int, codec: str) -> None:
    check_every_cut(kw, build(kw, SHORT, magic, codec) + build(kw, SHORT[:1], magic, codec))


def test_every_cut_of_mixed_magics(kw: ModuleType) -> None:
    check_every_cut(kw, b"".join(build(kw, SHORT[:2], magic, codec) for magic, codec in KINDS))


@every_kind
def test_a_cut_batch_with_right_length_and_checksum_is_corrupt(kw: ModuleType, magic: int, codec: str) -> None:
    """Compressed data that ends early, records that end early: whatever is left says that something is missing."""
    data = build(kw, SHORT[:1] if magic < 2 and codec == "none" else SHORT, magic, codec)
    first = 61 if magic == 2 else 18 + 8 * magic
    for cut in range(first, len(data)):
        check_corrupt(kw, mend(data[:cut]))


@pytest.mark.parametrize(("magic", "codec"), [kind for kind in KINDS if kind[1] != "none"])
def test_cut_records_compressed_whole_are_corrupt(kw: ModuleType, magic: int, codec: str) -> None:
    """The compression is right, what it holds is not: the error tells where in the decompressed data."""
    data = build(kw, SHORT, magic, codec)
    plain = plain_records(kw, data)
    # A message set that ends between two messages is a shorter one, and none of our business.
    fine = {position for position, _ in boundaries(kw, plain)} - {0} if magic < 2 else set()
    for cut in range(len(plain)):
        if cut not in fine:
            error = check_corrupt(kw, with_records(kw, data, plain[:cut]))
            assert error.position == 0
            assert 0 <= error.inner_position <= cut


@pytest.mark.parametrize("magic", [0, 1])
def test_a_cut_message_inside_of_a_wrapper(kw: ModuleType, magic: int) -> None:
    """Every inner message cut with length and checksum right."""
    data = build(kw, SHORT, magic, "gzip")
    plain = plain_records(kw, data)
    for position, size in boundaries(kw, plain):
        for cut in range(18, size):
            offset = int.from_bytes(plain[position : position + 8], "big")
            inner = seal_message(offset, plain[position + 16 : position + cut])
            check_corrupt(kw, with_records(kw, data, plain[:position] + inner + plain[position + size :]))


def check_corrupt(kw: ModuleType, data: bytes) -> Exception:
    found = []
    for read in (
        lambda: [list(batch) for batch in kw.read_batches(data)],
        lambda: [batch.records() for batch in kw.read_batches(data)],
        lambda: kw.read_columns(data),
        lambda: kw.read_columns(data, columns=["offset"]),
        lambda: kw.read_columns(data, columns=[]),
        lambda: list(kw.iter_columns(data, 1)),
        lambda: kw.read_columns(data, start_offset=0, end_offset=1 << 62),
    ):
        with pytest.raises(kw.CorruptError) as caught:
            read()
        found.append(caught.value)
    assert len({str(error) for error in found}) == 1
    assert found[0].position is not None
    return found[0]
