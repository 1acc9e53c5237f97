"""Making the data source known to a Spark session."""

from __future__ import annotations

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession


def register(spark: SparkSession) -> None:
    """Make ``spark.read.format("kafkawire")`` work in this session. Calling it twice is harmless.

    Where kafkawire is installed by pip this is not needed: PySpark finds the module ``pyspark_kafkawire`` by itself.
    Raises RuntimeError on PySpark 3.5, which has no Python data sources: use :func:`kafkawire.spark.read_kafka` and
    :func:`kafkawire.spark.decode` there.
    """
    try:
        import pyspark.sql.datasource
    except ImportError:
        import pyspark

        raise RuntimeError(
            f"PySpark {pyspark.__version__} has no Python data sources, which came with 4.0: "
            "read topics with kafkawire.spark.read_kafka, and files as binaryFile with "
            "kafkawire.spark.decode(df, 'content')"
        ) from None

    from kafkawire.spark.source import KafkawireDataSource

    try:
        spark.dataSource.register(KafkawireDataSource)
    except AnalysisException as error:
        # PySpark 4.0 refuses a name that it has found by itself; later ones replace it.
        if "DATA_SOURCE_ALREADY_EXISTS" not in str(error):
            raise
