"""Text of new registry files, as ``babelreg format`` lays them out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from babelreg.load.yaml.emitter import ambiguous, spell
from babelreg.load.yaml.formatter import formatted

KeyComments = Mapping[tuple[str, ...], str]
"""Comments by the keys that lead to a key of nested mappings."""

_WIDTH = 100
_DEEPEST_LINE = 2
# What people write without quotes, beyond what `spell` does: `$ref` and paths that begin with dots.
_PLAIN = re.compile(r"(?:\$[A-Za-z]+|\.\.?/[A-Za-z0-9_./-]+)\Z")


def yaml_text(value: Any, role: str, *, comments: KeyComments | None = None) -> str:
    """Return ``value`` as the text of a file of ``role``; ``comments`` are put behind the keys that they name.

    A comment on a key within a mapping that is written on one line is left out.

    Raises EditError or LayoutError for a value that cannot be written.
    """
    if not isinstance(value, dict) or not value:
        return formatted(f"{spell(value)}\n", role)
    lines: list[str] = []
    _members(lines, value, 0, (), comments or {})
    return formatted("".join(f"{line}\n" for line in lines), role)


def _spelled(value: Any) -> str:
    """Return ``value`` on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_spelled(str(key))}: {_spelled(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_spelled, value)) + "]"
    if isinstance(value, str):
        return value if _PLAIN.match(value) and not ambiguous(value) else spell(value)
    return spell(value)


def _member(
    lines: list[str], prefix: str, value: Any, indent: int, keys: tuple[str, ...], comments: KeyComments
) -> None:
    """Add ``prefix``, which ends in the key or dash, and ``value`` behind or below it."""
    if not isinstance(value, (dict, list)) or not value or _fits(value, indent + len(prefix)):
        lines.append(f"{' ' * indent}{prefix} {_spelled(value)}")
        return
    if prefix == "-":
        start = len(lines)
        _members(lines, value, indent + 2, keys, comments)
        lines[start] = f"{' ' * indent}- {lines[start][indent + 2 :]}"
        return
    lines.append(f"{' ' * indent}{prefix}")
    _members(lines, value, indent + 2, keys, comments)


def _members(lines: list[str], value: Any, indent: int, keys: tuple[str, ...], comments: KeyComments) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            start = len(lines)
            below = (*keys, str(key))
            _member(lines, f"{_spelled(str(key))}:", item, indent, below, comments)
            if below in comments:
                lines[start] += f"  # {comments[below]}"
    else:
        for number, item in enumerate(value):
            _member(lines, "-", item, indent, (*keys, str(number)), comments)


def _fits(value: Any, column: int) -> bool:
    """Return True for a small list or mapping that is written on the line of its key."""
    return _length(value, _DEEPEST_LINE, _WIDTH - column) is not None


def _length(value: Any, depth: int, most: int) -> int | None:
    """Return about how long ``value`` is on one line; None where that is more than ``most``, or it nests too deeply."""
    if isinstance(value, dict):
        if depth < 0 or "properties" in value or "$defs" in value:
            return None
        items = [(len(str(key)) + 2, item) for key, item in value.items()]
    elif isinstance(value, list):
        if depth < 0:
            return None
        items = [(0, item) for item in value]
    else:
        length = len(value) if isinstance(value, str) else len(str(value))
        return length if length <= most else None
    total = 2
    for own, item in items:
        length_of_item = _length(item, depth - 1, most - total)
        if length_of_item is None:
            return None
        total += own + length_of_item + 2
        if total > most + 2:
            return None
    return total
