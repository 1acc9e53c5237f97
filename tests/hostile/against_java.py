"""Broken batches judged by Kafka's own reader and by both twins: the same answer, apart from argued differences.

``python -m tests.hostile.against_java FIRST COUNT`` judges so many mutations from number FIRST on, prints how often
each difference came, and ends with 1 where one is neither in STRICTER nor in LOOSER. Each is argued in docs/hostile.md.
"""

from __future__ import annotations

import re
import struct
import sys
import zlib
from collections import Counter
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NamedTuple

from tests import twins
from tests.broker.java import Java, Judgement
from tests.hostile.mutations import mutations

SHARE = 10_000  # inputs that one JVM judges


class Answer(NamedTuple):
    """What a twin made of an input: ``count`` and ``crc`` of what it read, or the error."""

    complete: int
    count: int | None
    crc: int | None
    error: str
    text: str
    position: int | None


def answer(kw: ModuleType, data: bytes) -> Answer:
    crc, count, complete = 0, 0, 0
    try:
        for batch in kw.read_batches(data):
            for record in batch:
                count += 1
                crc = zlib.crc32(canonical(record), crc)
            complete = batch.position + batch.size
    except kw.WireError as error:
        return Answer(complete, None, None, type(error).__name__, str(error), error.position)
    return Answer(complete, count, crc, "", "", None)


def canonical(record: Any) -> bytes:
    """The bytes that JudgeBatches.java takes the CRC of."""
    timestamp = -1 if record.timestamp is None else record.timestamp
    parts = [struct.pack(">qqi", record.offset, timestamp, record.timestamp_type)]
    fields = [record.key, record.value]
    for name, value in record.headers:
        fields += [name.encode(), value]
    for field in fields:
        parts.append(b"\xff\xff\xff\xff" if field is None else len(field).to_bytes(4, "big") + field)
    return b"".join(parts)


# ---- the differences that there may be ----


#: Java accepts what kafkawire refuses: the name of the difference, and what our error says then.
STRICTER: dict[str, str] = {
    "bytes left over in a record or message": r"left over at the end of a record",
    "records or bytes behind the declared count": r"left over after the last record",
    "a negative length that is not -1": r"^a length of -",
    "an offset delta outside of the batch": r"^an offset delta of",
    "a negative offset, or one that overflows": r"^an offset outside of 0",
    "a timestamp that overflows": r"^the timestamp -?\d+ plus the delta",
    "another magic inside of a wrapper": r"^(a message of magic . inside|(magic|a batch length) .*decompressed)",
    "a cut message at the end of a wrapper": r"^the data ends inside a field.*of the decompressed data",
    "bits of a varint that do not fit": r"^a varint does not fit",
    "a header key that is not UTF-8": r"^a header key is not UTF-8",
    "compressed bytes behind what the records need": (
        r"^(the (gzip stream (ends early|is corrupt)|lz4 frame (does not end|is corrupt)|zstd stream (is corrupt|ends))"
        r"|a zstd frame of .* declares|a xerial block of \d{2}|a snappy block of|the snappy block is)"
    ),
    "gzip flags that are reserved": r"^gzip flags of",
    "a size in an lz4 frame that is wrong": r"^(an lz4 frame of \d+ bytes declares|the lz4 content is)",
    "a tail behind xerial blocks": r"^a xerial block of -1 bytes with [0-3] left",
    "a xerial version that does not exist": r"^a xerial stream of a version",
}

#: kafkawire accepts what Java refuses: the name, and what Java throws.
LOOSER: dict[str, str] = {
    "a length near 2**31, whose sum overflows in Java": r"IllegalArgumentException: newLimit < 0: \(-214748",
    "lz4 blocks that need those before them": r"Dependent block stream is unsupported",
}


def classify(ours: Answer, theirs: Judgement) -> str | None:
    """ "" where they agree, the name of a known difference, None for an unknown one."""
    if theirs.thrown is None and not ours.error:
        if (ours.count, ours.crc, ours.complete) == (theirs.count, theirs.crc, theirs.complete):
            return ""
        return None
    if theirs.thrown is not None and ours.error:
        return ""
    if ours.error:
        return next((name for name, pattern in STRICTER.items() if re.search(pattern, ours.text)), None)
    thrown = f"{theirs.thrown}: {theirs.text}"
    return next((name for name, pattern in LOOSER.items() if re.search(pattern, thrown)), None)


class Finding(NamedTuple):
    number: int
    data: bytes
    ours: Answer
    theirs: Judgement


def judged(java: Java, first: int, count: int, found: Counter[str]) -> Iterator[Finding]:
    """Judge so many mutations; count the differences in ``found``, and give those that are in no class."""
    packages = [twins.load(name) for name in twins.NAMES]
    for start in range(first, first + count, SHARE):
        inputs = list(mutations(start, min(SHARE, first + count - start)))
        judgements = java.judge_batches(inputs)
        assert len(judgements) == len(inputs)
        answers: list[list[Answer]] = []
        for kw in packages:
            with twins.using(kw):
                answers.append([answer(kw, data) for data in inputs])
        for number, (data, theirs) in enumerate(zip(inputs, judgements, strict=True), start):
            ours, *others = (found[number - start] for found in answers)
            assert all(other == ours for other in others), f"the twins differ at {number}: {ours} {others}"
            name = classify(ours, theirs)
            both = "accepted by both" if not ours.error and theirs.thrown is None else "refused by both"
            found[both if name == "" else name or "unknown"] += 1
            if name is None:
                yield Finding(number, data, ours, theirs)


def main(first: str, count: str) -> int:
    found: Counter[str] = Counter()
    unknown = 0
    for finding in judged(Java(), int(first), int(count), found):
        unknown += 1
        if unknown <= 50:
            print(finding.number, finding.ours, finding.theirs, flush=True)
    for name, times in found.most_common():
        print(f"{times:8} {name}")
    return int(unknown > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
