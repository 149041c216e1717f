"""Which rules are in force, and how severe: what ``babelreg.yaml`` says below ``lint: rules:``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from babelreg.finding import Severity
from babelreg.model import Settings

__all__ = ["Config"]

OFF = "off"


@dataclass(frozen=True, slots=True)
class Config:
    """``severities`` holds what the settings say, None for a rule that is off; other rules keep their own severity."""

    severities: Mapping[str, Severity | None] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: Settings) -> Config:
        """What ``babelreg.yaml`` says. A value that is none of the four is a defect already and passed over here."""
        rules = settings.lint.get("rules")
        known: dict[str, Severity | None] = {severity.value: severity for severity in Severity}
        known[OFF] = None
        if not isinstance(rules, Mapping):
            return cls()
        return cls({rule: known[said] for rule, said in rules.items() if isinstance(said, str) and said in known})

    def severity(self, rule: str, own: Severity) -> Severity | None:
        """The severity in force for a rule whose own is ``own``; None when it is off."""
        return self.severities.get(rule, own)
