"""JSON values as Python source: double quotes, four spaces, one member a line where a line would be too long."""

from __future__ import annotations

from typing import Any

from babelreg.typemap.python_names import literal

__all__ = ["source"]

_WIDTH = 100


def source(value: Any, indent: int = 0, used: int = 0) -> str:
    """``value`` as an expression; lines after the first are indented by ``indent`` spaces.

    ``used`` is how much of the first line is taken already.
    """
    flat = _flat(value)
    if len(flat) + max(indent, used) + 1 <= _WIDTH or not isinstance(value, (dict, list)) or not value:
        return flat
    inner = " " * (indent + 4)
    if isinstance(value, list):
        lines = [f"{inner}{source(item, indent + 4)},\n" for item in value]
        return "[\n" + "".join(lines) + " " * indent + "]"
    lines = []
    for key, item in value.items():
        name = literal(str(key))
        lines.append(f"{inner}{name}: {source(item, indent + 4, indent + 4 + len(name) + 2)},\n")
    return "{\n" + "".join(lines) + " " * indent + "}"


def _flat(value: Any) -> str:
    if isinstance(value, str):
        return literal(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(_flat, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(str(key))}: {_flat(item)}" for key, item in value.items()) + "}"
    return repr(value)
