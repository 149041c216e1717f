"""The steps that bring data of a superseded message into the new form, as sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babelreg.gen.reference.json_layout import json_text
from babelreg.gen.reference.text_style import TextStyle


def step(operation: Mapping[str, Any], style: TextStyle) -> str:
    """Return one ``upcast`` operation as a sentence."""
    inline, code = style.inline, style.code
    steps = []
    for name, arguments in operation.items():
        if isinstance(arguments, dict):
            steps += [_change(str(name), str(path), value, style) for path, value in arguments.items()]
        elif isinstance(arguments, list):
            steps.append(f"{inline(name)} {', '.join(code(str(path)) for path in arguments)}")
        else:
            steps.append(f"{inline(name)} {code(str(arguments))}")
    return ", ".join(steps)


def _change(name: str, path: str, value: Any, style: TextStyle) -> str:
    inline, code = style.inline, style.code
    if name == "rename":
        return f"{code(path)} becomes {code(str(value))}"
    shown = code(value if isinstance(value, str) else json_text(value).replace("\n", " "))
    if name == "default":
        return f"{code(path)} is {shown} when absent"
    words = {"set": "is set to", "cast": "is converted to", "map": "is mapped by"}
    return f"{code(path)} {words.get(name, inline(name))} {shown}"
