"""Messages into tables with Spark: every one typed, counted as a duplicate or kept in quarantine with a reason.

``ingest(session, registry, input, output)`` adds what is new, ``redrive(session, registry, output)`` judges the
quarantine again, ``compact(session, output)`` makes one file of many small ones, ``files(output, urn)`` names the files
to read, ``all_files(output)`` those of every table; ``watch`` ingests again and again. ``versions(session, registry,
output, urn)`` reads a message and those that it supersedes as one table, ``dataset(output, urn)`` is one for pyarrow.
``registry_of(archive)`` is the registry that `babelreg spark pack` packed. A local session comes from
``babelreg.spark.session.local.start()``.
"""

from babelreg.spark.deploy.packed_runtime import registry_of
from babelreg.spark.ingest.compaction import Compacted, compact
from babelreg.spark.ingest.redrive import redrive
from babelreg.spark.ingest.run import ingest
from babelreg.spark.ingest.summary import Summary
from babelreg.spark.ingest.watch import watch
from babelreg.spark.lake.all_versions import version_batches, versions
from babelreg.spark.lake.current_files import all_files, dataset, files
from babelreg.spark.operations.thresholds import BatchHeld

__all__ = [
    "BatchHeld",
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
