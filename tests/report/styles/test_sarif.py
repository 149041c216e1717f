from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.finding import Finding, Place, Severity
from babelreg.report import RunInfo
from babelreg.report.styles import sarif

SCHEMA = json.loads(Path(__file__).with_name("data").joinpath("sarif-2.1.0-rtm.5.json").read_text("utf-8"))
# Not jsonschema-rs: a pattern of the schema is not a regular expression to it, for a bracket stands alone.
VALIDATOR = jsonschema.Draft4Validator(SCHEMA, format_checker=jsonschema.FormatChecker())

FINDINGS = st.lists(
    st.builds(
        Finding,
        rule=st.sampled_from(["a-rule", "another"]),
        severity=st.sampled_from(Severity),
        message=st.text(),
        place=st.builds(Place, st.text(min_size=1), st.integers(0, 9), st.integers(0, 9)),
        pointer=st.none() | st.text(),
        urn=st.none() | st.text(),
        fix=st.none() | st.text(),
        witness=st.none() | st.text() | st.integers(),
    ),
    max_size=4,
)


def result(finding: Finding) -> dict:
    (found,) = json.loads(sarif.render([finding]))["runs"][0]["results"]
    return found


def test_the_wording(findings, run_info, golden):
    golden("report.sarif", sarif.render(findings, run_info=run_info))


def test_the_sample_is_valid(findings, run_info):
    VALIDATOR.validate(json.loads(sarif.render(findings, run_info=run_info)))


@settings(max_examples=fewer(50))
@given(FINDINGS)
def test_whatever_was_found_is_valid(findings):
    VALIDATOR.validate(json.loads(sarif.render(findings)))


def test_the_schema_sees_a_report_that_is_wrong(findings):
    report = json.loads(sarif.render(findings))
    report["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    assert not VALIDATOR.is_valid(report)


def test_nothing_found_is_a_report_too() -> None:
    run = json.loads(sarif.render([], run_info=RunInfo("babelreg lint")))["runs"][0]
    assert (run["results"], run["tool"]["driver"]["rules"]) == ([], [])
    assert run["automationDetails"]["id"] == "babelreg-lint/"


@pytest.mark.parametrize(
    "place, region",
    [
        pytest.param(Place("a.yaml"), None, id="a file as a whole has no region"),
        pytest.param(Place("a.yaml", 3), {"startLine": 3, "startColumn": 1}, id="a line starts at column 1"),
        pytest.param(Place("a.yaml", 3, 7), {"startLine": 3, "startColumn": 7}, id="a place"),
    ],
)
def test_regions_start_at_1(place: Place, region: dict[str, int] | None) -> None:
    found = result(Finding("r", Severity.INFO, "m", place))
    assert found["locations"][0]["physicalLocation"].get("region") == region


@pytest.mark.parametrize(
    "path, artifact",
    [
        pytest.param("a/b.yaml", {"uri": "a/b.yaml", "uriBaseId": "%SRCROOT%"}, id="below the repository"),
        pytest.param(
            "a b:c#d?é.yaml", {"uri": "a%20b%3Ac%23d%3F%C3%A9.yaml", "uriBaseId": "%SRCROOT%"}, id="odd signs"
        ),
        pytest.param("/tmp/x.yaml", {"uri": "file:///tmp/x.yaml"}, id="outside of it"),
    ],
)
def test_a_path_becomes_a_uri(path: str, artifact: dict[str, str]) -> None:
    found = result(Finding("r", Severity.INFO, "m", Place(path, 1, 1)))
    assert found["locations"][0]["physicalLocation"]["artifactLocation"] == artifact


def test_a_rule_stands_once_and_says_what_it_is(findings, run_info):
    run = json.loads(sarif.render([*findings, *findings], run_info=run_info))["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["property-required", "example-missing", "file-unreadable"]
    assert rules[1]["shortDescription"]["text"] == "A message without an example."
    assert rules[1]["help"]["text"].endswith("Why.")
    assert [rules[found["ruleIndex"]]["id"] == found["ruleId"] for found in run["results"]] == [True] * 6
    assert [found["level"] for found in run["results"]] == ["error", "warning", "note"] * 2


def test_a_message_cannot_hold_a_link() -> None:
    assert (
        "](" not in result(Finding("r", Severity.INFO, "[click](https://evil.example)", Place("a")))["message"]["text"]
    )
