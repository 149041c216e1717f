"""Options of several commands of ``babelreg lake``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from babelreg.cli.lake import extra
from babelreg.cli.shared.common_options import LocalPath, full_urn, style_option

if TYPE_CHECKING:
    from babelreg.model import Thresholds

F = TypeVar("F", bound=Callable[..., Any])

lake_option: Callable[[F], F] = click.option(
    "--lake",
    required=True,
    metavar="DIR",
    type=LocalPath(),
    help="The lake folder from an earlier run.",
)


_ENGINE_HELP = "Run in local processes [the default of lake] or in Spark [the default of spark]."


def engine_option(*, settings: bool) -> Callable[[F], F]:
    """Return the option of the engine; ``settings``: the command reads a registry, which may name one."""
    return click.option(
        "--engine",
        type=click.Choice([extra.LOCAL, "spark"]),
        callback=lambda ctx, param, value: extra.uses(value),
        help=_ENGINE_HELP + (" Also in babelreg.yaml." if settings else ""),
    )


class Duration(click.ParamType[int]):
    """Seconds, written as a number and a unit: ``90s``, ``30m``, ``1h``, ``7d``."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the seconds."""
        if isinstance(value, int):
            return value
        matched = re.fullmatch(r"([0-9]{1,9})([smhd])", str(value).strip())
        if matched is None:
            self.fail(
                f"'{value}' is not a duration: write a number and s, m, h or d, such as 90s, 30m, 1h, 7d", param, ctx
            )
        return int(matched[1]) * _UNITS[matched[2]]


_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}

grace_option: Callable[[F], F] = click.option(
    "--grace",
    "grace_seconds",
    metavar="DURATION",
    type=Duration(),
    default="1h",
    show_default=True,
    help="How long replaced files stay for running readers.",
)


def _thresholds(context: click.Context, parameter: click.Parameter, texts: Sequence[str]) -> Thresholds:
    from babelreg.model.thresholds import parsed

    scopes = [(full_urn(scope), mark, share) for scope, mark, share in (text.rpartition("=") for text in texts)]
    return parsed(["".join(parts) for parts in scopes], max(parameter.opts, key=len))


def threshold_option(name: str, effect: str) -> Callable[[F], F]:
    """Return an option of thresholds, with its ``effect`` for the help."""
    return click.option(
        name,
        metavar="[URN=]PERCENT",
        multiple=True,
        callback=_thresholds,
        help=f"{effect} PERCENT applies to all messages, URN=PERCENT to one URN, each=PERCENT to every other URN. "
        "Repeatable.",
    )


fail_above_option = threshold_option(
    "--fail-above", "Exit 1, after committing the batch, if a larger share of its messages is quarantined."
)
hold_above_option = threshold_option(
    "--hold-above", "Commit nothing and exit 1 if a larger share of the messages would be quarantined."
)
summary_option = style_option("summary")
