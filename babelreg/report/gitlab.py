"""Findings as GitLab's code quality report: a JSON array, shown in merge requests beside the changed lines.

Source: GitLab, "Code Quality", "Code Quality report format": description, check_name, fingerprint, severity and
location.path with location.lines.begin; a fingerprint is unique, a path has no ``./`` before it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from babelreg.finding import Finding, Severity
from babelreg.report.about import PLAIN, About
from babelreg.report.details import details
from babelreg.report.fingerprint import fingerprints
from babelreg.report.printable import printable

__all__ = ["render"]

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(findings: Sequence[Finding], *, colour: bool = False, about: About = PLAIN) -> str:
    """See ``report.Style``."""
    rows = [
        {
            "description": _described(finding),
            "check_name": finding.rule,
            "fingerprint": fingerprint,
            "severity": _SEVERITIES[finding.severity],
            "location": {
                "path": finding.place.path.removeprefix("./"),
                "lines": {"begin": max(finding.place.line, 1)},
            },
        }
        for finding, fingerprint in zip(findings, fingerprints(findings), strict=True)
    ]
    return json.dumps(rows, indent=2) + "\n"


def _described(finding: Finding) -> str:
    # One line is all that GitLab shows.
    said = "; ".join(f"{what}: {line}" for what, line in details(finding))
    return printable(finding.message) + (f" ({said})" if said else "")
