"""The bundled data, unpacked, and what Kafka's Java implementation read from it."""

from __future__ import annotations

import atexit
import base64
import json
import shutil
import sys
import tarfile
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

DATA = Path(__file__).parent / "data"
_ARCHIVES = {"segments": "segments.tar.xz", "hostile": "hostile.tar.gz", "kafka07": "kafka07.tar.xz"}
_TIMESTAMP_TYPES = {"NoTimestampType": -1, "CreateTime": 0, "LogAppendTime": 1}


@cache
def unpacked(name: str) -> Path:
    """The directory ``name`` out of its archive, for as long as this process lives."""
    into = Path(tempfile.mkdtemp(prefix=f"kafkawire-{name}-"))
    atexit.register(shutil.rmtree, into, ignore_errors=True)
    with tarfile.open(DATA / _ARCHIVES[name]) as archive:
        # Python 3.10 and 3.11 have the filter from 3.10.12 and 3.11.4 on.
        archive.extractall(into, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    return into / name


class Expected(NamedTuple):
    """What a segment file holds, as Java read it: a dict a batch, a dict a record."""

    path: Path
    batches: list[dict[str, Any]]
    records: list[dict[str, Any]]


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)


def _record(line: dict[str, Any]) -> dict[str, Any]:
    magic = line["magic"]
    return {
        "offset": line["offset"],
        "timestamp": None if magic == 0 else line["timestamp"],
        "timestamp_type": _TIMESTAMP_TYPES[line["timestampType"]],
        "key": _bytes(line["key"]),
        "value": _bytes(line["value"]),
        "headers": tuple((sys.intern(name), _bytes(value)) for name, value in line["headers"]),
        "producer_id": line["producerId"],
        "producer_epoch": line["producerEpoch"],
        "sequence": line["sequence"],
        "is_transactional": line["isTransactional"],
        "is_control": line["isControl"],
        "compression": line["compression"],
        "control_type": line.get("controlType"),
    }


def _batch(line: dict[str, Any]) -> dict[str, Any]:
    assert line["isValid"]
    return {
        "position": line["position"],
        "base_offset": line["baseOffset"],
        "last_offset": line["lastOffset"],
        "size": line["sizeInBytes"],
        "magic": line["magic"],
        "crc": line["crc"],
        "compression": line["compression"],
        "timestamp_type": _TIMESTAMP_TYPES[line["timestampType"]],
        "max_timestamp": line["maxTimestamp"],
        "delete_horizon": line["deleteHorizonMs"],
        "producer_id": line["producerId"],
        "producer_epoch": line["producerEpoch"],
        "base_sequence": line["baseSequence"],
        "partition_leader_epoch": line["partitionLeaderEpoch"],
        "is_control": line["isControl"],
        "is_transactional": line["isTransactional"],
        "record_count": line["countOrNull"],
        "records_read": line["recordsRead"],
    }


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@cache
def segment_files() -> dict[str, Expected]:
    """Every file of record batches that Java read, by its path below the sets' directory; empty ones too."""
    root = unpacked("segments")
    found: dict[str, Expected] = {}
    for directory in sorted(path.parent for path in root.glob("*/*/expected.jsonl")):
        patterns = ("*.log", "*.log.deleted", "*.checkpoint")
        for path in sorted(path for pattern in patterns for path in directory.glob(pattern)):
            # Of files that compaction has replaced, Java read only some.
            found[str(path.relative_to(root))] = Expected(path, [], [])
        for line in _lines(directory / "expected-batches.jsonl"):
            found[str((directory / line["file"]).relative_to(root))].batches.append(_batch(line))
        for line in _lines(directory / "expected.jsonl"):
            found[str((directory / line["file"]).relative_to(root))].records.append(_record(line))
    return {name: file for name, file in found.items() if file.batches or not file.path.stat().st_size}
