"""Narrower descriptions of the values of a property than its schema has: comments, never edits.

Whether that is so by accident, only the owner knows. A comment has no counts, so that it stays as it is from one day to
the next; what a later day refutes is taken out of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from babelreg.analysis.infer.schema import Decisions
from babelreg.analysis.infer.written_places import WrittenPlace
from babelreg.analysis.sketch.text_detection import FORMATS
from babelreg.analysis.sketch.value_sketch import ValueSketch
from babelreg.schema.keywords import BRANCHES, DEPENDENT
from babelreg.schema.pointer import Pointer
from babelreg.schema.types import declared_types

_IN_PLACE = BRANCHES | {"$ref"}
_TELLING = _IN_PLACE | {"const", "enum"}
"""Keywords beside which a type says little."""


@dataclass(frozen=True, slots=True)
class Narrowing:
    """Facts on the values of the property at ``pointer`` of the file ``path``: those seen, and those ``refuted``."""

    path: str
    pointer: Pointer
    seen: tuple[str, ...]
    refuted: frozenset[str]


def narrowings(place: WrittenPlace, written: Any, decisions: Decisions) -> Iterator[Narrowing]:
    """Yield facts on the properties that ``written`` declares, the subschema at ``place`` as the file has it."""
    members = place.values.members
    if not isinstance(written, dict) or members is None or members.properties is None or place.is_accompanied:
        return
    properties = written.get("properties")
    if not isinstance(properties, dict) or not (_IN_PLACE | {*DEPENDENT}).isdisjoint(written):
        return
    required = written.get("required", ())
    objects = place.values.objects
    for name, schema in properties.items():
        if name in place.described or members.place.judgement.is_data_name(name):
            continue
        item = members.properties.get(name) or ValueSketch(members.place)
        facts = dict(_facts(item, schema, decisions)) if item.count else {}
        if name not in required:
            facts["always there"] = _certain(item.count == objects, objects >= decisions.required_from)
        seen = tuple(sorted(fact for fact, answer in facts.items() if answer))
        refuted = frozenset(fact for fact, answer in facts.items() if answer is False)
        if seen or refuted:
            yield Narrowing(place.path, (*place.pointer, "properties", name), seen, refuted)


def _facts(sketch: ValueSketch, schema: Any, decisions: Decisions) -> Iterator[tuple[str, bool | None]]:
    """Yield facts, each with its answer: None where too few values were seen."""
    types = declared_types(schema)
    if types is None or not _TELLING.isdisjoint(schema):
        return
    is_often = sketch.count >= decisions.required_from
    if "null" in types and len(types) > 1:
        yield "never null", _certain(not sketch.nulls, is_often)
    if "number" in types and "integer" not in types:
        yield "always an integer", _certain(not sketch.numbers, sketch.integers >= decisions.required_from)
    if "string" in types and schema.keys().isdisjoint({"format", "pattern"}):
        for index, name in enumerate(FORMATS):
            if sketch.strings:
                has = bool(sketch.formats & (1 << index))
                yield f"always of the format {name}", _certain(has, sketch.strings >= decisions.format_from)


def _certain(holds: bool, is_often: bool) -> bool | None:
    """Return False for what does not hold, and None for what holds for too few values."""
    return None if holds and not is_often else holds
