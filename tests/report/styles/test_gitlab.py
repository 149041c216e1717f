from __future__ import annotations

import json

from babelreg.finding import Finding, Place, Severity
from babelreg.report.styles import gitlab


def test_the_wording(findings, run_info, golden):
    golden("gitlab.json", gitlab.render(findings, run_info=run_info))


def test_each_row_has_what_gitlab_demands(findings):
    rows = json.loads(gitlab.render([*findings, *findings]))
    for row in rows:
        assert row.keys() == {"description", "check_name", "fingerprint", "severity", "location"}
        assert row["location"]["lines"]["begin"] >= 1
    assert len({row["fingerprint"] for row in rows}) == len(rows) == 6
    assert [row["severity"] for row in rows[:3]] == ["major", "minor", "info"]


def test_a_path_has_no_dot_before_it() -> None:
    (row,) = json.loads(gitlab.render([Finding("r", Severity.INFO, "m", Place("./a.yaml"))]))
    assert row["location"]["path"] == "a.yaml"


def test_nothing_found_is_an_empty_list() -> None:
    assert json.loads(gitlab.render([])) == []
