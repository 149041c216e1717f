"""GitLab's code quality report: a JSON array, shown in merge requests next to the changed lines.

Source: GitLab, "Code Quality", "Code Quality report format": description, check_name, fingerprint, severity and
location.path with location.lines.begin; a fingerprint is unique, a path does not start with ``./``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from babelreg.finding import Finding, Severity
from babelreg.report.finding_details import details
from babelreg.report.fingerprint import fingerprints
from babelreg.report.printable import printable
from babelreg.report.run_info import DEFAULT_RUN_INFO, RunInfo

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(findings: Sequence[Finding], *, colour: bool = False, run_info: RunInfo = DEFAULT_RUN_INFO) -> str:
    rows = [
        {
            "description": _description(finding),
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


def _description(finding: Finding) -> str:
    # GitLab shows one line.
    joined = "; ".join(f"{label}: {line}" for label, line in details(finding))
    return printable(finding.message) + (f" ({joined})" if joined else "")
