"""Waivers for the findings: YAML to paste into ``babelreg.yaml``; the reasons are left to fill in.

lint:
  waivers:
    - rule: money-as-float
      urn: urn:babel:orders:created
      pointer: "/data/properties/total/type"
      reason: "TODO: say why"

Waivers of ``breaking`` are below ``breaking:`` and also hold the hash of the ``change``.
"""

from __future__ import annotations

from collections.abc import Sequence

from babelreg.finding import Finding
from babelreg.load.yaml.emitter import spell
from babelreg.report.run_info import DEFAULT_RUN_INFO, RunInfo
from babelreg.report.waiver_entries import entries, section


def render(findings: Sequence[Finding], *, colour: bool = False, run_info: RunInfo = DEFAULT_RUN_INFO) -> str:
    key_of_section = section(run_info)
    items = [
        "\n      ".join(f"{key}: {spell(value)}" for key, value in entry) for entry in entries(findings, key_of_section)
    ]
    return f"{key_of_section}:\n  waivers:\n" + "".join(f"    - {item}\n" for item in items) if items else ""
