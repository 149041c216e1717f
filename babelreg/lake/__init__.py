"""Ingest of messages into tables of a folder, without Spark: typed, counted as duplicates or quarantined with a reason.

``ingest("local", registry, input, output)`` adds new messages, ``redrive("local", registry, output)`` validates the
quarantine again, ``compact("local", output)`` merges small files, and ``watch`` ingests repeatedly. Instead of
``"local"``, they accept a ``LocalEngine`` or another engine. ``files(output, urn)`` lists the files to read,
``all_files(output)`` those of every table, ``dataset(output, urn)`` returns a pyarrow dataset, and
``version_batches(registry, output, urn)`` reads a message and those that it supersedes. ``publish(output, ["delta"])``
publishes the same files as Delta or Iceberg tables.

Each name is imported on first use, so that callers load only what they need.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from babelreg.lake.engine.local_engine import LocalEngine
    from babelreg.lake.ingest.compaction import Compacted, compact
    from babelreg.lake.ingest.redrive import redrive
    from babelreg.lake.ingest.run import ingest
    from babelreg.lake.ingest.summary import BatchHeld
    from babelreg.lake.ingest.watch import watch
    from babelreg.lake.publish.run import Published, publish
    from babelreg.lake.storage.all_versions import version_batches
    from babelreg.lake.storage.current_files import all_files, dataset, files

__all__ = [
    "BatchHeld",
    "Compacted",
    "LocalEngine",
    "Published",
    "Summary",
    "all_files",
    "compact",
    "dataset",
    "files",
    "ingest",
    "publish",
    "redrive",
    "version_batches",
    "watch",
]

_MODULES = {
    "BatchHeld": "ingest.summary",
    "Compacted": "ingest.compaction",
    "LocalEngine": "engine.local_engine",
    "Published": "publish.run",
    "Summary": "ingest.summary",
    "all_files": "storage.current_files",
    "compact": "ingest.compaction",
    "dataset": "storage.current_files",
    "files": "storage.current_files",
    "ingest": "ingest.run",
    "publish": "publish.run",
    "redrive": "ingest.redrive",
    "version_batches": "storage.all_versions",
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
