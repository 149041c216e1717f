"""Messages into tables with Spark: every one typed, counted as a duplicate or kept in quarantine with a reason.

``babelreg.spark.ingest(session, registry, input, output)`` is all of it; ``babelreg.spark.session.start()`` gives a
local session where there is none.
"""

from babelreg.spark.run import ingest
from babelreg.spark.summary import Summary

__all__ = ["Summary", "ingest"]
