"""JSON values as Python source: double quotes, four spaces, one member a line where a line would be too long."""

from __future__ import annotations

from typing import Any

from babelreg.typemap.python.names import in_lines, literal

_WIDTH = 100
_LONGEST = 120
_GROWING = frozenset(["properties", "required", "$defs"])
"""Keywords whose values grow with a new property: one member a line, so that the diff is one line."""


def source(value: Any, indent: int = 0, used: int = 0, *, apart: bool = False) -> str:
    """Return ``value`` as an expression; lines after the first are indented by ``indent`` spaces.

    ``used`` is the number of characters before it on its first line; with ``apart`` each member has its own line.
    """
    if isinstance(value, str) and max(indent, used) + len(literal(value)) + 1 > _LONGEST:
        return in_lines(value, indent)
    if not isinstance(value, (dict, list)) or not value:
        return _flat(value)
    if not apart and not _grows(value):
        flat = _flat(value)
        if len(flat) + max(indent, used) + 1 <= _WIDTH:
            return flat
    inner = " " * (indent + 4)
    if isinstance(value, list):
        lines = [f"{inner}{source(item, indent + 4)},\n" for item in value]
        return "[\n" + "".join(lines) + " " * indent + "]"
    lines = []
    for key, item in value.items():
        name = literal(str(key))
        if indent + 4 + len(name) + 3 > _LONGEST:
            name = in_lines(str(key), indent + 4)
        taken = indent + 4 + len(name.rpartition("\n")[2]) + 2
        below = source(item, indent + 4, taken, apart=key in _GROWING)
        lines.append(f"{inner}{name}: {below},\n")
    return "{\n" + "".join(lines) + " " * indent + "}"


def _grows(value: Any) -> bool:
    """Return True if a new member would change lines of others: such a value is laid out on several lines."""
    if isinstance(value, list):
        return any(map(_grows, value))
    return isinstance(value, dict) and any(
        (key in _GROWING and isinstance(item, (dict, list)) and item) or _grows(item) for key, item in value.items()
    )


def _flat(value: Any) -> str:
    if isinstance(value, str):
        return literal(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(_flat, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(str(key))}: {_flat(item)}" for key, item in value.items()) + "}"
    return repr(value)
