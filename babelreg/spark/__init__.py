"""Messages into tables: every one typed, counted as a duplicate or kept in quarantine with a reason.

On a data platform: ``validate_frame(df, registry)`` validates a frame, ``typed(validated, urn, registry)`` and
``quarantine(validated)`` are its accepted and refused messages; batch, streaming and Spark Connect.
``validate(registry)`` and ``typed_data(registry, urn)`` are the same as functions of columns.
``Tables(registry, to="delta", at="catalog.schema")`` writes batches of messages into Delta or Iceberg tables.

Into a folder: ``ingest(session, registry, input, output)`` adds what is new, ``redrive(session, registry, output)``
judges the quarantine again, ``compact(session, output)`` makes one file of many small ones, ``files(output, urn)``
names the files to read, ``all_files(output)`` those of every table; ``watch`` ingests again and again.
``versions(session, registry, output, urn)`` reads a message and those that it supersedes as one table,
``dataset(output, urn)`` is one for pyarrow. ``publish(output, ["delta"])`` makes Delta or Iceberg tables of the same
files. ``registry_of(archive)`` is the registry that `babelreg spark pack` packed, ``registry_in(folder)`` that of a
folder or of an archive. A local session comes from ``babelreg.spark.session.local.start()``. ``ingest``, ``watch``,
``redrive`` and ``compact`` also take ``"local"`` or a ``LocalEngine`` in place of a session: they need neither pyspark
nor a JVM then, and write the same files.

Each name is imported when it is used, so that nothing is loaded that a caller does not need.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

# Imported now, it raises where an archive does not fit this Python, before a native package does.
from babelreg.spark.deploy.packed_runtime import registry_in, registry_of

if TYPE_CHECKING:
    from babelreg.lake.engine.local_engine import LocalEngine
    from babelreg.lake.ingest.compaction import Compacted, compact
    from babelreg.lake.ingest.redrive import redrive
    from babelreg.lake.ingest.run import ingest
    from babelreg.lake.ingest.summary import Summary
    from babelreg.lake.ingest.thresholds import BatchHeld
    from babelreg.lake.ingest.watch import watch
    from babelreg.lake.publish.run import Published, publish
    from babelreg.lake.storage.all_versions import version_batches, versions
    from babelreg.lake.storage.current_files import all_files, dataset, files
    from babelreg.spark.platform.columns import typed_data, validate
    from babelreg.spark.platform.frames import quarantine, typed, validate_frame
    from babelreg.spark.platform.tables.batch_counts import BatchCounts
    from babelreg.spark.platform.tables.tables import Tables

__all__ = [
    "BatchCounts",
    "BatchHeld",
    "Compacted",
    "LocalEngine",
    "Published",
    "Summary",
    "Tables",
    "all_files",
    "compact",
    "dataset",
    "files",
    "ingest",
    "publish",
    "quarantine",
    "redrive",
    "registry_in",
    "registry_of",
    "typed",
    "typed_data",
    "validate",
    "validate_frame",
    "version_batches",
    "versions",
    "watch",
]

_MODULES = {
    "BatchCounts": "platform.tables.batch.batch_counts",
    "BatchHeld": "operations.thresholds",
    "Compacted": "ingest.compaction",
    "LocalEngine": "engine.local_engine",
    "Published": "publish.run",
    "Summary": "ingest.summary",
    "Tables": "platform.tables.tables",
    "all_files": "lake.current_files",
    "compact": "ingest.compaction",
    "dataset": "lake.current_files",
    "files": "lake.current_files",
    "ingest": "ingest.run",
    "publish": "publish.run",
    "quarantine": "platform.frames",
    "redrive": "ingest.redrive",
    "typed": "platform.frames",
    "typed_data": "platform.columns",
    "validate": "platform.columns",
    "validate_frame": "platform.frames",
    "version_batches": "lake.all_versions",
    "versions": "lake.all_versions",
    "watch": "ingest.watch",
}

# Loaded now, these folders do not take the place of the functions when one of their modules is imported.
for _folder in ("ingest", "publish"):
    import_module(f"{__name__}.{_folder}")
    del globals()[_folder]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
