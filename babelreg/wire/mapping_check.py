"""Defects of the block that ``wires:`` has for one format."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from babelreg.wire.formats.table import FORMATS
from babelreg.wire.mapping import Key, leaves


class MappingDefect(NamedTuple):
    """One defect of a mapping. ``path`` are the keys that lead to it, from the name of the format on.

    ``code`` is wrong_shape, unknown_format, unknown_urn, urn_mapped_twice or name_not_on_wire. ``other`` is the path of
    the first name of a URN that is mapped twice.
    """

    code: str
    path: Key
    message: str
    other: Key | None = None


def check(format_name: str, block: Any, urns: Collection[str]) -> list[MappingDefect]:
    """Return the defects of the block that ``wires:`` has for one format; ``urns`` are those of the registry.

    Reported are: a block of the wrong shape, a URN that the registry does not declare, a URN with two names (a message
    would have two ways back), and a name that the wire cannot carry. A block of settings has no names.
    """
    wire = FORMATS.get(format_name)
    names = wire.names if wire is not None else None
    if names is None:
        known = ", ".join(name for name, each in FORMATS.items() if each.names is not None)
        return [MappingDefect("unknown_format", (format_name,), f"'{format_name}' takes no mapping; formats: {known}")]
    if not isinstance(block, Mapping):
        return [MappingDefect("wrong_shape", (format_name,), f"wires.{format_name} is not a mapping")]
    if names.depth == 0:
        return []
    defects: list[MappingDefect] = []
    first: dict[str, Key] = {}
    for key, urn in leaves(block):
        path = (format_name, *key)
        wrong = _shape(format_name, names.depth, key, urn)
        found = list(names.key_defects(key)) if wrong is None else [("wrong_shape", wrong)]
        defects += [MappingDefect(code, path, text) for code, text in found]
        if any(code == "wrong_shape" for code, _ in found):
            continue
        defects += _urn_defects(urn, urns, path, first)
        first.setdefault(urn, path)
    return defects


def _shape(format_name: str, depth: int, key: Key, urn: Any) -> str | None:
    if len(key) != depth:
        return f"wires.{format_name} has {depth} levels of names, this has {len(key)}"
    return None if isinstance(urn, str) else "the value is not a URN"


def _urn_defects(urn: str, urns: Collection[str], path: Key, first: Mapping[str, Key]) -> Iterator[MappingDefect]:
    if urn not in urns:
        yield MappingDefect("unknown_urn", path, f"the registry declares no message '{urn[:200]}'")
    elif urn in first:
        other = first[urn]
        text = f"'{urn[:200]}' is also mapped from '{'.'.join(other[1:])}'"
        yield MappingDefect("urn_mapped_twice", path, text, other)
