"""Values of different types under one name, such as an id that is a number, and of one producer a text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from babelreg.analysis.sketch.kinds import seen_kinds
from babelreg.analysis.sketch.value_sketch import ValueSketch

_SHOWN = {
    "object": "an object",
    "array": "an array",
    "string": "a string",
    "number": "a number",
    "boolean": "a boolean",
}


def mixed_types(data: ValueSketch, tolerance: Fraction = Fraction(0)) -> Iterator[str]:
    """Yield a line for each property of ``data``, and below, whose values are of several types but for null.

    Types of a share of at most ``tolerance`` are exceptions, and left out.
    """
    waiting = [("", data)]
    while waiting:
        path, sketch = waiting.pop()
        kinds = {kind: count for kind, count in _kinds(sketch).items() if count > tolerance * sketch.count}
        if len(kinds) > 1:
            ordered = sorted(kinds.items(), key=lambda item: (-item[1], item[0]))
            counts = ", ".join(f"{_SHOWN[kind]} in {count:,}" for kind, count in ordered)
            yield f"{path or 'data'} is {counts} of {sketch.count:,} values: is one sender wrong?"
        if sketch.items is not None:
            waiting.append((f"{path}[]", sketch.items))
        if sketch.members is not None:
            properties = (sketch.members.properties or {}).items()
            waiting += [(f"{path}.{name}".removeprefix("."), item) for name, item in sorted(properties, reverse=True)]


def _kinds(sketch: ValueSketch) -> Counter[str]:
    counts = Counter[str]()
    for kind, count in seen_kinds(sketch).items():
        if kind != "null":
            counts["number" if kind in ("integer", "fraction") else kind] += count
    return counts
