"""Findings of drift: the differences between a registry and its traffic that the rules report."""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.analysis.drift.rules import RULES
from babelreg.analysis.drift.rules.rule import DriftScope
from babelreg.finding import Finding


def drift_findings(scope: DriftScope) -> Iterator[Finding]:
    """Yield the findings of every rule."""
    for rule, module in RULES.items():
        for drift in module.check(scope):
            yield Finding(
                rule, module.severity, drift.message, drift.place, urn=drift.urn, pointer=drift.pointer,
                fix=drift.fix, against=drift.against,
            )  # fmt: skip
