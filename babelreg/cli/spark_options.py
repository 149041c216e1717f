"""What several commands of ``babelreg spark`` are asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

__all__ = ["lake_option"]

F = TypeVar("F", bound=Callable[..., Any])

lake_option: Callable[[F], F] = click.option(
    "--lake",
    required=True,
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The folder that an earlier run wrote.",
)
