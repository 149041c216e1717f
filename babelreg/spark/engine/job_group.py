"""Progress of a run in Spark: the jobs of the current step, in a job group of their own.

::

    with ProgressFollower(print) as follower:
        ingest(followed(start, follower), registry, "in", "lake", progress=follower.step)
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING
from uuid import uuid4

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    from babelreg.lake.ingest.progress import ProgressFollower

_PROPERTIES = ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel")
"""Thread properties that Spark groups jobs by."""


class JobGroup:
    """The jobs that the calling thread runs in a step."""

    def __init__(self, context: SparkContext) -> None:
        self._context = context
        self._before = {key: context.getLocalProperty(key) for key in _PROPERTIES}
        self._group = ""

    def begin_step(self, step: str) -> None:
        """Put the following jobs into a new group: polling one that grows for days would get slower."""
        self._group = f"babelreg-{uuid4().hex}"
        with suppress(Exception):  # the run itself reports what is wrong with the session
            self._context.setJobGroup(self._group, step)

    def task_counts(self) -> tuple[int, int]:
        done = tasks = 0
        tracker = self._context.statusTracker()
        for job in tracker.getJobIdsForGroup(self._group):
            info = tracker.getJobInfo(job)
            for number in info.stageIds if info else ():
                if stage := tracker.getStageInfo(number):
                    done, tasks = done + stage.numCompletedTasks, tasks + stage.numTasks
        return done, tasks

    def end_steps(self) -> None:
        """Give the thread the group that it had before."""
        with suppress(Exception):  # the session may be stopped already
            for key, value in self._before.items():
                self._context.setLocalProperty(key, value)  # type: ignore[arg-type]


def followed(
    session: SparkSession | Callable[[], SparkSession], follower: ProgressFollower
) -> Callable[[], SparkSession]:
    """Return a function that returns ``session``, whose jobs ``follower`` follows from then on.

    If ``session`` is a function that starts one, its start is a step of its own.
    """

    def started() -> SparkSession:
        if callable(session):
            follower.step("starting Java")
        result = session() if callable(session) else session
        with suppress(Exception):  # a session without a context is rejected where it is used
            follower.follow(JobGroup(result.sparkContext))
        return result

    return started
