"""Report for pipes: one JSON object a line, with the keys of a finding in the style ``json``."""

from __future__ import annotations

import json
from collections.abc import Sequence

from babelreg.finding import Finding
from babelreg.report.fingerprint import with_id
from babelreg.report.run_info import DEFAULT_RUN_INFO, RunInfo


def render(findings: Sequence[Finding], *, colour: bool = False, run_info: RunInfo = DEFAULT_RUN_INFO) -> str:
    return "".join(json.dumps(finding) + "\n" for finding in with_id(findings))
