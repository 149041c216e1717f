"""A batch job of a user on the cluster that it was submitted to: ``Tables.write`` of a folder of lines into Delta tables.

``spark-submit tables_program.py REGISTRY IN AT``. Prints its counts as JSON.
"""

from __future__ import annotations

import json
import sys

from platform_program import worker_has_babelreg
from pyspark.sql import SparkSession

from babelreg.spark import Tables, registry_in


def main(registry_folder: str, inbox: str, at: str) -> None:
    spark = SparkSession.builder.getOrCreate()
    worker = worker_has_babelreg(spark)  # before the archive is on the path of a Python that is used again
    lines = spark.read.text(inbox).selectExpr(
        "value", "_metadata.file_name AS file", "monotonically_increasing_id() AS line"
    )
    tables = Tables(registry_in(registry_folder), "delta", at, position=["file", "line"])
    counts = tables.write(lines, application="job", batch=0)
    again = tables.write(lines, application="job", batch=0)
    print(
        json.dumps(
            {
                "worker": worker,
                "accepted": counts.accepted,
                "duplicates": counts.duplicates,
                "reasons": dict(counts.reasons),
                "repeated": again.repeated,
            }
        )
    )
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
