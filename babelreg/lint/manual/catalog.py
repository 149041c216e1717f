"""Every id that a finding of lint can have, with its severity and its page: the rules, then the defects of ``load``."""

from __future__ import annotations

from dataclasses import dataclass

from babelreg.finding import Severity
from babelreg.lint.manual.defects import PAGES
from babelreg.lint.manual.page import Page, parse
from babelreg.lint.rule import family_of
from babelreg.lint.rules import RULES

__all__ = ["ENTRIES", "RuleEntry"]


@dataclass(frozen=True, slots=True)
class RuleEntry:
    """One rule in the manual. ``severity`` is its own, before any setting.

    ``family`` and ``profile`` are those of a rule of lint; None for what no setting changes.
    """

    rule: str
    severity: Severity
    docstring: str
    family: str | None = None
    profile: str | None = None

    @property
    def summary(self) -> str:
        """What it reports, in one line."""
        return self.docstring.partition("\n")[0]

    @property
    def page(self) -> Page:
        """The whole page."""
        return parse(self.docstring)


ENTRIES: dict[str, RuleEntry] = {
    **{rule: RuleEntry(rule, m.severity, m.__doc__ or "", family_of(m), m.profile) for rule, m in RULES.items()},
    **{rule: RuleEntry(rule, Severity.ERROR, docstring) for rule, docstring in PAGES.items()},
}
