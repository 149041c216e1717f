"""Names that other subschemas describe for the values of a subschema: those beside it in ``allOf``, around a ``$ref``.

Such a property is not undeclared, even where the subschema is used without them: declared there too, it would refuse
values that were accepted in their company.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from babelreg.contract.views.instance_locations import Location, Locations
from babelreg.errors import SchemaError
from babelreg.schema.dialects import identify
from babelreg.schema.keywords import ADDITIONAL_PROPERTIES
from babelreg.schema.local_references import StrictReferences
from babelreg.schema.pointer import Pointer
from babelreg.schema.regex.matching import matches
from babelreg.schema.walk import walk


@dataclass
class DescribedNames:
    """Names and patterns of properties; ``every``: any name is described."""

    names: set[str] = field(default_factory=set)
    patterns: set[str] = field(default_factory=set)
    every: bool = False

    def __contains__(self, name: str) -> bool:
        return self.every or name in self.names or any(matches(pattern, name) for pattern in self.patterns)

    def add(self, other: DescribedNames) -> None:
        self.names |= other.names
        self.patterns |= other.patterns
        self.every |= other.every


def companions(root: Any) -> Iterator[tuple[Pointer, DescribedNames]]:
    """Yield the subschemas of the schema ``root`` that have companions, each with the names that these describe."""
    by_node: dict[int, DescribedNames] = {}
    dialect = identify(root)
    try:
        for location in _locations(Locations(StrictReferences(root, dialect)).root):
            _add(location, by_node)
    except SchemaError:  # beyond the bounds of the views
        yield from ((subschema.pointer, DescribedNames(every=True)) for subschema in walk(root))
        return
    if by_node:
        for subschema in walk(root):
            described = by_node.get(id(subschema.schema))
            if described is not None:
                yield subschema.pointer, described


def _locations(root: Location | None) -> Iterator[Location]:
    waiting, seen = [root], set[int]()
    while waiting:
        location = waiting.pop()
        if location is not None and id(location) not in seen:
            seen.add(id(location))
            yield location
            waiting += [location.at(step) for step in location.steps]


def _add(location: Location, by_node: dict[int, DescribedNames]) -> None:
    if len(location.nodes) == 1:
        return
    described = {id(node.schema): _described(node.schema) for node in location.nodes}
    for own in described:
        names = by_node.setdefault(own, DescribedNames())
        for other, others in described.items():
            if other != own:
                names.add(others)


def _described(schema: dict[str, Any]) -> DescribedNames:
    names, patterns = schema.get("properties"), schema.get("patternProperties")
    every = any(word in schema and schema[word] is not False for word in ADDITIONAL_PROPERTIES)
    return DescribedNames(set(names or ()), set(patterns or ()), every)
