"""Found by PySpark 4.0 and later by its name: makes ``spark.read.format("kafkawire")`` work without registering."""

from kafkawire.spark.source import KafkawireDataSource as DefaultSource

__all__ = ["DefaultSource"]
