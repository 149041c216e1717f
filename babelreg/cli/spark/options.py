"""Options of several commands of ``babelreg spark``."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

from babelreg.cli.shared.common_options import LocalPath, style_option

__all__ = ["grace_option", "lake_option", "summary_option"]

F = TypeVar("F", bound=Callable[..., Any])

lake_option: Callable[[F], F] = click.option(
    "--lake",
    required=True,
    metavar="DIR",
    type=LocalPath(),
    help="The lake folder of an earlier run.",
)


class _Duration(click.ParamType[int]):
    """Seconds, written as a number and a unit: ``90s``, ``30m``, ``1h``, ``7d``."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the seconds."""
        if isinstance(value, int):
            return value
        matched = re.fullmatch(r"([0-9]{1,9})([smhd])", str(value).strip())
        if matched is None:
            self.fail(
                f"'{value}' is not a duration: write a number and s, m, h or d, as in 90s, 30m, 1h, 7d", param, ctx
            )
        return int(matched[1]) * _UNITS[matched[2]]


_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}

grace_option: Callable[[F], F] = click.option(
    "--grace",
    "grace_seconds",
    metavar="DURATION",
    type=_Duration(),
    default="1h",
    show_default=True,
    help="How long replaced files stay for running readers.",
)

summary_option = style_option("summary")
