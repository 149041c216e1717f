"""How far a run is, in words and as Spark tells it."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from babelreg import load
from babelreg.lake.ingest.progress import ProgressFollower, StepProgress, StepSize, described, step_size
from babelreg.lake.message_source import MessageChunk
from babelreg.lake.tasks.task_progress import Count, MessageCounter, total
from babelreg.spark import ingest
from babelreg.spark.engine.job_group import followed

MB = 1_000_000


@pytest.mark.parametrize(
    "step, position, seconds, told",
    [
        pytest.param("starting Java", StepProgress(), 0.2, "starting Java", id="it has just begun"),
        pytest.param("starting Java", StepProgress(), 3, "starting Java, 3 s", id="what the run is waiting for"),
        pytest.param(
            "validating 550.0 MB in 4 files",
            StepProgress(0, 9, Count(), Count(550 * MB)),
            3,
            "validating 550.0 MB in 4 files, 3 s",
            id="nothing is read yet",
        ),
        pytest.param(
            "validating 1,100.0 MB in 4 files",
            StepProgress(0, 8, Count(550 * MB, 1_234_567), Count(1100 * MB)),
            10,
            "validating 1,100.0 MB in 4 files: 550.0 MB, 1,234,567 messages, 50 %, 55.0 MB/s, 10 s left",
            id="half of it, though no task is done",
        ),
        pytest.param(
            "validating 1.0 MB in 1 file",
            StepProgress(0, 1, Count(2 * MB, 1), Count(MB)),
            10,
            "validating 1.0 MB in 1 file: 1.0 MB, 1 message, 100 %, 0.2 MB/s, 10 s",
            id="a task that is tried again counts twice, which is not shown",
        ),
        pytest.param(
            "validating 30,000 messages again",
            StepProgress(1, 3, Count(5 * MB, 10_000), Count(0, 30_000)),
            125,
            "validating 30,000 messages again: 10,000 messages, 33 %, 80 messages/s, 4 min 10 s left",
            id="messages",
        ),
        pytest.param(
            "validating 55.0 MB in 4 files",
            StepProgress(1, 4, Count(500 * MB, 2_000), Count()),
            20,
            "validating 55.0 MB in 4 files: 2,000 messages, 25 %, 100 messages/s, 1 min 0 s left",
            id="packed files, whose tasks are all that is known of the end",
        ),
        pytest.param(
            "finding duplicates",
            StepProgress(3, 12),
            1_000,
            "finding duplicates: 3 of 12 tasks, 50 min 0 s left",
            id="no amount is known",
        ),
        pytest.param(
            "writing 1 table", StepProgress(1, 1), 9, "writing 1 table: 1 of 1 task, 9 s", id="all tasks are done"
        ),
    ],
)
def test_a_step_says_how_far_it_is(step: str, position: StepProgress, seconds: float, told: str) -> None:
    assert described(step, position, seconds) == told


@pytest.mark.parametrize(
    "step, found",
    [
        pytest.param("validating 1,234.5 MB in 4 files", StepSize(1234.5, "MB"), id="bytes"),
        pytest.param("validating 1,200 messages again", StepSize(1200, "messages"), id="messages"),
        pytest.param("writing 3 tables", None, id="neither"),
    ],
)
def test_the_amount_is_what_the_step_says(step: str, found: StepSize | None) -> None:
    assert step_size(step) == found


def test_without_a_session_the_words_come_out_alone() -> None:
    told: list[str] = []
    with ProgressFollower(told.append) as follower:
        follower.step("validating")
    assert told == ["validating"]


def test_the_start_of_java_is_a_step_whose_time_is_shown() -> None:
    told: list[str] = []
    times = itertools.count(0, 2)
    shown = threading.Event()

    def tell(text: str) -> None:
        told.append(text)
        if text.startswith("starting Java, "):
            shown.set()

    def start() -> Any:
        assert shown.wait(60)
        return "a session"

    with ProgressFollower(tell, every_seconds=0.01, clock=lambda: next(times)) as follower:
        assert followed(start, follower)() == "a session"
    assert told[0] == "starting Java"


def test_what_the_tasks_count_is_added_up(tmp_path: Path) -> None:
    with MessageCounter(tmp_path / "progress") as one, MessageCounter(tmp_path / "progress") as other:
        one.add(MessageChunk("a", [b"12", b"345"], [0, 3]))
        one.add(MessageChunk("a", [b"6"], [7]))
        other.add(MessageChunk("b", [b""], [0]))
        assert total(tmp_path / "progress") == Count(bytes=10, messages=4)
    assert total(tmp_path / "nowhere") == Count()


@pytest.mark.parametrize(
    "place", [pytest.param("file/progress", id="a file in the way"), pytest.param("a/b", id="no folder")]
)
def test_a_count_that_cannot_be_written_ends_no_task(place: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with MessageCounter(tmp_path / place) as counter:
        counter.add(MessageChunk("a", [b"1"], [0]))
    assert total(tmp_path / place) == Count()


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
        if ": 5 of 6 tasks" in text:
            Path(gate).touch()

    spark.sparkContext.setJobGroup("theirs", "")
    with ProgressFollower(seen, every_seconds=0.05) as follower:
        follower.step("validating 72.0 MB")
        session = followed(spark, follower)()
        assert session.sparkContext.parallelize(range(6), 6).map(work).sum() == 15
    assert any(text.startswith("validating 72.0 MB: 5 of 6 tasks, ") for text in told)
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
    ends: list[StepProgress] = []

    def step(text: str) -> None:
        ends.append(follower.progress())  # of the step that ends here, which may be too short to be reported
        follower.step(text)

    with ProgressFollower(told.append, every_seconds=0.02) as follower:
        ingest(
            followed(spark, follower),
            load.registry(tmp_path / "registry"),
            tmp_path / "in",
            tmp_path / "out",
            progress=step,
        )
    steps = [text for text, _ in itertools.groupby(told, lambda text: text.split()[0])]
    assert steps == ["looking", "validating", "finding", "writing"]
    assert [(end.counted.messages, end.fraction) for end in ends if end.counted.messages] in ([(60, 1)], [(120, 1)])
