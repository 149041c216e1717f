"""``babelreg rules``: every rule, its severity, and what it reports in one line."""

from __future__ import annotations

import json

import click

__all__ = ["command"]


@click.command(short_help="List every rule.")
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(style: str) -> int:
    """List every rule of `babelreg lint` and `babelreg breaking`: its id, its severity, and what it reports.

    `babelreg explain RULE` prints the whole page.
    """
    from babelreg.cli.manual import entries

    listed = list(entries().values())
    if style == "json":
        rows = [
            {"rule": entry.rule, "command": verb, "severity": entry.severity.value, "summary": entry.summary}
            for verb, entry in listed
        ]
        click.echo(json.dumps(rows, indent=2))
        return 0
    width = max(len(entry.rule) for _, entry in listed)
    for verb in dict.fromkeys(verb for verb, _ in listed):
        click.secho(f"babelreg {verb}", bold=True)
        for entry in (entry for of, entry in listed if of == verb):
            click.echo(f"  {entry.rule:{width}}  {entry.severity.value:7}  {entry.summary}")
    return 0
