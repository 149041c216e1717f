"""Reports on a run: one file for each style, also of a run that fails."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from babelreg.cli.lake.run_output import RunReports
from babelreg.cli.shared.output import Output
from babelreg.errors import InputError, UsageError
from babelreg.spark import Summary

EXAMPLE = Path(__file__).parents[3] / "registry.example"
URN = "urn:babel:orders:created"
SUMMARY = Summary("in", "lake", 1, 1, 0, 3, 2, 0, 1, {URN: 2}, {}, {"poison": 1}, {"other": {"poison": 1}})
STYLES = ["text", "json", "prometheus", "openlineage"]


@pytest.fixture
def reports(tmp_path: Path) -> Callable[..., RunReports]:
    def made(*, watches: bool = False) -> RunReports:
        outputs = [Output(style, tmp_path / style) for style in STYLES]
        folders = tmp_path / "lake", tmp_path / "in"
        return RunReports("ingest", outputs, *folders, lambda result: [f"read {result.read}"], watches=watches)

    return made


def test_each_style_is_a_file(reports: Callable[..., RunReports], tmp_path: Path) -> None:
    with reports() as reporting:
        reporting.add(SUMMARY)
    assert (tmp_path / "text").read_text() == "read 3\n"
    summary = json.loads((tmp_path / "json").read_text())
    assert (summary["read"], summary["run"]["command"], summary["run"]["succeeded"]) == (3, "ingest", True)
    assert (
        f'babelreg_ingest_last_run_success{{lake="{tmp_path / "lake"}"}} 1\n' in (tmp_path / "prometheus").read_text()
    )
    lines = (tmp_path / "openlineage").read_text().splitlines()
    assert [json.loads(line)["eventType"] for line in lines] == ["START", "COMPLETE"]


def test_a_run_that_ends_with_an_error_is_reported_and_the_error_raised(
    reports: Callable[..., RunReports], tmp_path: Path
) -> None:
    with pytest.raises(InputError), reports():
        raise InputError("cannot read in/a.jsonl", fix="restore it")
    assert (tmp_path / "text").read_text() == "failed: cannot read in/a.jsonl\n"
    assert json.loads((tmp_path / "json").read_text())["run"]["error"] == "cannot read in/a.jsonl"
    assert "babelreg_ingest_last_run_success{" in (tmp_path / "prometheus").read_text()
    last = json.loads((tmp_path / "openlineage").read_text().splitlines()[-1])
    assert (last["eventType"], last["run"]["facets"]["errorMessage"]["message"]) == ("FAIL", "cannot read in/a.jsonl")


def test_events_of_the_batches_of_processes_that_watch_are_appended(
    reports: Callable[..., RunReports], tmp_path: Path
) -> None:
    for _ in range(2):
        with reports(watches=True) as reporting:
            for _ in range(3):
                reporting.begin()
                reporting.add(SUMMARY)
    events = [json.loads(line) for line in (tmp_path / "openlineage").read_text().splitlines()]
    assert [event["eventType"] for event in events] == ["START", "COMPLETE"] * 6
    assert len({event["run"]["runId"] for event in events}) == 6
    assert (tmp_path / "text").read_text() == "read 3\n"


def test_events_of_a_single_run_replace_those_of_the_run_before(
    reports: Callable[..., RunReports], tmp_path: Path
) -> None:
    for _ in range(2):
        with reports() as reporting:
            reporting.add(SUMMARY)
    assert len((tmp_path / "openlineage").read_text().splitlines()) == 2


def test_a_log_of_events_that_cannot_be_written_is_wrong_use(
    reports: Callable[..., RunReports], tmp_path: Path
) -> None:
    (tmp_path / "openlineage").mkdir()
    with pytest.raises(UsageError, match="cannot write .*openlineage"), reports(watches=True) as reporting:
        reporting.add(SUMMARY)


def test_a_report_that_cannot_be_written_does_not_hide_the_error(
    reports: Callable[..., RunReports], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "text").mkdir()
    with pytest.raises(InputError, match="the first"), reports():
        raise InputError("the first")
    assert "the report was not written" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments, problem",
    [
        pytest.param(["--output", "xml:r.xml"], "there is no report style 'xml'", id="a style that is not there"),
        pytest.param(["--output", "json:no/r.json"], "the folder of no/r.json does not exist", id="no folder"),
        pytest.param(["--output", "json:in/r.json"], "would be inside in", id="a file in the input"),
        pytest.param(["--output", "r", "--output", "json:r"], "two reports would go to the same file", id="one file"),
    ],
)
def test_a_report_that_could_not_be_written_is_wrong_use(
    arguments: list[str], problem: str, run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()
    code, _, err = run("lake", "ingest", "--input", "in", "--lake", "lake", "--registry", str(EXAMPLE), *arguments)
    assert (code, problem in err) == (2, True), err
