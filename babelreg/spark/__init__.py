"""Messages into tables with Spark: every one typed, counted as a duplicate or kept in quarantine with a reason.

``ingest(session, registry, input, output)`` adds what is new, ``redrive(session, registry, output)`` judges the
quarantine again, ``compact(session, output)`` makes one file of many small ones, ``files(output, urn)`` names the files
to read. ``babelreg.spark.session.start()`` gives a local
session where there is none.
"""

from babelreg.spark.compact import Compacted, compact
from babelreg.spark.live import files
from babelreg.spark.redrive import redrive
from babelreg.spark.run import ingest
from babelreg.spark.summary import Summary

__all__ = ["Compacted", "Summary", "compact", "files", "ingest", "redrive"]
