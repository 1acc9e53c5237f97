"""The fuzz targets hold for their own seeds, and would notice."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from fuzz import kept
from fuzz.plain import mutated
from fuzz.seeds import LARGEST, SEEDS
from fuzz.targets import TARGETS, Broken
from tests import twins


def seeds(target: str) -> list[bytes]:
    return sorted({seed for seed in SEEDS[target]() if len(seed) <= LARGEST})


@pytest.mark.parametrize("target", TARGETS)
def test_seeds_and_some_mutations(target: str) -> None:
    found = seeds(target)
    assert len(found) >= 3
    stored = list(kept.inputs(target))
    assert len(stored) >= 20  # what fuzzing for hours has found to be different
    for data in stored:
        TARGETS[target](data)
    rng = random.Random(target)
    for seed in rng.sample(found, min(len(found), 120)):
        TARGETS[target](seed)
    for _ in range(150):
        data = mutated(rng, found)
        try:
            TARGETS[target](data)
        except Exception as error:
            raise AssertionError(f"{target}: {data.hex()}") from error


def raising(error: Exception) -> Callable[..., None]:
    def fail(*arguments: object) -> None:
        raise error

    return fail


def test_a_foreign_exception_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    kw = twins.load("pure")
    monkeypatch.setattr(kw.records.batch._twins.codec, "split", raising(IndexError("foreign")))
    with pytest.raises(IndexError, match="foreign"):
        TARGETS["records"](seeds("records")[-1])


@pytest.mark.skipif(twins.PURE_ONLY, reason="KAFKAWIRE_PURE_PYTHON=1 asks for the pure twin alone")
def test_another_answer_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    kw = twins.load("pure")
    monkeypatch.setattr(kw.records.batch._twins.codec, "split", lambda data, position: ([], 1, None))
    with pytest.raises(Broken, match="the twins differ"):
        TARGETS["records"](seeds("records")[-1])
