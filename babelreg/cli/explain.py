"""``babelreg explain RULE``: the page of a rule."""

from __future__ import annotations

import click

from babelreg.cli.common import completed_by
from babelreg.errors import UsageError

__all__ = ["command"]

_WIDTH = 80


@click.command(short_help="Print the page of a rule.")
@click.argument("rule", shell_complete=completed_by("rules"))
def command(rule: str) -> int:
    """Print the page of RULE: what it reports, why it matters, a bad and a good example."""
    from babelreg.cli.manual import entries

    known = entries()
    listed = known.get(rule.strip("[]"))
    if listed is None:
        raise UsageError(f"there is no rule '{rule}'", fix=_way_out(rule, list(known)))
    verb, entry = listed
    page = entry.page
    click.echo(f"{entry.rule} ({entry.severity.value}, reported by babelreg {verb})\n")
    for paragraph in (page.summary, *page.why):
        click.echo(f"{_wrapped(paragraph)}\n")
    click.echo(f"Bad:\n\n{_indented(page.bad)}\n\nGood:\n\n{_indented(page.good)}")
    return 0


def _way_out(rule: str, known: list[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(rule, known, 1, 0.5)
    return f"babelreg explain {near[0]}" if near else "`babelreg rules` lists them"


def _wrapped(paragraph: str) -> str:
    import textwrap

    return "\n".join(textwrap.wrap(paragraph, _WIDTH, break_long_words=False, break_on_hyphens=False))


def _indented(block: str) -> str:
    return "\n".join(f"    {line}" if line else "" for line in block.rstrip().splitlines())
