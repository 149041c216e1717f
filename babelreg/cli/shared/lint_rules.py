"""The rules of one run of ``babelreg lint``: ``--profile``, ``--select`` and ``--ignore``; and ``--statistics``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

from babelreg.errors import UsageError
from babelreg.finding import Finding

if TYPE_CHECKING:
    from babelreg.lint import Config
    from babelreg.model import Settings

__all__ = ["Choice", "choose", "print_statistics"]


class Choice(NamedTuple):
    """What the command line says of the rules to run; ``selected`` is None where it selects none."""

    profile: str | None = None
    selected: frozenset[str] | None = None
    ignored: frozenset[str] = frozenset()

    def config(self, settings: Settings) -> Config:
        """Return the configuration of this run."""
        from babelreg.lint.config import Config

        return Config.of(settings, self.profile).limited(self.selected, self.ignored)

    def key(self) -> str:
        """Return the choice as a part of a cache key."""
        selected = None if self.selected is None else sorted(self.selected)
        return repr((self.profile, selected, sorted(self.ignored)))


def choose(profile: str | None, select: Sequence[str], ignore: Sequence[str]) -> Choice:
    """Return the choice of rules. ``select`` and ``ignore`` hold ids or families, several with commas between.

    Raises UsageError for a name that is neither, and for defects in ``ignore``: a file that has one was not read.
    """
    if not select and not ignore:
        return Choice(profile)
    selected = frozenset(rule for text in select for rule in _rules("--select", text)) if select else None
    ignored = frozenset(rule for text in ignore for rule in _rules("--ignore", text))
    return Choice(profile, selected, ignored)


def _rules(option: str, text: str) -> list[str]:
    from babelreg.lint.rule import FAMILIES, family_of
    from babelreg.lint.rules import RULES
    from babelreg.load.files.defect import DEFECTS

    found: list[str] = []
    for name in filter(None, map(str.strip, text.split(","))):
        if name in RULES:
            found.append(name)
        elif name in FAMILIES:
            found += [rule_id for rule_id, rule in RULES.items() if family_of(rule) == name]
        elif name in DEFECTS:
            if option == "--ignore":
                message = f"--ignore: '{name}' is a defect, and a file that has one cannot be checked"
                raise UsageError(message, fix=f"correct the file; `babelreg explain {name}` says how")
        else:
            raise UsageError(f"{option}: there is no rule '{name}'", fix=_similar(name, [*RULES, *FAMILIES]))
    return found


def _similar(name: str, known: Sequence[str]) -> str:
    from babelreg.suggest import closest

    near = closest(name, known, 0.5)
    return f"did you mean {near}?" if near else "`babelreg rules` lists rules and families"


def print_statistics(findings: Sequence[Finding], style: str | None) -> None:
    """Print how many findings each rule has, the most frequent first. Raises UsageError for other styles."""
    if style not in (None, "text", "json"):
        raise UsageError(f"--statistics: there is no style '{style}'", fix="one of text, json")
    counts = Counter((finding.rule, finding.severity.value) for finding in findings)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    if style == "json":
        rows = [{"rule": rule, "severity": severity, "count": count} for (rule, severity), count in ordered]
        click.echo(json.dumps(rows, indent=2))
        return
    width = max((len(f"{count:,}") for count in counts.values()), default=0)
    for (rule, severity), count in ordered:
        click.echo(f"{count:>{width},}  {severity:7}  {rule}")
