"""How far a run is: what Spark has done of the tasks of a step, asked now and then beside the work.

A run says in a few words what it does (see ``batch.Progress``). Here the same words come out again and again, with how
much is done, how fast, and for how long: ``judging 550.0 MB in 4 files: 311.7 MB, 57 %, 26.0 MB/s, 12 s``. Nothing of
the run depends on it: where Spark cannot be asked, the words come out alone.

::

    with Follower(print) as follower:
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

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

__all__ = ["Amount", "Follower", "amount", "spelled"]

_GROUP = ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel")
"""What Spark knows a thread's jobs by."""

_AMOUNT = re.compile(r"(\d[\d,]*(?:\.\d+)?) (MB|messages)\b")


@dataclass(frozen=True, slots=True)
class Amount:
    """How much a step has to do. ``unit``: MB | messages."""

    number: float
    unit: str


def amount(step: str) -> Amount | None:
    """How much ``step`` says there is: ``judging 550.0 MB in 4 files``; None where it does not say."""
    found = _AMOUNT.search(step)
    return Amount(float(found[1].replace(",", "")), found[2]) if found else None


def spelled(step: str, done: int, tasks: int, seconds: float) -> str:
    """``step`` with how far it is: ``done`` of ``tasks``, after ``seconds`` of work."""
    if not done or done > tasks:
        return f"{step}, {_time(seconds)}" if seconds >= 1 else step
    share, much = done / tasks, amount(step)
    if much is None:
        return f"{step}: {done:,} of {tasks:,} tasks, {_time(seconds)}"
    made = much.number * share
    form = ",.1f" if much.unit == "MB" else ",.0f"
    rate = f", {made / seconds:{form}} {much.unit}/s" if seconds >= 1 else ""
    return f"{step}: {made:{form}} {much.unit}, {share:.0%}{rate}, {_time(seconds)}".replace("%", " %")


def _time(seconds: float) -> str:
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min {whole % 60} s" if whole < 3600 else f"{whole // 3600} h {whole % 3600 // 60} min"


class Follower:
    """Tells how far the steps of a run are, every ``every_seconds``, from a thread of its own while it is entered."""

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

    def __enter__(self) -> Follower:
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
        """What happens now. For ``progress`` of ``ingest`` and its like."""
        self._step, self._started = text, self._clock()
        self._regroup()
        self._told(text)

    def after(self, session: SparkSession | Callable[[], SparkSession]) -> Callable[[], SparkSession]:
        """``session``, whose jobs are followed from when it is asked for: those of the thread that asks."""

        def started() -> SparkSession:
            given = session() if callable(session) else session
            with suppress(Exception):  # a kind of session that has no context: what takes it says so
                self._follow(given.sparkContext)
            return given

        return started

    def position(self) -> tuple[int, int]:
        """How many tasks of the step at work are done, and how many there are, as far as Spark knows."""
        assert self._context is not None
        tracker = self._context.statusTracker()
        done = tasks = 0
        for job in tracker.getJobIdsForGroup(self._group):
            info = tracker.getJobInfo(job)
            for number in info.stageIds if info else ():
                if stage := tracker.getStageInfo(number):
                    done, tasks = done + stage.numCompletedTasks, tasks + stage.numTasks
        return done, tasks

    def _follow(self, context: SparkContext) -> None:
        self._started = self._clock()  # a step may have been told before the session was there
        if self._context is None:
            self._before = {key: context.getLocalProperty(key) for key in _GROUP}
            self._context = context
            self._thread = threading.Thread(target=self._ask, name="babelreg-progress", daemon=True)
            self._thread.start()
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
                step, done = self._step, self.position()
                if step == self._step and not self._ended.is_set():
                    self._told(spelled(step, *done, self._clock() - self._started))
            except Exception:
                # Whatever Spark says while it goes down is told by the run itself.
                return
