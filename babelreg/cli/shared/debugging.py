"""``--debug``: the output of Spark, Java and Python behind an error, for a report of a bug."""

from __future__ import annotations

import click

_enabled = False


def begin() -> None:
    """Forget the option of an earlier command in this process."""
    global _enabled
    _enabled = False


def enabled() -> bool:
    """Return whether the command at work has ``--debug``."""
    return _enabled


def option() -> click.Option:
    """Return the option, for the parameters of a command, which is not called with it."""
    return click.Option(
        ["--debug"],
        is_flag=True,
        expose_value=False,
        envvar="BABELREG_DEBUG",
        callback=_set,
        help="Also print the output of Spark, Java and Python, and the traceback of an error.",
    )


def _set(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    global _enabled
    _enabled = value
