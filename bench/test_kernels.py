"""The kernels alone, one commit against another: ``pytest bench --benchmark-autosave``, ``--benchmark-compare``.

Not collected by ``make test``: times alone say little on a busy machine, and decide nothing.
"""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture  # type: ignore[import-untyped]

import kafkawire as kw

pytest.importorskip("pyarrow")
RECORDS = 20_000


def build(compression: str) -> bytes:
    """Batches of 16 KiB like the data set D1n: keys of 20 and values of 100 bytes."""
    builder = kw.RecordBatchBuilder(compression=compression, batch_size=16 * 1024)
    pieces = []
    for i in range(RECORDS):
        key = b"key-%016d" % i
        value = b'{"id": %08d, "kind": "order", "amount": %06d, "where": "eu"}' % (i, i * 7 % 99991)
        while not builder.append(key, value.ljust(100), timestamp=1_700_000_000_000 + i // 10):
            pieces.append(builder.build())
    return b"".join([*pieces, builder.build()])


@pytest.mark.parametrize("compression", ["none", "lz4", "zstd"])
def test_columns(benchmark: BenchmarkFixture, compression: str) -> None:
    data = build(compression)
    assert benchmark(kw.read_columns, data).num_rows == RECORDS


@pytest.mark.parametrize("compression", ["none", "lz4", "zstd"])
def test_objects(benchmark: BenchmarkFixture, compression: str) -> None:
    data = build(compression)
    assert benchmark(lambda: sum(len(batch.records()) for batch in kw.read_batches(data))) == RECORDS


def test_write_columns(benchmark: BenchmarkFixture) -> None:
    data = build("none")
    table = kw.read_columns(data, columns=["timestamp", "key", "value"]).to_arrow()
    assert kw.read_columns(benchmark(kw.write_columns, table)).num_rows == RECORDS


def test_append(benchmark: BenchmarkFixture) -> None:
    assert benchmark(build, "none")


def test_crc32c(benchmark: BenchmarkFixture) -> None:
    assert benchmark(kw.crc32c, build("none"))
