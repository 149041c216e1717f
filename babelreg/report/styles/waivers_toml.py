"""Waivers for the findings: TOML to paste into ``pyproject.toml``; the reasons are left to fill in.

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
from babelreg.report.run_info import DEFAULT_RUN_INFO, RunInfo
from babelreg.report.waiver_entries import entries, section


def render(findings: Sequence[Finding], *, colour: bool = False, run_info: RunInfo = DEFAULT_RUN_INFO) -> str:
    table_name = section(run_info)
    tables = [
        "".join(f"{key} = {_spelled(value)}\n" for key, value in entry) for entry in entries(findings, table_name)
    ]
    return "\n".join(f"[[tool.babelreg.{table_name}.waivers]]\n{table}" for table in tables)


def _spelled(value: str) -> str:
    # TOML accepts the escapes of JSON, and requires one more.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
