"""Two texts of one file as a unified diff, as ``patch`` and ``git apply`` take it."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["unified"]

_MOST = 4_000_000  # pairs of lines: beyond, comparing them all takes too long
_AROUND = 3
_LINE = re.compile("[^\n]*\n|[^\n]+")


def unified(path: str, old: str, new: str) -> str:
    """What makes ``new`` of ``old``; "" where they are the same."""
    before, after = _LINE.findall(old), _LINE.findall(new)
    if before == after:
        return ""
    changes = _compared(before, after) if len(before) * len(after) <= _MOST else _at_once(before, after)
    return "".join([f"--- a/{path}\n", f"+++ b/{path}\n", *changes])


def _compared(before: list[str], after: list[str]) -> Iterator[str]:
    import difflib

    for line in list(difflib.unified_diff(before, after, n=_AROUND))[2:]:
        yield line if line.endswith("\n") else _without_end(line)


def _at_once(before: list[str], after: list[str]) -> Iterator[str]:
    """One change from the first line that differs to the last."""
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    start, rest = max(head - _AROUND, 0), min(tail, _AROUND)
    old, new = before[start : len(before) - tail + rest], after[start : len(after) - tail + rest]
    yield f"@@ -{_span(start, len(old))} +{_span(start, len(new))} @@\n"
    same, below = head - start, rest
    lines = [f" {line}" for line in old[:same]]
    lines += [f"-{line}" for line in old[same : len(old) - below]]
    lines += [f"+{line}" for line in new[same : len(new) - below]]
    lines += [f" {line}" for line in old[len(old) - below :]]
    yield from (line if line.endswith("\n") else _without_end(line) for line in lines)


def _span(start: int, length: int) -> str:
    return f"{start + 1 if length else start},{length}"


def _without_end(line: str) -> str:
    return f"{line}\n\\ No newline at end of file\n"
