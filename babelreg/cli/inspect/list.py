"""``babelreg list``: the messages of the registry, a line each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from babelreg.cli.shared.common_options import Utf8Text, examples, style_option
from babelreg.cli.shared.registry_options import registry_option, root_of
from babelreg.errors import UsageError
from babelreg.plural import counted

_KINDS = ("event", "command")
_STATUSES = ("draft", "active", "deprecated", "retired")


@click.command(
    short_help="List the messages of the registry.",
    epilog=examples("babelreg list", "babelreg list --service crm --status active --format json"),
)
@click.option("--context", help="Only the messages of this context.")
@click.option("--kind", type=click.Choice(_KINDS), help="Only events, or only commands.")
@click.option("--status", type=click.Choice(_STATUSES), help="Only the messages with this status.")
@click.option("--owner", type=Utf8Text(), help="Only the messages of this owner.")
@click.option("--service", metavar="NAME", help="Only the messages that this service produces or consumes.")
@style_option("list")
@registry_option
def command(
    context: str | None,
    kind: str | None,
    status: str | None,
    owner: str | None,
    service: str | None,
    style: str,
    registry: Path | None,
) -> int:
    """List the messages of the registry: URN, kind, status, owner, and how many services produce and consume each.

    `babelreg show URN` shows one of them, `babelreg search WORD` finds them by field, service or description.
    """
    from babelreg.cli.inspect.overview_cache import registry_rows
    from babelreg.suggest import closest

    content = registry_rows(root_of(registry))
    for option, name in (("context", context), ("owner", owner), ("service", service)):
        if name is not None and name not in content.names[option]:
            near = closest(name, content.names[option])
            fix = f"did you mean '{near}'?" if near else f"there are: {', '.join(content.names[option]) or 'none'}"
            raise UsageError(f"--{option}: the registry has no {option} '{name}'", fix=fix)
    wanted = {"context": context, "kind": kind, "status": status, "owner": owner}
    listed = [
        row
        for row in content.rows
        if all(value is None or row[name] == value for name, value in wanted.items())
        and (service is None or service in (*row["producers"], *row["consumers"]))
    ]
    if style == "json":
        click.echo(json.dumps(listed, indent=2, ensure_ascii=False))
    else:
        print_table([("URN", "KIND", "STATUS", "OWNER", "FROM", "TO"), *map(_cells, listed)])
    total = counted(len(content.rows), "message")
    shown = total if len(listed) == len(content.rows) else f"{len(listed):,} of {total}"
    hidden = f"; the registry has {counted(content.defects, 'error')}, see `babelreg lint`" if content.defects else ""
    click.echo(f"{shown}{hidden}", err=True)
    return 0


def print_table(rows: list[tuple[str, ...]]) -> None:
    """Print ``rows``, the first of which is the heading, in columns."""
    from babelreg.report import printable

    if len(rows) == 1:
        return
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    click.echo("\n".join([click.style(printable(lines[0]), bold=True), *map(printable, lines[1:])]))


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    counts = (str(len(row[role])) for role in ("producers", "consumers"))
    return (row["urn"], row["kind"] or "-", row["status"], row["owner"] or "-", *counts)
