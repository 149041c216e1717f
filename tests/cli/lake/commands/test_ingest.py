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
        "to commit the batch all the same: --hold-above total=100%",
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
