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
    help="Only the rules of one family; `reasons` lists why messages are refused.",
)
@style_option("list of rules")
def command(registry: Path | None, profile: str | None, family: str | None, style: str) -> int:
    """List every rule of `babelreg lint`, `breaking`, `scan` and `drift`, and the checks of `gen` and `format`: its id,
    its severity, its profile, what it reports. With `--family reasons`, list why messages are refused.

    The severity is that of the current registry's settings, or of the standard profile if there is no registry. Each
    profile includes the one before it: minimal, standard, strict. `babelreg explain RULE` prints the whole page.
    """
    from babelreg.cli.manual.rule_catalog import entries, reason_entries

    config, source = _config(registry, profile)
    catalog = reason_entries() if family == REASONS else entries()
    listed = [(item, _in_force(item, config)) for item in catalog.values()]
    if family not in (None, REASONS):
        listed = [(item, in_force) for item, in_force in listed if item.entry.family == family]
    if profile is not None:
        listed = [(item, in_force) for item, in_force in listed if in_force != "off" and item.verb == "lint"]
    if style == "json":
        click.echo(json.dumps([_row(item, in_force) for item, in_force in listed], indent=2))
    elif family == REASONS:
        _print_reasons(listed)
    else:
        _print(listed)
        click.echo(f"effective severities with profile {config.profile}{source}", err=True)
    return 0


def _config(registry: Path | None, profile: str | None) -> tuple[Config, str]:
    """Return the settings in force, and a phrase that names their file."""
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


def _in_force(item: Listed, config: Config) -> str:
    from babelreg.lint.rules import RULES

    rule = item.entry.rule
    if item.verb != "lint" or rule not in RULES:
        return item.entry.severity.value
    severity = config.severity(rule, RULES[rule])
    return severity.value if severity else "off"


def _row(item: Listed, in_force: str) -> dict[str, str | None]:
    entry = item.entry
    return {
        "rule": entry.rule,
        "command": item.verb,
        "family": REASONS if item.verb == "validate" else entry.family,
        "profile": entry.profile,
        "severity": entry.severity.value,
        "in_force": in_force,
        "summary": entry.summary,
    }


def _print_reasons(listed: Sequence[tuple[Listed, str]]) -> None:
    from babelreg.cli.manual.reason_pages import reasons

    meanings = reasons()
    width = max(len(code) for code in meanings)
    kinds: dict[str, list[str]] = {}
    for item, _ in listed:
        code = item.entry.rule
        kinds.setdefault(meanings[code][0], []).append(f"  {code:{width}}  {meanings[code][1]}")
    for kind, lines in kinds.items():
        click.secho(f"reasons: {kind}", bold=True)
        click.echo("\n".join(lines))


def _print(listed: Sequence[tuple[Listed, str]]) -> None:
    width = max((len(item.entry.rule) for item, _ in listed), default=0)
    families: dict[str, list[str]] = {}
    for item, in_force in listed:
        family = f"babelreg {item.verb}"
        if item.verb == "lint":
            family += f": {item.entry.family or 'files'}"
        profile = f"{item.entry.profile or '':8}  " if item.entry.family else ""
        line = f"  {item.entry.rule:{width}}  {in_force:7}  {profile}{item.entry.summary}"
        families.setdefault(family, []).append(line)
    for family, lines in families.items():
        click.secho(family, bold=True)
        click.echo("\n".join(lines))
