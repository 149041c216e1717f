"""Findings for programs: one JSON document, ``{"findings": [...], "summary": {"error": 1, "warning": 0, "info": 0}}``.

A finding has the keys ``rule``, ``severity``, ``path``, ``line``, ``column``, ``message`` and, where they are known,
``urn``, ``pointer``, ``fix``, ``reason``, ``against``, ``direction``, ``breaks``, ``hurts``, ``rollout``, ``messages``,
``witness``, ``witnesses``. Line 0 means the file as a whole. The document is ASCII, so that no console and no broken
text in a finding can spoil it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from babelreg.finding import Finding, counts
from babelreg.report.about import PLAIN, About

__all__ = ["render"]


def render(findings: Sequence[Finding], *, colour: bool = False, about: About = PLAIN) -> str:
    """See ``report.Style``."""
    summary = {severity.value: number for severity, number in counts(findings).items()}
    return json.dumps({"findings": [f.as_json() for f in findings], "summary": summary}, indent=2) + "\n"
