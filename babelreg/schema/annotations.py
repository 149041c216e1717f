"""What a schema says with one keyword about the values of a message, by the path of each value.

Everything counts that may speak of the value: every branch, whether or not a document takes it; conditions; references
as far as they lead; what holds for all names or items; a property name and the inside of a text speak of the value
around them. So nothing that was said is missed, and some may be said of more values than it was meant for: right for a
mark of personal data, and not for a rule. What contains values of its own kind is not followed again: the place where
it comes back is told all that is said anywhere in it.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from babelreg.errors import SchemaError
from babelreg.schema.dialects import Reach
from babelreg.schema.resolve import SchemaDocument
from babelreg.schema.walk import children

__all__ = ["ITEM", "Others", "Path", "Said", "said"]

_MOST_STEPS = 50_000
_MOST_UNROLLED = 1_000_000
_DEEPEST = 400


class _Item(enum.Enum):
    ITEM = "[]"


ITEM = _Item.ITEM
"""The step to every item of an array."""


@dataclass(frozen=True, slots=True)
class Others:
    """The step to every property of an object but those ``named``."""

    named: frozenset[str] = frozenset()


Step = str | Others | _Item
Path = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """``value`` is what the keyword holds in a schema that judges the values at ``path``."""

    path: Path
    value: Any


@dataclass(frozen=True, slots=True)
class _MarkedPlace:
    """A subschema, the path of the values it judges, and where each subschema passed on the way was entered."""

    schema: Any
    path: Path
    above: Mapping[int, Path]


@dataclass
class _MarkCollector:
    told: list[Said] = field(default_factory=list)
    again: list[tuple[Path, Path]] = field(default_factory=list)
    """Where a schema comes back, and where it was entered first."""
    complete: bool = True


def said(schema: Any, keyword: str) -> tuple[Said, ...] | None:
    """Everything that a bundled ``schema`` says with ``keyword``; None where it cannot be followed to its end."""
    try:
        document = SchemaDocument(schema)
    except (SchemaError, RecursionError):
        return None
    found = _MarkCollector()
    seen: set[tuple[int, Path]] = set()
    waiting = [_MarkedPlace(schema, (), {})]
    for _ in range(_MOST_STEPS):
        if not waiting or not found.complete:
            break
        place = waiting.pop()
        if not isinstance(place.schema, dict):
            continue
        entered = place.above.get(id(place.schema))
        if entered is not None:
            found.again.append((place.path, entered))
        elif (id(place.schema), place.path) not in seen:
            seen.add((id(place.schema), place.path))
            if keyword in place.schema:
                found.told.append(Said(place.path, place.schema[keyword]))
            waiting.extend(_below(place, document, found))
    return _unrolled(found) if found.complete and not waiting else None


def _unrolled(found: _MarkCollector) -> tuple[Said, ...] | None:
    """What was told, and at each place where a schema comes back all that was told in it."""
    told = {(one.path, repr(one.value)): one for one in found.told}
    left, grown = _MOST_UNROLLED, bool(found.told)
    while grown:
        grown = False
        for path, entered in found.again:
            left -= len(told)
            if left < 0:
                return None
            for one in [one for one in told.values() if one.path[: len(entered)] == entered]:
                key = path, repr(one.value)
                if key not in told:
                    told[key] = Said(path, one.value)
                    grown = True
    return tuple(told.values())


def _below(place: _MarkedPlace, document: SchemaDocument, found: _MarkCollector) -> Iterator[_MarkedPlace]:
    above = {**place.above, id(place.schema): place.path}
    if len(above) > _DEEPEST:
        found.complete = False
        return
    try:
        for target in document.targets(place.schema):
            yield _MarkedPlace(target, place.path, above)
    except SchemaError:
        found.complete = False
    for name, step, schema, reach in children(place.schema, document.dialect):
        if reach is not Reach.NOWHERE or name == "contentSchema":
            yield _MarkedPlace(schema, place.path + _steps(place.schema, name, str(step[-1]), reach), above)


def _steps(schema: Mapping[str, Any], keyword: str, name: str, reach: Reach) -> Path:
    if reach is Reach.ITEM:
        return (ITEM,)
    if reach is not Reach.PROPERTY:
        return ()
    if keyword == "properties":
        return (name,)
    declared = schema.get("properties") if keyword == "additionalProperties" else None
    return (Others(frozenset(declared) if isinstance(declared, dict) else frozenset()),)
