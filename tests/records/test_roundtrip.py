"""What is written from objects is read back: every magic, codec and kind of record; both twins write the same bytes."""

from __future__ import annotations

import struct
import time
import zlib
from types import ModuleType
from typing import Any

import crc32c
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.records.makers import CODECS, FEW, INT64, KINDS, Made, build, fields, records

relaxed = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
every_kind = pytest.mark.parametrize(("magic", "codec"), KINDS)

HEADER_FIELDS = (
    "base_offset", "last_offset", "magic", "crc", "attributes", "compression", "timestamp_type", "is_transactional",
    "is_control", "producer_id", "producer_epoch", "base_sequence", "partition_leader_epoch", "record_count",
    "first_timestamp", "max_timestamp", "delete_horizon", "position", "size",
)


def read_back(kw: ModuleType, data: bytes) -> list[tuple[Any, ...]]:
    """All records, by objects, after columns have said the same."""
    split = kw.split(data)
    assert (split.complete, split.missing) == (len(data), 0)
    asked = [fields(record) for batch in kw.read_batches(data) for record in batch]
    assert [fields(record) for batch in kw.read_batches(data) for record in batch.records()] == asked
    table = kw.read_columns(data, control=True).to_arrow()
    columns = [table.column(name) for name in table.schema.names]
    columns[1] = columns[1].cast("int64")
    rows = list(zip(*(column.to_pylist() for column in columns), strict=True))
    assert [
        (*row[:5], tuple((header["key"], header["value"]) for header in row[5])) for row in rows
    ] == asked
    return asked


@every_kind
@relaxed
@given(made=records())
def test_records(kw: ModuleType, magic: int, codec: str, made: list[Made]) -> None:
    assert read_back(kw, build(kw, made, magic, codec)) == [record.read_back(magic) for record in made]


@pytest.mark.parametrize(("magic", "codec"), KINDS)
@relaxed
@given(made=records(max_size=5), data=st.data())
def test_both_twins_write_the_same_bytes(
    both: tuple[ModuleType, ModuleType], magic: int, codec: str, made: list[Made], data: st.DataObject
) -> None:
    more: dict[str, Any] = {"partition_leader_epoch": data.draw(st.integers(-1, 1000)), "base_offset": 3}
    if magic:
        more["log_append_time"] = data.draw(st.none() | st.integers(*INT64))
    if magic == 2:
        more |= {
            "producer_id": data.draw(st.integers(*INT64)),
            "producer_epoch": data.draw(st.integers(-(1 << 15), (1 << 15) - 1)),
            "base_sequence": data.draw(st.integers(-1, (1 << 31) - 1)),
            "is_transactional": data.draw(st.booleans()),
            "is_control": data.draw(st.booleans()),
        }
    one, other = (build(kw, made, magic, codec, **more) for kw in both)
    assert one == other


LEVELS = [
    *((2, "gzip", level) for level in (1, 6, 9)),
    *((2, "lz4", level) for level in (1, 9, 17)),
    *((2, "zstd", level) for level in (-131072, -5, 1, 3, 19, 22)),
    (1, "gzip", 9),
    (0, "lz4", 12),
]


@pytest.mark.parametrize(("magic", "codec", "level"), LEVELS)
def test_levels(kw: ModuleType, magic: int, codec: str, level: int) -> None:
    made = [Made(offset, 0, b"key", b"some value %d" % (offset % 7), ()) for offset in range(200)]
    data = build(kw, made, magic, codec, level=level)
    assert read_back(kw, data) == [record.read_back(magic) for record in made]
    if level > -100:  # the lowest level of all compresses nothing
        assert len(data) < len(build(kw, made, magic)) / 3


def test_levels_change_the_size(kw: ModuleType) -> None:
    made = [Made(offset, 0, None, b"%d some value %d" % (offset, offset * offset), ()) for offset in range(3000)]
    for codec, low, high in (("gzip", 1, 9), ("lz4", 1, 12), ("zstd", -100, 19)):
        assert len(build(kw, made, 2, codec, level=low)) > len(build(kw, made, 2, codec, level=high))


@pytest.mark.parametrize(
    ("codec", "level"),
    [("none", 1), ("snappy", 1), ("gzip", 0), ("gzip", 10), ("lz4", 0), ("lz4", 18), ("zstd", 23), ("zstd", -131073)],
)
def test_levels_that_do_not_exist(kw: ModuleType, codec: str, level: int) -> None:
    with pytest.raises(kw.EncodeError, match=f"level {level} for {codec}"):
        kw.RecordBatchBuilder(compression=codec, level=level)


def test_kinds_that_do_not_exist(kw: ModuleType) -> None:
    for given_, said in (((3, "none"), "magic 3"), ((2, "brotli"), "brotli"), ((1, "zstd"), "zstd with magic 1")):
        with pytest.raises(kw.UnsupportedError, match=said):
            kw.RecordBatchBuilder(*given_)


# ---- the header ----


@pytest.mark.parametrize("codec", CODECS)
def test_header_fields(kw: ModuleType, codec: str) -> None:
    data = build(
        kw, FEW, 2, codec, producer_id=1 << 40, producer_epoch=300, base_sequence=5, partition_leader_epoch=17,
        is_transactional=True,
    )
    (batch,) = kw.read_batches(data)
    assert {name: getattr(batch, name) for name in HEADER_FIELDS} == {
        "base_offset": 7, "last_offset": 12, "magic": 2, "crc": crc32c.crc32c(data[21:]),
        "attributes": CODECS.index(codec) | 0x10, "compression": codec, "timestamp_type": 0, "is_transactional": True,
        "is_control": False, "producer_id": 1 << 40, "producer_epoch": 300, "base_sequence": 5,
        "partition_leader_epoch": 17, "record_count": 4, "first_timestamp": 1_700_000_000_000,
        "max_timestamp": 1_700_000_000_001, "delete_horizon": None, "position": 0, "size": len(data),
    }


def test_header_bytes(kw: ModuleType) -> None:
    """Field by field where the protocol guide has them."""
    data = build(
        kw, FEW, producer_id=-2, producer_epoch=-3, base_sequence=0x01020304, partition_leader_epoch=9, is_control=True
    )
    base, length, epoch, magic, crc, attributes, delta, first, largest, producer, producer_epoch, sequence, count = (
        struct.unpack_from(">qiibIhiqqqhii", data)
    )
    assert (base, length, epoch, magic, crc) == (7, len(data) - 12, 9, 2, crc32c.crc32c(data[21:]))
    assert (attributes, delta, first, largest) == (0x20, 5, 1_700_000_000_000, 1_700_000_000_001)
    assert (producer, producer_epoch, sequence, count) == (-2, -3, 0x01020304, 4)
    # The first record, byte by byte: length 15, no attributes, deltas 0 and 0, "key", "value", no headers.
    assert data[61:75] == b"\x1c\x00\x00\x00\x06key\x0avalue\x00"[:14]


def test_old_header_fields(kw: ModuleType) -> None:
    for magic, overhead in ((0, 26), (1, 34)):
        data = build(kw, FEW[:1], magic)
        assert len(data) == overhead + 8
        offset, length, crc, stored, attributes = struct.unpack_from(">qiIbb", data)
        assert (offset, length, stored, attributes) == (7, len(data) - 12, magic, 0)
        assert crc == zlib.crc32(data[16:])
        (batch,) = kw.read_batches(data)
        assert {name: getattr(batch, name) for name in HEADER_FIELDS} == {
            "base_offset": 7, "last_offset": 7, "magic": magic, "crc": crc, "attributes": 0, "compression": "none",
            "timestamp_type": magic - 1, "is_transactional": False, "is_control": False, "producer_id": -1,
            "producer_epoch": -1, "base_sequence": -1, "partition_leader_epoch": -1, "record_count": 1,
            "first_timestamp": 1_700_000_000_000 if magic else -1,
            "max_timestamp": 1_700_000_000_000 if magic else -1, "delete_horizon": None, "position": 0,
            "size": len(data),
        }


@pytest.mark.parametrize("codec", CODECS[:4])
@pytest.mark.parametrize("magic", [0, 1])
def test_wrappers(kw: ModuleType, magic: int, codec: str) -> None:
    """A compressed message is one batch: the offset of its last message outside, relative ones inside for magic 1."""
    data = build(kw, FEW, magic, codec)
    batches = list(kw.read_batches(data))
    if codec == "none":
        assert [batch.base_offset for batch in batches] == [7, 8, 11, 12]
        return
    (batch,) = batches
    assert (batch.base_offset, batch.last_offset, batch.record_count) == (7, 12, 4)
    assert struct.unpack_from(">q", data) == (12,)
    assert batch.header_last_offset == 12
    if magic:
        assert batch.max_timestamp == 1_700_000_000_001
    plain = kw.records.compression.decompress(batch.attributes & 7, magic, data[26 + 8 * magic :], kw.Limits())
    inner = [bytes(plain)[piece.position : piece.position + 8] for piece in kw.split(bytes(plain)).batches]
    assert [int.from_bytes(offset, "big") for offset in inner] == ([7, 8, 11, 12] if magic == 0 else [0, 1, 4, 5])


@pytest.mark.parametrize(("magic", "codec"), [kind for kind in KINDS if kind[0]])
def test_log_append_time(kw: ModuleType, magic: int, codec: str) -> None:
    data = build(kw, FEW, magic, codec, log_append_time=1_234)
    for batch in kw.read_batches(data):
        assert (batch.timestamp_type, batch.max_timestamp) == (1, 1_234)
    assert [record[:3] for record in read_back(kw, data)] == [(made.offset, 1_234, 1) for made in FEW]


def test_control_batches(kw: ModuleType) -> None:
    builder = kw.RecordBatchBuilder(is_control=True, is_transactional=True, producer_id=5, producer_epoch=1)
    key, value = kw.end_transaction_marker(True, 42)
    assert builder.append(key=key, value=value, timestamp=1, offset=99)
    data = builder.build()
    (batch,) = kw.read_batches(data)
    assert (batch.is_control, batch.is_transactional, batch.base_sequence) == (True, True, -1)
    (record,) = batch
    assert tuple(kw.parse_control_record(record.key, record.value)) == (0, 1, "commit", 42, value)
    assert kw.parse_control_record(*kw.end_transaction_marker(False, 1)).name == "abort"
    assert kw.read_columns(data).num_rows == 0
    assert kw.read_columns(data, control=True).num_rows == 1


def test_sequences_go_on_and_wrap(kw: ModuleType) -> None:
    """From batch to batch; after 2**31 - 1 comes 0, also inside of a batch."""
    builder = kw.RecordBatchBuilder(producer_id=1, producer_epoch=0, base_sequence=(1 << 31) - 3)
    data = b""
    for count in (2, 3, 1):
        for _ in range(count):
            builder.append(value=b"", timestamp=0)
        data += builder.build()
    assert [batch.base_sequence for batch in kw.read_batches(data)] == [(1 << 31) - 3, (1 << 31) - 1, 2]
    sequences = kw.read_columns(data, columns=["sequence"]).to_arrow().column(0).to_pylist()
    assert sequences == [(1 << 31) - 3, (1 << 31) - 2, (1 << 31) - 1, 0, 1, 2]
    assert kw.read_columns(data, columns=["offset"]).to_arrow().column(0).to_pylist() == list(range(6))


def test_no_sequence_stays_none(kw: ModuleType) -> None:
    data = build(kw, FEW, producer_id=1, producer_epoch=0) * 2
    assert kw.read_columns(data, columns=["sequence"]).to_arrow().column(0).to_pylist() == [-1] * 8


# ---- append ----


@every_kind
def test_append_says_when_it_is_full(kw: ModuleType, magic: int, codec: str) -> None:
    """Uncompressed, a full batch is within the limit and one record more would not have been."""
    builder = kw.RecordBatchBuilder(magic, codec, batch_size=1000)
    count, sizes = 0, []
    while builder.append(value=b"x" * 37, **({"timestamp": 5} if magic else {})):
        count += 1
        assert builder.record_count == count
        sizes.append(builder.size_in_bytes)
    step = sizes[-1] - sizes[-2]
    assert sizes[-1] <= 1000 < sizes[-1] + step
    assert (builder.record_count, builder.size_in_bytes) == (count, sizes[-1])
    data = builder.build()
    assert len(read_back(kw, data)) == count
    if codec == "none":
        assert len(data) == sizes[-1]
    # It goes on behind the last offset.
    assert (builder.record_count, builder.size_in_bytes, builder.build()) == (0, 0, b"")
    assert builder.append(value=b"next", **({"timestamp": 5} if magic else {}))
    assert [record[0] for record in read_back(kw, builder.build())] == [count]


def test_the_first_record_is_taken_whatever_its_size(kw: ModuleType) -> None:
    for magic in (0, 1, 2):
        builder = kw.RecordBatchBuilder(magic, batch_size=1)
        assert builder.append(value=b"x" * 5000)
        assert not builder.append(value=b"")
        assert [record[4] for record in read_back(kw, builder.build())] == [b"x" * 5000]


def test_a_batch_reaches_over_int32_offsets(kw: ModuleType) -> None:
    """A record further from the first than 31 bits is not for this batch."""
    builder = kw.RecordBatchBuilder()
    assert builder.append(offset=5, timestamp=0)
    assert not builder.append(offset=5 + (1 << 31), timestamp=0)
    assert builder.append(offset=5 + (1 << 31) - 1, timestamp=0)
    assert [record[0] for record in read_back(kw, builder.build())] == [5, 4 + (1 << 31)]


@pytest.mark.parametrize(
    ("first", "second", "fits"),
    [
        (0, INT64[1], True),
        (0, INT64[0], True),
        (-1, INT64[1], False),
        (-1, INT64[1] - 1, True),
        (1, INT64[0], False),
        (1, INT64[0] + 1, True),
        (INT64[0], -1, True),
        (INT64[0], 0, False),
        (INT64[1], -1, True),
        (INT64[1], -2, False),
        (INT64[0], INT64[1], False),
        (INT64[1], INT64[0], False),
    ],
)
def test_timestamp_deltas_have_64_bits(kw: ModuleType, first: int, second: int, fits: bool) -> None:
    builder = kw.RecordBatchBuilder()
    assert builder.append(timestamp=first)
    if fits:
        assert builder.append(timestamp=second)
    else:
        with pytest.raises(kw.EncodeError, match="too far"):
            builder.append(timestamp=second)
    assert [record[1] for record in read_back(kw, builder.build())] == [first, second][: 1 + fits]


def test_now_is_the_time(kw: ModuleType) -> None:
    builder = kw.RecordBatchBuilder()
    before = int(time.time() * 1000)
    builder.append(value=b"")
    (record,) = read_back(kw, builder.build())
    assert before <= record[1] <= int(time.time() * 1000)


@pytest.mark.parametrize("magic", [0, 1, 2])
def test_values_that_cannot_be_written(kw: ModuleType, magic: int) -> None:
    builder = kw.RecordBatchBuilder(magic)
    assert builder.append(value=b"first", offset=10)
    refused: list[tuple[type[Exception], dict[str, Any]]] = [
        (kw.EncodeError, {"offset": 10}),
        (kw.EncodeError, {"offset": -1}),
        (kw.EncodeError, {"offset": 1 << 63}),
        (TypeError, {"offset": 11.0}),
        (TypeError, {"key": "text"}),
        (TypeError, {"value": 7}),
    ]
    if magic:
        refused += [(kw.EncodeError, {"timestamp": 1 << 63}), (TypeError, {"timestamp": 1.5})]
    else:
        refused += [(kw.EncodeError, {"timestamp": 1})]
    if magic == 2:
        refused += [
            (kw.EncodeError, {"headers": [("\ud800", b"")]}),
            (TypeError, {"headers": [(b"bytes", b"")]}),
            (TypeError, {"headers": [("text", "text")]}),
            (TypeError, {"headers": ["ab", "cd"]}),
            (TypeError, {"headers": [("alone",)]}),
        ]
    else:
        refused += [(kw.EncodeError, {"headers": [("name", b"")]})]
    for error, arguments in refused:
        with pytest.raises(error):
            builder.append(**arguments)
    # Nothing of all that has left a trace.
    assert builder.append(value=b"last")
    assert [(record[0], record[4]) for record in read_back(kw, builder.build())] == [(10, b"first"), (11, b"last")]


def test_settings_that_cannot_be(kw: ModuleType) -> None:
    for name, value in (
        ("batch_size", 0), ("batch_size", 1 << 31), ("base_offset", -1), ("base_offset", 1 << 63),
        ("producer_id", 1 << 63), ("producer_epoch", 1 << 15), ("base_sequence", -2), ("base_sequence", 1 << 31),
        ("partition_leader_epoch", 1 << 31), ("log_append_time", 1 << 63),
    ):
        with pytest.raises(kw.EncodeError, match=name):
            kw.RecordBatchBuilder(**{name: value})
    with pytest.raises(TypeError, match="producer_id"):
        kw.RecordBatchBuilder(producer_id="5")
    for magic, setting in ((1, {"is_transactional": True}), (1, {"is_control": True}), (0, {"producer_id": 5}),
                           (0, {"log_append_time": 5})):
        with pytest.raises(kw.EncodeError):
            kw.RecordBatchBuilder(magic, **setting)


def test_any_bytes_are_taken(kw: ModuleType) -> None:
    builder = kw.RecordBatchBuilder()
    builder.append(
        key=bytearray(b"key"), value=memoryview(b"-value-")[1:-1], headers=iter([["name", memoryview(b"x")]]),
        timestamp=0,
    )
    assert read_back(kw, builder.build()) == [(0, 0, 0, b"key", b"value", (("name", b"x"),))]


def test_many_headers(kw: ModuleType) -> None:
    many = tuple((f"name {at % 10}", None if at % 3 else b"%d" % at) for at in range(5000))
    assert read_back(kw, build(kw, [Made(0, 0, None, None, many)]))[0][5] == many


# ---- what codecs wrote in Kafka's way ----


def test_lz4_header_checksum_of_kip_57(kw: ModuleType) -> None:
    """Magic 0 has the wrong one, over the frame's magic too; magic 1 the right one; both kinds are read for magic 0."""
    import lz4.frame

    payload = {magic: build(kw, FEW, magic, "lz4")[26 + 8 * magic :] for magic in (0, 1)}
    assert lz4.frame.decompress(payload[1])
    with pytest.raises(RuntimeError, match="header"):
        lz4.frame.decompress(payload[0])
    at = 6
    mended = next(
        frame
        for frame in (payload[0][:at] + bytes([byte]) + payload[0][at + 1 :] for byte in range(256))
        if _is_lz4(frame)
    )
    compression = kw.records.compression
    assert compression.decompress(3, 0, mended, kw.Limits()) == compression.decompress(3, 0, payload[0], kw.Limits())
    with pytest.raises(kw.CorruptError):
        compression.decompress(3, 1, payload[0], kw.Limits())


def _is_lz4(frame: bytes) -> bool:
    import lz4.frame

    try:
        return bool(lz4.frame.decompress(frame))
    except RuntimeError:
        return False


def test_lz4_frames_are_those_of_kafka(kw: ModuleType) -> None:
    """Version 1, independent blocks, no checksums of blocks or content, no content size; blocks of 64 KiB."""
    frame = build(kw, FEW, 2, "lz4")[61:]
    assert frame[:6] == b"\x04\x22\x4d\x18\x60\x40"


def test_xerial_framing(kw: ModuleType) -> None:
    """The header of snappy-java's stream, versions 1 and 1, then blocks of at most 32 KiB with their sizes."""
    import snappy

    made = [Made(0, 0, None, bytes(range(256)) * 300, ())]
    data = build(kw, made, 2, "snappy")[61:]
    assert data[:16] == b"\x82SNAPPY\x00" + struct.pack(">ii", 1, 1)
    at, plain = 16, b""
    while at < len(data):
        (size,) = struct.unpack_from(">i", data, at)
        block = snappy.decompress(data[at + 4 : at + 4 + size])
        assert len(block) <= 32 * 1024
        plain += block
        at += 4 + size
    assert at == len(data)
    assert plain == build(kw, made)[61:]


@pytest.mark.parametrize(
    ("data", "value"), [(b"", 0x02CC5D05), (b"a", 0x550D7456), (b"abc", 0x32D153FF), (b"abcd", 0xA3643705)]
)
def test_xxh32(kw: ModuleType, data: bytes, value: int) -> None:
    """Known values of xxHash32 with seed 0."""
    assert kw.records.compression._xxh32_short(data) == value


def test_xxh32_is_what_lz4_checks_headers_with(kw: ModuleType) -> None:
    import lz4.frame

    for size in (0, 1, 1 << 40):
        frame = lz4.frame.compress(b"x" * min(size, 9), store_size=size > 0)
        end = kw.records.compression._lz4_header_size(frame[4])
        assert end == (14 if size else 6)
        assert kw.records.compression._xxh32_short(frame[4:end]) >> 8 & 0xFF == frame[end]


def test_batches_one_by_one_are_those_of_the_whole(kw: ModuleType) -> None:
    keys = [b"k%d" % i for i in range(1000)]
    table = pa.table({"key": keys, "value": [b"v" * (i % 50) for i in range(1000)], "timestamp": list(range(1000))})
    for compression in ("none", "lz4"):
        settings = {"batch_size": 2000, "producer_id": 7, "producer_epoch": 1, "base_sequence": 2**31 - 100}
        pieces = list(kw.write_batches(pa.Table.from_batches(table.to_batches(300)), compression, **settings))
        assert len(pieces) > 10
        assert b"".join(pieces) == kw.write_columns(table, compression, **settings)
        assert all(len(kw.split(piece).batches) == 1 for piece in pieces)
    assert list(kw.write_batches(table.slice(0, 0))) == []
