"""``babelreg lake ingest`` with thresholds: exit codes and lines, without a session."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from babelreg.lake.ingest.refused_examples import RefusedExample
from babelreg.lake.ingest.thresholds import ExceededThreshold
from babelreg.spark import BatchHeld, Summary

EXAMPLE = Path(__file__).parents[4] / "registry.example"
URN = "urn:babel:orders:created"
ABOVE = ExceededThreshold("total", "5%", "10%", 1_000, 100, {"wrong_type": 90, "poison": 10})
COUNTED = Summary("in", "out", 1, 1, 0, 1_000, 900, 0, 100, {URN: 900}, {}, {"wrong_type": 90, "poison": 10})
HELD = replace(
    COUNTED,
    batch=None,
    held=True,
    exceeded=(ABOVE,),
    examples=(RefusedExample("wrong_type", URN, "/data/total", "it is not an integer", "a.jsonl", 1_234),),
)
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def result(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[Summary], None]:
    """Makes the next run end with a summary."""
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()

    def ends(summary: Summary) -> None:
        def ingest(*_: Any, **__: Any) -> Summary:
            if summary.held:
                raise BatchHeld(summary.exceeded, summary)
            return summary

        monkeypatch.setattr("babelreg.spark.ingest", ingest)

    return ends


def ingest(run: Run, *options: str) -> tuple[int, str, str]:
    return run("lake", "ingest", "--input", "in", "--lake", "out", "--registry", str(EXAMPLE), *options)


def test_a_held_batch_ends_with_exit_1_and_the_lines_that_go_on(result: Any, run: Run) -> None:
    result(HELD)
    code, out, err = ingest(run)
    assert (code, err) == (1, "")
    assert out.splitlines() == [
        "held: nothing was committed; 1 file in in will be read again by the next run",
        "  = 900 accepted + 0 duplicates + 100 quarantined",
        "",
        "      rows  duplicates  table",
        "       900           0  urn:babel:orders:created",
        "",
        "   refused  reason",
        "        90  wrong_type",
        "        10  poison",
        "",
        "above --hold-above:",
        "  total: 100 of 1,000 messages would go to quarantine, 10%; the limit is 5% (wrong_type 90, poison 10)",
        "",
        "some of the refused messages:",
        "  a.jsonl, byte 1,234: wrong_type at /data/total of urn:babel:orders:created: it is not an integer",
        "",
        "next, all of a file:",
        f"  babelreg validate --registry {EXAMPLE} in/a.jsonl",
        "",
        "to commit the batch anyway: --hold-above total=100%",
    ]


def test_a_committed_batch_above_a_threshold_ends_with_exit_1(result: Any, run: Run) -> None:
    result(replace(COUNTED, exceeded=(ABOVE,)))
    code, out, _ = ingest(run)
    assert code == 1
    assert "read 1,000 messages from 1 file in in (batch 1)" in out.splitlines()
    assert "above --fail-above:" in out.splitlines()


def test_json_has_the_thresholds_and_stderr_the_lines(result: Any, run: Run) -> None:
    result(HELD)
    code, out, err = ingest(run, "--format", "json")
    summary = json.loads(out)
    assert (code, summary["held"], summary["exceeded"][0]["share"]) == (1, True, "10%")
    assert err.splitlines()[0] == "above --hold-above:"


def test_a_batch_below_its_thresholds_ends_with_exit_0(result: Any, run: Run) -> None:
    result(COUNTED)
    assert ingest(run, "--fail-above", "10%")[0] == 0


@pytest.mark.parametrize(
    "options, problem",
    [
        pytest.param(["--fail-above", "5"], "--fail-above: '5' is not a percentage", id="no percentage"),
        pytest.param(["--hold-above", "5%", "--hold-above", "6%"], "'total' has two thresholds", id="two limits"),
    ],
)
def test_a_wrong_threshold_is_wrong_use(options: list[str], problem: str, result: Any, run: Run) -> None:
    result(COUNTED)
    code, _, err = ingest(run, *options)
    assert (code, problem in err) == (2, True)


@pytest.mark.parametrize(
    "summary, first",
    [
        pytest.param(Summary("in/a.jsonl", "out", known_files=1), "nothing new: in/a.jsonl, ingested before", id="a known file"),
        pytest.param(Summary("in/a.jsonl", "out"), "nothing new: in/a.jsonl has no complete message", id="an empty file"),
        pytest.param(Summary("in", "out"), "nothing new: no file in in has a complete message", id="empty files"),
        pytest.param(Summary("in/a.jsonl", "out", known_files=1, moved=1), "nothing new: in/a.jsonl, ingested before, under another name", id="a moved file"),
        pytest.param(Summary("-", "out", known_files=1), "nothing new: standard input has been read before", id="a known stream"),
        pytest.param(Summary("-", "out"), "nothing new: standard input is empty", id="an empty stream"),
        pytest.param(
            Summary("-", "out", 2, 1, moved=1),
            "read 0 messages from standard input (batch 2, which begins with data that was read before)",
            id="a stream that grew",
        ),
        pytest.param(replace(HELD, input="in/a.jsonl"), "held: nothing was committed; in/a.jsonl will be read again by the next run", id="a held file"),
        pytest.param(replace(HELD, input="-"), "held: nothing was committed; standard input has to be piped in again", id="a held stream"),
    ],
)  # fmt: skip
def test_files_and_streams_are_named(summary: Summary, first: str, result: Any, run: Run) -> None:
    result(summary)
    Path("in/a.jsonl").touch()
    out = ingest(run)[1]
    assert out.splitlines()[0] == first
    assert ("  babelreg validate --registry" in out) == (summary.held and summary.input != "-")
    assert "in/a.jsonl/" not in out


def test_a_file_and_standard_input_are_ingested(
    recorded: Callable[[int], Path], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(recorded(3))
    command = ["lake", "ingest", "--lake", "lake", "--publish", "none"]
    _, listed, _ = run(*command, "--input", "in/a", "--dry-run")
    assert listed.startswith("would read in/a (")
    _, out, _ = run(*command, "--input", "in/a")
    assert out.splitlines()[0] == "read 3 messages from in/a (batch 1)"
    with Path("in/a").open() as file:
        monkeypatch.setattr("sys.stdin", file)
        code, out, _ = run(*command, "--input", "-")
    assert (code, out.splitlines()) == (0, ["nothing new: standard input has been read before"])


@pytest.mark.parametrize(
    "options, problem",
    [
        pytest.param(["--dry-run"], "a dry run would use up standard input", id="a dry run"),
        pytest.param(["--watch"], "standard input cannot be watched", id="--watch"),
        pytest.param(["--engine", "spark"], "standard input cannot be read by Spark", id="Spark"),
    ],
)
def test_where_standard_input_is_refused_the_fix_says_how_to_go_on(
    options: list[str], problem: str, run: Run, tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    code, _, err = run("lake", "ingest", "--registry", EXAMPLE, "--input", "-", "--lake", lake, *options)
    assert (code, problem in err, "fix: " in err) == (2, True, True)
    assert not lake.exists()
