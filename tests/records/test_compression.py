"""The codec table: whole streams only, within the limit, whatever they declare; threads; missing libraries."""

from __future__ import annotations

import gzip
import random
import struct
import sys
import threading
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from types import ModuleType
from typing import Any

import cramjam
import lz4.frame
import pytest
import snappy
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.records.makers import CODECS, FEW, build

relaxed = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
COMPRESSED = CODECS[1:]
every_codec = pytest.mark.parametrize("codec", COMPRESSED)
LIMIT = 1 << 20
#: Compresses a little, and is no multiple of any block size.
PLAIN = bytes(byte & 0x3F for byte in random.Random(5).randbytes(300_001))


def xerial(data: bytes, block: int = 32 * 1024, versions: tuple[int, int] = (1, 1)) -> bytes:
    out = b"\x82SNAPPY\x00" + struct.pack(">ii", *versions)
    for at in range(0, len(data), block):
        packed = snappy.compress(data[at : at + block])
        out += struct.pack(">i", len(packed)) + packed
    return out


def zstd_stream(data: bytes, **parameters: Any) -> bytes:
    """A frame that does not tell its content's size, as a streaming producer makes it."""
    stream = zstandard.ZstdCompressor(**parameters).compressobj()
    return stream.compress(data) + stream.flush()


STREAMS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "snappy": snappy.compress,
    "lz4": lz4.frame.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}
#: Other ways to write the same, all of which must be read.
VARIANTS: list[tuple[str, Callable[[bytes], bytes]]] = [
    *STREAMS.items(),
    ("gzip", lambda data: gzip.compress(data[:5]) + gzip.compress(b"") + gzip.compress(data[5:])),
    ("snappy", xerial),
    ("snappy", lambda data: xerial(data, 100_000)),
    ("snappy", lambda data: xerial(data, 1000, (2, 1))),
    ("lz4", lambda data: lz4.frame.compress(data, content_checksum=True, block_checksum=True, store_size=False)),
    ("lz4", lambda data: lz4.frame.compress(data, block_size=lz4.frame.BLOCKSIZE_MAX4MB, block_linked=True)),
    ("zstd", zstd_stream),
    ("zstd", lambda data: zstandard.ZstdCompressor(write_checksum=True).compress(data)),
    ("zstd", lambda data: zstd_stream(data, write_checksum=True)),
    ("zstd", lambda data: zstd_stream(data[:5]) + STREAMS["zstd"](data[5:9]) + zstd_stream(data[9:])),
    ("zstd", lambda data: STREAMS["zstd"](data) + STREAMS["zstd"](b"") + b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc"),
    ("zstd", lambda data: b"\x5f\x2a\x4d\x18\x00\x00\x00\x00" + zstd_stream(data)),
]
IDS = [f"{codec}-{at}" for at, (codec, _) in enumerate(VARIANTS)]


def inflate(kw: ModuleType, codec: str, data: Any, limit: int = LIMIT, window: int = 128 << 20) -> bytes:
    limits = kw.Limits(decompressed=limit, zstd_window=window)
    return bytes(kw.records.compression.decompress(CODECS.index(codec), 2, data, limits))


def deflate(kw: ModuleType, codec: str, data: bytes, level: int | None = None) -> bytes:
    return bytes(kw.records.compression.compress(CODECS.index(codec), 2, data, level))


@every_codec
@relaxed
@given(data=st.binary(max_size=300) | st.integers(0, 200_000).map(lambda size: PLAIN[:size]))
def test_round_trip(kw: ModuleType, codec: str, data: bytes) -> None:
    assert inflate(kw, codec, deflate(kw, codec, data)) == data


@pytest.mark.parametrize(("codec", "write"), VARIANTS, ids=IDS)
@pytest.mark.parametrize("size", [0, 1, 11, 5000, len(PLAIN)])
def test_what_others_write(kw: ModuleType, codec: str, write: Callable[[bytes], bytes], size: int) -> None:
    if size == 0 and codec == "snappy" and write is not STREAMS["snappy"]:
        size = 1  # a xerial stream has a block at least
    data = PLAIN[:size]
    packed = write(data)
    assert inflate(kw, codec, packed) == data
    assert inflate(kw, codec, memoryview(b"x" + packed)[1:]) == data
    assert inflate(kw, codec, bytearray(packed)) == data


@every_codec
def test_others_read_what_is_written(kw: ModuleType, codec: str) -> None:
    read: dict[str, Callable[[bytes], bytes]] = {
        "gzip": gzip.decompress,
        "snappy": unframed,
        "lz4": lz4.frame.decompress,
        "zstd": lambda data: zstandard.ZstdDecompressor().decompress(data),
    }
    assert read[codec](deflate(kw, codec, PLAIN)) == PLAIN


def unframed(data: bytes) -> bytes:
    at, parts = 16, []
    while at < len(data):
        (size,) = struct.unpack_from(">i", data, at)
        parts.append(snappy.decompress(data[at + 4 : at + 4 + size]))
        at += 4 + size
    return b"".join(parts)


# ---- limits ----


@pytest.mark.parametrize(("codec", "write"), VARIANTS, ids=IDS)
def test_the_limit_is_exact(kw: ModuleType, codec: str, write: Callable[[bytes], bytes]) -> None:
    packed = write(PLAIN)
    assert inflate(kw, codec, packed, limit=len(PLAIN)) == PLAIN
    for limit in (len(PLAIN) - 1, len(PLAIN) // 2, 1, 0):
        with pytest.raises(kw.LimitError, match="decompressed"):
            inflate(kw, codec, packed, limit=limit)


@every_codec
def test_bombs(kw: ModuleType, codec: str) -> None:
    """A gigabyte of zeros in a few kilobytes: LimitError, quickly, and without the memory."""
    block = bytes(1 << 20)
    bombs = {
        "gzip": lambda: b"".join([compressor.compress(block) for _ in range(256)] + [compressor.flush()]),
        "snappy": lambda: xerial(block * 64, 1 << 20),
        "lz4": lambda: lz4.frame.compress(block * 256, store_size=False),
        "zstd": lambda: zstd_stream(block * 256),
    }
    compressor = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = bombs[codec]()
    before = time.process_time()
    with pytest.raises(kw.LimitError):
        inflate(kw, codec, bomb)
    assert time.process_time() - before < 2


def test_bombs_of_zstd_blocks(kw: ModuleType) -> None:
    """Blocks of one repeated byte: four bytes make 128 KiB."""
    head = b"\x28\xb5\x2f\xfd\x00\x58"  # no content size, a window of 2 MiB
    repeated = struct.pack("<I", (128 * 1024 << 3) | 1 << 1)[:3] + b"x"
    last = struct.pack("<I", (5 << 3) | 1)[:3] + b"hello"
    assert inflate(kw, "zstd", head + repeated * 3 + last) == b"x" * (3 * 128 * 1024) + b"hello"
    with pytest.raises(kw.LimitError):
        inflate(kw, "zstd", head + repeated * 2000 + last)
    with pytest.raises(kw.LimitError):
        inflate(kw, "zstd", b"\x50\x2a\x4d\x18\x00\x00\x00\x00" + head + repeated * 2000 + last)


def lying(codec: str) -> list[bytes]:
    """Streams that declare a gigabyte, or any number, and hold a few bytes."""
    if codec == "snappy":
        good = snappy.compress(b"0123456789")
        sizes = [b"\x80\x80\x80\x80\x04", b"\xff\xff\xff\xff\x07", b"\xff\xff\xff\xff\x0f", b"\xff\xff\x3f", b"\x0b"]
        return [size + good[1:] for size in sizes] + [
            xerial(b"0123456789")[:20] + size + good[1:] for size in sizes
        ] + [xerial(b"ab")[:16] + struct.pack(">i", size) + good for size in (-1, 0, 1, 1 << 30, -(1 << 31))]
    if codec == "lz4":
        good = lz4.frame.compress(b"0123456789", store_size=True)
        found = []
        for size in (1 << 30, (1 << 64) - 1, 11, 9):
            head = good[4:6] + struct.pack("<Q", size)
            found.append(good[:4] + head + bytes([_xxh32(head) >> 8 & 0xFF]) + good[15:])
        return found
    if codec == "zstd":
        block = struct.pack("<I", (10 << 3) | 1)[:3] + b"0123456789"
        return [
            b"\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", size) + block for size in (1 << 30, (1 << 63), 200_000, 11)
        ]
    return [gzip.compress(b"0123456789")[:-4] + struct.pack("<I", size) for size in (1 << 30, 11, 0)]


def _xxh32(data: bytes) -> int:
    import xxhash

    return int(xxhash.xxh32(data).intdigest())


@every_codec
def test_declared_sizes_are_not_trusted(kw: ModuleType, codec: str) -> None:
    for data in lying(codec):
        with pytest.raises((kw.CorruptError, kw.LimitError)):
            inflate(kw, codec, data)
        # With a limit that would allow it, it is still a lie.
        with pytest.raises((kw.CorruptError, kw.LimitError)):
            inflate(kw, codec, data, limit=1 << 62)


def test_zstd_windows(kw: ModuleType) -> None:
    """A frame that wants a larger window than is allowed, as the first one or a later one."""
    parameters = zstandard.ZstdCompressionParameters.from_level(3, window_log=23)
    large = zstd_stream(PLAIN, compression_params=parameters)
    small = zstd_stream(b"small")
    assert inflate(kw, "zstd", large, window=1 << 23) == PLAIN
    for data in (large, small + large, b"\x50\x2a\x4d\x18\x00\x00\x00\x00" + large):
        with pytest.raises(kw.LimitError, match="window"):
            inflate(kw, "zstd", data, window=(1 << 23) - 1)


# ---- corrupt streams ----


@every_codec
def test_trailing_bytes(kw: ModuleType, codec: str) -> None:
    for write in [write for name, write in VARIANTS if name == codec]:
        data = write(b"some content, some content")
        for more in (b"\x00", b"\x00" * 16, b"x", b"\xff" * 5):
            with pytest.raises((kw.CorruptError, kw.LimitError)):
                inflate(kw, codec, data + more)


@every_codec
def test_every_cut(kw: ModuleType, codec: str) -> None:
    """A stream that ends early is corrupt; one that ends between two frames is a shorter one."""
    for write in [write for name, write in VARIANTS if name == codec]:
        whole = b"some content, some more content" * 3
        packed = write(whole)
        for cut in range(len(packed)):
            try:
                found = inflate(kw, codec, packed[:cut])
            except kw.CorruptError:
                continue
            assert whole.startswith(found)
            assert codec in ("gzip", "zstd") or found == b"", cut
            if found == whole:
                # Only what holds nothing may be missing: an empty frame, a frame to skip.
                assert packed[cut:].startswith((b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18"))


@every_codec
@relaxed
@given(data=st.data())
def test_damage(kw: ModuleType, codec: str, data: st.DataObject) -> None:
    """Any damage is an error of the family, or content within the limit."""
    write = data.draw(st.sampled_from([write for name, write in VARIANTS if name == codec]))
    packed = bytearray(write(PLAIN[: data.draw(st.integers(1, 400))]))
    for _ in range(data.draw(st.integers(1, 4))):
        packed[data.draw(st.integers(0, len(packed) - 1))] = data.draw(st.integers(0, 255))
    with suppress(kw.CorruptError, kw.LimitError):
        assert len(inflate(kw, codec, bytes(packed), limit=4096)) <= 4096


@every_codec
@relaxed
@given(data=st.binary(max_size=100))
def test_noise(kw: ModuleType, codec: str, data: bytes) -> None:
    starts = {"gzip": b"\x1f\x8b\x08", "snappy": b"\x82SNAPPY\x00\0\0\0\1\0\0\0\1", "lz4": b"\x04\x22\x4d\x18",
              "zstd": b"\x28\xb5\x2f\xfd"}
    for noise in (data, starts[codec] + data):
        with suppress(kw.CorruptError, kw.LimitError):
            inflate(kw, codec, noise, limit=65536)


def test_many_gzip_members_take_linear_time(kw: ModuleType) -> None:
    """Twenty thousand members: copying what is left after each would move gigabytes."""
    member = gzip.compress(b"x")
    times = []
    for count in (5_000, 20_000):
        before = time.process_time()
        assert inflate(kw, "gzip", member * count) == b"x" * count
        times.append(time.process_time() - before)
    assert times[1] < 12 * times[0] + 0.1
    assert times[1] < 2


def test_many_zstd_frames(kw: ModuleType) -> None:
    for frame in (zstd_stream(b"x"), STREAMS["zstd"](b"x")):
        before = time.process_time()
        assert inflate(kw, "zstd", frame * 5_000) == b"x" * 5_000
        assert time.process_time() - before < 3


# ---- around it ----


def test_threads_share_nothing(kw: ModuleType) -> None:
    """Each thread compresses and decompresses its own content, all codecs at a time, and gets that back."""
    failures: list[BaseException] = []

    def work(seed: int) -> None:
        rng = random.Random(seed)
        try:
            for _ in range(60):
                data = PLAIN[rng.randrange(1000) : rng.randrange(1000, 60_000)]
                codec = rng.choice(COMPRESSED)
                assert inflate(kw, codec, deflate(kw, codec, data)) == data
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


@pytest.mark.parametrize(("codec", "module", "package"), [("snappy", "cramjam", "cramjam"), ("lz4", "lz4.frame", "lz4"),
                                                          ("zstd", "zstandard", "zstandard")])
def test_a_missing_library_is_named(
    kw: ModuleType, monkeypatch: pytest.MonkeyPatch, codec: str, module: str, package: str
) -> None:
    data = build(kw, FEW, 2, codec)
    monkeypatch.setitem(sys.modules, module, None)
    for remembered in vars(kw.records.compression).values():
        if hasattr(remembered, "cache_clear"):
            remembered.cache_clear()
    for use in (
        lambda: list(next(iter(kw.read_batches(data)))),
        lambda: kw.read_columns(data),
        lambda: build(kw, FEW, 2, codec),
    ):
        with pytest.raises(kw.MissingLibraryError, match=f"{codec} needs the package {package}.*pip install {package}"):
            use()
    # Headers need no library.
    assert next(iter(kw.read_batches(data))).compression == codec


def test_gzip_without_isal(kw: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    compression = kw.records.compression
    monkeypatch.setattr(compression, "_gzip", zlib)
    test_the_limit_is_exact(kw, "gzip", gzip.compress)
    test_trailing_bytes(kw, "gzip")
    test_every_cut(kw, "gzip")
    test_many_gzip_members_take_linear_time(kw)
    with pytest.raises(kw.CorruptError):
        inflate(kw, "gzip", zlib.compress(b"zlib is not gzip"))


def test_numbers_and_names(kw: ModuleType) -> None:
    assert [(codec.id, codec.name) for codec in kw.records.compression.CODECS] == list(enumerate(CODECS))


def test_raw_snappy_of_other_libraries(kw: ModuleType) -> None:
    for size in (0, 1, 100, 70_000):
        assert inflate(kw, "snappy", bytes(cramjam.snappy.compress_raw(PLAIN[:size]))) == PLAIN[:size]
