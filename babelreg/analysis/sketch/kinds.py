"""Kinds of the values in a sketch: their counts, and the part of a sketch that some kinds are."""

from __future__ import annotations

from babelreg.analysis.sketch.trait import Trait
from babelreg.analysis.sketch.value_sketch import ValueSketch


def seen_kinds(sketch: ValueSketch) -> dict[str, int]:
    """Return the count of values by kind. Numbers with an exponent or a fraction are fractions unless all are whole."""
    counts = {
        "object": sketch.objects,
        "array": sketch.arrays,
        "string": sketch.strings,
        "integer": sketch.integers,
        "boolean": sketch.booleans,
        "null": sketch.nulls,
    }
    if sketch.numbers:
        counts["fraction" if sketch.traits & Trait.FRACTION else "integer"] = sketch.numbers + (
            0 if sketch.traits & Trait.FRACTION else sketch.integers
        )
    return {name: count for name, count in counts.items() if count}


def of_kinds(sketch: ValueSketch, kinds: frozenset[str]) -> ValueSketch:
    """Return the sketch of the values that are of one of ``kinds``; it shares what is below with ``sketch``."""
    if seen_kinds(sketch).keys() <= kinds:
        return sketch
    part = ValueSketch(sketch.place)
    for name in ValueSketch.__slots__:
        setattr(part, name, getattr(sketch, name))
    zeroed = {"object": "objects", "array": "arrays", "string": "strings", "boolean": "booleans", "null": "nulls"}
    for kind, name in zeroed.items():
        if kind not in kinds:
            setattr(part, name, 0)
    if "integer" not in kinds:
        part.integers = 0
    if ("fraction" if sketch.traits & Trait.FRACTION else "integer") not in kinds:
        part.numbers = 0
    if "object" not in kinds:
        part.members = None
    if "array" not in kinds:
        part.items = None
    if "string" not in kinds:
        part.texts, part.formats, part.personal = {}, ValueSketch(sketch.place).formats, {}
        part.traits &= ~Trait.NO_URI
    if not part.integers and not part.numbers:
        part.traits &= Trait.NO_URI
    return part
