"""Kafka's files on disk: segments, as a broker stores them."""

from __future__ import annotations

import os
from typing import Any

from kafkawire.log.ancient import AncientLog, AncientSegment, LogVerification, SegmentInfo
from kafkawire.log.segment import Segment, Verification

AnySegment = Segment | AncientSegment


def open_segment(path: str | os.PathLike[str], **settings: Any) -> AnySegment:
    """The segment file ``path`` of any Kafka: ``.kafka`` is 0.6 or 0.7, all else 0.8 or later.

    ``settings``: ``check_crc`` and ``limits``. Both kinds give records(), read_columns(), iter_columns(), verify(),
    split() and find() with the same shapes. Raises OSError where the file cannot be opened.
    """
    kind = AncientSegment if os.fspath(path).endswith(".kafka") else Segment
    return kind(path, **settings)


__all__ = [
    "AncientLog",
    "AncientSegment",
    "AnySegment",
    "LogVerification",
    "Segment",
    "SegmentInfo",
    "Verification",
    "open_segment",
]
