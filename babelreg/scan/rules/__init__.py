"""Rules of ``scan`` by id, in order: each use of a URN is reported by the first rule that applies."""

from __future__ import annotations

from babelreg.finding import Severity
from babelreg.scan.rules import used_urn_deprecated, used_urn_retired, used_urn_undeclared, used_urn_unknown
from babelreg.scan.rules.rule import ScanRule

__all__ = ["PAGES", "RULES", "SEVERITIES"]

RULES: dict[str, ScanRule] = {
    "used-urn-unknown": used_urn_unknown,
    "used-urn-retired": used_urn_retired,
    "used-urn-undeclared": used_urn_undeclared,
    "used-urn-deprecated": used_urn_deprecated,
}
SEVERITIES: dict[str, Severity] = {rule: module.severity for rule, module in RULES.items()}
PAGES: dict[str, str] = {rule: module.__doc__ or "" for rule, module in RULES.items()}
"""The page of each rule in the manual."""
