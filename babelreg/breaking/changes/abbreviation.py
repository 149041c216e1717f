"""Values as JSON, abbreviated to fit in a sentence."""

from __future__ import annotations

import json
from typing import Any

MAX_LENGTH = 80
_MARGIN = 20
"""Characters before the first difference of two long values."""


def short(value: Any) -> str:
    """Return ``value`` as JSON, abbreviated."""
    spelled_out = json.dumps(value, ensure_ascii=False)
    return spelled_out if len(spelled_out) <= MAX_LENGTH else spelled_out[: MAX_LENGTH - 1] + "…"


def short_pair(before: Any, after: Any) -> tuple[str, str]:
    """Return two values as JSON, abbreviated so that where they first differ is shown."""
    both = [json.dumps(value, ensure_ascii=False) for value in (before, after)]
    same = next((at for at, (one, other) in enumerate(zip(*both, strict=False)) if one != other), 0)
    start = 0 if same < MAX_LENGTH - _MARGIN else same - _MARGIN
    cut = [text[start : start + MAX_LENGTH - 1] for text in both]
    ends = ["" if start + len(part) == len(text) else "…" for part, text in zip(cut, both, strict=True)]
    if all(len(text) <= MAX_LENGTH for text in both):
        return both[0], both[1]
    first, second = (f"{'…' if start else ''}{part}{end}" for part, end in zip(cut, ends, strict=True))
    return first, second
