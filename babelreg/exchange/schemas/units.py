"""Schemas in 2020-12, cut at the targets of references: each piece is a unit, which others refer to as a whole.

A unit that only one message reaches goes into the ``$defs`` of that message; one that several reach becomes a fragment
of its own below ``_common/``. Where a unit was part of another schema, a ``$ref`` takes its place: in 2020-12 that
means the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from babelreg.errors import SchemaError
from babelreg.exchange.schemas.identifiers import IdentifierIndex, Target
from babelreg.exchange.schemas.resolution import MARKER, ResolvedReferences
from babelreg.schema import pointer as pointers
from babelreg.schema.dialects import DEFAULT, KeywordShape, Reach
from babelreg.schema.keywords import DEFINITIONS, IDENTIFIERS, REFERENCES, VALUES
from babelreg.schema.upgrade import Loss, Upgraded, upgraded
from babelreg.schema.values import mappings
from babelreg.schema.walk import held

FAULT = "x-babelreg-import-fault"
"""The keyword that marks a schema which cannot be imported; its value is the reason."""
_REFERRING = frozenset({*REFERENCES, *IDENTIFIERS})
_WORD = re.compile(r"[^A-Za-z0-9_.-]+")


@dataclass(eq=False)
class SchemaUnit:
    """A schema that is referred to, or is the root of a message. ``target`` is its place in the source.

    ``uses`` are the units that it refers to, ``in_place`` those of them that apply to the same value. ``faults`` say
    why it cannot be imported, with the place of each.
    """

    target: Target
    schema: Any
    name: str
    uses: dict[SchemaUnit, None] = field(default_factory=dict)
    in_place: dict[SchemaUnit, None] = field(default_factory=dict)
    faults: list[tuple[Target, str]] = field(default_factory=list)


@dataclass
class UnitGraph:
    """All units by their place in the source, and by the number of the marker that refers to them."""

    units: dict[Target, SchemaUnit] = field(default_factory=dict)
    by_marker: dict[int, SchemaUnit] = field(default_factory=dict)
    by_schema: dict[int, SchemaUnit] = field(default_factory=dict)
    losses: list[tuple[int, Loss]] = field(default_factory=list)
    translated: dict[int, Upgraded] = field(default_factory=dict)
    """The translations by file. They also keep the ids of their schemas taken."""
    broken: dict[int, str] = field(default_factory=dict)
    """Files that could not be translated, with the reason."""

    def referred(self, schema: Any) -> SchemaUnit | None:
        """Return the unit that the ``$ref`` of ``schema`` leads to."""
        number = marker_number(schema)
        return None if number is None else self.by_marker.get(number)

    def reachable(self, start: SchemaUnit) -> dict[SchemaUnit, None]:
        """Return the units that ``start`` needs, itself first."""
        seen = {start: None}
        waiting = [start]
        while waiting:
            for unit in waiting.pop().uses:
                if unit not in seen:
                    seen[unit] = None
                    waiting.append(unit)
        return seen

    def endless(self) -> set[SchemaUnit]:
        """Return the units that refer back to themselves without a property or item in between."""
        found: set[SchemaUnit] = set()
        state: dict[SchemaUnit, int] = {}
        for root in self.units.values():
            if root in state:
                continue
            path: list[tuple[SchemaUnit, Iterator[SchemaUnit]]] = [(root, iter(root.in_place))]
            state[root] = 1
            while path:
                unit, below = path[-1]
                following = next(below, None)
                if following is None:
                    state[unit] = 2
                    path.pop()
                elif following not in state:
                    state[following] = 1
                    path.append((following, iter(following.in_place)))
                elif state[following] == 1:
                    members = [member for member, _ in path]
                    found.update(members[members.index(following) :])
        return found


def marker_number(schema: Any) -> int | None:
    """Return the number in the marker of a ``$ref``; None where there is none."""
    reference = schema.get("$ref") if isinstance(schema, dict) else None
    return int(reference[len(MARKER) :]) if isinstance(reference, str) and reference.startswith(MARKER) else None


def translate(index: IdentifierIndex, resolved: ResolvedReferences, roots: Iterable[Target]) -> UnitGraph:
    """Translate every file that ``roots`` reach into 2020-12, and cut the schemas into units."""
    graph = UnitGraph()
    wanted: dict[int, set[str]] = {}
    referred = [target for marker, target in enumerate(resolved.targets) if marker not in resolved.faults]
    for number, pointer in [*roots, *referred]:
        wanted.setdefault(number, set()).add(pointer)
    for number, places in wanted.items():
        _translate_file(graph, index, number, places)
    for marker, target in enumerate(resolved.targets):
        if marker not in resolved.faults and target in graph.units:
            graph.by_marker[marker] = graph.units[target]
    for unit in graph.units.values():
        _connect(graph, unit, resolved)
    _check_schemas(graph)
    for unit in graph.endless():
        unit.faults.append((unit.target, "it refers to itself without a property or item in between"))
    return graph


def _translate_file(graph: UnitGraph, index: IdentifierIndex, number: int, places: set[str]) -> None:
    file = index.files[number]
    try:
        result = upgraded(file.value, file.dialect, referenced=[pointers.parse(place) for place in places])
    except (SchemaError, RecursionError) as err:
        graph.broken[number] = err.message if isinstance(err, SchemaError) else "the schema is nested too deeply"
        result = None
    moved = {pointers.text(old): new for old, new in result.moved.items()} if result else {}
    for place in sorted(places):
        unit = SchemaUnit((number, place), True, unit_name(place, file.document.path))
        graph.units[number, place] = unit
        if result is None:
            unit.faults.append(((number, ""), graph.broken[number]))
        elif place not in moved:
            unit.faults.append(((number, place), "a $ref beside it disables the schema that it is part of"))
        else:
            unit.schema = pointers.find(result.schema, moved[place])
            if isinstance(unit.schema, dict):
                graph.by_schema[id(unit.schema)] = unit
    graph.losses += ((number, loss) for loss in (result.losses if result else ()))
    if result is not None:
        graph.translated[number] = result


def _check_schemas(graph: UnitGraph) -> None:
    """Add a fault to each unit that is not a valid schema."""
    import jsonschema_rs

    for unit in graph.units.values():
        if not isinstance(unit.schema, dict) or jsonschema_rs.meta.is_valid(unit.schema):
            continue
        try:
            jsonschema_rs.meta.validate(unit.schema)
        except jsonschema_rs.ValidationError as err:
            at = pointers.text(pointers.located(unit.schema, err))
            unit.faults.append((unit.target, f"it is not a valid schema: at '{at}': {str(err.message)[:200]}"))
        except ValueError:  # the value that is wrong nests too deeply for an exception that holds it
            unit.faults.append((unit.target, "it is not a valid schema: a value in it is nested too deeply"))


def definition_name(pointer: str) -> str | None:
    """Return the name of the definition or property at ``pointer``; None where it has none."""
    steps = pointers.parse(pointer) if pointer.startswith("/") else ()
    return next((str(step) for step in reversed(steps) if not str(step).isdigit() and step not in _KEYWORDS), None)


def unit_name(pointer: str, path: str) -> str:
    """Return a name for the schema at ``pointer`` of a file: that of its definition or property, or of the file."""
    named = definition_name(pointer)
    if named is None or not _WORD.sub("", named):
        named = path.rpartition("/")[2].partition(".")[0] or "schema"
    named = named.removeprefix("_common.")  # as `babelreg gen asyncapi` calls fragments
    return _WORD.sub("_", named).strip("_.-")[:80] or "schema"


_KEYWORDS = frozenset({*DEFAULT.keywords, "schemas", "components", "payload", "schema"})


def _connect(graph: UnitGraph, unit: SchemaUnit, resolved: ResolvedReferences) -> None:
    """Note what ``unit`` refers to, and the faults in it."""
    waiting: list[tuple[Any, bool]] = [(unit.schema, True)]
    while waiting:
        schema, in_place = waiting.pop()
        if not isinstance(schema, dict):
            continue
        part = graph.by_schema.get(id(schema))
        if part is not None and part is not unit:
            unit.uses[part] = None
            if in_place:
                unit.in_place[part] = None
            continue
        if FAULT in schema:
            unit.faults.append((unit.target, str(schema.pop(FAULT))))
        number = marker_number(schema)
        if number is not None and number in resolved.faults:
            fault = resolved.faults[number]
            place = (fault.site.file, pointers.text(fault.site.pointer))
            unit.faults.append((place, f"$ref '{fault.reference}': {fault.reason}"))
        elif number is not None and number in graph.by_marker:
            unit.uses[graph.by_marker[number]] = None
            if in_place:
                unit.in_place[graph.by_marker[number]] = None
        for reach, below in _applied(schema):
            waiting.append((below, in_place and reach in (Reach.IN_PLACE, Reach.CONDITION)))


def _applied(schema: Mapping[str, Any]) -> Iterator[tuple[Reach, Any]]:
    """Yield the subschemas directly below, without definitions, which count only where a reference leads to them."""
    for keyword, value in schema.items():
        shape = DEFAULT.keywords.get(keyword)
        if shape is not None and keyword not in DEFINITIONS:
            for _, below in held(value, shape.shape):
                yield shape.reach, below


def _refers(value: Any) -> bool:
    """Return True for the value of an unknown keyword in which something looks like a reference or identifier."""
    return isinstance(value, (dict, list)) and any(not _REFERRING.isdisjoint(node) for node in mappings(value))


def rebuilt(schema: Mapping[str, Any], convert: Any, dropped: Sequence[str] = DEFINITIONS) -> dict[str, Any]:
    """Return a copy of ``schema`` with each subschema directly below converted, without the keywords ``dropped``."""
    copy: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword in dropped:
            continue
        shape = DEFAULT.keywords.get(keyword)
        if shape is None:
            if keyword in VALUES or keyword.startswith("x-") or not _refers(value):
                copy[keyword] = value
        elif shape.shape in (KeywordShape.LIST, KeywordShape.ONE_OR_LIST) and isinstance(value, list):
            copy[keyword] = [convert(item) for item in value]
        elif shape.shape in (KeywordShape.MAP, KeywordShape.MAP_OR_NAMES) and isinstance(value, dict):
            copy[keyword] = {name: item if isinstance(item, list) else convert(item) for name, item in value.items()}
        else:
            copy[keyword] = convert(value)
    return copy
