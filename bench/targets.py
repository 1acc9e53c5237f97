"""What is to be reached, one thread, CRC checked: ratios of records per second within one run."""

from __future__ import annotations

from dataclasses import dataclass

from bench import decode, encode, pure

MAIN_SETS = ("D1", "D1n", "D2", "D3")


@dataclass(frozen=True)
class Target:
    """``ours`` has at least ``at_least`` times the records per second of ``against``, in the run of ``kind``."""

    kind: str  # "decode", "encode", "pure decode" or "pure encode"
    dataset: str
    codec: str
    ours: str
    against: str
    at_least: float


TARGETS = (
    Target("decode", "D1", "none", decode.COLUMNS, decode.LIMIT, 0.6),
    Target("decode", "D1n", "none", decode.COLUMNS, decode.LIMIT, 0.7),
    Target("decode", "D1", "none", decode.COLUMNS, decode.AIOKAFKA_LOOP, 7.0),
    Target("decode", "D1n", "none", decode.COLUMNS, decode.AIOKAFKA_LOOP, 7.0),
    Target("decode", "D3", "none", decode.COLUMNS, decode.AIOKAFKA_LOOP, 8.0),
    *(
        Target("decode", "D1n", codec, decode.COLUMNS, decode.DECOMPRESSION, at_least)
        for codec, at_least in (("snappy", 0.7), ("lz4", 0.55), ("zstd", 0.7), ("gzip", 0.7))
    ),
    *(Target("decode", name, "none", decode.LOOP, decode.AIOKAFKA_LOOP, 1.3) for name in MAIN_SETS),
    Target("decode", "D3", "none", decode.LIST, decode.AIOKAFKA_LIST, 2.0),
    *(Target("encode", name, "none", encode.COLUMNS, encode.AIOKAFKA, 4.0) for name in MAIN_SETS),
    *(Target("encode", name, "none", encode.OBJECTS, encode.AIOKAFKA, 1.5) for name in MAIN_SETS),
    *(Target("pure decode", name, "none", pure.KAFKAWIRE, pure.KAFKA_PYTHON, 1.0) for name in MAIN_SETS),
    *(Target("pure encode", name, "none", pure.KAFKAWIRE, pure.KAFKA_PYTHON, 1.0) for name in MAIN_SETS),
)
