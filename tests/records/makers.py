"""What tests of records make batches from: records of every shape, as hypothesis strategies and as a fixed list."""

from __future__ import annotations

from types import ModuleType
from typing import Any, NamedTuple

from hypothesis import strategies as st

INT64 = (-(1 << 63), (1 << 63) - 1)
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
#: Every magic with every codec that it has.
KINDS = [(magic, codec) for magic in (0, 1, 2) for codec in CODECS if magic == 2 or codec != "zstd"]


class Made(NamedTuple):
    """One record to write."""

    offset: int
    timestamp: int | None
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]

    def arguments(self, magic: int) -> dict[str, Any]:
        """What to give to append, for a magic that may lack headers and timestamps."""
        given: dict[str, Any] = {"key": self.key, "value": self.value, "offset": self.offset}
        if magic == 2:
            given["headers"] = self.headers
        if magic > 0:
            given["timestamp"] = self.timestamp
        return given

    def read_back(self, magic: int) -> tuple[Any, ...]:
        """What is to come back as (offset, timestamp, timestamp_type, key, value, headers)."""
        return (
            self.offset, self.timestamp if magic else None, 0 if magic else -1, self.key, self.value,
            self.headers if magic == 2 else (),
        )


def fields(record: Any) -> tuple[Any, ...]:
    """A record of either twin as a tuple."""
    return record.offset, record.timestamp, record.timestamp_type, record.key, record.value, record.headers


content = st.none() | st.binary(max_size=40) | st.integers(100, 3000).map(lambda size: b"ab" * size)
names = st.text(max_size=12)
headers = st.lists(st.tuples(names | st.sampled_from(["", "twice"]), st.none() | st.binary(max_size=20)), max_size=6)
#: Neighbouring milliseconds mostly; far ones, within what a delta of 64 bits can carry.
timestamps = (
    st.integers(1_700_000_000_000, 1_700_000_000_100) | st.integers(-(1 << 62), 1 << 62) | st.sampled_from([-1, 0, 1])
)
gaps = st.just(1) | st.integers(1, 5) | st.sampled_from([127, 1 << 20])


@st.composite
def records(draw: st.DrawFn, min_size: int = 1, max_size: int = 12) -> list[Made]:
    """Records with rising offsets."""
    offset = draw(st.integers(0, 300) | st.integers(0, 1 << 40))
    made = []
    for _ in range(draw(st.integers(min_size, max_size))):
        made.append(Made(offset, draw(timestamps), draw(content), draw(content), tuple(draw(headers))))
        offset += draw(gaps)
    return made


#: One record of each shape, for tests that need few bytes.
FEW = [
    Made(7, 1_700_000_000_000, b"key", b"value", ()),
    Made(8, 1_700_000_000_001, None, b"", (("name", b"content"), ("name", None), ("", b""))),
    Made(11, 1_600_000_000_000, b"", None, (("naïve \N{GRINNING FACE}", b"\x00\xff"),)),
    Made(12, -1, b"k" * 130, b"v" * 300, ()),
]


def build(kw: ModuleType, made: list[Made], magic: int = 2, codec: str = "none", **settings: Any) -> bytes:
    """One batch (or message set) of the records."""
    builder = kw.RecordBatchBuilder(magic, codec, **settings)
    for record in made:
        assert builder.append(**record.arguments(magic)) is True
    return bytes(builder.build())
