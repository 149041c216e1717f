"""The files of messages and fragments, as values: every unit where it belongs, every reference spelled for its file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from babelreg.exchange.schemas.identifiers import Target
from babelreg.exchange.schemas.units import SchemaUnit, UnitGraph, marker_number, rebuilt
from babelreg.schema.keywords import UNIONS
from babelreg.schema.types import declared_types

_COMMON = "../_common/"
_MOST_HOPS = 32


@dataclass(frozen=True, slots=True)
class RefusedRoot:
    """A reason why a root cannot be the data of a message, with its place in the source."""

    place: Target
    reason: str


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the registry has units already: an import leaves them there, and so the edits of them.

    ``fragments`` have a file of their own; ``held`` are by root those that a message holds itself, with their names
    below ``$defs``, "" for the root.
    """

    fragments: frozenset[SchemaUnit] = frozenset()
    held: Mapping[Target, Mapping[SchemaUnit, str]] = field(default_factory=dict)


@dataclass
class Assembly:
    """The schemas of the messages by root, and of the fragments by file name.

    ``held`` are by root the units that a message holds itself, as in :class:`Layout`. ``adjusted`` are the roots that
    got ``type: object``, since data is always an object.
    """

    data: dict[Target, dict[str, Any]] = field(default_factory=dict)
    fragments: dict[str, Any] = field(default_factory=dict)
    held: dict[Target, dict[SchemaUnit, str]] = field(default_factory=dict)
    adjusted: list[Target] = field(default_factory=list)


def shared_units(graph: UnitGraph, roots: Iterable[Target], layout: Layout) -> dict[SchemaUnit, None]:
    """Return the units that become fragments, in the order in which they are reached.

    They are those that have a file of their own in ``layout``, those that more than one root needs and does not hold
    itself, and what all of these refer to.
    """
    users: dict[SchemaUnit, int] = {}
    for root in roots:
        held = layout.held.get(root, {})
        for unit in graph.reachable(graph.units[root]):
            users[unit] = users.get(unit, 0) + (unit not in held)
    shared = {unit for unit, count in users.items() if count > 1 or unit in layout.fragments}
    closed = {below for unit in shared for below in graph.reachable(unit)}
    return {unit: None for unit in users if unit in closed}


def sound_roots(
    graph: UnitGraph, roots: Iterable[Target], *, objects: bool = True
) -> tuple[list[Target], dict[Target, list[RefusedRoot]]]:
    """Return the roots that can be imported, and for each other one the reasons.

    ``objects``: a root that admits no object is one of the others.
    """
    sound, refused = [], {}
    for root in roots:
        faults = [RefusedRoot(*fault) for unit in graph.reachable(graph.units[root]) for fault in unit.faults]
        if objects and not faults:
            faults = _not_object(graph, graph.units[root])
        if faults:
            refused[root] = list(dict.fromkeys(faults))
        else:
            sound.append(root)
    return sound, refused


def assemble(
    graph: UnitGraph, roots: Iterable[Target], names: Mapping[SchemaUnit, str], layout: Layout | None = None
) -> Assembly:
    """Return the schemas of the messages with these ``roots`` and of the fragments ``names`` (unit to file name)."""
    result = Assembly()
    for root in roots:
        unit = graph.units[root]
        before = layout.held.get(root, {}) if layout is not None else {}
        result.held[root] = _held(graph, unit, names, before)
        result.data[root] = _message(graph, unit, names, result.held[root])
        if not _is_object(graph, unit, _MOST_HOPS) and not _not_object(graph, unit):
            result.data[root] = {**result.data[root], "type": "object"}
            result.adjusted.append(root)
    for unit, name in names.items():
        spelled = _Spelling(graph, lambda other, own=unit: "#" if other is own else names[other])  # type: ignore[misc]
        result.fragments[name] = spelled.body(unit.schema, unit)
    return result


def _held(
    graph: UnitGraph, root: SchemaUnit, names: Mapping[SchemaUnit, str], before: Mapping[SchemaUnit, str]
) -> dict[SchemaUnit, str]:
    """Return the units that a message holds itself, with their names below ``$defs``; those of ``before`` stay."""
    units: dict[SchemaUnit, None] = {}
    waiting = [root]
    while waiting:
        unit = waiting.pop()
        if unit not in units and (unit not in names or unit in before):
            units[unit] = None
            waiting += unit.uses
    held = {unit: before[unit] for unit in units if unit in before and unit is not root}
    taken = set(held.values())
    for unit in (unit for unit in graph.reachable(root) if unit in units and unit not in held):
        name, number = unit.name if unit is not root else "", 2
        while name in taken:
            name, number = f"{unit.name}_{number}", number + 1
        taken.add(name)
        held[unit] = name
    return held


def _message(
    graph: UnitGraph, root: SchemaUnit, names: Mapping[SchemaUnit, str], held: Mapping[SchemaUnit, str]
) -> dict[str, Any]:
    if root not in held:
        return {"$ref": _COMMON + names[root]}

    def spell(unit: SchemaUnit) -> str:
        if unit not in held:
            return _COMMON + names[unit]
        return "#" if unit is root else f"#/$defs/{held[unit]}"

    spelling = _Spelling(graph, spell)
    data = spelling.body(root.schema, root)
    if not isinstance(data, dict):
        data = {}
    definitions = {name: spelling.body(unit.schema, unit) for unit, name in held.items() if unit is not root}
    if definitions:
        data["$defs"] = definitions
    return data


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
