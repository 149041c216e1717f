"""How far a run is, in words and as Spark tells it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from babelreg import load
from babelreg.spark import ingest
from babelreg.spark.progress import Amount, Follower, amount, spelled


@pytest.mark.parametrize(
    "step, done, tasks, seconds, told",
    [
        pytest.param("judging 550.0 MB in 4 files", 0, 9, 0.2, "judging 550.0 MB in 4 files", id="it has just begun"),
        pytest.param("judging 550.0 MB in 4 files", 0, 9, 3, "judging 550.0 MB in 4 files, 3 s", id="no task is done"),
        pytest.param(
            "judging 1,100.0 MB in 4 files",
            4,
            8,
            10,
            "judging 1,100.0 MB in 4 files: 550.0 MB, 50 %, 55.0 MB/s, 10 s",
            id="half of it",
        ),
        pytest.param(
            "judging 30,000 messages again",
            1,
            3,
            125,
            "judging 30,000 messages again: 10,000 messages, 33 %, 80 messages/s, 2 min 5 s",
            id="messages",
        ),
        pytest.param(
            "telling duplicates", 3, 12, 3_720, "telling duplicates: 3 of 12 tasks, 1 h 2 min", id="no amount is known"
        ),
        pytest.param("starting", 0, 0, 0, "starting", id="nothing is known"),
    ],
)
def test_a_step_says_how_far_it_is(step: str, done: int, tasks: int, seconds: float, told: str) -> None:
    assert spelled(step, done, tasks, seconds) == told


@pytest.mark.parametrize(
    "step, found",
    [
        pytest.param("judging 1,234.5 MB in 4 files", Amount(1234.5, "MB"), id="bytes"),
        pytest.param("judging 1,200 messages again", Amount(1200, "messages"), id="messages"),
        pytest.param("writing 3 tables", None, id="neither"),
    ],
)
def test_the_amount_is_what_the_step_says(step: str, found: Amount | None) -> None:
    assert amount(step) == found


def test_without_a_session_the_words_come_out_alone() -> None:
    told: list[str] = []
    with Follower(told.append) as follower:
        follower.step("judging")
    assert told == ["judging"]


@pytest.mark.spark
def test_of_a_job_at_work_spark_tells_how_many_tasks_are_done(spark: Any, tmp_path: Path) -> None:
    """Two of six tasks wait for a file that comes when the others are seen to be done."""
    told: list[str] = []
    gate = str(tmp_path / "gate")  # what a task carries to the worker

    def work(n: int) -> int:
        import time
        from pathlib import Path

        until = time.monotonic() + 60
        while n >= 5 and not Path(gate).exists() and time.monotonic() < until:
            time.sleep(0.02)
        return n

    def seen(text: str) -> None:
        told.append(text)
        if ": 60.0 MB, " in text:
            Path(gate).touch()

    spark.sparkContext.setJobGroup("theirs", "")
    with Follower(seen, every_seconds=0.05) as follower:
        follower.step("judging 72.0 MB")
        session = follower.after(spark)()
        assert session.sparkContext.parallelize(range(6), 6).map(work).sum() == 15
    assert any(text.startswith("judging 72.0 MB: 60.0 MB, 83 %, ") for text in told)
    assert spark.sparkContext.getLocalProperty("spark.jobGroup.id") == "theirs"
    spark.sparkContext.setLocalProperty("spark.jobGroup.id", None)
    count = len(told)
    time.sleep(0.2)
    assert len(told) == count


@pytest.mark.spark
def test_the_steps_of_a_run_are_followed(
    spark: Any, messages: ModuleType, tmp_path: Path, make_registry: Callable[..., Any]
) -> None:
    messages.write_registry(tmp_path / "registry")
    messages.write_input(tmp_path / "in", 60, files=2)
    told: list[str] = []
    with Follower(told.append, every_seconds=0.02) as follower:
        ingest(
            follower.after(spark),
            load.registry(tmp_path / "registry"),
            tmp_path / "in",
            tmp_path / "out",
            progress=follower.step,
        )
    assert amount(told[0]) is not None
    assert any(text.startswith("writing") for text in told)
