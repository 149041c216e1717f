"""The word that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["nearest"]

_LONGEST = 255


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """The one of ``candidates`` most like ``word``, or None when none is a likely slip of the keyboard."""
    from difflib import get_close_matches

    length = len(word)
    if length > _LONGEST:
        return None
    slack = max(3, length // 2)
    likely = [c for c in candidates if abs(len(c) - length) <= slack and c != word]
    return next(iter(get_close_matches(word, sorted(likely), n=1, cutoff=0.75)), None)
