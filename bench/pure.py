"""The pure twin beside kafka-python: objects in a for loop and built record by record, over some thousand records.

The twin is chosen when kafkawire is imported, so this runs in a process of its own: ``python -m bench.pure`` there,
``run`` here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

from bench import peers
from bench.datasets import DATASETS, load
from bench.measure import CPU, Competitor, Result, measure

KAFKAWIRE = "kafkawire, pure"
KAFKA_PYTHON = "kafka-python"

RECORDS_AT_MOST = 20_000


def run(name: str, codec: str, scale: float, rounds: int) -> dict[str, dict[str, Result]]:
    """Results by "pure decode" and "pure encode", then by competitor.

    Raises RuntimeError with the child's words if it fails.
    """
    command = [sys.executable, "-m", "bench.pure", name, codec, str(scale), str(rounds)]
    child = subprocess.run(
        command, env={**os.environ, "KAFKAWIRE_PURE_PYTHON": "1"}, capture_output=True, text=True, check=False
    )
    if child.returncode:
        raise RuntimeError(f"{' '.join(command[1:])} failed:\n{child.stderr}")
    found = json.loads(child.stdout)
    return {kind: {one: Result(**result) for one, result in results.items()} for kind, results in found.items()}


def _measure(name: str, codec: str, scale: float, rounds: int) -> dict[str, dict[str, Result]]:
    import kafkawire
    from bench import subject

    if kafkawire.BACKEND != "pure":
        raise RuntimeError(f"the pure twin was asked for, the {kafkawire.BACKEND} one came")
    dataset = DATASETS[name]
    count = min(dataset.scaled(scale), RECORDS_AT_MOST)
    encoded = load(name, codec, count / dataset.count)
    reading = [
        Competitor(KAFKAWIRE, encoded.count, lambda: subject.objects_loop(encoded)),
        Competitor(KAFKA_PYTHON, encoded.count, lambda: peers.kafka_python_loop(encoded)),
    ]
    results = {"pure decode": measure(reading, rounds, CPU)}
    if dataset.magic == 2:
        rows, size = list(dataset.rows(count)), dataset.batch_size
        writing = [
            Competitor(KAFKAWIRE, count, lambda: subject.encode_objects(rows, codec, size)),
            Competitor(KAFKA_PYTHON, count, lambda: peers.kafka_python_encode(rows, codec, size)),
        ]
        results["pure encode"] = measure(writing, rounds, CPU)
    return results


if __name__ == "__main__":
    set_name, codec_name, how_much, how_often = sys.argv[1:]
    measured = _measure(set_name, codec_name, float(how_much), int(how_often))
    json.dump(
        {kind: {one: vars(result) for one, result in found.items()} for kind, found in measured.items()}, sys.stdout
    )
