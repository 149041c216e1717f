"""Progress of a run: how much of the current step its tasks have done, polled beside the work.

A run describes its current step (see ``batch.Progress``). This module repeats the description with what is done, the
rate and the estimated time left: ``validating 550.0 MB in 4 files: 311.7 MB, 901,442 messages, 57 %, 26.0 MB/s, 9 s
left``. The run does not depend on it: if nothing is known, there is only the description and the time.

::

    with LocalEngine() as engine, ProgressFollower(print) as follower:
        follower.follow(engine)
        ingest(engine, registry, "in", "lake", progress=follower.step)
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol

from babelreg.lake.tasks.task_progress import Count, CountedStep, total
from babelreg.plural import counted

__all__ = ["ProgressFollower", "StepProgress", "StepSize", "StepTasks", "described", "step_size"]

_NOTHING = Count()
_AMOUNT = re.compile(r"(\d[\d,]*(?:\.\d+)?) (MB|messages)\b")


@dataclass(frozen=True, slots=True)
class StepSize:
    """Size of a step. ``unit``: MB | messages."""

    number: float
    unit: str


def step_size(step: str) -> StepSize | None:
    """Return the size that the description ``step`` states, such as ``validating 550.0 MB in 4 files``, else None."""
    match = _AMOUNT.search(step)
    return StepSize(float(match[1].replace(",", "")), match[2]) if match else None


@dataclass(frozen=True, slots=True)
class StepProgress:
    """Progress of a step: ``done`` of ``tasks``, and what the tasks have counted of ``goal``."""

    done: int = 0
    tasks: int = 0
    counted: Count = _NOTHING
    goal: Count = _NOTHING

    @property
    def fraction(self) -> float:
        """Share of the step that is done, from 0 to 1; 0 if unknown."""
        if self.goal.bytes:
            return min(1, self.counted.bytes / self.goal.bytes)
        if self.goal.messages:
            return min(1, self.counted.messages / self.goal.messages)
        return self.done / self.tasks if 0 < self.done <= self.tasks else 0


def described(step: str, position: StepProgress, seconds: float) -> str:
    """Return ``step`` with its progress after ``seconds`` of work."""
    counts, fraction = position.counted, position.fraction
    facts = []
    if position.goal.bytes and counts.bytes:
        facts.append(f"{min(counts.bytes, position.goal.bytes) / 1e6:,.1f} MB")
    if counts.messages:
        facts.append(counted(counts.messages, "message"))
    elif fraction:
        facts.append(f"{position.done:,} of {counted(position.tasks, 'task')}")
    if not facts:
        return f"{step}, {_time(seconds)}" if seconds >= 1 else step
    if fraction and counts.messages:
        facts.append(f"{fraction:.0%}".replace("%", " %"))
    if seconds >= 1 and counts.messages:
        by_bytes = position.goal.bytes > 0
        facts.append(
            f"{counts.bytes / 1e6 / seconds:,.1f} MB/s" if by_bytes else f"{counts.messages / seconds:,.0f} messages/s"
        )
    facts.append(f"{_time(seconds / fraction - seconds)} left" if 0 < fraction < 1 and seconds >= 1 else _time(seconds))
    return f"{step}: {', '.join(facts)}"


def _time(seconds: float) -> str:
    rounded = int(seconds)
    if rounded < 60:
        return f"{rounded} s"
    return (
        f"{rounded // 60} min {rounded % 60} s" if rounded < 3600 else f"{rounded // 3600} h {rounded % 3600 // 60} min"
    )


class StepTasks(Protocol):
    """Count of the tasks of the current step, of an engine."""

    def begin_step(self, step: str) -> None:
        """Count from zero."""
        ...

    def task_counts(self) -> tuple[int, int]:
        """Return the numbers of finished tasks and of all tasks."""
        ...

    def end_steps(self) -> None:
        """Undo what :meth:`begin_step` changed."""
        ...


class ProgressFollower:
    """Reports the progress of a run every ``every_seconds``, from a thread of its own, while the context is open."""

    def __init__(
        self, report: Callable[[str], None], *, every_seconds: float = 0.5, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._report, self._every, self._clock = report, every_seconds, clock
        self._tasks: StepTasks | None = None
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self._step, self._started = "", 0.0

    def __enter__(self) -> ProgressFollower:
        self._thread = threading.Thread(target=self._poll, name="babelreg-progress", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, err: BaseException | None, at: TracebackType | None) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
        if self._tasks is not None:
            self._tasks.end_steps()

    def step(self, text: str) -> None:
        """Begin a step: the ``progress`` callback of ``ingest`` and the other runs."""
        self._step, self._started = text, self._clock()
        if self._tasks is not None:
            self._tasks.begin_step(text)
        self._report(text)

    def follow(self, tasks: StepTasks) -> None:
        """Count these tasks, from the current step on."""
        self._tasks = tasks
        tasks.begin_step(self._step)

    def progress(self) -> StepProgress:
        """Return the progress of the current step, as far as its engine and its tasks know."""
        step = self._step
        done, tasks = self._tasks.task_counts() if self._tasks is not None else (0, 0)
        if isinstance(step, CountedStep):
            return StepProgress(done, tasks, total(step.folder), step.goal)
        return StepProgress(done, tasks)

    def _poll(self) -> None:
        while not self._ended.wait(self._every):
            try:
                step, progress = self._step, self.progress()
                if step and step == self._step and not self._ended.is_set():
                    self._report(described(step, progress, self._clock() - self._started))
            except Exception:
                # The engine is going down, which the run itself reports.
                return
