"""How far a run is: what Spark and its tasks have done of a step, asked now and then beside the work.

A run describes the step at work (see ``batch.Progress``). Here the description is repeated with how much is done, how
fast, and how long it may still take: ``validating 550.0 MB in 4 files: 311.7 MB, 901,442 messages, 57 %, 26.0 MB/s, 9 s
left``. Nothing of the run depends on it: where nothing can be known, there is the description and the time.

::

    with ProgressFollower(print) as follower:
        ingest(follower.after(start), registry, "in", "lake", progress=follower.step)
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING
from uuid import uuid4

from babelreg.spark.tasks.message_counter import Count, CountedStep, total

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

__all__ = ["ProgressFollower", "StepProgress", "StepSize", "amount", "spelled"]

_GROUP = ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel")
"""What Spark knows a thread's jobs by."""

_NOTHING = Count()
_AMOUNT = re.compile(r"(\d[\d,]*(?:\.\d+)?) (MB|messages)\b")


@dataclass(frozen=True, slots=True)
class StepSize:
    """How much a step has to do. ``unit``: MB | messages."""

    number: float
    unit: str


def amount(step: str) -> StepSize | None:
    """How much ``step`` says there is: ``validating 550.0 MB in 4 files``; None where it does not say."""
    found = _AMOUNT.search(step)
    return StepSize(float(found[1].replace(",", "")), found[2]) if found else None


@dataclass(frozen=True, slots=True)
class StepProgress:
    """How far a step is: ``done`` of ``tasks``, and what the tasks have counted of ``goal``."""

    done: int = 0
    tasks: int = 0
    counted: Count = _NOTHING
    goal: Count = _NOTHING

    @property
    def fraction(self) -> float:
        """How much of the step is done, from 0 to 1; 0 where that is not known."""
        if self.goal.bytes:
            return min(1, self.counted.bytes / self.goal.bytes)
        if self.goal.messages:
            return min(1, self.counted.messages / self.goal.messages)
        return self.done / self.tasks if 0 < self.done <= self.tasks else 0


def spelled(step: str, position: StepProgress, seconds: float) -> str:
    """Return ``step`` with how far it is after ``seconds`` of work."""
    counted, fraction = position.counted, position.fraction
    facts = []
    if position.goal.bytes and counted.bytes:
        facts.append(f"{min(counted.bytes, position.goal.bytes) / 1e6:,.1f} MB")
    if counted.messages:
        facts.append(f"{counted.messages:,} message{'' if counted.messages == 1 else 's'}")
    elif fraction:
        facts.append(f"{position.done:,} of {position.tasks:,} task{'' if position.tasks == 1 else 's'}")
    if not facts:
        return f"{step}, {_time(seconds)}" if seconds >= 1 else step
    if fraction and counted.messages:
        facts.append(f"{fraction:.0%}".replace("%", " %"))
    if seconds >= 1 and counted.messages:
        by_bytes = position.goal.bytes > 0
        facts.append(
            f"{counted.bytes / 1e6 / seconds:,.1f} MB/s"
            if by_bytes
            else f"{counted.messages / seconds:,.0f} messages/s"
        )
    facts.append(f"{_time(seconds / fraction - seconds)} left" if 0 < fraction < 1 and seconds >= 1 else _time(seconds))
    return f"{step}: {', '.join(facts)}"


def _time(seconds: float) -> str:
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min {whole % 60} s" if whole < 3600 else f"{whole // 3600} h {whole % 3600 // 60} min"


class ProgressFollower:
    """Reports how far the steps of a run are, every ``every_seconds``, from a thread of its own while it is entered."""

    def __init__(
        self, told: Callable[[str], None], *, every_seconds: float = 0.5, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._told, self._every, self._clock = told, every_seconds, clock
        self._group = ""
        self._before: dict[str, str | None] = {}
        self._context: SparkContext | None = None
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self._step, self._started = "", 0.0

    def __enter__(self) -> ProgressFollower:
        self._thread = threading.Thread(target=self._ask, name="babelreg-progress", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, err: BaseException | None, at: TracebackType | None) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
        with suppress(Exception):  # the session may be stopped
            for key, value in self._before.items():
                if self._context is not None:
                    self._context.setLocalProperty(key, value)  # type: ignore[arg-type]

    def step(self, text: str) -> None:
        """Begin a step. For ``progress`` of ``ingest`` and its like."""
        self._step, self._started = text, self._clock()
        self._regroup()
        self._told(text)

    def after(self, session: SparkSession | Callable[[], SparkSession]) -> Callable[[], SparkSession]:
        """``session``, whose jobs are followed from when it is asked for: those of the thread that asks.

        A function that starts one is a step of its own.
        """

        def started() -> SparkSession:
            if callable(session):
                self.step("starting Java")
            given = session() if callable(session) else session
            with suppress(Exception):  # a kind of session that has no context: what takes it says so
                self._follow(given.sparkContext)
            return given

        return started

    def position(self) -> StepProgress:
        """Return how far the step at work is, as far as Spark and its tasks know."""
        step, done, tasks = self._step, 0, 0
        if self._context is not None:
            tracker = self._context.statusTracker()
            for job in tracker.getJobIdsForGroup(self._group):
                info = tracker.getJobInfo(job)
                for number in info.stageIds if info else ():
                    if stage := tracker.getStageInfo(number):
                        done, tasks = done + stage.numCompletedTasks, tasks + stage.numTasks
        if isinstance(step, CountedStep):
            return StepProgress(done, tasks, total(step.folder), step.goal)
        return StepProgress(done, tasks)

    def _follow(self, context: SparkContext) -> None:
        if self._context is None:
            self._before = {key: context.getLocalProperty(key) for key in _GROUP}
            self._context = context
        self._regroup()

    def _regroup(self) -> None:
        """Give the jobs to come a group of their own: of one that grew for days, every look would cost more."""
        if self._context is not None:
            self._group = f"babelreg-{uuid4().hex}"
            with suppress(Exception):  # the run itself says what is wrong with the session
                self._context.setJobGroup(self._group, self._step)

    def _ask(self) -> None:
        while not self._ended.wait(self._every):
            try:
                step, position = self._step, self.position()
                if step and step == self._step and not self._ended.is_set():
                    self._told(spelled(step, position, self._clock() - self._started))
            except Exception:
                # The run itself reports what Spark says while it goes down.
                return
