"""Reads the hostile inputs for test_hostile, in a process of its own under a memory limit: a line of JSON for each.

Run with the twin's name; the caller sets the time limit. A line: file, how it was read, the verdict, the error's text
and place, what was read, the bytes missing at the end, and how much the peak of memory grew, in KiB.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

from tests import twins
from tests.samples import unpacked

#: Elsewhere what is read, and how it ends, is the same; how much memory it took is not looked at.
LINUX = sys.platform.startswith("linux")
#: Bytes of address space beyond what the process has after its imports.
ADDRESS_SPACE = 512 << 20
FORMATS = ("recordbatch", "messageset", "varint")
VARINTS = {
    "uvarint32": "decode_unsigned_varint",
    "zigzag32": "decode_varint",
    "uvarint64": "decode_unsigned_varlong",
    "zigzag64": "decode_varlong",
}


def memory(what: str) -> int:
    """VmRSS or VmHWM (the peak), in KiB; getrusage's peak begins with that of the parent process. 0 but on Linux."""
    if not LINUX:
        return 0
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith(what))


def reset_peak() -> int:
    """Have the peak begin anew at what is used now, which is returned."""
    if LINUX:
        Path("/proc/self/clear_refs").write_text("5")
    return memory("VmRSS")


def limit_memory() -> None:
    """No more than ADDRESS_SPACE from here on; on Linux, the others have no such limit or do not keep to it."""
    if LINUX:
        import resource  # not there on Windows

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + ADDRESS_SPACE
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def records_of(batches: Any) -> list[Any]:
    return [
        [
            record.offset,
            record.timestamp,
            None if record.key is None else record.key.hex(),
            None if record.value is None else record.value.hex(),
            [[name, None if value is None else value.hex()] for name, value in record.headers],
        ]
        for batch in batches
        for record in batch
    ]


def ways(kw: ModuleType, row: dict[str, Any], data: bytes) -> dict[str, Callable[[], Any]]:
    """How an input of the row's format is read: each gives what was found, or raises."""
    limits = kw.Limits(decompressed=16 << 20, zstd_window=128 << 20, depth=4)
    if row["format"] == "varint":
        decode = getattr(kw.varint, VARINTS[row["kind"]])
        return {"varint": lambda: {"value": str(decode(data)[0])}}

    def found(**more: Any) -> dict[str, Any]:
        split = kw.split(data)
        return {"complete": split.complete, "missing": split.missing, **more}

    def control() -> dict[str, Any]:
        for batch in kw.read_batches(data, limits=limits):
            if batch.is_control:
                for record in batch:
                    kw.parse_control_record(record.key, record.value)
        return found(records=records_of(kw.read_batches(data, limits=limits)))

    def lists() -> dict[str, Any]:
        return found(records=records_of([batch.records() for batch in kw.read_batches(data, limits=limits)]))

    def columns(threads: int) -> dict[str, Any]:
        read = kw.read_columns(data, limits=limits, control=True, threads=threads)
        read.to_arrow().validate(full=True)
        return found(count=read.num_rows)

    def few_columns() -> dict[str, Any]:
        return found(count=kw.read_columns(data, limits=limits, control=True, columns=["offset"]).num_rows)

    def pieces() -> dict[str, Any]:
        return found(count=sum(piece.num_rows for piece in kw.iter_columns(data, 3, limits=limits, control=True)))

    return {
        "objects": control,
        "lists": lists,
        "columns": lambda: columns(1),
        "columns, threads": lambda: columns(2),
        "one column": few_columns,
        "pieces": pieces,
    }


def main(name: str) -> None:
    directory = unpacked("hostile")
    rows = map(json.loads, (directory / "manifest.jsonl").read_text().splitlines())
    read_all(name, ((row, (directory / row["file"]).read_bytes()) for row in rows if row["format"].startswith(FORMATS)))


def read_all(name: str, inputs: Iterable[tuple[dict[str, Any], bytes]], *, digest: bool = False) -> None:
    """Read each input in each way with the twin ``name``, under the memory limit, and print what was found.

    ``digest``: of the records only how many they are, and a hash.
    """
    kw = twins.load(name)
    with twins.using(kw):
        kw.read_columns(b"").to_arrow()  # imports pyarrow, whose memory is not the inputs' doing
        limit_memory()
        verdicts = [
            (kw.LimitError, "limit"), (kw.UnsupportedError, "unsupported"), (kw.TruncatedError, "truncated"),
            (kw.CorruptError, "corrupt"), (Exception, "foreign"),
        ]
        for row, data in inputs:
            for how, read in ways(kw, row, data).items():
                before = reset_peak()
                answer: dict[str, Any] = {"file": row["file"], "how": how}
                try:
                    answer |= read()
                    answer["verdict"] = "truncated" if answer.get("complete", len(data)) < len(data) else "ok"
                except Exception as error:
                    answer["verdict"] = next(verdict for kind, verdict in verdicts if isinstance(error, kind))
                    answer["error"] = f"{type(error).__name__}: {error}"
                    answer["position"] = getattr(error, "position", None)
                answer["grown"] = memory("VmHWM") - before
                if digest and "records" in answer:
                    records = answer.pop("records")
                    answer["count"] = len(records)
                    answer["content"] = sha256(repr(records).encode()).hexdigest()
                print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
