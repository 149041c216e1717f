"""Work on many files by a few threads, since a network file system takes its time for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
Result = TypeVar("Result")

_AT_ONCE = 8
_PORTION = 256
"""Number of files that a thread takes at a time: handing over one costs as much as reading a small one."""


def in_portions(work: Callable[[Sequence[T]], Result], items: Sequence[T]) -> list[Result]:
    """Return the results of ``work`` for portions of ``items``, in their order; several are worked on at a time."""
    if not items:
        return []
    size = max(1, min(_PORTION, len(items) // (_AT_ONCE * _AT_ONCE)))
    portions = [items[start : start + size] for start in range(0, len(items), size)]
    with ThreadPoolExecutor(min(len(portions), _AT_ONCE)) as threads:
        return list(threads.map(work, portions))
