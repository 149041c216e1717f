"""Ingest of messages into tables: each is typed, counted as a duplicate or quarantined with a reason.

On a data platform: ``validate_frame(df, registry)`` validates a frame; ``typed(validated, urn, registry)`` and
``quarantine(validated)`` return its accepted and refused messages; batch, streaming and Spark Connect.
``validate(registry)`` and ``typed_data(registry, urn)`` do the same as functions of columns. ``Tables(registry,
to="delta", at="catalog.schema")`` writes batches of messages into Delta or Iceberg tables. ``sketch(df, file)`` saves a
sketch of messages, from which `babelreg infer` creates a registry.

In a folder: the names of ``babelreg.lake``, where ``ingest``, ``watch``, ``redrive`` and ``compact`` accept a session
instead of an engine, or a function that starts one when there is work. ``versions(session, registry, output, urn)``
reads a message and those that it supersedes as one table. ``registry_of(archive)`` returns the registry packed by
`babelreg spark pack`, ``registry_in(folder)`` that of a folder or of an archive.
``babelreg.spark.session.local.start()`` returns a local session.

Each name is imported on first use, so that callers load only what they need.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

# Imported now, it raises where an archive does not fit this Python, before a native package does.
from babelreg.spark.deploy.packed_runtime import registry_in, registry_of

if TYPE_CHECKING:
    from babelreg.lake import (
        BatchHeld,
        Compacted,
        LocalEngine,
        Published,
        Summary,
        all_files,
        dataset,
        files,
        publish,
        version_batches,
    )
    from babelreg.spark.engine.session_runs import compact, ingest, redrive, watch
    from babelreg.spark.platform.all_versions import versions
    from babelreg.spark.platform.columns import typed_data, validate
    from babelreg.spark.platform.frames import quarantine, typed, validate_frame
    from babelreg.spark.platform.sketches import sketch
    from babelreg.spark.platform.tables import BatchCounts, Tables

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
    "sketch",
    "typed",
    "typed_data",
    "validate",
    "validate_frame",
    "version_batches",
    "versions",
    "watch",
]

_MODULES = {
    "BatchCounts": "spark.platform.tables",
    "BatchHeld": "lake",
    "Compacted": "lake",
    "LocalEngine": "lake",
    "Published": "lake",
    "Summary": "lake",
    "Tables": "spark.platform.tables",
    "all_files": "lake",
    "compact": "spark.engine.session_runs",
    "dataset": "lake",
    "files": "lake",
    "ingest": "spark.engine.session_runs",
    "publish": "lake",
    "quarantine": "spark.platform.frames",
    "redrive": "spark.engine.session_runs",
    "sketch": "spark.platform.sketches",
    "typed": "spark.platform.frames",
    "typed_data": "spark.platform.columns",
    "validate": "spark.platform.columns",
    "validate_frame": "spark.platform.frames",
    "version_batches": "lake",
    "versions": "spark.platform.all_versions",
    "watch": "spark.engine.session_runs",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"babelreg.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
