"""Candidate objects: with and without each property, with candidates of each, and with undeclared properties."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from types import MappingProxyType
from typing import Any, Protocol

from babelreg.containment.search.conditions import settled
from babelreg.containment.search.node import Nodes, interleaved, nodes_below
from babelreg.containment.search.strings import strings
from babelreg.schema.keywords import DEPENDENT
from babelreg.schema.regex.samples import samples

_MAX_PROPERTIES = 400
_MAX_PADDING = 60
_MAX_NAMES = 24
_MAX_FIXED = 8
_NAMES_OF_A_STEP = 16
"""Subschemas that are asked for one name each, for the cost of one value."""
_NODES_OF_A_STEP = 8
"""Subschemas that are asked for one required name, for the cost of one value."""
_EXTRA = "zz_x"
EXTRA_VALUES: tuple[Any, ...] = (1, "", None, {}, [], 0.5, True)


class CandidateSource(Protocol):
    """Interface of the search for the parts of objects and arrays."""

    def values(self, inner: Nodes, outer: Nodes, depth: int) -> Iterator[Any]: ...

    def simplest(self, inner: Nodes, depth: int) -> list[Any]: ...

    def spend(self, steps: int) -> None: ...


def objects(search: CandidateSource, way: Nodes, hints: Nodes, depth: int) -> Iterator[dict[str, Any]]:
    """Yield objects that ``way`` allows and ``hints`` may refuse."""
    least = plainest(search, way, depth)
    yield least  # before the others are prepared: most places need just this one
    names = _names(way, hints)
    full = dict(least)
    listed = {name for node in way for name in node.mapping("properties")}
    listed |= {name for node in hints for keyword in DEPENDENT for name in node.mapping(keyword)}
    search.spend((len(way) + len(hints)) * len(names) // _NAMES_OF_A_STEP)
    for name in names:
        if name in listed and name not in full:
            _filled(search, full, name, nodes_below(way, name), depth)
    if any(not node.schema.keys().isdisjoint(DEPENDENT) for node in way):
        full = plainest(search, way, depth, full)
    if full.keys() != least.keys():
        yield full
    yield {}

    def varied(name: str, inner: Nodes, outer: Nodes) -> Iterator[dict[str, Any]]:
        for number, value in enumerate(search.values(inner, outer, depth + 1)):
            yield {**least, name: value}
            if number < 2 and full.keys() - {name} != least.keys() - {name}:
                yield {**full, name: value}

    groups: dict[int, list[Iterator[dict[str, Any]]]] = {0: [], 1: [], 2: []}
    for name in names:
        inner, outer = nodes_below(way, name), nodes_below(hints, name)
        groups[_rank(inner, outer)].append(varied(name, inner, outer))
    extras = _extras(search, way, hints, depth, least)
    yield from interleaved([interleaved(groups[0]), extras, _padded(search, way, hints, depth, least)])
    yield from interleaved(groups[1])
    yield from ({k: v for k, v in full.items() if k != name} for name in full if name not in least)
    yield from interleaved(groups[2])


def _rank(inner: Nodes, outer: Nodes) -> int:
    """Return 0 for a difference as written, 1 where a reference may hide one, 2 where nothing differs."""
    if [node.schema for node in inner] != [node.schema for node in outer]:
        return 0
    return 1 if any("$ref" in str(node.schema) for node in inner) else 2


def _names(way: Nodes, hints: Nodes) -> list[str]:
    nodes = (*way, *hints)
    required = [name for node in nodes for name in node.required()]
    listed = [name for node in nodes for keyword in ("properties", *DEPENDENT) for name in node.mapping(keyword)]
    return list(dict.fromkeys(required + listed))[:_MAX_PROPERTIES]


def plainest(
    search: CandidateSource, way: Nodes, depth: int, given: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, Any]:
    """Return an object with the properties ``given``, the required ones, and those that these require in turn."""
    return settled(lambda settling: _least(search, settling, depth, given), way)


def _least(search: CandidateSource, way: Nodes, depth: int, given: Mapping[str, Any]) -> dict[str, Any]:
    least = dict(given)
    waiting = [*given, *(name for node in way for name in node.required())]
    dependent = [node.mapping(keyword) for node in way for keyword in ("dependentRequired", "dependencies")]
    rules = [mapping for mapping in dependent if mapping]
    seen: set[str] = set()
    while waiting and len(seen) <= _MAX_PROPERTIES:
        name = waiting.pop(0)
        if name in seen:
            continue
        seen.add(name)
        search.spend(len(way) // _NODES_OF_A_STEP)
        if name not in given:
            _filled(search, least, name, nodes_below(way, name), depth)
        for mapping in rules:
            more = mapping.get(name)
            waiting += [n for n in more if isinstance(n, str)] if isinstance(more, list) else []
    wanted = max((node.count("minProperties") for node in way), default=0)
    names = _open_names(way)
    while len(least) < min(wanted, _MAX_PADDING):
        name = next(names)
        if not _filled(search, least, name, nodes_below(way, name), depth):
            break
    return least


def fixed(search: CandidateSource, way: Nodes, depth: int) -> dict[str, Any]:
    """Return the properties that have one value only: these often tell the branches of a union apart."""
    listed = (item for node in way for item in node.mapping("properties").items())
    names = dict.fromkeys(name for name, schema in listed if isinstance(schema, dict) and _is_fixed(schema))
    values: dict[str, Any] = {}
    for name in islice(names, _MAX_FIXED):
        _filled(search, values, name, nodes_below(way, name), depth)
    return values


def _is_fixed(schema: dict[str, Any]) -> bool:
    return "const" in schema or (isinstance(schema.get("enum"), list) and len(schema["enum"]) == 1)


def _filled(search: CandidateSource, target: dict[str, Any], name: str, nodes: Nodes, depth: int) -> bool:
    found = search.simplest(nodes, depth + 1)
    if found:
        target[name] = found[0]
    return bool(found)


def _open_names(way: Nodes) -> Iterator[str]:
    """Yield names to pad an object with: listed ones, ones that match a pattern, then any."""
    for node in way:
        yield from node.mapping("properties")
        for pattern in node.mapping("patternProperties"):
            yield from samples(pattern)
    for number in range(10 * _MAX_PADDING):
        yield f"x{number}"


def _extras(
    search: CandidateSource, way: Nodes, hints: Nodes, depth: int, least: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield objects with a property that one of the sides does not list."""

    def added(name: str) -> Iterator[dict[str, Any]]:
        inner, outer = nodes_below(way, name), nodes_below(hints, name)
        values = search.values(inner, outer, depth + 1) if inner or outer else iter(EXTRA_VALUES)
        return ({**least, name: value} for value in values)

    yield from interleaved(map(added, some_names(search, way, hints, depth)))


def some_names(search: CandidateSource, way: Nodes, hints: Nodes, depth: int) -> list[str]:
    """Return names that neither side lists, or that match one of their patterns."""
    names: dict[str, None] = {_EXTRA: None}
    naming = [tuple(below for node in nodes if (below := node.one("propertyNames"))) for nodes in (way, hints)]
    if naming[0]:
        offered = islice(search.values(naming[0], naming[1], depth + 1), _MAX_NAMES // 2)
        names.update({name: None for name in offered if isinstance(name, str)})
    for pattern in (pattern for node in (*way, *hints) for pattern in node.mapping("patternProperties")):
        if len(names) < _MAX_NAMES:
            names.update(dict.fromkeys(samples(pattern)[:3]))
    mappings = (tuple(node for node in nodes if isinstance(node.schema, dict)) for nodes in naming)
    names.update(dict.fromkeys(islice(strings(*mappings), _MAX_NAMES // 2)) if any(naming) else ())
    return list(names | dict.fromkeys(("", "a", "A", "1")))[:_MAX_NAMES]


def _padded(
    search: CandidateSource, way: Nodes, hints: Nodes, depth: int, least: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield objects with one property too many or too few for a bound of the other side."""
    bounds = [n.count(k) + d for n in hints for k, d in (("maxProperties", 1), ("minProperties", -1))
              if k in n.schema]  # fmt: skip
    for wanted in dict.fromkeys(bounds):
        padded = dict(least)
        for name in _open_names(way):
            if len(padded) >= min(wanted, _MAX_PADDING):
                break
            if name not in padded:
                _filled(search, padded, name, nodes_below(way, name), depth)
        yield padded
