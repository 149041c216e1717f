"""Output of the summary of a run, as text or JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from babelreg.spark import Summary


def named(registry: Path | None) -> str | None:
    """Return the registry as the user named it, for a line to paste; None if it was found without an option."""
    return None if registry is None else str(registry)


def print_summary(summary: Summary, text: Callable[[Summary], list[str]], style: str, *, line: bool = False) -> None:
    """Print ``summary`` as JSON or as the lines of ``text``; ``line``: JSON on one line."""
    if style == "json":
        click.echo(json.dumps(summary.as_json(), indent=None if line else 2, ensure_ascii=False))
    else:
        click.echo("\n".join(text(summary)))
