"""Decoding: kafkawire's ways beside the peers' and the limits, all in one process, taking turns."""

from __future__ import annotations

from dataclasses import dataclass

from bench import limits, peers
from bench.datasets import Encoded
from bench.measure import CPU, Competitor, Result, measure

COLUMNS = "kafkawire columns"
LOOP = "kafkawire objects, loop"
LIST = "kafkawire objects, list"
AIOKAFKA_LOOP = "aiokafka, loop"
AIOKAFKA_LIST = "aiokafka, list"
KAFKA_PYTHON = "kafka-python, loop"
LIMIT = "limit: copy + CRC"
LIMIT_BY_BATCH = "limit: the same by batch"
DECOMPRESSION = "limit: decompression"

KAFKA_PYTHON_SHARE = 0.05  # of the batches: it is too slow for all of them


@dataclass(frozen=True)
class Decoded:
    """Results by competitor, the bytes' sizes, and for a compressed set the library that decompresses it fastest."""

    results: dict[str, Result]
    size: int
    decompressed_size: int
    library: str


def readers(encoded: Encoded, peers_only: bool = False) -> list[Competitor]:
    """Everybody who decodes the whole set."""
    field = [
        Competitor(AIOKAFKA_LOOP, encoded.count, lambda: peers.aiokafka_loop(encoded)),
        Competitor(AIOKAFKA_LIST, encoded.count, lambda: peers.aiokafka_list(encoded)),
    ]
    if not peers_only:
        from bench import subject

        field += [
            Competitor(COLUMNS, encoded.count, lambda: subject.columns(encoded)),
            Competitor(LOOP, encoded.count, lambda: subject.objects_loop(encoded)),
            Competitor(LIST, encoded.count, lambda: subject.objects_list(encoded)),
        ]
    return field


def run(encoded: Encoded, rounds: int, peers_only: bool = False) -> Decoded:
    """Measure one set with one codec."""
    few, library, size = encoded.prefix(KAFKA_PYTHON_SHARE), "", len(encoded.data)
    field = readers(encoded, peers_only)
    field.append(Competitor(KAFKA_PYTHON, few.count, lambda: peers.kafka_python_loop(few)))
    if encoded.codec == "none":
        field.append(Competitor(LIMIT, encoded.count, limits.copy_and_crc(encoded)))
        if encoded.dataset.magic == 2:  # a batch of v0 and v1 is one message: nothing to learn from going one by one
            field.append(Competitor(LIMIT_BY_BATCH, encoded.count, limits.copy_and_crc_by_batch(encoded)))
    else:
        limit = limits.decompression(encoded)
        library, size = limit.library, limit.size
        field.append(Competitor(DECOMPRESSION, encoded.count, limit.work))
    return Decoded(measure(field, rounds, CPU), len(encoded.data), size, library)
