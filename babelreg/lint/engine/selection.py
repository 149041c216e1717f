"""The rules of one run: ``--profile``, ``--select`` and ``--ignore``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from babelreg.errors import UsageError

if TYPE_CHECKING:
    from babelreg.lint.config import Config
    from babelreg.model import Settings


class RuleSelection(NamedTuple):
    """Rules named on the command line; ``selected`` is None where it selects none."""

    profile: str | None = None
    selected: frozenset[str] | None = None
    ignored: frozenset[str] = frozenset()

    def config(self, settings: Settings) -> Config:
        """Return the configuration of a run over a registry with these settings."""
        from babelreg.lint.config import Config

        return Config.of(settings, self.profile).limited(self.selected, self.ignored)

    def key(self) -> str:
        """Return the selection as a part of a cache key."""
        selected = None if self.selected is None else sorted(self.selected)
        return repr((self.profile, selected, sorted(self.ignored)))


def select_rules(profile: str | None, select: Sequence[str], ignore: Sequence[str]) -> RuleSelection:
    """Return the selection. ``select`` and ``ignore`` hold ids or families, several with commas between.

    Raises UsageError for an unknown name, and for defects in ``ignore``: a file with a defect cannot be linted.
    """
    if not select and not ignore:
        return RuleSelection(profile)
    selected = frozenset(rule for text in select for rule in _rules("--select", text)) if select else None
    ignored = frozenset(rule for text in ignore for rule in _rules("--ignore", text))
    return RuleSelection(profile, selected, ignored)


def _rules(option: str, text: str) -> list[str]:
    from babelreg.lint.rule import FAMILIES, family_of
    from babelreg.lint.rules import RULES
    from babelreg.load.files.defect import DEFECTS

    rules: list[str] = []
    names = [name for name in map(str.strip, text.split(",")) if name]
    if not names:
        raise UsageError(f"{option}: '{text}' does not name a rule", fix="`babelreg rules` lists rules and families")
    for name in names:
        if name in RULES:
            rules.append(name)
        elif name in FAMILIES:
            rules += [rule_id for rule_id, rule in RULES.items() if family_of(rule) == name]
        elif name in DEFECTS:
            if option == "--ignore":
                message = f"--ignore: '{name}' is a defect, and a file with a defect cannot be checked"
                raise UsageError(message, fix=f"correct the file; `babelreg explain {name}` explains how")
        else:
            raise UsageError(f"{option}: there is no rule '{name}'", fix=_similar(name, [*RULES, *FAMILIES]))
    return rules


def _similar(name: str, known: Sequence[str]) -> str:
    from babelreg.suggest import closest

    near = closest(name, known, 0.5)
    return f"did you mean {near}?" if near else "`babelreg rules` lists rules and families"
