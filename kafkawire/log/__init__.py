"""Kafka's files on disk: segments, as a broker stores them."""

from kafkawire.log.segment import Segment, Verification

__all__ = ["Segment", "Verification"]
