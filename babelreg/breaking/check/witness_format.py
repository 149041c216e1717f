"""A witness as a person takes it in at a glance: the value that is refused, and dots for what stands beside it.

    {"lines": [{"qty": 0, …}], …}

What the report shows is no JSON then. The whole document is in the JSON report.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

__all__ = ["abbreviated", "first_difference"]

_WIDE = 72
_LONGEST = 200
_LONGEST_TEXT = 40
_MOST_NAMES = 6


def abbreviated(document: Any, at: Sequence[str | int] = (), wide: int = _WIDE) -> str:
    """``document`` on one line, whole up to ``wide`` characters, else with what does not lead to ``at`` left out."""
    whole = _spelled(document)
    if len(whole) <= wide and whole == json.dumps(document, ensure_ascii=False):
        return whole
    shown = _leading(document, at)
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"


def first_difference(one: Any, other: Any) -> list[str | int]:
    """The place where two documents part: the only value of what both have that differs, and so on down to it."""
    if isinstance(one, dict) and isinstance(other, dict):
        apart: list[str | int] = [name for name in one if name in other and one[name] != other[name]]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        apart = [at for at in range(len(one)) if one[at] != other[at]]
    else:
        return []
    if len(apart) != 1:
        return []
    return [apart[0], *first_difference(one[apart[0]], other[apart[0]])]


def _leading(value: Any, at: Sequence[str | int]) -> str:
    if at and isinstance(value, dict) and at[0] in value:
        beside = ", …" if len(value) > 1 else ""
        return f"{{{_spelled(at[0])}: {_leading(value[str(at[0])], at[1:])}{beside}}}"
    if at and isinstance(value, list) and isinstance(at[0], int) and at[0] < len(value):
        before, after = "…, " if at[0] else "", ", …" if at[0] + 1 < len(value) else ""
        return f"[{before}{_leading(value[at[0]], at[1:])}{after}]"
    return _brief(value)


def _brief(value: Any) -> str:
    """``value`` itself where it is short, else its names, or how many items it has."""
    spelled = _spelled(value)
    if len(spelled) <= _WIDE:
        return spelled
    if isinstance(value, dict):
        names = [f"{_spelled(name)}: …" for name in list(value)[:_MOST_NAMES]]
        return f"{{{', '.join(names)}{', …' if len(value) > _MOST_NAMES else ''}}}"
    return f"[… {len(value)} items]" if isinstance(value, list) else spelled


def _spelled(value: Any) -> str:
    """JSON, with long texts cut: ``"aaaa… (256 characters)"``."""
    return json.dumps(_cut(value), ensure_ascii=False)


def _cut(value: Any) -> Any:
    if isinstance(value, str) and len(value) > _LONGEST_TEXT:
        return f"{value[:10]}… ({len(value):,} characters)"
    if isinstance(value, dict):
        return {_cut(name): _cut(held) for name, held in value.items()}
    return [_cut(item) for item in value] if isinstance(value, list) else value
