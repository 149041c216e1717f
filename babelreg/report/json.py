"""Findings for programs: one JSON document, ``{"findings": [...], "summary": {"error": 1, "warning": 0, "info": 0}}``.

A finding has the keys ``rule``, ``severity``, ``path``, ``line``, ``column``, ``message`` and, where they are known,
``urn``, ``pointer``, ``fix``, ``reason``, ``against``, ``direction``, ``breaks``, ``hurts``, ``rollout``, ``messages``,
``witness``, ``witnesses``. Line 0 means the file as a whole. The document is ASCII, so that no console and no broken
text in a finding can spoil it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from babelreg.finding import Finding, counts
from babelreg.report.about import PLAIN, About

__all__ = ["render"]

_UNPRINTED = re.compile(r"[^\n -~]+")


def render(findings: Sequence[Finding], *, colour: bool = False, about: About = PLAIN) -> str:
    """See ``report.Style``."""
    summary = {severity.value: number for severity, number in counts(findings).items()}
    return _indented({"findings": [f.as_json() for f in findings], "summary": summary}) + "\n"


def _indented(document: Any) -> str:
    # json's own encoder is written in Python where it indents: a hundred times slower for many findings.
    import orjson

    try:
        told = orjson.dumps(document, option=orjson.OPT_INDENT_2).decode()
    except TypeError:  # a witness may hold half a surrogate pair, or an integer beyond 64 bits
        return json.dumps(document, indent=2)
    return _UNPRINTED.sub(_escaped, told)


def _escaped(letters: re.Match[str]) -> str:
    return json.dumps(letters[0])[1:-1]
