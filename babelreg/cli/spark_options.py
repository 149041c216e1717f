"""What several commands of ``babelreg spark`` are asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from babelreg.cli.grammar import LocalPath

__all__ = ["lake_option"]

F = TypeVar("F", bound=Callable[..., Any])

lake_option: Callable[[F], F] = click.option(
    "--lake",
    required=True,
    metavar="DIR",
    type=LocalPath(),
    help="The folder that an earlier run wrote.",
)
