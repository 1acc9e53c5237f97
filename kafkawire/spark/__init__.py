"""Kafka's records in Spark, without a connector jar.

* :func:`register` makes ``spark.read.format("kafkawire")`` known to a session (PySpark 4.0 and later);
* :func:`read_kafka` reads topics without it, :func:`write_kafka` writes them (PySpark 3.5 and later);
* :func:`decode` turns a binary column of record bytes into rows, over ``mapInArrow`` (PySpark 3.5 and later);
* :func:`split_schema_id` takes the id of a Confluent Schema Registry off a value.

Reading gives the columns of Spark's own Kafka source, see :mod:`kafkawire.spark.schema`.
"""

from __future__ import annotations

try:
    import pyarrow  # noqa: F401
    import pyspark  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"kafkawire.spark needs {error.name}, which is not installed: pip install 'kafkawire[spark]'", name=error.name
    ) from error

from kafkawire.spark.decode import decode
from kafkawire.spark.functions import read_kafka
from kafkawire.spark.given import OptionError
from kafkawire.spark.register import register
from kafkawire.spark.registry import split_schema_id
from kafkawire.spark.schema import COLUMNS, spark_schema
from kafkawire.spark.write_functions import write_kafka

__all__ = [
    "COLUMNS",
    "OptionError",
    "decode",
    "read_kafka",
    "register",
    "spark_schema",
    "split_schema_id",
    "write_kafka",
]
