"""Shared parts of the commands of ``babelreg lake`` and ``babelreg spark``: engines, extras, and errors of Spark."""

from __future__ import annotations

from typing import Any

import click

from babelreg.cli.shared import debugging
from babelreg.errors import UsageError

_EXTRA = ("numpy", "pandas", "py4j", "pyarrow", "pyspark")
_ENGINE = "babelreg.engine"
LOCAL = "local"
_EXTRAS = {LOCAL: "lake"}
"""The extra that an engine needs, unless it is one of its name."""


def uses(engine: str | None) -> str | None:
    """Remember the engine of the running command, whose extra an error then names; return it."""
    click.get_current_context().meta[_ENGINE] = engine
    return engine


def default_engine(setting: str | None) -> str:
    """Return the engine without ``--engine``: that of the group, else ``setting`` of the registry, else ``local``."""
    group = click.get_current_context().find_object(LakeGroup)
    return (group.fixed_engine if group is not None else None) or setting or LOCAL


class LakeGroup(click.Group):
    """Commands that import an extra when they run; their ``--help`` does without."""

    fixed_engine: str | None = None
    """The engine of all its commands that get no ``--engine``."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Let commands find this group."""
        return super().make_context(*args, obj=self, **kwargs)

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Add a command, which gets ``--debug``."""
        if not any(param.name == "debug" for param in cmd.params):  # of two groups
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
            engine = ctx.meta.get(_ENGINE) or self.fixed_engine or LOCAL
            fix = f"pip install 'babelreg[{_EXTRAS.get(engine, engine)}]'"
            raise UsageError(f"{missing} is not installed", fix=fix) from err
        except Exception as err:
            if not type(err).__module__.startswith(("pyspark.", "py4j.")):
                raise
            from babelreg.spark.session import spark_errors

            raise spark_errors.translate(err) from err
