"""The files of messages and fragments, as values: every unit where it belongs, every reference spelled for its file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from babelreg.exchange.schemas.identifiers import Target
from babelreg.exchange.schemas.units import SchemaUnit, UnitGraph, marker_number, rebuilt
from babelreg.schema.keywords import UNIONS
from babelreg.schema.types import declared_types

__all__ = ["Assembly", "RefusedRoot", "assemble", "shared_units"]

_COMMON = "../_common/"
_MOST_HOPS = 32


@dataclass(frozen=True, slots=True)
class RefusedRoot:
    """A reason why a root cannot be the data of a message, with its place in the source."""

    place: Target
    reason: str


@dataclass
class Assembly:
    """The schemas of the messages by root, and of the fragments by file name; and the roots that were refused.

    ``adjusted`` are the roots that got ``type: object``, since data is always an object.
    """

    data: dict[Target, dict[str, Any]]
    fragments: dict[str, Any]
    refused: dict[Target, list[RefusedRoot]]
    adjusted: list[Target]


def shared_units(graph: UnitGraph, roots: Iterable[Target]) -> dict[SchemaUnit, None]:
    """Return the units that more than one root reaches, in the order in which they are reached."""
    users: dict[SchemaUnit, int] = {}
    for root in roots:
        for unit in graph.reachable(graph.units[root]):
            users[unit] = users.get(unit, 0) + 1
    return {unit: None for unit, count in users.items() if count > 1}


def sound_roots(graph: UnitGraph, roots: Iterable[Target]) -> tuple[list[Target], dict[Target, list[RefusedRoot]]]:
    """Return the roots that can be imported, and for each other one the reasons."""
    sound, refused = [], {}
    for root in roots:
        faults = [
            RefusedRoot(*fault) for unit in graph.reachable(graph.units[root]) for fault in unit.faults
        ] or _not_object(graph, graph.units[root])
        if faults:
            refused[root] = list(dict.fromkeys(faults))
        else:
            sound.append(root)
    return sound, refused


def assemble(graph: UnitGraph, roots: Iterable[Target], names: Mapping[SchemaUnit, str]) -> Assembly:
    """Return the schemas of the messages with these ``roots`` and of the fragments ``names`` (unit to file name)."""
    result = Assembly({}, {}, {}, [])
    for root in roots:
        unit = graph.units[root]
        result.data[root] = _message(graph, unit, names)
        if not _is_object(graph, unit, _MOST_HOPS):
            result.data[root] = {**result.data[root], "type": "object"}
            result.adjusted.append(root)
    for unit, name in names.items():
        spelled = _Spelling(graph, lambda other, own=unit: "#" if other is own else names[other])  # type: ignore[misc]
        result.fragments[name] = spelled.body(unit.schema, unit)
    return result


def _message(graph: UnitGraph, root: SchemaUnit, names: Mapping[SchemaUnit, str]) -> dict[str, Any]:
    if root in names:
        return {"$ref": _COMMON + names[root]}
    local = _local_names(unit for unit in graph.reachable(root) if unit is not root and unit not in names)

    def spell(unit: SchemaUnit) -> str:
        if unit in names:
            return _COMMON + names[unit]
        return "#" if unit is root else f"#/$defs/{local[unit]}"

    spelling = _Spelling(graph, spell)
    data = spelling.body(root.schema, root)
    if not isinstance(data, dict):
        data = {}
    if local:
        data["$defs"] = {name: spelling.body(unit.schema, unit) for unit, name in local.items()}
    return data


def _local_names(units: Iterable[SchemaUnit]) -> dict[SchemaUnit, str]:
    names: dict[SchemaUnit, str] = {}
    taken: set[str] = set()
    for unit in units:
        name, number = unit.name, 2
        while name in taken:
            name, number = f"{unit.name}_{number}", number + 1
        taken.add(name)
        names[unit] = name
    return names


class _Spelling:
    """Copies of schemas in which every reference is spelled by ``spell``."""

    def __init__(self, graph: UnitGraph, spell: Callable[[SchemaUnit], str]) -> None:
        self.graph = graph
        self.spell = spell

    def body(self, schema: Any, unit: SchemaUnit) -> Any:
        """Return the schema of ``unit``."""

        def converted(below: Any) -> Any:
            if not isinstance(below, dict):
                return below
            part = self.graph.by_schema.get(id(below))
            return {"$ref": self.spell(part)} if part is not None else copied(below)

        def copied(node: dict[str, Any]) -> dict[str, Any]:
            copy = rebuilt(node, converted)
            number = marker_number(node)
            if number is not None:
                copy["$ref"] = self.spell(self.graph.by_marker[number])
            return copy

        return copied(schema) if isinstance(schema, dict) else schema


def _not_object(graph: UnitGraph, unit: SchemaUnit) -> list[RefusedRoot]:
    """Return why ``unit`` admits no object; nothing where it does, or where that is not certain."""
    seen: set[SchemaUnit] = set()
    while unit not in seen:
        seen.add(unit)
        types = declared_types(unit.schema)
        if unit.schema is False:
            return [RefusedRoot(unit.target, "no value satisfies it")]
        if types is not None and "object" not in types:
            text = " or ".join(f"'{name}'" for name in types)
            return [RefusedRoot(unit.target, f"it is {text}, and the data of a message is an object")]
        following = graph.referred(unit.schema)
        if following is None:
            break
        unit = following
    return []


def _is_object(graph: UnitGraph, unit: SchemaUnit, hops: int) -> bool:
    """Return True where ``unit`` surely admits objects only."""

    def surely(schema: Any, hops: int) -> bool:
        if not isinstance(schema, dict) or hops == 0:
            return False
        types = declared_types(schema)
        if types is not None:
            return types == ("object",)
        target = graph.referred(schema)
        if target is not None and surely(target.schema, hops - 1):
            return True
        combined = {keyword: schema.get(keyword) for keyword in ("allOf", *UNIONS)}
        lists = {keyword: value for keyword, value in combined.items() if isinstance(value, list) and value}
        if any(surely(part, hops - 1) for part in lists.get("allOf", ())):
            return True
        return any(all(surely(part, hops - 1) for part in lists[keyword]) for keyword in UNIONS if keyword in lists)

    return surely(unit.schema, hops)
