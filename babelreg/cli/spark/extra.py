"""Shared parts of the commands of ``babelreg spark``: ``--debug``, and errors of the extra and of Spark itself."""

from __future__ import annotations

from typing import Any

import click

from babelreg.cli.shared import debugging
from babelreg.errors import UsageError

__all__ = ["SparkGroup"]

_EXTRA = ("pandas", "py4j", "pyarrow", "pyspark")


class SparkGroup(click.Group):
    """Commands that import the extra when they run; their ``--help`` does without."""

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Add a command, which gets ``--debug``."""
        cmd.params.append(debugging.option())
        super().add_command(cmd, name)

    def invoke(self, ctx: click.Context) -> Any:
        """Raise UsageError where a package of the extra is missing, SparkFailure where Spark fails."""
        try:
            return super().invoke(ctx)
        except ImportError as err:
            missing = (err.name or str(err)).partition(".")[0]
            if missing not in _EXTRA:
                raise
            raise UsageError(f"{missing} is not installed", fix="pip install 'babelreg[spark]'") from err
        except Exception as err:
            if not type(err).__module__.startswith(("pyspark.", "py4j.")):
                raise
            from babelreg.spark.ingest import spark_errors

            raise spark_errors.translate(err) from err
