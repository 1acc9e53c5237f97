"""python -m fuzz.guided TARGET SECONDS [DIRECTORY]: atheris, guided by the coverage of the pure twin.

With a directory nothing is fuzzed: those inputs of the corpus that add to the others are copied there.
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

from tests import twins

HERE = Path(__file__).parent
LARGEST = 4096
MEMORY = 2048  # MiB


def main(target: str, seconds: str, *rest: str) -> None:
    twins.load("compiled")  # not instrumented: its Python parts are those of the pure twin
    with atheris.instrument_imports(include=["kafkawire"]):
        twins.load("pure")
    from fuzz.seeds import write
    from fuzz.targets import TARGETS

    run = TARGETS[target]
    corpus = HERE / "corpus" / target
    if not any(corpus.glob("*")):
        print(f"{write(target, corpus)} seeds")
    options = [f"-max_len={LARGEST}", f"-rss_limit_mb={MEMORY}", "-timeout=20"]
    if seconds == "inner":  # libFuzzer begins a process of its own to merge, with its own options
        given = [sys.argv[0], *rest]
    elif rest:
        given = [f"{sys.executable} -m fuzz.guided {target} inner", "-merge=1", rest[0], str(corpus), *options]
    else:
        findings = f"-artifact_prefix={HERE / 'findings'}/{target}-"
        limits = [f"-max_total_time={seconds}", "-print_final_stats=1", "-verbosity=1", findings]
        given = [sys.argv[0], str(corpus), *limits, *options]
    atheris.Setup(given, run)
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
