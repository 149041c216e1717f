"""``babelreg search``: messages by words in their URN, aliases, fields, services and descriptions."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import click

from babelreg.cli.inspect.list import print_table
from babelreg.cli.shared.common_options import examples, style_option
from babelreg.cli.shared.registry_options import registry_option, root_of
from babelreg.plural import counted


@click.command(
    short_help="Find messages by field, service or description.",
    epilog=examples("babelreg search invoice", "babelreg search customer email --format json"),
)
@click.argument("words", metavar="WORD...", nargs=-1, required=True)
@click.option(
    "--limit",
    metavar="N",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="The maximum number of messages to print.",
)
@style_option("result")
@registry_option
def command(words: tuple[str, ...], limit: int, style: str, registry: Path | None) -> int:
    """Find the messages in which every WORD occurs, and print where.

    URNs and aliases come first, then fields, services, descriptions. Where nothing matches, the most similar words of
    the registry are tried. Exit code 1 means that nothing was found.
    """
    from babelreg.cli.inspect.overview_cache import registry_overviews
    from babelreg.model.overview import search

    messages = registry_overviews(root_of(registry))
    split = [part for word in words for part in word.split()]
    result = search(messages, split)
    shown = result.hits[:limit]
    if style == "json":
        rows = [{"urn": hit.message.urn, "path": hit.message.path, "where": list(hit.where)} for hit in shown]
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        print_table(
            [("URN", "STATUS", "WHERE"), *((h.message.urn, h.message.status, ", ".join(h.where)) for h in shown)]
        )
    if result.words != tuple(word.casefold() for word in split):
        asked = shlex.join(split)
        click.echo(f"nothing matches {asked}; these match {shlex.join(result.words)}", err=True)
    more = len(result.hits) - len(shown)
    if more > 0:
        click.echo(f"{more:,} more; raise --limit to see them", err=True)
    if not result.hits:
        click.echo(f"0 of {counted(len(messages), 'message')} match", err=True)
    return 0 if result.hits else 1
