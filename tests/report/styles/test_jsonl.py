from __future__ import annotations

import json

from babelreg.finding import Finding, Place, Severity
from babelreg.report import render
from babelreg.report.fingerprint import with_id

FINDINGS = [Finding("r", Severity.INFO, "one\nline", Place("a", n, 1)) for n in (1, 2)]


def test_one_object_a_line() -> None:
    lines = render(FINDINGS, "jsonl").splitlines()
    assert [json.loads(line) for line in lines] == with_id(FINDINGS)


def test_nothing_found_is_nothing_printed() -> None:
    assert render([], "jsonl") == ""
