"""Patterns of paths in the settings, like those of gitignore, relative to the registry.

``orders/`` and ``orders`` match the folder and all below it; ``*`` and ``?`` match letters of one name, ``**`` any
folders. A pattern without a slash, except one at its end, matches in every folder; one with a slash starts at the
registry. Matching takes time linear in pattern and path, for any pattern.
"""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=4096)
def matches(pattern: str, path: str) -> bool:
    """Return True when ``pattern`` matches the file ``path``, or a folder that contains it."""
    anchored = "/" in pattern.rstrip("/")
    segments = [segment for segment in pattern.split("/") if segment not in ("", ".")]
    if not segments:
        return bool(pattern)  # "/" and "." are the registry itself
    names = path.split("/")
    if pattern.endswith("/"):
        names = names[:-1]  # it matches folders only
    return _walk(segments if anchored else ["**", *segments], names)


def _walk(segments: list[str], names: list[str]) -> bool:
    """Return True when ``segments`` match ``names`` from the start, entirely or up to a folder."""
    # The positions in ``names`` after the segments so far.
    reached = {0}
    for i, segment in enumerate(segments):
        if segment == "**":
            first = min(reached)
            last = i == len(segments) - 1
            # a/** is what is in a, not a itself
            reached = set(range(first + 1 if last else first, len(names) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(names) and _matches_name(segment, names[at])}
        if not reached:
            return False
    return True


def _matches_name(segment: str, name: str) -> bool:
    """Return True when one name matches: each part between the stars at its first possible position."""
    first, *rest = segment.split("*")
    if not rest:
        return len(first) == len(name) and _at(first, name, 0)
    *middle, last = rest
    end = len(name) - len(last)
    if end < len(first) or not _at(first, name, 0) or not _at(last, name, end):
        return False
    start = len(first)
    for part in middle:
        position = _find(part, name, start, end)
        if position < 0:
            return False
        start = position + len(part)
    return True


def _at(part: str, name: str, start: int) -> bool:
    if "?" not in part:
        return name.startswith(part, start)
    return len(name) - start >= len(part) and all(p in ("?", c) for p, c in zip(part, name[start:], strict=False))


def _find(part: str, name: str, start: int, end: int) -> int:
    if "?" not in part:
        return name.find(part, start, end)
    return next((at for at in range(start, end - len(part) + 1) if _at(part, name, at)), -1)
