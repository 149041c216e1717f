"""What a schema marks as personal data: the path of each such field, and where the mark stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from babelreg.errors import SchemaError
from babelreg.schema import pointer as pointers
from babelreg.schema.dialects import DEFAULT, Dialect, Reach, identify
from babelreg.schema.pointer import Pointer
from babelreg.schema.walk import children

__all__ = ["MARK", "Marked", "PersonalFields", "marks"]

MARK = "x-gdpr-sensitive"
_MOST_STEPS = 50_000
_DEEPEST = 24


@dataclass(frozen=True, slots=True)
class Marked:
    """One field. ``path`` is empty for the whole data; ``pointer`` leads to the mark in the bundled schema.

    ``category`` is None where the mark is ``true``.
    """

    path: str
    pointer: Pointer
    category: str | None


@dataclass(frozen=True, slots=True)
class PersonalFields:
    """``fields`` in the order of their paths. ``complete`` is False where the schema goes on for too long."""

    fields: tuple[Marked, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class _VisitedSchema:
    """A subschema, where it stands, the path of the values it judges, and the subschemas passed on the way."""

    schema: Any
    pointer: Pointer
    path: str
    above: frozenset[int]


def marks(schema: Mapping[str, Any]) -> PersonalFields:
    """Every mark in a bundled schema on what a message may hold, whichever branch or definition it stands in."""
    try:
        dialect = identify(schema)
    except SchemaError:
        dialect = DEFAULT
    found: dict[tuple[str, str | None], Marked] = {}
    waiting = [_VisitedSchema(schema, (), "", frozenset())]
    complete = True
    for _ in range(_MOST_STEPS):
        if not waiting:
            break
        place = waiting.pop()
        if not isinstance(place.schema, dict) or id(place.schema) in place.above:
            continue  # of its own kind again: what is in it was seen further up
        if len(place.pointer) > 4 * _DEEPEST or len(place.above) > 4 * _DEEPEST:
            complete = False
            continue
        said = place.schema.get(MARK)
        if said is True or (isinstance(said, str) and said):
            category = said if isinstance(said, str) else None
            found.setdefault((place.path, category), Marked(place.path, place.pointer, category))
        waiting.extend(_below(place, schema, dialect))
    ordered = sorted(found.values(), key=lambda field: (field.path, field.category or ""))
    return PersonalFields(tuple(ordered), complete and not waiting)


def _below(place: _VisitedSchema, root: Mapping[str, Any], dialect: Dialect) -> Iterator[_VisitedSchema]:
    above = place.above | {id(place.schema)}
    reference = place.schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#"):
        try:
            pointer = pointers.parse(reference[1:])
            yield _VisitedSchema(pointers.find(root, pointer), pointer, place.path, above)
        except (KeyError, ValueError):
            pass
    for keyword, step, schema, reach in children(place.schema, dialect):
        path = _path(place.path, keyword, step, reach)
        if path is not None:
            yield _VisitedSchema(schema, place.pointer + step, path, above)


def _path(path: str, keyword: str, step: Pointer, reach: Reach) -> str | None:
    """The path of what a subschema judges; None where it judges nothing that a message holds."""
    if reach is Reach.IN_PLACE:
        return path
    if reach is Reach.ITEM:
        return f"{path}[]"
    if reach is not Reach.PROPERTY:
        return None
    name = "*"
    if keyword == "properties":
        name = str(step[-1]).replace("\\", "\\\\").replace(".", "\\.")
    return f"{path}.{name}" if path else name
