"""Messages into tables with Spark: every one typed, counted as a duplicate or kept in quarantine with a reason.

``ingest(session, registry, input, output)`` adds what is new, ``redrive(session, registry, output)`` judges the
quarantine again, ``files(output, urn)`` names the files to read. ``babelreg.spark.session.start()`` gives a local
session where there is none.
"""

from babelreg.spark.live import files
from babelreg.spark.redrive import redrive
from babelreg.spark.run import ingest
from babelreg.spark.summary import Summary

__all__ = ["Summary", "files", "ingest", "redrive"]
