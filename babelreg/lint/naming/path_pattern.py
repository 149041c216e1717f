"""Which files a path in the settings means: a pattern like those of gitignore, relative to the registry.

``orders/`` and ``orders`` are the folder and all below it; ``*`` and ``?`` stand for letters of one name, ``**`` for
any folders. A pattern without a slash, except one at its end, is looked for in every folder; one with a slash starts
at the registry. The time to match grows with the length of pattern and path alone: no pattern can be made slow.
"""

from __future__ import annotations

from functools import lru_cache

__all__ = ["matches"]


@lru_cache(maxsize=4096)
def matches(pattern: str, path: str) -> bool:
    """True when ``pattern`` means the file ``path``, or a folder it is in."""
    anchored = "/" in pattern.rstrip("/")
    segments = [segment for segment in pattern.split("/") if segment not in ("", ".")]
    if not segments:
        return bool(pattern)  # "/" and "." are the registry itself
    names = path.split("/")
    if pattern.endswith("/"):
        names = names[:-1]  # only a folder will do
    return _walk(segments if anchored else ["**", *segments], names)


def _walk(segments: list[str], names: list[str]) -> bool:
    """True when ``segments`` match ``names`` from the first, all of them or as many as lead to a folder."""
    # The positions in ``names`` that the segments so far can have led to.
    reached = {0}
    for i, segment in enumerate(segments):
        if segment == "**":
            first = min(reached)
            last = i == len(segments) - 1
            # a/** is what is in a, not a itself
            reached = set(range(first + 1 if last else first, len(names) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(names) and _fits(segment, names[at])}
        if not reached:
            return False
    return True


def _fits(segment: str, name: str) -> bool:
    """True when one name fits: the parts between the stars, each at the first place where it can stand."""
    first, *rest = segment.split("*")
    if not rest:
        return len(first) == len(name) and _at(first, name, 0)
    *middle, last = rest
    end = len(name) - len(last)
    if end < len(first) or not _at(first, name, 0) or not _at(last, name, end):
        return False
    start = len(first)
    for part in middle:
        found = _find(part, name, start, end)
        if found < 0:
            return False
        start = found + len(part)
    return True


def _at(part: str, name: str, start: int) -> bool:
    if "?" not in part:
        return name.startswith(part, start)
    return len(name) - start >= len(part) and all(p in ("?", c) for p, c in zip(part, name[start:], strict=False))


def _find(part: str, name: str, start: int, end: int) -> int:
    if "?" not in part:
        return name.find(part, start, end)
    return next((at for at in range(start, end - len(part) + 1) if _at(part, name, at)), -1)
