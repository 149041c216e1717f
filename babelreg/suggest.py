"""Suggestions for misspelt words: every "did you mean" of babelreg."""

from __future__ import annotations

from collections.abc import Iterable

_MAX_LENGTH = 255


def closest(word: str, candidates: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the candidate most similar to ``word``, or None when none has a similarity of ``cutoff``.

    The similarity is difflib's ratio: 1.0 for equal words, 0.0 for words without a common letter; of URNs, that of
    their least similar parts. There is no suggestion for a word of more than 255 characters, so that hostile input
    costs nothing.
    """
    if len(word) > _MAX_LENGTH:
        return None
    from difflib import get_close_matches

    if word.count(":") < 2:
        return next(iter(get_close_matches(word, list(candidates), 1, cutoff)), None)
    return _closest_urn(word, candidates, cutoff)


def _closest_urn(word: str, candidates: Iterable[str], cutoff: float) -> str | None:
    """Return the URN of which each part that differs is similar: equal parts do not make two names alike."""
    from difflib import SequenceMatcher

    matcher = SequenceMatcher()
    parts = word.split(":")
    best, found = cutoff, None
    for candidate in candidates:
        others = candidate.split(":")
        if len(others) != len(parts):
            continue
        score = 1.0
        for part, other in zip(parts, others, strict=True):
            if part != other:
                matcher.set_seqs(part, other)
                score = min(score, matcher.real_quick_ratio())
                score = score if score < best else min(score, matcher.ratio())
        if score >= best and (found is None or score > best):
            best, found = score, candidate
    return found


def likely_typo(word: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate that ``word`` is probably a misspelling of, or None.

    Candidates of a very different length are ignored, and so is the word itself.
    """
    length = len(word)
    if length > _MAX_LENGTH:
        return None
    slack = max(3, length // 2)
    return closest(word, [c for c in candidates if abs(len(c) - length) <= slack and c != word], 0.75)
