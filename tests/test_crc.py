"""CRC-32C and CRC-32 against other implementations: all small lengths and alignments, large buffers, pieces.

The compiled kernel has several ways to compute them and takes the best for the processor at run time; the one with
tables, which runs everywhere, is tested in a process of its own (KAFKAWIRE_CRC=table).
"""

from __future__ import annotations

import array
import os
import random
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import crc32c as oracle
import pytest

from tests import twins

LARGE = random.Random(1).randbytes((1 << 20) + 999)
#: Around the block sizes of the kernels (3 * 256, 3 * 2048, 64), and large ones.
SIZES = [700, 767, 768, 769, 1535, 1536, 2048, 6143, 6144, 6145, 7000, 12_288, 65_535, 65_536, len(LARGE) - 16]


def checksums(kw: ModuleType) -> list[tuple[Callable[..., int], Callable[..., int]]]:
    """Ours, and what it has to equal."""
    from kafkawire import _twins

    return [(kw.crc32c, oracle.crc32c), (_twins.varint.crc32, zlib.crc32)]


def check(kw: ModuleType) -> None:
    """All that must hold of both checksums."""
    for ours, theirs in checksums(kw):
        view = memoryview(LARGE)
        for size in range(301):
            for start in range(17):
                assert ours(view[start : start + size]) == theirs(LARGE[start : start + size]), (size, start)
        for size in SIZES:
            for start in (0, 1, 7, 15):
                assert ours(view[start : start + size]) == theirs(LARGE[start : start + size]), (size, start)
        rng = random.Random(2)
        for size in (0, 1, 8, 63, 64, 65, 128, 1000, 10_000):
            for value in (0, 1, 0xFFFFFFFF, 0x80000000, rng.randrange(1 << 32)):
                assert ours(view[:size], value) == theirs(LARGE[:size], value), (size, value)
        for _ in range(300):
            size = rng.randrange(20_000)
            cut = rng.randrange(size + 1)
            assert ours(view[cut:size], ours(view[:cut])) == theirs(LARGE[:size]), (cut, size)
        for fill in (b"\x00", b"\xff"):
            for size in (1, 15, 64, 1000, 7000):
                assert ours(fill * size) == theirs(fill * size)


def test_against_other_implementations(kw: ModuleType) -> None:
    check(kw)


def test_known_values(kw: ModuleType) -> None:
    """The check values of the CRC catalogue, and those of RFC 3720, appendix B.4."""
    (crc32c, _), (crc32, _) = checksums(kw)
    assert (crc32c(b"123456789"), crc32(b"123456789")) == (0xE3069283, 0xCBF43926)
    assert (crc32c(b""), crc32(b"")) == (0, 0)
    assert crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c(b"\xff" * 32) == 0x62A8AB43
    assert crc32c(bytes(range(32))) == 0x46DD794E
    assert crc32c(bytes(range(31, -1, -1))) == 0x113FDB5C


def test_buffers(kw: ModuleType) -> None:
    data = LARGE[:400]
    for ours, theirs in checksums(kw):
        for buffer in (bytearray(data), memoryview(b"x" + data)[1:], array.array("d", data), array.array("h", data)):
            assert ours(buffer) == theirs(data)
        for wrong in ("text", None, 5):
            with pytest.raises(TypeError):
                ours(wrong)


@pytest.mark.skipif(twins.PURE_ONLY, reason="the pure twin has one way only")
def test_tables() -> None:
    """The same checks with the tables, on any processor."""
    code = (
        "from tests import test_crc, twins\n"
        "with twins.using(twins.load('compiled')) as kw:\n"
        "    from kafkawire import _twins\n"
        "    test_crc.check(kw)\n"
        "    test_crc.test_known_values(kw)\n"
        "print(_twins.varint.CRC_KIND)"
    )
    environment = {**os.environ, "KAFKAWIRE_CRC": "table"}
    root = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["table"]


@pytest.mark.skipif(twins.PURE_ONLY, reason="the pure twin has one way only")
def test_the_processor_is_used() -> None:
    """Where Linux lists the instructions, the kernel has chosen them."""
    kind = twins.load("compiled")
    with twins.using(kind):
        from kafkawire import _twins

        found = _twins.varint.CRC_KIND
    info = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    if "sse4_2" in info and "pclmulqdq" in info:
        assert found == "x86 sse4.2+pclmul"
    elif " crc32" in info:
        assert found == "armv8 crc"
    else:
        assert found in ("x86 sse4.2+pclmul", "armv8 crc", "table")
