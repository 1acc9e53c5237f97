"""Bodies and JSON that the Java classes of Kafka 4.4.0 and 3.9.2 wrote: every message, every version."""

from __future__ import annotations

from collections import defaultdict
from types import ModuleType
from typing import Any

import pytest

from kafkawire import messages
from kafkawire.schema import Struct
from tests.messages.vectors import rows

# The layouts of 3.9 that share a version number with another one of 4.4.
LAYOUT_39 = {"ReadShareGroupStateSummaryResponse", "ShareGroupMetadataValue"}

# Fields that Kafka 4.4 renamed: from_json reads the old names, to_json writes the new ones.
RENAMED = {
    "VoteRequest": {
        "candidateEpoch": "replicaEpoch",
        "candidateId": "replicaId",
        "candidateDirectoryId": "replicaDirectoryId",
    },
    "TxnOffsetCommitRequest": {"generationId": "generationIdOrMemberEpoch"},
}

# Tags that 3.9 does not know and 4.4 defines for the same version: they come out as fields, not as unknown tags.
KNOWN_SINCE_44 = {("3.9.2", "TransactionLogValue", 1, "unknown-tags")}


def golden(release: str) -> dict[str, list[dict[str, Any]]]:
    grouped = defaultdict(list)
    for row in rows(f"golden-{release}.jsonl.xz"):
        grouped[row["name"]].append(row)
    return grouped


GOLDEN = {release: golden(release) for release in ("3.9.2", "4.4.0")}
CASES = [(release, name) for release, grouped in GOLDEN.items() for name in grouped]


def renamed(document: Any, names: dict[str, str]) -> Any:
    if isinstance(document, dict):
        return {names.get(key, key): renamed(value, names) for key, value in document.items()}
    return [renamed(value, names) for value in document] if isinstance(document, list) else document


def walk(struct: Any, path: list[str | int]) -> Struct:
    for step in path:
        if isinstance(step, int):
            struct = struct[step]
        else:
            struct = getattr(struct, next(f.name for f in type(struct).FIELDS.values() if f.json_name == step))
    assert isinstance(struct, Struct)
    return struct


def tags(struct: Struct) -> list[list[Any]]:
    return [[tag, content.hex()] for tag, content in struct.unknown_tags]


def test_all_vectors_are_there() -> None:
    assert sum(len(found) for grouped in GOLDEN.values() for found in grouped.values()) == 8296


@pytest.mark.parametrize(("release", "name"), CASES)
def test_golden(kernel: ModuleType, release: str, name: str) -> None:
    cls = getattr(messages, f"{name}39" if release == "3.9.2" and name in LAYOUT_39 else name)
    for row in GOLDEN[release][name]:
        version = row["version"]
        label = f"{name} v{version} {row['variant']}"
        body = bytes.fromhex(row["hex"])
        message = cls.decode(body, version)
        assert message.encode(version) == body, label
        if (release, name, version, row["variant"]) in KNOWN_SINCE_44:
            continue
        assert message.to_json(version) == renamed(row["json"], RENAMED.get(name, {})), label
        for path, expected in row.get("unknown_tags_nested", []):
            assert tags(walk(message, path)) == expected, label
        assert tags(message) == row.get("unknown_tags", []), label
        again = cls.from_json(row["json"], version)
        if not row.get("unknown_tags") and not row.get("unknown_tags_nested"):
            assert again == message, label
            assert again.encode(version) == body, label
        assert cls.decode(memoryview(body), version) == cls.decode(bytearray(body), version) == message, label


@pytest.mark.parametrize("release", sorted(GOLDEN))
def test_every_version_of_the_release_is_in_the_class(release: str) -> None:
    for name, found in GOLDEN[release].items():
        assert {row["version"] for row in found} <= set(getattr(messages, name).VERSIONS), name


def test_no_class_has_versions_that_kafka_never_had() -> None:
    for name in {name for grouped in GOLDEN.values() for name in grouped}:
        known = {row["version"] for grouped in GOLDEN.values() for row in grouped.get(name, ())}
        assert set(getattr(messages, name).VERSIONS) == known, name
