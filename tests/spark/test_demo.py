"""The demo runs, and its Parquet files hold what the segments hold."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyspark.sql.datasource")

import pyarrow.parquet as pq
from pyspark.sql import SparkSession

DEMO = Path(__file__).parents[2] / "examples" / "demo" / "demo.py"


def test_demo(spark: SparkSession, tmp_path: Path) -> None:
    # The session is asked for only because it knows whether there is a Java.
    run = subprocess.run(
        [sys.executable, str(DEMO), str(DEMO.parent / "topics"), str(tmp_path)],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    table = pq.read_table(tmp_path / "records.parquet")
    assert table.num_rows == 5013
    assert "5,013 records" in run.stdout
    assert "|v2-zstd" in run.stdout
    assert "Exception" not in run.stderr
    assert "WARN " not in run.stderr
