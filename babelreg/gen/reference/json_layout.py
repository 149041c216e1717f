"""JSON laid out for reading."""

from __future__ import annotations

import json
from typing import Any

from babelreg.typemap.names import visible


def json_text(value: Any) -> str:
    """Return ``value`` as readable JSON: short parts stay on one line, and invisible characters are escaped."""
    return "".join(_json_character(character) for character in _laid_out(value, 0))


def _laid_out(value: Any, indent: int) -> str:
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or not value or len(flat) + indent <= 72:
        return flat
    pad = " " * (indent + 2)
    if isinstance(value, list):
        lines = [_laid_out(item, indent + 2) for item in value]
        opening, closing = "[", "]"
    else:
        lines = [f"{json.dumps(k, ensure_ascii=False)}: {_laid_out(item, indent + 2)}" for k, item in value.items()]
        opening, closing = "{", "}"
    return f"{opening}\n" + ",\n".join(pad + line for line in lines) + f"\n{' ' * indent}{closing}"


def _json_character(character: str) -> str:
    if character == "\n" or visible(character) == character:
        return character
    encoded = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{encoded[i]:02x}{encoded[i + 1]:02x}" for i in range(0, len(encoded), 2))
