"""Answers about texts that do not depend on the registry, cached from run to run: ``{question: answer}``.

The question holds all that the answer depends on, except the code that answers: that is part of the cache key.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from babelreg.cache.store import CacheStore

__all__ = ["ANSWERS", "cached_answers"]

ANSWERS: dict[str, str] = {}
MOST = 20_000
"""Answers on disk; a registry with more questions asks the others again."""


@contextmanager
def cached_answers(store: CacheStore, key: Sequence[Any]) -> Iterator[None]:
    """Start with the answers that ``store`` has for ``key``, and store new ones at the end."""
    ANSWERS.update(store.get(key, _answers) or {})
    known = len(ANSWERS)
    yield
    if len(ANSWERS) > known:
        store.put(key, dict(list(ANSWERS.items())[:MOST]))


def _answers(value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(answer, str) for answer in value.values()):
        raise TypeError("not a table of answers")
    return value
