"""``babelreg explain CODE``: the page of a rule, a check or a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from babelreg.cli.shared.common_options import examples
from babelreg.cli.shared.registry_options import completed_by
from babelreg.errors import UsageError

if TYPE_CHECKING:
    from babelreg.lint.manual.catalog import RuleEntry

_WIDTH = 80
_ACCEPT = (
    "`babelreg breaking --format waivers` prints an entry of `breaking: waivers:` for each finding. Paste it into "
    "the settings and add a reason. It applies only to this change; the next one is checked again."
)


@click.command(
    short_help="Print the page of a rule or a reason.",
    epilog=examples("babelreg explain urn-syntax", "babelreg explain missing_required"),
)
@click.argument("rule", metavar="CODE", shell_complete=completed_by("rules"))
def command(rule: str) -> int:
    """Print the page of CODE: what it reports and why, examples, and how to fix, configure or waive it.

    CODE is printed with each finding: the id of a rule or check, the reason why a message was refused, or a code of a
    wire format.
    """
    from babelreg.cli.manual.rule_catalog import every_entry
    from babelreg.cli.manual.wire_codes import wire_code_lines, wire_codes
    from babelreg.lint.manual.configuration_help import configuration_help

    entries, code = every_entry(), rule.strip("[]")
    listed, in_formats = entries.get(code), wire_code_lines(code)
    if listed is None and in_formats:
        click.echo(f"{code} (reported by babelreg wire)\n")
        click.echo("\n\n".join(map(_wrapped, in_formats)))
        return 0
    if listed is None:
        raise UsageError(f"there is no rule or reason '{rule}'", fix=_suggestion(rule, [*entries, *wire_codes()]))
    verb, entry = listed
    page = entry.page
    click.echo(f"{entry.rule} ({_reported(verb, entry)})")
    click.echo(f"{_membership(entry)}\n" if entry.family else "")
    for paragraph in (page.summary, *page.why):
        click.echo(f"{_wrapped(paragraph)}\n")
    click.echo(f"Bad:\n\n{_indented(page.bad)}\n\nGood:\n\n{_indented(page.good)}")
    if page.fix:
        click.echo("\nFix:\n\n" + "\n\n".join(map(_wrapped, page.fix)))
    if verb == "lint":
        click.echo("\nConfigure:")
        for sentence, block in configuration_help(entry):
            click.echo(f"\n{_wrapped(sentence)}" + (f"\n\n{_indented(block)}" if block else ""))
    elif _waivable(entry.rule):
        click.echo(f"\nAccept:\n\n{_wrapped(_ACCEPT)}")
    if in_formats:
        click.echo("\nIn other formats:\n\n" + "\n\n".join(map(_wrapped, in_formats)))
    return 0


def _reported(verb: str, entry: RuleEntry) -> str:
    if verb == "validate":
        from babelreg.cli.manual.reason_pages import reasons

        kind = reasons()[entry.rule][0]
        commands = "babelreg lake ingest, and validate --spark" if kind == "table" else "babelreg validate"
        return f"{kind}, reported by {commands}"
    return f"{entry.severity.value}, reported by babelreg {verb}"


def _waivable(rule: str) -> bool:
    from babelreg.breaking.rules import WAIVABLE

    return rule in WAIVABLE


def _membership(entry: RuleEntry) -> str:
    """Return ``family schema, in the profiles standard and strict``."""
    from babelreg.lint.rule import PROFILES

    assert entry.profile is not None
    names = PROFILES[PROFILES.index(entry.profile) :]
    listed = (
        "every profile"
        if names == PROFILES
        else "the profiles standard and strict"
        if len(names) > 1
        else "the profile strict"
    )
    return f"family {entry.family}, in {listed}"


def _suggestion(rule: str, codes: list[str]) -> str:
    from babelreg.suggest import closest

    near = closest(rule, codes, 0.5)
    if near:
        return f"babelreg explain {near}"
    return "`babelreg rules` lists rules, `babelreg rules --family reasons` reasons"


def _wrapped(paragraph: str) -> str:
    import textwrap

    return "\n".join(textwrap.wrap(paragraph, _WIDTH, break_long_words=False, break_on_hyphens=False))


def _indented(block: str) -> str:
    return "\n".join(f"    {line}" if line else "" for line in block.rstrip().splitlines())
