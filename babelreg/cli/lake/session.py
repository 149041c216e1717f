"""Start of a run: the registry, the engine and its packages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.cli.lake import extra
from babelreg.cli.shared import debugging
from babelreg.cli.shared.registry_options import open_registry, sound

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from babelreg.cli.lake.progress import Progress
    from babelreg.lake.engine.engine import Engine
    from babelreg.model import Registry


def start() -> SparkSession:
    """Start a local session; with ``--debug``, Spark prints to standard error."""
    from babelreg.spark.session import local

    return local.start(debug=debugging.enabled())


def loaded(registry: Path | None, progress: Progress) -> Registry:
    """Return the registry."""
    progress.wait("reading the registry")
    return sound(open_registry(registry))


@contextmanager
def opened_engine(name: str | None, registry: Registry | None, progress: Progress) -> Iterator[Engine]:
    """Yield the engine ``name``, else the default of the running command, with its packages imported."""
    name = extra.uses(name or extra.default_engine(registry.settings.spark.engine if registry else None))
    if name == extra.LOCAL:
        from babelreg.lake.engine.lean_arrow import import_arrow
        from babelreg.lake.engine.local_engine import LocalEngine

        progress.wait("loading Python packages")
        with LocalEngine() as engine:
            engine.check_installed()
            import_arrow()
            progress.follow(engine)
            yield engine
    else:
        from babelreg.spark.engine.spark_engine import SparkEngine

        progress.wait("loading Spark's Python packages")
        import_module("babelreg.lake.ingest.run")
        yield SparkEngine(progress.after(start))
