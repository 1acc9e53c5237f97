"""Some thousand broken batches judged by Kafka's own reader: see against_java, whose longer runs find the rare ones."""

from __future__ import annotations

from collections import Counter

from tests.broker.java import Java, Judgement
from tests.hostile.against_java import LOOSER, STRICTER, Answer, classify, judged
from tests.hostile.mutations import mutation, seeds

COUNT = 4000


def test_same_verdict_and_values(java: Java) -> None:
    found: Counter[str] = Counter()
    unknown = list(judged(java, 0, COUNT, found))
    assert not unknown, f"{len(unknown)}: {unknown[:5]}"
    # Most of what is broken is refused, and enough is read for the values to be held together.
    assert found["refused by both"] > COUNT // 2
    assert found["accepted by both"] > COUNT // 8
    assert set(found) <= {"refused by both", "accepted by both", *STRICTER, *LOOSER}


def test_other_values_are_noticed() -> None:
    read = Answer(10, 1, 5, "", "", None)
    assert classify(read, Judgement(10, 1, 5)) == ""
    for other in (Judgement(10, 1, 6), Judgement(10, 2, 5), Judgement(9, 1, 5), Judgement(10, thrown="E", text="x")):
        assert classify(read, other) is None
    refused = Answer(0, None, None, "CorruptError", "something new", 0)
    assert classify(refused, Judgement(10, 1, 5)) is None
    assert classify(refused, Judgement(10, thrown="E", text="x")) == ""


def test_mutations_can_be_made_again() -> None:
    assert [mutation(number) for number in range(200)] == [mutation(number) for number in range(200)]
    assert len({(seed.magic, seed.codec) for seed in seeds()}) == 13  # every codec of every magic
