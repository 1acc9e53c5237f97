"""Encoding: kafkawire from Arrow columns and from objects beside the peers' builders, in one process, taking turns.

Each builder compresses with its own default level, so only the uncompressed figures compare like with like: aiokafka
and kafka-python ask for gzip 9, aiokafka for lz4 9.
"""

from __future__ import annotations

from bench import peers
from bench.datasets import DATASETS, load
from bench.measure import CPU, Competitor, Result, measure

COLUMNS = "kafkawire columns"
OBJECTS = "kafkawire objects"
AIOKAFKA = "aiokafka"
KAFKA_PYTHON = "kafka-python"

SHARE_AT_MOST = 0.2  # of a set: its records are Python objects during the run, and gzip 9 takes its time
KAFKA_PYTHON_SHARE = 0.05


def run(name: str, codec: str, scale: float, rounds: int, peers_only: bool = False) -> dict[str, Result]:
    """Measure encoding the first records of the set ``name`` (magic 2 only)."""
    dataset = DATASETS[name]
    count = dataset.scaled(min(scale, SHARE_AT_MOST))
    rows = list(dataset.rows(count))
    few = rows[: max(1, int(count * KAFKA_PYTHON_SHARE))]
    size = dataset.batch_size
    field = [
        Competitor(AIOKAFKA, count, lambda: peers.aiokafka_encode(rows, codec, size)),
        Competitor(KAFKA_PYTHON, len(few), lambda: peers.kafka_python_encode(few, codec, size)),
    ]
    if not peers_only:
        from bench import subject

        table = subject.columns_to_write(load(name, "none", count / dataset.count))
        field += [
            Competitor(COLUMNS, count, lambda: subject.encode_columns(table, codec, size)),
            Competitor(OBJECTS, count, lambda: subject.encode_objects(rows, codec, size)),
        ]
    return measure(field, rounds, CPU)
