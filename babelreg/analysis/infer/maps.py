"""Objects whose names are data, such as numbers of articles: they are maps, and their values have one schema."""

from __future__ import annotations

from babelreg.analysis.sketch.value_sketch import ObjectSketch, ValueSketch

_LEAST_NAMES = 6
_LEAST_OBJECTS = 3


def is_map(sketch: ValueSketch, members: ObjectSketch) -> bool:
    """Return True where the objects of ``sketch`` are likely maps.

    Either their names are data, or there are several names, none in every object, few in each, with values of one type.
    """
    if not members.properties:
        return members.values is not None
    if len(members.properties) < _LEAST_NAMES or sketch.objects < _LEAST_OBJECTS:
        return False
    types = {kinds for item in members.properties.values() if (kinds := _types(item))}
    is_always_there = any(item.count == sketch.objects for item in members.properties.values())
    mean = sum(item.count for item in members.properties.values()) / sketch.objects
    return len(types) == 1 and not is_always_there and 2 * mean < len(members.properties)


def map_values(members: ObjectSketch) -> ValueSketch:
    """Return the sketch of all values of the maps."""
    if members.values is not None and not members.properties:
        return members.values
    values = ValueSketch(members.place.below(None))
    for item in (*(members.properties or {}).values(), *((members.values,) if members.values else ())):
        values.merge(item)
    values.hide_texts()
    return values


def _types(sketch: ValueSketch) -> frozenset[str]:
    counts = {
        "object": sketch.objects,
        "array": sketch.arrays,
        "string": sketch.strings,
        "number": sketch.integers + sketch.numbers,
        "boolean": sketch.booleans,
    }
    return frozenset(name for name, count in counts.items() if count)
