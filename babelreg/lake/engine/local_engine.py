"""Engine without a JVM: tasks in processes of this machine, and small jobs in this process.

The start of a worker process costs as much processor time as validating some 15 MB of messages (measured: 0.4 s), so a
job gets a worker for each ``_WORKER_BYTES`` that it reads, and none below twice that. Workers stay for the next job.

::

    with LocalEngine() as engine:
        ingest(engine, registry, "inbox", "lake")
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from babelreg.errors import UsageError
from babelreg.lake.engine.engine import LOCAL, NOTHING_LOST, Engine, EngineChoice, EngineFailure
from babelreg.lake.engine.worker_pool import WorkerDied, WorkerPool

Item = TypeVar("Item")
Result = TypeVar("Result")

_WORKER_BYTES = 16 * 1024 * 1024
_CPU_LIMIT = Path("/sys/fs/cgroup/cpu.max")
_LESS_MEMORY = "free memory, or use fewer processors (`taskset -c 0 babelreg ...`), then run the same command again"


class LocalFailure(EngineFailure):
    """A worker process was lost, or memory ran out. Nothing was written to the tables."""


class LocalEngine:
    """Engine with at most ``workers`` processes, by default one per processor; ends them as a context manager.

    They also end with this process, even if it is killed.
    """

    def __init__(self, workers: int | None = None) -> None:
        if workers is not None and workers < 1:
            raise UsageError(f"{workers} workers cannot run anything", fix="1 or more, or None for one a processor")
        self._parallelism = workers or processors()
        self._pool: WorkerPool | None = None
        self._owner = os.getpid()
        self.tasks = self.done = 0
        """Numbers of all tasks and of finished tasks of the current job."""

    def __enter__(self) -> LocalEngine:
        return self

    def __exit__(self, kind: type[BaseException] | None, err: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def parallelism(self, size: int | None = None) -> int:
        return self._parallelism if size is None else max(1, min(self._parallelism, size // _WORKER_BYTES))

    def check_installed(self) -> None:
        try:
            import numpy  # noqa: F401
            import pyarrow  # noqa: F401
        except ImportError as err:
            raise UsageError(f"{err.name} is not installed", fix="pip install 'babelreg[lake]'") from err

    def start(self) -> None:
        """See Engine. Workers start with the first job that is large enough."""

    def close(self) -> None:
        """End the workers. The engine can still be used."""
        pool, self._pool = self._pool, None
        if pool is not None and self._owner == os.getpid():  # a fork of this process has no workers
            pool.close()

    def map(self, items: Sequence[Item], work: Callable[[Item], Result], *, size: int = 0) -> list[Result]:
        self.tasks, self.done = len(items), 0
        workers = min(self.parallelism(size), len(items))
        if workers < 2:
            return [self._counted(work(item)) for item in items]
        if self._pool is None or self._owner != os.getpid():
            self._pool, self._owner = WorkerPool(), os.getpid()
        results: dict[int, Result] = {}
        for number, result in self._pool.run(items, work, workers):
            results[number] = self._counted(result)
        return [results[number] for number in range(len(items))]

    def _counted(self, result: Result) -> Result:
        self.done += 1
        return result

    def begin_step(self, step: str) -> None:
        self.tasks = self.done = 0

    def task_counts(self) -> tuple[int, int]:
        return self.done, self.tasks

    def end_steps(self) -> None:
        """See StepTasks."""

    @contextmanager
    def translated(self, output: Path) -> Iterator[None]:
        try:
            yield
        except MemoryError as err:
            raise LocalFailure("a task ran out of memory", meaning=NOTHING_LOST, fix=_LESS_MEMORY) from err
        except WorkerDied as err:
            cause = "usually by the system when it runs out of memory (see `journalctl -k`): "
            raise LocalFailure(
                f"{err}, twice for the same task",
                meaning=NOTHING_LOST,
                fix=f"{cause if err.killed else ''}{_LESS_MEMORY}",
            ) from err


@contextmanager
def opened(given: EngineChoice) -> Iterator[Engine]:
    """Yield the engine of ``given``; end it afterwards if it was made here."""
    if given == LOCAL:
        with LocalEngine() as engine:
            yield engine
    elif isinstance(given, Engine):
        yield given
    else:
        raise UsageError(
            f"a run expects an engine or 'local', not {type(given).__name__}",
            fix="for a Spark session, call the function of the same name in babelreg.spark",
        )


def processors() -> int:
    """Return the number of processors that this process may use, by its affinity and the limit of its container."""
    affinity = getattr(os, "sched_getaffinity", None)
    count = len(affinity(0)) if affinity else os.cpu_count() or 1
    try:
        quota, period = _CPU_LIMIT.read_text().split()
        return max(1, min(count, -(-int(quota) // int(period))))
    except (OSError, ValueError):  # no such file, or no limit: "max"
        return count
