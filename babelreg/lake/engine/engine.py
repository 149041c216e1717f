"""Interface of an engine.

A run (ingest, redrive, compaction) is plain Python around one operation: call a function for each of some items, in
parallel, with arguments and results as plain data. ``LocalEngine`` does that in processes of this machine, the
engine of ``babelreg.spark`` on a cluster. All files are written by the tasks, so that both write the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Literal, Protocol, TypeAlias, TypeVar, runtime_checkable

from babelreg.errors import BabelregError

LOCAL: Literal["local"] = "local"
"""Name of the engine without a JVM."""

NOTHING_LOST = "nothing was lost: the batch was not committed, and the next run reads its messages again"
"""What a failure means for a batch that one manifest commits."""

Item = TypeVar("Item")
Result = TypeVar("Result")


class EngineFailure(BabelregError):
    """A process was lost, or a resource ran out. ``meaning`` is what that means for the batch, ``what`` the rest."""

    def __init__(self, what: str, *, meaning: str = "", fix: str | None = None) -> None:
        super().__init__(f"{what}; {meaning}" if meaning else what, fix=fix)
        self.what = what


@runtime_checkable
class Engine(Protocol):
    """What runs the tasks of a batch."""

    def parallelism(self, size: int | None = None) -> int:
        """Return the number of tasks that run at a time, of a job that reads ``size`` bytes. Starts the engine."""
        ...

    def check_installed(self) -> None:
        """Raise UsageError if a package is missing."""
        ...

    def start(self) -> None:
        """Start what takes long to start, if it is not running. Raises UsageError if it cannot be started."""
        ...

    def map(self, items: Sequence[Item], work: Callable[[Item], Result], *, size: int) -> list[Result]:
        """Return the result of ``work`` for each of ``items``, in their order.

        ``work``, items and results are pickled. A task whose process is killed is repeated once. ``size`` is the
        approximate number of bytes that all tasks read together.
        """
        ...

    def translated(self, output: Path) -> AbstractContextManager[None]:
        """Turn failures of the engine in the block into errors with a fix."""
        ...


EngineChoice: TypeAlias = Engine | Literal["local"]
"""Where a run takes place: in an engine, or in processes of this machine."""
