"""``babelreg diff``: what changed since a revision, in sentences."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babelreg.cli.shared.common_options import MessageUrn, examples
from babelreg.cli.shared.registry_options import completed_by, registry_option, root_of
from babelreg.errors import UsageError

if TYPE_CHECKING:
    from babelreg.cli.inspect.compared import ComparedMessage

_SECTIONS = {
    "breaking": "Breaking changes",
    "added": "New messages",
    "changed": "Changes",
    "removed": "Removed messages",
}


@click.command(
    short_help="Show what changed since a revision.",
    epilog=examples(
        "babelreg diff",
        "babelreg diff urn:babel:orders:created --against v1.4",
        "babelreg diff --against v1.4 --format markdown --title 'Messages 1.5'",
    ),
)
@click.argument("urn", type=MessageUrn(), required=False, shell_complete=completed_by("urns"))
@click.option(
    "--against",
    metavar="REV|DIR|FILE",
    help="The earlier state; as for `babelreg breaking`. Default: the default branch.",
)
@click.option(
    "--format",
    "style",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
    help="The format of the changes. markdown: for release notes, with breaking changes first.",
)
@click.option("--title", metavar="TEXT", help="With --format markdown: the heading. Default: none.")
@registry_option
def command(urn: str | None, against: str | None, style: str, title: str | None, registry: Path | None) -> int:
    """Show what changed in the registry, or in the message URN, since the published version: fields, services, texts.

    A change that `babelreg breaking` reports as an error is marked as breaking. The exit code is 0 whatever changed: to
    fail a build, use `babelreg breaking`. `babelreg compare` takes two schema files alone.
    """
    from babelreg.cli.inspect.compared import compared
    from babelreg.report import printable

    if title is not None and style != "markdown":
        raise UsageError(
            "--title is the heading of the Markdown format", fix="add --format markdown, or remove --title"
        )
    headline, messages = compared(root_of(registry), against, urn)
    if style == "json":
        click.echo(json.dumps([_row(message) for message in messages], indent=2, ensure_ascii=False))
    elif style == "markdown":
        for line in _markdown(messages, title):
            click.echo(printable(line))
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


def _markdown(messages: list[ComparedMessage], title: str | None) -> Iterator[str]:
    groups: dict[str, list[ComparedMessage]] = {name: [] for name in _SECTIONS}
    for message in messages:
        groups["breaking" if message.breaks else message.change.kind].append(message)
    first = True
    if title is not None:
        yield f"## {_escaped(title)}"
        first = False
    for name, heading in _SECTIONS.items():
        if not groups[name]:
            continue
        yield from ([] if first else [""])
        first = False
        yield from (f"### {heading}", "")
        for message in groups[name]:
            yield from _entry(message)
    if not messages:
        yield from ([] if first else [""])
        yield "No changes."


def _entry(message: ComparedMessage) -> Iterator[str]:
    change = message.change
    gone = " was removed" if change.kind == "removed" else ""
    yield f"- `{change.urn}`{gone}"
    yield from (f"  - **{_escaped(finding.message)}**" for finding in message.breaks)
    yield from (f"  - {_escaped(line)}" for line in change.lines)


def _escaped(text: str) -> str:
    """Return ``text`` so that Markdown shows it as it is."""
    flat = " ".join(text.split())
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>#|" else c for c in flat)
