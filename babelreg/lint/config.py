"""Which rules are in force where, and how severe: what the settings say below ``lint:``.

A rule is in force when the profile has it, or when ``rules:`` names it; what ``rules:`` says of a rule counts for more
than any profile. An entry of ``paths:`` changes both for the files it means, and a later entry changes an earlier one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from babelreg.finding import Severity
from babelreg.lint.naming.path_pattern import matches
from babelreg.lint.rule import PROFILES, Rule
from babelreg.model import Settings

__all__ = ["DEFAULT_PROFILE", "Config", "Override"]

OFF = "off"
DEFAULT_PROFILE = "standard"
_SEVERITIES: dict[str, Severity | None] = {**{severity.value: severity for severity in Severity}, OFF: None}

Severities = Mapping[str, Severity | None]


@dataclass(frozen=True, slots=True)
class Override:
    """What an entry of ``paths:`` changes for the files that ``path`` means; ``profile`` is None where it stays."""

    path: str
    severities: Severities = field(default_factory=dict)
    profile: str | None = None


@dataclass(frozen=True, slots=True)
class Config:
    """``severities`` holds what the settings say, None for a rule that is off; other rules follow the profile.

    ``chosen`` is True when profile or rules were given for this run alone: then no waiver is idle because of it.
    ``selected`` are the only rules to run, in whatever profile, and None where all are wanted; ``ignored`` do not run.
    """

    severities: Severities = field(default_factory=dict)
    profile: str = DEFAULT_PROFILE
    overrides: tuple[Override, ...] = ()
    chosen: bool = False
    selected: frozenset[str] | None = None
    ignored: frozenset[str] = frozenset()
    _meant: dict[str, tuple[Override, ...]] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, settings: Settings, profile: str | None = None) -> Config:
        """What the settings say; ``profile`` stands in for the one they name, not for those of single paths."""
        said = settings.lint
        overrides = [
            Override(entry["path"], _severities(entry), entry.get("profile")) for entry in said.get("paths", ())
        ]
        own = said.get("profile", DEFAULT_PROFILE)
        return cls(_severities(said), profile or own, tuple(overrides), chosen=profile is not None)

    def limited(self, selected: frozenset[str] | None, ignored: frozenset[str]) -> Config:
        """Return the same for one run of the rules ``selected``, all where None, but those ``ignored``."""
        if selected is None and not ignored:
            return self
        return replace(self, chosen=True, selected=selected, ignored=ignored, _meant={})

    def severity(self, rule_id: str, rule: Rule, path: str | None = None) -> Severity | None:
        """The severity in force for a rule in the file ``path``, or where no path has its own; None when it is off."""
        if not self._asked(rule_id):
            return None
        meant = self._overrides_of(path) if path is not None and self.overrides else ()
        for override in meant:
            if rule_id in override.severities:
                return override.severities[rule_id]
        if self.selected is not None:  # named for this run, whatever the profile and the settings leave out
            return self.severities.get(rule_id) or rule.severity
        if rule_id in self.severities:
            return self.severities[rule_id]
        profile = next((override.profile for override in meant if override.profile), self.profile)
        return rule.severity if _has(profile, rule) else None

    def _asked(self, rule_id: str) -> bool:
        return rule_id not in self.ignored and (self.selected is None or rule_id in self.selected)

    def _overrides_of(self, path: str) -> tuple[Override, ...]:
        """Those that mean ``path``, the last first."""
        if path not in self._meant:
            self._meant[path] = tuple(o for o in reversed(self.overrides) if matches(o.path, path))
        return self._meant[path]

    def anywhere(self, rule_id: str, rule: Rule) -> bool:
        """False when no file at all wants the rule, so that it need not run."""
        if not self._asked(rule_id):
            return False
        if self.severity(rule_id, rule) is not None:
            return True
        return any(
            override.severities.get(rule_id) is not None
            or (override.profile is not None and _has(override.profile, rule))
            for override in self.overrides
        )


def _has(profile: str, rule: Rule) -> bool:
    return PROFILES.index(rule.profile) <= PROFILES.index(profile)


def _severities(said: Mapping[str, Any]) -> dict[str, Severity | None]:
    return {rule: _SEVERITIES[severity] for rule, severity in said.get("rules", {}).items()}
