"""Findings as waivers of them: TOML for ``pyproject.toml``, ready to paste but for the reasons.

[[tool.babelreg.lint.waivers]]
rule = "money-as-float"
urn = "urn:babel:orders:created"
pointer = "/data/properties/total/type"
reason = "TODO: say why"
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from babelreg.finding import Finding
from babelreg.report.about import PLAIN, About
from babelreg.report.waiver_entries import entries, section

__all__ = ["render"]


def render(findings: Sequence[Finding], *, colour: bool = False, about: About = PLAIN) -> str:
    """See ``report.Style``."""
    below = section(about)
    tables = ["".join(f"{key} = {_spelled(value)}\n" for key, value in entry) for entry in entries(findings, below)]
    return "\n".join(f"[[tool.babelreg.{below}.waivers]]\n{table}" for table in tables)


def _spelled(value: str) -> str:
    # JSON's escapes are TOML's too, but TOML wants one more character escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
