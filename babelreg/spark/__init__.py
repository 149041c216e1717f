"""Messages into tables with Spark: every one typed, counted as a duplicate or kept in quarantine with a reason.

``ingest(session, registry, input, output)`` adds what is new, ``redrive(session, registry, output)`` judges the
quarantine again, ``compact(session, output)`` makes one file of many small ones, ``files(output, urn)`` names the files
to read, ``all_files(output)`` those of every table; ``watch`` ingests again and again. ``versions(session, registry,
output, urn)`` reads a message and those that it supersedes as one table, ``dataset(output, urn)`` is one for pyarrow.
``registry_of(archive)`` is the registry that `babelreg spark pack` packed. ``babelreg.spark.session.start()`` gives a
local session to who has none.
"""

from babelreg.spark.archived import registry_of
from babelreg.spark.compact import Compacted, compact
from babelreg.spark.datasets import dataset
from babelreg.spark.live import all_files, files
from babelreg.spark.redrive import redrive
from babelreg.spark.run import ingest
from babelreg.spark.summary import Summary
from babelreg.spark.versions import version_batches, versions
from babelreg.spark.watch import watch

__all__ = [
    "Compacted",
    "Summary",
    "all_files",
    "compact",
    "dataset",
    "files",
    "ingest",
    "redrive",
    "registry_of",
    "version_batches",
    "versions",
    "watch",
]
