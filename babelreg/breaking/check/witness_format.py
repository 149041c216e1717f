"""Formatting of witnesses: the refused value in full, with dots for the rest of the document.

    {"lines": [{"qty": 0, …}], …}

The abbreviated text is not JSON. The JSON report has the complete document.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from babelreg.containment.fields import field_path
from babelreg.schema.pointer import find

_WIDE = 72
_MAX_WIDTH = 200
_MAX_TEXT = 40
_MAX_NAMES = 6
_SMALL = 12


def abbreviated(document: Any, at: Sequence[str | int] = (), wide: int = _WIDE) -> str:
    """Return ``document`` on one line: complete up to ``wide`` characters, else with only the path to ``at``.

    A longer one that has nothing there is named for that.
    """
    complete = _as_json(document)
    if len(complete) <= wide and complete == json.dumps(document, ensure_ascii=False):
        return complete
    if at and not _has(document, at):
        return f"a message without '{_cut(json.dumps(field_path(at), ensure_ascii=False)[1:-1], _WIDE)}'"
    shown = _path_only(document, at)
    return _cut(shown, _MAX_WIDTH)


def _cut(shown: str, most: int) -> str:
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def _has(document: Any, at: Sequence[str | int]) -> bool:
    try:
        find(document, tuple(at))
    except KeyError:
        return False
    return True


def value_at(document: Any, at: Sequence[str | int], wide: int = _WIDE) -> str:
    """Return the value at ``at`` alone; that of its nearest parent where there is none."""
    for step in at:
        try:
            document = document[step]
        except (KeyError, IndexError, TypeError):
            break
    return _brief(document, wide)


def _path_only(value: Any, at: Sequence[str | int]) -> str:
    if at and isinstance(value, dict) and at[0] in value:
        siblings = ", …" if len(value) > 1 else ""
        return f"{{{_as_json(at[0])}: {_path_only(value[str(at[0])], at[1:])}{siblings}}}"
    if at and isinstance(value, list) and isinstance(at[0], int) and at[0] < len(value):
        before, after = "…, " if at[0] else "", ", …" if at[0] + 1 < len(value) else ""
        return f"[{before}{_path_only(value[at[0]], at[1:])}{after}]"
    return _brief(value)


def _brief(value: Any, wide: int = _WIDE) -> str:
    """Return ``value`` itself where it is short, else its names with small values, or its number of items."""
    serialized = _as_json(value)
    if len(serialized) <= wide:
        return serialized
    if isinstance(value, dict):
        members = [f"{_as_json(name)}: {_small(value[name])}" for name in list(value)[:_MAX_NAMES]]
        return f"{{{', '.join(members)}{', …' if len(value) > _MAX_NAMES else ''}}}"
    return f"[… {len(value)} items]" if isinstance(value, list) else serialized


def _small(value: Any) -> str:
    """Return a value of a few characters itself, else dots."""
    serialized = _as_json(value)
    return serialized if len(serialized) <= _SMALL else "…"


def _as_json(value: Any) -> str:
    """Return JSON with long strings truncated: ``"aaaa… (256 characters)"``."""
    return json.dumps(_truncated(value), ensure_ascii=False)


def _truncated(value: Any) -> Any:
    if isinstance(value, str) and len(value) > _MAX_TEXT:
        return f"{value[:10]}… ({len(value):,} characters)"
    if isinstance(value, dict):
        return {_truncated(name): _truncated(inner) for name, inner in value.items()}
    return [_truncated(item) for item in value] if isinstance(value, list) else value
