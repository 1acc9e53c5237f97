"""Frames between real brokers (0.8.0 to 4.4.0) and Java clients, with what Kafka's own classes read from them."""

from __future__ import annotations

import base64
from collections import defaultdict
from types import ModuleType
from typing import Any

import pytest

from kafkawire import messages
from tests.messages.vectors import rows

FRAMES: dict[str, list[dict[str, Any]]] = defaultdict(list)
for _row in rows("captures.jsonl.xz"):
    FRAMES[_row["frame"].split("/")[0]].append(_row)


def sizes_only(document: Any) -> Any:
    """The capture's tool printed the sizes of records, as Kafka's request log does, in place of the records."""
    if isinstance(document, list):
        return [sizes_only(one) for one in document]
    if not isinstance(document, dict):
        return document
    shown = {}
    for name, value in document.items():
        if name == "records" and value is not None:
            shown["recordsSizeInBytes"] = len(base64.b64decode(value))
        else:
            shown[name] = sizes_only(value)
    return shown


def test_all_frames_are_there() -> None:
    assert sum(map(len, FRAMES.values())) == 1986


@pytest.mark.parametrize("scenario", sorted(FRAMES))
def test_capture(kernel: ModuleType, scenario: str) -> None:
    for row in FRAMES[scenario]:
        key, version, frame = row["key"], row["version"], bytes.fromhex(row["hex"])
        header_class: Any
        body_class: Any
        if row["request"]:
            header_class, body_class = messages.RequestHeader, messages.request_class(key)
            header_version = messages.request_header_version(key, version)
        else:
            header_class, body_class = messages.ResponseHeader, messages.response_class(key)
            header_version = messages.response_header_version(key, version)
        header, rest = header_class.decode(frame, header_version, trailing="return")
        body = body_class.decode(rest, version)
        assert header.encode(header_version) + body.encode(version) == frame, row["frame"]
        assert header.to_json(header_version) == row["header"], row["frame"]
        assert sizes_only(body.to_json(version)) == row["body"], row["frame"]
