"""What was found out once about text that no registry knows of, kept from run to run: ``{question: answer}``.

Whoever asks says in the question all that the answer depends on, but for the makers of answers: those name the file.
"""

from __future__ import annotations

import json
from pathlib import Path

from babelreg.cache.store import keep, kept

__all__ = ["MEMO", "recall", "retain"]

MEMO: dict[str, str] = {}
MOST = 20_000
"""Answers on disk; a registry that asks for more asks again for the others."""


def recall(file: Path) -> int:
    """Take up what ``file`` holds, and say how many answers are known now. What is no memo is none."""
    try:
        said = json.loads(kept(file) or b"null")
    except (ValueError, RecursionError):
        said = None
    if isinstance(said, dict) and all(isinstance(answer, str) for answer in said.values()):
        MEMO.update(said)
    return len(MEMO)


def retain(file: Path, known: int) -> None:
    """Put them there, where there are more than the ``known`` ones by now."""
    if len(MEMO) > known:
        keep(file, json.dumps(dict(list(MEMO.items())[:MOST])).encode())
