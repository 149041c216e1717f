"""Findings as waivers of them: YAML for ``babelreg.yaml``, ready to paste but for the reasons.

lint:
  waivers:
    - rule: money-as-float
      urn: urn:babel:orders:created
      pointer: "/data/properties/total/type"
      reason: "TODO: say why"

Those of ``breaking`` stand below ``breaking:`` and have the hash of the ``change``, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from babelreg.finding import Finding
from babelreg.load.yaml.emitter import spell
from babelreg.report.about import PLAIN, About
from babelreg.report.waiver_entries import entries, section

__all__ = ["render"]


def render(findings: Sequence[Finding], *, colour: bool = False, about: About = PLAIN) -> str:
    """See ``report.Style``."""
    below = section(about)
    items = ["\n      ".join(f"{key}: {spell(value)}" for key, value in entry) for entry in entries(findings, below)]
    return f"{below}:\n  waivers:\n" + "".join(f"    - {item}\n" for item in items) if items else ""
