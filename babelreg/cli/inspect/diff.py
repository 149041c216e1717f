"""``babelreg diff``: what changed since a revision, in sentences."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babelreg.cli.shared.common_options import MessageUrn, examples, style_option
from babelreg.cli.shared.registry_options import completed_by, registry_option, root_of

if TYPE_CHECKING:
    from babelreg.cli.inspect.compared import ComparedMessage

__all__ = ["against_option", "command"]

against_option = click.option(
    "--against",
    metavar="REV|DIR|FILE",
    help="The earlier state; as for `babelreg breaking`. Default: the default branch.",
)


@click.command(
    short_help="Say what changed since a revision.",
    epilog=examples("babelreg diff", "babelreg diff urn:babel:orders:created --against v1.4"),
)
@click.argument("urn", type=MessageUrn(), required=False, shell_complete=completed_by("urns"))
@against_option
@style_option("changes")
@registry_option
def command(urn: str | None, against: str | None, style: str, registry: Path | None) -> int:
    """Say what changed in the registry, or in the message URN, since the published version: fields, services, texts.

    A change that `babelreg breaking` reports as an error is marked as breaking. The exit code is 0 whatever changed: to
    fail a build, use `babelreg breaking`. `babelreg compare` takes two schema files alone.
    """
    from babelreg.cli.inspect.compared import compared
    from babelreg.report import printable

    headline, messages = compared(root_of(registry), against, urn)
    if style == "json":
        click.echo(json.dumps([_row(message) for message in messages], indent=2, ensure_ascii=False))
    else:
        for number, message in enumerate(messages):
            lines = list(_lines(message))
            click.echo(("\n" if number else "") + click.style(printable(lines[0]), bold=True))
            for line in lines[1:]:
                click.echo(printable(line))
    click.echo(headline, err=True)
    if not messages:
        click.echo("nothing changed" if urn is None else f"nothing changed in {urn}", err=True)
    return 0


def _lines(message: ComparedMessage) -> Iterator[str]:
    change = message.change
    yield f"{change.urn}" if change.kind == "changed" else f"{change.urn} ({change.kind})"
    yield from (f"  {line}" for line in change.lines)
    yield from (f"  breaking: {finding.message} [{finding.rule}]" for finding in message.breaks)


def _row(message: ComparedMessage) -> dict[str, Any]:
    change = message.change
    breaks = [{"rule": finding.rule, "message": finding.message} for finding in message.breaks]
    return {
        "urn": change.urn,
        "change": change.kind,
        "path": change.path,
        "lines": list(change.lines),
        "breaks": breaks,
    }
