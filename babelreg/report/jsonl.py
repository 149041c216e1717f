"""Findings for pipes: one JSON object a line, with the keys that ``json`` has, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Sequence

from babelreg.finding import Finding
from babelreg.report.about import PLAIN, About

__all__ = ["render"]


def render(findings: Sequence[Finding], *, colour: bool = False, about: About = PLAIN) -> str:
    """See ``report.Style``."""
    return "".join(json.dumps(finding.as_json()) + "\n" for finding in findings)
