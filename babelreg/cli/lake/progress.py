"""Progress of a run on stderr: one changing line on a terminal, a line now and then in a log."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from babelreg.report import printable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from babelreg.lake.ingest.progress import ProgressFollower, StepTasks

_LOG_SECONDS = 10
_LARGE = {"MB": 10.0, "messages": 20_000.0}
"""Least amounts for which progress is logged; smaller runs end soon, with a summary."""


class Progress:
    """Shows the step at work. On a terminal at once; elsewhere every ten seconds, of large inputs alone."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._terminal = sys.stderr is not None and sys.stderr.isatty()
        self._clock = clock
        self._follower: ProgressFollower | None = None
        self._large = False
        self._last = clock()

    def __enter__(self) -> Progress:
        context = click.get_current_context(silent=True)
        if context is not None:
            context.meta["babelreg.clear_line"] = self.clear_line  # for notes
        return self

    def __exit__(self, *_: object) -> None:
        if self._follower is not None:
            self._follower.__exit__(None, None, None)
        self.clear()

    def wait(self, step: str) -> None:
        """Show a step that comes before those of a run. What follows the steps of a run is not imported for it."""
        if self._terminal:
            self.show(step)

    def tell(self, step: str) -> None:
        """Begin a step. For ``progress`` of ``ingest`` and its like."""
        from babelreg.lake.ingest.progress import step_size

        if size := step_size(step):
            self._large = size.number >= _LARGE[size.unit]
            self._last = self._clock()
        self._following().step(step)

    def after(self, start: Callable[[], SparkSession]) -> Callable[[], SparkSession]:
        """Return ``start``, whose session is asked how far it is."""
        from babelreg.spark.engine.job_group import followed

        return followed(start, self._following())

    def follow(self, engine: StepTasks) -> None:
        """Ask ``engine`` how far it is."""
        self._following().follow(engine)

    def clear(self) -> None:
        """Make room for what a run says at its end."""
        self._large = False
        self.clear_line()

    def clear_line(self) -> None:
        """Make room for a line of a run; progress goes on below it."""
        if self._terminal:
            click.echo("\r\x1b[K", err=True, nl=False)

    def show(self, text: str) -> None:
        """Show where the run is."""
        line = printable(text)
        if self._terminal:
            wide = shutil.get_terminal_size().columns - 3
            click.echo(f"\r\x1b[K{line[:wide]} …", err=True, nl=False)
        elif self._large and self._clock() - self._last >= _LOG_SECONDS:
            self._last = self._clock()
            click.echo(line, err=True)

    def _following(self) -> ProgressFollower:
        from babelreg.lake.ingest.progress import ProgressFollower

        if self._follower is None:
            self._follower = ProgressFollower(self.show, clock=self._clock)
            self._follower.__enter__()
        return self._follower
