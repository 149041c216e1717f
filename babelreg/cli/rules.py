"""``babelreg rules``: every rule, how severe it is here, and what it reports in one line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from babelreg.cli.lint import PROFILE_NAMES
from babelreg.cli.shared.common_options import examples, style_option
from babelreg.cli.shared.registry_options import registry_option

if TYPE_CHECKING:
    from babelreg.cli.manual.rule_catalog import Listed
    from babelreg.lint import Config

__all__ = ["command"]

# Those of lint.rule.FAMILIES, which would cost their import here.
FAMILY_NAMES = (
    "urn", "registry", "ownership", "topology", "lifecycle", "schema", "examples", "documentation", "privacy",
)  # fmt: skip
REASONS = "reasons"


@click.command(
    short_help="List every rule, or every reason.",
    epilog=examples(
        "babelreg rules", "babelreg rules --family privacy --format json", "babelreg rules --family reasons"
    ),
)
@registry_option
@click.option("--profile", type=click.Choice(PROFILE_NAMES), help="Only the rules of this profile.")
@click.option(
    "--family",
    type=click.Choice((*FAMILY_NAMES, REASONS)),
    help="Only the rules of one family; or, with reasons, why messages are refused.",
)
@style_option("list of rules")
def command(registry: Path | None, profile: str | None, family: str | None, style: str) -> int:
    """List every rule of `babelreg lint`, `breaking` and `scan`, and the checks of `gen` and `format`: its id, its
    severity, its profile, what it reports. With `--family reasons`, list why messages are refused.

    The severity is that of the current registry's settings, or of the standard profile if there is no registry. Each
    profile includes the one before it: minimal, standard, strict. `babelreg explain RULE` prints the whole page.
    """
    from babelreg.cli.manual.rule_catalog import entries, reason_entries

    config, source = _config(registry, profile)
    known = reason_entries() if family == REASONS else entries()
    listed = [(one, _in_force(one, config)) for one in known.values()]
    if family not in (None, REASONS):
        listed = [(one, said) for one, said in listed if one.entry.family == family]
    if profile is not None:
        listed = [(one, said) for one, said in listed if said != "off" and one.verb == "lint"]
    if style == "json":
        click.echo(json.dumps([_row(one, said) for one, said in listed], indent=2))
    elif family == REASONS:
        _print_reasons(listed)
    else:
        _print(listed)
        click.echo(f"severities as they are in force with profile {config.profile}{source}", err=True)
    return 0


def _config(registry: Path | None, profile: str | None) -> tuple[Config, str]:
    """What is in force, and words for where that is said."""
    from babelreg.cli.shared.registry_options import root_of
    from babelreg.errors import UsageError
    from babelreg.lint import Config
    from babelreg.load.registry.root import settings_of

    try:
        root = root_of(registry)
    except UsageError:
        return Config(profile=profile or Config().profile), ""
    settings = settings_of(root)
    source = settings.lint_source.path if settings.lint and settings.lint_source else ""
    return Config.of(settings, profile), f" and {source}" if source else ""


def _in_force(one: Listed, config: Config) -> str:
    from babelreg.lint.rules import RULES

    rule = one.entry.rule
    if one.verb != "lint" or rule not in RULES:
        return one.entry.severity.value
    severity = config.severity(rule, RULES[rule])
    return severity.value if severity else "off"


def _row(one: Listed, in_force: str) -> dict[str, str | None]:
    entry = one.entry
    return {
        "rule": entry.rule,
        "command": one.verb,
        "family": REASONS if one.verb == "validate" else entry.family,
        "profile": entry.profile,
        "severity": entry.severity.value,
        "in_force": in_force,
        "summary": entry.summary,
    }


def _print_reasons(listed: Sequence[tuple[Listed, str]]) -> None:
    from babelreg.cli.manual.reason_pages import reasons

    known = reasons()
    width = max(len(code) for code in known)
    kinds: dict[str, list[str]] = {}
    for one, _ in listed:
        code = one.entry.rule
        kinds.setdefault(known[code][0], []).append(f"  {code:{width}}  {known[code][1]}")
    for kind, lines in kinds.items():
        click.secho(f"reasons: {kind}", bold=True)
        click.echo("\n".join(lines))


def _print(listed: Sequence[tuple[Listed, str]]) -> None:
    width = max((len(one.entry.rule) for one, _ in listed), default=0)
    families: dict[str, list[str]] = {}
    for one, in_force in listed:
        family = f"babelreg {one.verb}"
        if one.verb == "lint":
            family += f": {one.entry.family or 'files'}"
        profile = f"{one.entry.profile or '':8}  " if one.entry.family else ""
        line = f"  {one.entry.rule:{width}}  {in_force:7}  {profile}{one.entry.summary}"
        families.setdefault(family, []).append(line)
    for family, lines in families.items():
        click.secho(family, bold=True)
        click.echo("\n".join(lines))
