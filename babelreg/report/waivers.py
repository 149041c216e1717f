"""Findings as waivers of them: YAML for ``babelreg.yaml``, ready to paste but for the reasons.

    lint:
      waivers:
        - rule: money-as-float
          urn: urn:babel:orders:created
          pointer: /data/properties/total/type
          reason: "TODO: say why"

The placeholder is no reason: lint refuses it until somebody has written one. What cannot be waived is left out: the
defects of files, and findings about waivers. Paths must be as the registry spells them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from babelreg.finding import Finding
from babelreg.load.defect import DEFECTS
from babelreg.load.spell import spell
from babelreg.model import Urn, UrnError
from babelreg.report.about import PLAIN, About

__all__ = ["render"]

_PLACEHOLDER = "TODO: say why"


def render(findings: Sequence[Finding], *, colour: bool = False, about: About = PLAIN) -> str:
    """See ``report.Style``."""
    # Two findings of one rule at one place are one waiver.
    entries = dict.fromkeys(_entry(finding) for finding in findings if _waivable(finding))
    return "lint:\n  waivers:\n" + "".join(entries) if entries else ""


def _waivable(finding: Finding) -> bool:
    return finding.rule not in DEFECTS and not finding.rule.startswith("waiver-")


def _entry(finding: Finding) -> str:
    lines = [f"{key}: {spell(value)}" for key, value in _said(finding)]
    return "    - " + "\n      ".join(lines) + "\n"


def _said(finding: Finding) -> Iterator[tuple[str, str]]:
    yield "rule", finding.rule
    if finding.urn is not None and _path(finding.urn) == finding.place.path:
        yield "urn", finding.urn
    else:
        yield "path", finding.place.path
    if finding.pointer is not None:
        yield "pointer", finding.pointer
    yield "reason", _PLACEHOLDER


def _path(urn: str) -> str | None:
    try:
        return Urn.parse(urn).path
    except UrnError:
        return None
