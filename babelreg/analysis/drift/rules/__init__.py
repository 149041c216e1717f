"""Rules of ``drift`` by id, in the order of the manual."""

from __future__ import annotations

from babelreg.analysis.drift.rules import (
    alias_unseen,
    coverage_fallen,
    enum_value_unseen,
    expectation_refuted,
    expectation_unfilled,
    expectation_unproved,
    field_always_sent,
    field_unseen,
    message_unseen,
    producer_undeclared,
    property_undeclared,
    read_unfilled,
    sunset_overrun,
    urn_undeclared,
)
from babelreg.analysis.drift.rules.rule import DriftRule
from babelreg.finding import Severity

__all__ = ["PAGES", "RULES", "SEVERITIES"]

RULES: dict[str, DriftRule] = {
    "message-unseen": message_unseen,
    "field-unseen": field_unseen,
    "enum-value-unseen": enum_value_unseen,
    "alias-unseen": alias_unseen,
    "urn-undeclared": urn_undeclared,
    "property-undeclared": property_undeclared,
    "producer-undeclared": producer_undeclared,
    "field-always-sent": field_always_sent,
    "sunset-overrun": sunset_overrun,
    "read-unfilled": read_unfilled,
    "expectation-unfilled": expectation_unfilled,
    "expectation-refuted": expectation_refuted,
    "expectation-unproved": expectation_unproved,
    "coverage-fallen": coverage_fallen,
}
SEVERITIES: dict[str, Severity] = {rule: module.severity for rule, module in RULES.items()}
PAGES: dict[str, str] = {rule: module.__doc__ or "" for rule, module in RULES.items()}
"""The page of each rule in the manual."""
