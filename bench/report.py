"""The bench's front: what to run, the tables, the targets beside what was reached, and the same as JSON."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import platform
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from bench import decode, encode, memory, peers, pure
from bench.datasets import CODECS, DATASETS, load
from bench.measure import Result
from bench.targets import TARGETS, Target

PARTS = ("decode", "encode", "pure", "memory")
LIBRARIES = (
    "kafkawire", "aiokafka", "kafka-python", "crc32c", "cramjam", "lz4", "zstandard", "isal", "python-snappy", "pyarrow"
)  # fmt: skip

PREFACE = """\
Records of each set are decoded and encoded by kafkawire and by its peers in turns, in one process, one thread, CRC
checked, the garbage collector on. Rates are million records per second of CPU time in the best round; a ratio is the
median over the rounds of the ratio within a round, and ratios are what to look at: rates move with the machine's mood.
Decoding starts from whole files in memory. "loop" reads every field of every record; "list" makes the list of a
batch's records and drops it; "columns" ends with Arrow data of all fields. The limits decode nothing: "copy + CRC" is
one memcpy of the file into a fresh buffer and its checksum (the system's page faults included; "by batch": the same in
cache-sized steps, without them), "decompression" the fastest Python library over the batches. Encoded bytes were made
by aiokafka's builder and compressed as a Java producer does. When encoding, every builder uses its own default level,
so compare compressed rates with care.
Not measured: networks, brokers, groups, whole clients, several threads; your records, which differ from these.\
"""

Results = dict[tuple[str, str, str], dict[str, Result]]  # (kind, set, codec), competitor


@dataclasses.dataclass
class Run:
    """All that one run found."""

    scale: float
    rounds: int
    results: Results = dataclasses.field(default_factory=dict)
    decoded: dict[tuple[str, str], decode.Decoded] = dataclasses.field(default_factory=dict)  # set, codec
    peaks: dict[str, dict[str, int]] = dataclasses.field(default_factory=dict)  # set, competitor: bytes


def environment() -> dict[str, str]:
    """The CPU, Python and the versions of the libraries that take part."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        models = [line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if "model name" in line]
        cpu = models[0] if models else cpu
    found = {
        "cpu": f"{cpu}, {os.cpu_count()} logical cores",
        "system": f"{platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }
    for name in LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A plain text table, first column to the left, the others to the right."""
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    lines = [
        "  ".join(cell.ljust(width) if not column else cell.rjust(width) for column, (cell, width) in enumerate(cells))
        for cells in ([*zip(row, widths, strict=True)] for row in [head, *rows])
    ]
    return "\n".join([title, "  " + lines[0], "  " + "-" * len(lines[0]), *("  " + line for line in lines[1:])])


def _rate(result: Result | None) -> str:
    return "" if result is None else f"{result.best / 1e6:.3g}" if result.best < 1e8 else f"{result.best / 1e6:.0f}"


def _ratio(results: dict[str, Result], ours: str, other: str) -> str:
    return f"{results[ours].ratio(results[other]):.2f}" if ours in results and other in results else ""


def rates(run: Run, kind: str, name: str) -> str:
    """One set's rates: a row a competitor, a column a codec; below it kafkawire's ratios."""
    codecs = [codec for codec in CODECS if (kind, name, codec) in run.results]
    found = [run.results[kind, name, codec] for codec in codecs]
    names = list(dict.fromkeys(one for results in found for one in results))
    rows = [[one, *(_rate(results.get(one)) for results in found)] for one in sorted(names)]
    pairs = {
        "decode": (
            (decode.COLUMNS, decode.AIOKAFKA_LOOP),
            (decode.LOOP, decode.AIOKAFKA_LOOP),
            (decode.LIST, decode.AIOKAFKA_LIST),
            (decode.LOOP, decode.KAFKA_PYTHON),
            (decode.COLUMNS, decode.LIMIT),
            (decode.COLUMNS, decode.LIMIT_BY_BATCH),
            (decode.COLUMNS, decode.DECOMPRESSION),
        ),
        "encode": ((encode.COLUMNS, encode.AIOKAFKA), (encode.OBJECTS, encode.AIOKAFKA)),
    }.get(kind, ((pure.KAFKAWIRE, pure.KAFKA_PYTHON),))
    for ours, other in pairs:
        ratios = [_ratio(results, ours, other) for results in found]
        if any(ratios):
            rows.append([f"{ours} / {other}", *ratios])
    return table(f"{kind} {name} ({DATASETS[name].title}), million records/s", ["", *codecs], rows)


def bytes_table(run: Run) -> str:
    """Sizes, and decompression alone in bytes a second."""
    rows = []
    for (name, codec), found in run.decoded.items():
        limit = found.results.get(decode.DECOMPRESSION) or found.results[decode.LIMIT]
        speed = found.decompressed_size / min(limit.seconds) / 1e9
        rows.append([f"{name} {codec}", f"{found.size / 1e6:.1f}", f"{speed:.2f}", found.library or "copy + CRC"])
    return table("limits in bytes", ["", "MB encoded", "GB/s of plain bytes", "by"], rows)


def memory_table(run: Run) -> str:
    """Peak memory of decoding a set once, above the encoded bytes."""
    names = list(run.peaks)
    rows = [
        [one, *(f"{run.peaks[name][one] / 1e6:.0f}" if one in run.peaks[name] else "" for name in names)]
        for one in memory.COMPETITORS
    ]
    return table("peak memory above the encoded bytes, uncompressed sets, MB", ["", *names], rows)


def reached(run: Run, target: Target) -> float | None:
    """The ratio that was measured for ``target``; None if this run did not measure it."""
    results = run.results.get((target.kind, target.dataset, target.codec), {})
    if target.ours not in results or target.against not in results:
        return None
    return results[target.ours].ratio(results[target.against])


def targets_table(run: Run) -> str:
    """Every target measured: the median of the rounds' ratios counts; beside it the best rounds', and by the wall."""
    rows = []
    for target in TARGETS:
        got = reached(run, target)
        if got is not None:
            what = f"{target.kind} {target.dataset} {target.codec}: {target.ours} / {target.against}"
            results = run.results[target.kind, target.dataset, target.codec]
            best = results[target.ours].best / results[target.against].best
            verdict = "passed" if got >= target.at_least else "MISSED"
            wall = results[target.ours].wall_ratio(results[target.against])
            rows.append([what, f"{target.at_least:g}", f"{got:.2f}", f"{best:.2f}", f"{wall:.2f}", verdict])
    note = "" if run.scale >= 1 else f" (at scale {run.scale:g}: small buffers are reused, the limits look other)"
    return table(f"targets{note}", ["", "at least", "got", "best rounds", "by wall", ""], rows)


def as_json(run: Run) -> dict[str, object]:
    """The run as plain data: seconds of every round, ratios for the targets."""
    return {
        "environment": environment(),
        "scale": run.scale,
        "rounds": run.rounds,
        "results": [
            {"kind": kind, "set": name, "codec": codec, **vars(result), "records_per_second": result.best}
            for (kind, name, codec), results in run.results.items()
            for result in results.values()
        ],
        "bytes": [
            {"set": name, "codec": codec, "encoded": d.size, "decompressed": d.decompressed_size, "library": d.library}
            for (name, codec), d in run.decoded.items()
        ],
        "peak_bytes": run.peaks,
        "targets": [{**vars(target), "got": reached(run, target)} for target in TARGETS],
    }


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="kafkawire beside its peers and the limits.")
    parser.add_argument("--scale", type=float, default=1.0, help="share of each set's records, e.g. 0.1 (default 1)")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each competitor (default 5)")
    parser.add_argument("--sets", nargs="+", choices=DATASETS, default=list(DATASETS), metavar="SET")
    parser.add_argument("--codecs", nargs="+", choices=CODECS, default=list(CODECS), metavar="CODEC")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS), metavar="PART", help=" ".join(PARTS))
    parser.add_argument("--peers-only", action="store_true", help="leave kafkawire out: what this machine's peers do")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything measured to FILE, too")
    return parser.parse_args(argv)


def measure_all(options: argparse.Namespace) -> Run:
    """Run the chosen parts, printing each table when it is ready."""
    run = Run(options.scale, options.rounds)
    for name in options.sets:
        dataset = DATASETS[name]
        codecs = [codec for codec in options.codecs if codec in dataset.codecs]
        if "decode" in options.parts:
            for codec in codecs:
                found = decode.run(load(name, codec, options.scale), options.rounds, options.peers_only)
                run.decoded[name, codec], run.results["decode", name, codec] = found, found.results
            print(rates(run, "decode", name), end="\n\n", flush=True)
        if "encode" in options.parts and dataset.magic == 2:
            for codec in codecs:
                run.results["encode", name, codec] = encode.run(
                    name, codec, options.scale, options.rounds, options.peers_only
                )
            print(rates(run, "encode", name), end="\n\n", flush=True)
        if "pure" in options.parts and not options.peers_only:
            for codec in codecs:
                for kind, results in pure.run(name, codec, options.scale, options.rounds).items():
                    run.results[kind, name, codec] = results
            for kind in dict.fromkeys(kind for kind, of, _ in run.results if kind.startswith("pure") and of == name):
                print(rates(run, kind, name), end="\n\n", flush=True)
        if "memory" in options.parts and "none" in codecs and memory.available():
            run.peaks[name] = memory.run(name, "none", options.scale, options.peers_only)
    return run


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; 0 also when targets are missed: a bench reports, it does not judge a noisy machine."""
    options = arguments(argv)
    peers.require_compiled_aiokafka()
    if not options.peers_only:
        import kafkawire

        if kafkawire.BACKEND != "compiled":
            print("kafkawire runs its pure twin here; build the extension to bench it.", file=sys.stderr)
            return 1
    print(PREFACE, end="\n\n")
    print("\n".join(f"{name}: {value}" for name, value in environment().items()))
    print(f"scale {options.scale:g}, {options.rounds} rounds\n", flush=True)
    run = measure_all(options)
    if run.decoded:
        print(bytes_table(run), end="\n\n")
    if run.peaks:
        print(memory_table(run), end="\n\n")
    if not options.peers_only:
        print(targets_table(run))
    if options.json:
        options.json.write_text(json.dumps(as_json(run), indent=1) + "\n")
    return 0
