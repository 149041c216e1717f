"""The keywords that leave a verdict unknown: those whose change is not decided by itself.

Each keyword that differs is compared alone: the subschema of the writing side with that keyword of the reading side,
and with those that it depends on. What is proved then needs no rewriting; what is left is named, with its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from babelreg.containment.bare_schema import bare
from babelreg.containment.certificates.core_schemas import GROUPS
from babelreg.containment.certificates.proof import prove
from babelreg.containment.compiled_schemas import CompiledSchemas
from babelreg.containment.schema_diff import Difference
from babelreg.schema import pointer as pointers
from babelreg.schema.dialects import Dialect
from babelreg.schema.keywords import DEFINITIONS
from babelreg.schema.pointer import Pointer
from babelreg.schema.values import mappings

_MOST_PROOFS = 16
_STEPS_OF_A_PROOF = 2_000
_MOST_PROVED = 20_000
"""Mappings in all the parts that are compared: an unknown verdict on a huge schema is not explained at any cost."""
_GROUPS = {
    **GROUPS,
    **dict.fromkeys(("additionalItems", "unevaluatedItems"), "items"),
    "unevaluatedProperties": "properties",
}


class Undecided(NamedTuple):
    """A keyword that could not be decided, at ``place`` in a document and in the two schemas."""

    keyword: str
    place: Pointer
    old: Pointer
    new: Pointer


def dependent_keywords(keyword: str) -> frozenset[str]:
    """Return ``keyword`` and those without which it means something else."""
    group = _GROUPS.get(keyword, keyword)
    return frozenset({group, *(name for name, other in _GROUPS.items() if other == group)})


def undecided(schemas: CompiledSchemas, *, backward: bool) -> list[Undecided]:
    """Return the keywords that could not be decided, the innermost first; a few at most."""
    left = []
    mappings_left = _MOST_PROVED
    for difference, keyword in islice(_keywords(schemas.differences), _MOST_PROOFS):
        sides = ((schemas.written["old"], difference.old), (schemas.written["new"], difference.new))
        (sending, at), (reading, there) = sides if backward else sides[::-1]
        inner, outer = _subschema(sending, at), _subschema(reading, there)
        if inner is None or outer is None:
            continue
        kept = dependent_keywords(keyword)
        part = {name: value for name, value in outer.items() if name in kept or name in (*DEFINITIONS, "$schema")}
        mappings_left -= sum(1 for schema in (inner, part) for _ in mappings(schema))
        if mappings_left < 0 or not _is_proved(inner, part, schemas.case.dialect, formats=schemas.case.formats):
            left.append(Undecided(keyword, difference.place, difference.old, difference.new))
    return left


def _keywords(differences: Sequence[Difference]) -> Iterator[tuple[Difference, str]]:
    for difference in sorted(differences, key=lambda each: -len(each.place)):
        by_group: dict[frozenset[str], str] = {}
        for keyword in difference.keywords:
            by_group.setdefault(dependent_keywords(keyword), keyword)
        yield from ((difference, keyword) for keyword in by_group.values())


def _subschema(schema: Any, pointer: Pointer) -> dict[str, Any] | None:
    """Return the subschema at ``pointer`` with the definitions that it may refer to; None where it is not a mapping."""
    try:
        part = pointers.find(schema, pointer)
    except KeyError:
        return None
    if not isinstance(part, dict):
        return None
    return {**{key: schema[key] for key in (*DEFINITIONS, "$schema") if key in schema}, **part}


def _is_proved(inner: Any, outer: Any, dialect: Dialect, *, formats: bool) -> bool:
    sides = [bare(schema, dialect, formats=formats, asserted=True) for schema in (inner, outer)]
    proof = prove(sides[0], sides[1], dialect.name, formats=formats, steps=_STEPS_OF_A_PROOF)
    return proof is not None and "ecma" in proof.readings
