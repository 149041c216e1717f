"""Start of a run of ``babelreg spark``: the registry, Spark's Python packages, the session."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.cli.shared import debugging
from babelreg.cli.shared.registry_options import open_registry, sound

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from babelreg.cli.spark.progress import Progress
    from babelreg.model import Registry

__all__ = ["loaded", "start"]


def start() -> SparkSession:
    """Start a local session; with ``--debug``, Spark prints to standard error."""
    from babelreg.spark.session import local

    return local.start(debug=debugging.enabled())


def loaded(registry: Path | None, progress: Progress) -> Registry:
    """Return the registry; then the packages of Spark are imported, which takes as long."""
    progress.wait("reading the registry")
    opened = sound(open_registry(registry))
    progress.wait("loading Spark's Python packages")
    import_module("babelreg.spark")
    return opened
