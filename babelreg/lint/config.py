"""Configuration of lint, from ``lint:`` in the settings: enabled rules and severities, per file.

A rule is enabled by the profile or by ``rules:``, which takes precedence. An entry of ``paths:`` overrides both for the
files that it matches, and a later entry overrides an earlier one.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from babelreg.finding import Severity
from babelreg.lint.path_glob import matches
from babelreg.lint.rule import PROFILES, Rule
from babelreg.model import Settings

OFF = "off"
DEFAULT_PROFILE = "standard"
_SEVERITIES: dict[str, Severity | None] = {**{severity.value: severity for severity in Severity}, OFF: None}

Severities = Mapping[str, Severity | None]


class Override(NamedTuple):
    """An entry of ``paths:``: settings for the files that ``path`` matches; ``profile`` is None if unchanged."""

    path: str
    severities: Severities
    profile: str | None = None


class Config:
    """Severities from the settings, None for a rule that is off; other rules follow the profile.

    ``chosen`` is True when profile or rules were given for this run alone; they do not affect unused waivers.
    ``selected`` are the only rules to run, whatever the profile, None for all; ``ignored`` do not run.
    """

    def __init__(
        self,
        severities: Severities = MappingProxyType({}),
        profile: str = DEFAULT_PROFILE,
        overrides: tuple[Override, ...] = (),
        *,
        chosen: bool = False,
        selected: frozenset[str] | None = None,
        ignored: frozenset[str] = frozenset(),
    ) -> None:
        self.severities = severities
        self.profile = profile
        self.overrides = overrides
        self.chosen = chosen
        self.selected = selected
        self.ignored = ignored
        self._matching: dict[str, tuple[Override, ...]] = {}

    @classmethod
    def of(cls, settings: Settings, profile: str | None = None) -> Config:
        """Return the configuration in ``settings``; ``profile`` replaces theirs, except for single paths."""
        lint = settings.lint
        overrides = [
            Override(entry["path"], _severities(entry), entry.get("profile")) for entry in lint.get("paths", ())
        ]
        own = lint.get("profile", DEFAULT_PROFILE)
        return cls(_severities(lint), profile or own, tuple(overrides), chosen=profile is not None)

    def limited(self, selected: frozenset[str] | None, ignored: frozenset[str]) -> Config:
        """Return the configuration for a run of the rules ``selected`` (None: all) except those ``ignored``."""
        if selected is None and not ignored:
            return self
        return Config(self.severities, self.profile, self.overrides, chosen=True, selected=selected, ignored=ignored)

    def severity(self, rule_id: str, rule: Rule, path: str | None = None) -> Severity | None:
        """Return the severity of a rule in the file ``path``, or without overrides by path; None when it is off."""
        if not self._is_selected(rule_id):
            return None
        matching = self._overrides_of(path) if path is not None and self.overrides else ()
        for override in matching:
            if rule_id in override.severities:
                return override.severities[rule_id]
        if self.selected is not None:  # selected for this run, even if the profile or the settings leave it out
            return self.severities.get(rule_id) or rule.severity
        if rule_id in self.severities:
            return self.severities[rule_id]
        profile = next((override.profile for override in matching if override.profile), self.profile)
        return rule.severity if _has(profile, rule) else None

    def _is_selected(self, rule_id: str) -> bool:
        return rule_id not in self.ignored and (self.selected is None or rule_id in self.selected)

    def _overrides_of(self, path: str) -> tuple[Override, ...]:
        """Return the overrides that match ``path``, the last first."""
        if path not in self._matching:
            self._matching[path] = tuple(o for o in reversed(self.overrides) if matches(o.path, path))
        return self._matching[path]

    def enabled_anywhere(self, rule_id: str, rule: Rule) -> bool:
        """Return False when no file enables the rule, so that it need not run."""
        if not self._is_selected(rule_id):
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


def _severities(section: Mapping[str, Any]) -> dict[str, Severity | None]:
    return {rule: _SEVERITIES[severity] for rule, severity in section.get("rules", {}).items()}
