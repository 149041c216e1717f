"""The ``spark`` extra: whoever runs a command that needs it, and lacks it, is told what to install."""

from __future__ import annotations

from typing import Any

import click

from babelreg.errors import UsageError

__all__ = ["Group"]

_EXTRA = ("pandas", "py4j", "pyarrow", "pyspark")


class Group(click.Group):
    """Commands that import the extra when they run; their ``--help`` does without."""

    def invoke(self, ctx: click.Context) -> Any:
        """Raises UsageError where a package of the extra is missing."""
        try:
            return super().invoke(ctx)
        except ImportError as err:
            missing = (err.name or str(err)).partition(".")[0]
            if missing not in _EXTRA:
                raise
            raise UsageError(f"{missing} is not installed", fix="pip install 'babelreg[spark]'") from err
