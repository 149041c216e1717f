"""Union of shapes, without members that others contain."""

from __future__ import annotations

from typing import Any

from babelreg.typemap.limits import BOUNDED


def union(shapes: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the shape of values that have one of ``shapes``; that of everything where one of them is."""
    if len(shapes) == 1:
        return shapes[0]
    unique: dict[str, dict[str, Any]] = {}
    for node in shapes:
        if not node:
            return {}
        for member in node.get("anyOf", [node]):
            unique.setdefault(repr(member), member)
    # If any text is allowed, a text that looks like a date remains a text.
    plain = [node["type"] for node in unique.values() if "type" in node and "format" not in node]
    members = [node for node in unique.values() if "format" not in node or node["type"] not in plain]
    # So does one beyond a limit.
    members = [node for node in members if (bare := _unlimited(node)) is node or repr(bare) not in unique]
    if not members:
        return {}
    return members[0] if len(members) == 1 else {"anyOf": members}


def _unlimited(node: dict[str, Any]) -> dict[str, Any]:
    """Return ``node`` without limits; itself if it has none."""
    return {key: value for key, value in node.items() if key not in BOUNDED} if not BOUNDED.isdisjoint(node) else node
