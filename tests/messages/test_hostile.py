"""Bodies that lie: each is refused with an error of the family, in both twins, before anything big is allocated."""

from __future__ import annotations

import tracemalloc
from types import ModuleType
from typing import Any

import pytest

from kafkawire import messages
from kafkawire.errors import CorruptError, TruncatedError, UnsupportedError, WireError
from tests.messages.vectors import rows

ROWS = list(rows("hostile.jsonl"))


def verdict(cls: Any, body: bytes, version: int) -> str:
    try:
        cls.decode(body, version)
    except TruncatedError as error:
        assert error.missing is not None and error.missing > 0
        return "truncated"
    except UnsupportedError:
        return "unsupported"
    except CorruptError:
        return "corrupt"
    return "ok"


@pytest.mark.parametrize("row", ROWS, ids=[row["file"] for row in ROWS])
def test_public_set(kernel: ModuleType, row: dict[str, Any]) -> None:
    _, name, version, direction = row["format"].split(":")
    cls = getattr(messages, name + ("Request" if direction == "req" else "Response"))
    assert verdict(cls, bytes.fromhex(row["hex"]), int(version)) in (row["verdict"], *row["accept_also"])


# (class, version, body, error, part of its message, position)
CASES: list[tuple[str, int, str, type[WireError], str, int]] = [
    ("MetadataRequest", 0, "", TruncatedError, "topics", 0),
    ("MetadataRequest", 0, "00000001 0003 6162", TruncatedError, "topics[0].name", 6),
    ("MetadataRequest", 0, "ffffffff", CorruptError, "null where this version has none", 0),
    ("MetadataRequest", 1, "fffffffe", CorruptError, "a length of -2", 0),
    ("MetadataRequest", 1, "80000000", CorruptError, "a length of -2147483648", 0),
    ("MetadataRequest", 1, "7fffffff", TruncatedError, "0 bytes are left", 0),
    ("MetadataRequest", 0, "00000001 ffff", CorruptError, "topics[0].name: null", 4),
    ("MetadataRequest", 0, "00000001 8000", CorruptError, "a length of -32768", 4),
    ("MetadataRequest", 0, "00000001 0002 c328", CorruptError, "not UTF-8", 6),
    ("MetadataRequest", 0, "00000001 0003 eda080", CorruptError, "not UTF-8", 6),
    ("MetadataRequest", 0, "00000000 00", CorruptError, "1 bytes are left over", 4),
    # A compact array: a varint that does not end, one of too many bits, a count beyond the bytes.
    ("MetadataRequest", 9, "80", TruncatedError, "topics", 0),
    ("MetadataRequest", 9, "ffffffff7f", CorruptError, "does not fit into 32 bits", 0),
    ("MetadataRequest", 9, "808080808001", CorruptError, "does not fit into 32 bits", 0),
    ("MetadataRequest", 9, "ffffffff0f", CorruptError, "a length of 4294967294", 0),
    ("MetadataRequest", 9, "808080800800", TruncatedError, "topics", 0),
    ("MetadataRequest", 9, "02 8080800200", CorruptError, "topics[0].name: a string of 4194303 bytes", 1),
    # Tags: out of order, twice, size beyond the bytes, in a version without them.
    ("MetadataRequest", 9, "01 000000 02 0500 0400", CorruptError, "tag 4 after tag 5", 7),
    ("MetadataRequest", 9, "01 000000 02 0500 0500", CorruptError, "tag 5 after tag 5", 7),
    ("MetadataRequest", 9, "01 000000 01 0502 00", TruncatedError, "the data ends", 7),
    ("MetadataRequest", 9, "01 000000 ffffffff0f", TruncatedError, "the data ends", 9),
    ("FetchResponse", 12, "00000000 0000 00000000 01 01 0000", CorruptError, "tag 0, which this version", 12),
    # A tagged field whose value is shorter or longer than it says.
    ("ApiVersionsResponse", 3, "0000 01 00000000 01 0309 000000000000000000", CorruptError, "declares 9 bytes", 10),
    ("ApiVersionsResponse", 3, "0000 01 00000000 01 0104 0000000000000000", CorruptError, "4 bytes are left", 10),
    ("ApiVersionsResponse", 3, "0000 01 00000000 01 0005 ffffffff07", TruncatedError, "", 10),
    # The byte before a nullable struct.
    ("DescribeTopicPartitionsRequest", 0, "01 00000000 fe", CorruptError, "cursor: -2", 5),
    ("ProduceRequest", 2, "ffff 00000000 00000001 0000 00000001 00000000 fffffffe", CorruptError, "records", 20),
]


@pytest.mark.parametrize(("name", "version", "body", "error", "text", "position"), CASES)
def test_refused(
    kernel: ModuleType, name: str, version: int, body: str, error: type[WireError], text: str, position: int
) -> None:
    with pytest.raises(WireError) as caught:
        getattr(messages, name).decode(bytes.fromhex(body), version)
    assert (type(caught.value), caught.value.position) == (error, position)
    assert text in str(caught.value)
    assert name in str(caught.value)


def test_truncation_says_how_much_is_missing(kernel: ModuleType) -> None:
    with pytest.raises(TruncatedError) as caught:
        messages.HeartbeatRequest.decode(bytes.fromhex("0005 616263"), 0)
    assert caught.value.missing == 2


def test_every_prefix_of_a_body_is_refused(kernel: ModuleType) -> None:
    body = messages.MetadataResponse(
        brokers=[messages.MetadataResponse.Broker(node_id=1, host="a", port=2, rack="r")],
        topics=[messages.MetadataResponse.Topic(name="t", partitions=[messages.MetadataResponse.Topic.Partition()])],
    ).encode(12)
    for size in range(len(body)):
        with pytest.raises(TruncatedError):
            messages.MetadataResponse.decode(body[:size], 12)


def test_a_count_beyond_the_bytes_allocates_nothing(kernel: ModuleType) -> None:
    body = bytes.fromhex("00000000 7fffffff") + bytes(1000)
    messages.MetadataResponse.VERSIONS  # noqa: B018  loads the class before memory is traced
    with pytest.raises(TruncatedError):
        messages.MetadataResponse.decode(body, 3)
    tracemalloc.start()
    try:
        with pytest.raises(TruncatedError):
            messages.MetadataResponse.decode(body, 3)
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()


def test_trailing_bytes_are_handed_out_on_request(kernel: ModuleType) -> None:
    message, rest = messages.MetadataRequest.decode(b"\0\0\0\0rest", 0, trailing="return")
    assert message == messages.MetadataRequest()
    assert bytes(rest) == b"rest"
    with pytest.raises(ValueError, match="trailing"):
        messages.MetadataRequest.decode(b"\0\0\0\0rest", 0, trailing="keep")  # type: ignore[call-overload]


def test_records_are_views_of_the_caller_s_buffer(kernel: ModuleType) -> None:
    request = messages.ProduceRequest(
        topic_data=[
            messages.ProduceRequest.TopicData(
                name="t", partition_data=[messages.ProduceRequest.TopicData.PartitionData(records=b"0123")]
            )
        ]
    )
    data = bytearray(request.encode(9))
    records = messages.ProduceRequest.decode(data, 9).topic_data[0].partition_data[0].records
    assert isinstance(records, memoryview)
    data[data.index(b"0123")] = ord("9")
    assert records == b"9123"


def test_what_is_no_buffer_is_a_type_error(kernel: ModuleType) -> None:
    with pytest.raises(TypeError):
        messages.MetadataRequest.decode("text", 0)  # type: ignore[call-overload]
    with pytest.raises(BufferError):
        messages.MetadataRequest.decode(memoryview(bytes(8))[::2], 0)
