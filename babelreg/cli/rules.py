"""``babelreg rules``: every rule, its severity, and what it reports in one line."""

from __future__ import annotations

import json

import click

__all__ = ["command"]


@click.command(short_help="List every rule.")
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(style: str) -> int:
    """List every rule of `babelreg lint`: its id, its severity, and what it reports.

    `babelreg explain RULE` prints the whole page.
    """
    from babelreg.lint import ENTRIES

    if style == "json":
        listed = [
            {"rule": entry.rule, "severity": entry.severity.value, "summary": entry.summary}
            for entry in ENTRIES.values()
        ]
        click.echo(json.dumps(listed, indent=2))
        return 0
    width = max(len(rule) for rule in ENTRIES)
    for entry in ENTRIES.values():
        click.echo(f"{entry.rule:{width}}  {entry.severity.value:7}  {entry.summary}")
    return 0
