"""Unified diffs, as ``patch`` and ``git apply`` accept them."""

from __future__ import annotations

import re
from collections.abc import Iterator

_MAX_LINE_PAIRS = 4_000_000  # difflib takes too long beyond
_CONTEXT_LINES = 3
_LINE = re.compile("[^\n]*\n|[^\n]+")


def unified(path: str, old: str, new: str) -> str:
    """Return the diff from ``old`` to ``new``, texts of the file ``path``; "" when they are equal."""
    before, after = _LINE.findall(old), _LINE.findall(new)
    if before == after:
        return ""
    changes = _diff_lines(before, after) if len(before) * len(after) <= _MAX_LINE_PAIRS else _one_hunk(before, after)
    return "".join([f"--- a/{path}\n", f"+++ b/{path}\n", *changes])


def _diff_lines(before: list[str], after: list[str]) -> Iterator[str]:
    import difflib

    for line in list(difflib.unified_diff(before, after, n=_CONTEXT_LINES))[2:]:
        yield line if line.endswith("\n") else _unterminated(line)


def _one_hunk(before: list[str], after: list[str]) -> Iterator[str]:
    """Yield one hunk from the first line that differs to the last."""
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    start, rest = max(head - _CONTEXT_LINES, 0), min(tail, _CONTEXT_LINES)
    old, new = before[start : len(before) - tail + rest], after[start : len(after) - tail + rest]
    yield f"@@ -{_range(start, len(old))} +{_range(start, len(new))} @@\n"
    leading, trailing = head - start, rest
    lines = [f" {line}" for line in old[:leading]]
    lines += [f"-{line}" for line in old[leading : len(old) - trailing]]
    lines += [f"+{line}" for line in new[leading : len(new) - trailing]]
    lines += [f" {line}" for line in old[len(old) - trailing :]]
    yield from (line if line.endswith("\n") else _unterminated(line) for line in lines)


def _range(start: int, length: int) -> str:
    return f"{start + 1 if length else start},{length}"


def _unterminated(line: str) -> str:
    return f"{line}\n\\ No newline at end of file\n"
