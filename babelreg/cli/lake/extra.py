"""Shared parts of the commands of ``babelreg spark``: ``--debug``, and errors of the extras and of Spark itself."""

from __future__ import annotations

from typing import Any

import click

from babelreg.cli.shared import debugging
from babelreg.errors import UsageError

__all__ = ["SparkGroup", "uses"]

_EXTRA = ("numpy", "pandas", "py4j", "pyarrow", "pyspark")
_ENGINE = "babelreg.engine"


def uses(engine: str | None) -> str | None:
    """Remember the engine of the running command, whose extra an error then names; return it."""
    click.get_current_context().meta[_ENGINE] = engine
    return engine


class SparkGroup(click.Group):
    """Commands that import an extra when they run; their ``--help`` does without."""

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Add a command, which gets ``--debug``."""
        cmd.params.append(debugging.option())
        super().add_command(cmd, name)

    def invoke(self, ctx: click.Context) -> Any:
        """Raise UsageError where a package of an extra is missing, SparkFailure where Spark fails."""
        try:
            return super().invoke(ctx)
        except ImportError as err:
            missing = (err.name or str(err)).partition(".")[0]
            if missing not in _EXTRA:
                raise
            fix = f"pip install 'babelreg[{ctx.meta.get(_ENGINE) or 'spark'}]'"
            raise UsageError(f"{missing} is not installed", fix=fix) from err
        except Exception as err:
            if not type(err).__module__.startswith(("pyspark.", "py4j.")):
                raise
            from babelreg.spark.session import spark_errors

            raise spark_errors.translate(err) from err
