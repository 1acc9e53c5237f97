"""What came before Kafka 0.8: the 0.6 and 0.7 protocol (``v07``), and the wire format once proposed (``proposal``)."""

from kafkawire.ancient import proposal, v07

__all__ = ["proposal", "v07"]
