"""Annotations: everything a schema says with one keyword about the values of a message, by the path of each value.

Everything counts that may speak of the value: every branch, whether or not a document takes it; conditions; references
as far as they lead; what holds for all names or items; a property name and the inside of a text speak of the value
around them. So no annotation is missed, and some may be taken for more values than meant: right for a mark of personal
data, and not for a rule. A schema that contains itself is followed once; at the path where it comes back,
:func:`annotated` repeats all that is said anywhere in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from babelreg.errors import SchemaError
from babelreg.schema.dialects import SENSITIVITY, Reach, identify
from babelreg.schema.field_path import EACH, Step
from babelreg.schema.local_references import LocalReferences
from babelreg.schema.pointer import Pointer
from babelreg.schema.walk import children

_MOST_STEPS = 50_000
_MOST_REPEATED = 1_000_000
_DEEPEST = 400
_SPEAKING = frozenset(Reach) - {Reach.NOWHERE}
_HELD = frozenset({Reach.IN_PLACE, Reach.PROPERTY, Reach.ITEM})


@dataclass(frozen=True, slots=True)
class Others:
    """The step to every property of an object but those ``named``."""

    named: frozenset[str] = frozenset()


Path = tuple[Step | Others, ...]


@dataclass(frozen=True, slots=True)
class Annotation:
    """``value`` is that of the keyword in a schema that applies to the values at ``path``.

    ``pointer`` leads to that schema by the way it was first reached. It does not count when annotations are compared.
    """

    path: Path
    value: Any
    pointer: Pointer = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class _Visit:
    """A subschema, where it is, the path of its values, and the path at which each schema above it was entered."""

    schema: Any
    pointer: Pointer
    path: Path
    above: Mapping[int, Path]


@dataclass
class _Collector:
    """``recursions`` are the paths where a schema comes back, each with the path where it was entered first."""

    reaches: frozenset[Reach]
    found: list[Annotation] = field(default_factory=list)
    recursions: list[tuple[Path, Path]] = field(default_factory=list)
    complete: bool = True


def annotated(schema: Any, keyword: str) -> tuple[Annotation, ...] | None:
    """Return every annotation of a bundled ``schema`` by ``keyword``; None where it cannot be followed to its end."""
    collected = _collected(schema, keyword)
    return _with_recursions(collected) if collected.complete else None


def written_annotations(schema: Any, keyword: str) -> tuple[list[Annotation], bool]:
    """Return the annotations of what a message may hold, each once; and False where the schema goes on for too long.

    Conditions, property names and the inside of texts are not what a message holds.
    """
    collected = _collected(schema, keyword, _HELD)
    return collected.found, collected.complete


def _collected(schema: Any, keyword: str, reaches: frozenset[Reach] = _SPEAKING) -> _Collector:
    collector = _Collector(reaches)
    try:
        references = LocalReferences(schema, identify(schema))
    except SchemaError:
        collector.complete = False
        return collector
    seen: set[tuple[int, Path]] = set()
    waiting = [_Visit(schema, (), (), {})]
    for _ in range(_MOST_STEPS):
        if not waiting:
            break
        visit = waiting.pop()
        if not isinstance(visit.schema, dict):
            continue
        entered = visit.above.get(id(visit.schema))
        if entered is not None:
            collector.recursions.append((visit.path, entered))
        elif (id(visit.schema), visit.path) not in seen:
            seen.add((id(visit.schema), visit.path))
            ignored = references.dialect.only_refers(visit.schema) and keyword != SENSITIVITY
            if keyword in visit.schema and not ignored:
                collector.found.append(Annotation(visit.path, visit.schema[keyword], visit.pointer))
            waiting.extend(_below(visit, references, collector))
    collector.complete = collector.complete and not waiting
    return collector


def _with_recursions(collector: _Collector) -> tuple[Annotation, ...] | None:
    """Return what was found, and at each path where a schema comes back all that was found in it."""
    found = {(item.path, repr(item.value)): item for item in collector.found}
    budget, grown = _MOST_REPEATED, bool(found)
    while grown:
        grown = False
        for path, entered in collector.recursions:
            budget -= len(found)
            if budget < 0:
                return None
            for item in [item for item in found.values() if item.path[: len(entered)] == entered]:
                key = path, repr(item.value)
                if key not in found:
                    found[key] = Annotation(path, item.value, item.pointer)
                    grown = True
    return tuple(found.values())


def _below(visit: _Visit, references: LocalReferences, collector: _Collector) -> Iterator[_Visit]:
    above = {**visit.above, id(visit.schema): visit.path}
    if len(above) > _DEEPEST:
        collector.complete = False
        return
    for target in references.targets(visit.schema):
        if target is None:
            collector.complete = False
        else:
            yield _Visit(target[1], target[0], visit.path, above)
    for name, step, schema, reach in children(visit.schema, references.dialect):
        if reach in collector.reaches or (name == "contentSchema" and Reach.NAME in collector.reaches):
            path = visit.path + _steps(visit.schema, name, str(step[-1]), reach)
            yield _Visit(schema, visit.pointer + step, path, above)


def _steps(schema: Mapping[str, Any], keyword: str, name: str, reach: Reach) -> Path:
    if reach is Reach.ITEM:
        return (EACH,)
    if reach is not Reach.PROPERTY:
        return ()
    if keyword == "properties":
        return (name,)
    declared = schema.get("properties") if keyword == "additionalProperties" else None
    return (Others(frozenset(declared) if isinstance(declared, dict) else frozenset()),)
