"""``babelreg changelog``: the changes since a revision as Markdown, for release notes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelreg.cli.inspect.diff import against_option
from babelreg.cli.shared.common_options import examples
from babelreg.cli.shared.registry_options import registry_option, root_of

if TYPE_CHECKING:
    from babelreg.cli.inspect.compared import ComparedMessage

__all__ = ["command"]

_SECTIONS = {
    "breaking": "Breaking changes",
    "added": "New messages",
    "changed": "Changes",
    "removed": "Removed messages",
}


@click.command(
    short_help="Write what changed since a revision as Markdown.",
    epilog=examples("babelreg changelog --against v1.4", "babelreg changelog --against v1.4 --title 'Messages 1.5'"),
)
@against_option
@click.option("--title", metavar="TEXT", help="The heading. Default: none.")
@registry_option
def command(against: str | None, title: str | None, registry: Path | None) -> int:
    """Write the changes since the published version as Markdown: what breaks, new messages, changes, removed ones."""
    from babelreg.cli.inspect.compared import compared
    from babelreg.report import printable

    headline, messages = compared(root_of(registry), against)
    for line in _lines(messages, title):
        click.echo(printable(line))
    click.echo(headline, err=True)
    return 0


def _lines(messages: list[ComparedMessage], title: str | None) -> Iterator[str]:
    groups: dict[str, list[ComparedMessage]] = {name: [] for name in _SECTIONS}
    for message in messages:
        groups["breaking" if message.breaks else message.change.kind].append(message)
    first = True
    if title is not None:
        yield f"## {_text(title)}"
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
    yield from (f"  - **{_text(finding.message)}**" for finding in message.breaks)
    yield from (f"  - {_text(line)}" for line in change.lines)


def _text(text: str) -> str:
    """Return ``text`` so that Markdown shows it as it is."""
    flat = " ".join(text.split())
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>#|" else c for c in flat)
