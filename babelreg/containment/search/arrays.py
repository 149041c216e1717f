"""Candidate arrays: empty, at the bounds, with candidates of each item, with duplicates, and for ``contains``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from babelreg.containment.search.alternatives import distinct
from babelreg.containment.search.conditions import settled
from babelreg.containment.search.node import Nodes, SearchNode, interleaved
from babelreg.containment.search.objects import CandidateSource
from babelreg.schema.applicators import applied_to_item, item_list

_MAX_ITEMS = 220
_MAX_POSITIONS = 12


def arrays(search: CandidateSource, way: Nodes, hints: Nodes, depth: int) -> Iterator[list[Any]]:
    """Yield arrays that ``way`` allows and ``hints`` may refuse."""
    least = plainest(search, way, depth)
    yield least
    yield []
    yield from interleaved(
        [
            _varied(search, way, hints, depth, least),
            _sized(search, way, hints, depth, least),
            _repeated(search, way, hints, depth),
        ]
    )


def item_nodes(nodes: Nodes, index: int) -> Nodes:
    """Return the subschemas that apply to the item at ``index``, in either spelling of tuples."""
    declared: list[SearchNode] = []
    unevaluated: list[SearchNode] = []
    for node in nodes:
        applied = applied_to_item(node.schema, index, node.side.dialect)
        first = next((steps for steps, schema in applied if isinstance(schema, (dict, bool))), ("contains",))
        if first != ("contains",):
            (unevaluated if first == ("unevaluatedItems",) else declared).append(node.at(*first))
    # An item that another subschema of the same array applies to is evaluated.
    return distinct(declared or unevaluated)


def plainest(search: CandidateSource, way: Nodes, depth: int) -> list[Any]:
    """Return an array with the minimum number of items, each as simple as possible."""
    return settled(lambda settling: _least(search, settling, depth), way)


def _least(search: CandidateSource, way: Nodes, depth: int) -> list[Any]:
    least: list[Any] = []
    for node in way:
        contained = node.one("contains")
        if contained is None:
            continue
        wanted = node.count("minContains", 1)
        for _ in range(min(wanted, 20)):
            least += _simplest(search, (contained, *item_nodes(way, len(least))), depth)
    wanted = max((node.count("minItems") for node in way), default=0)
    distinct = any(node.schema.get("uniqueItems") is True for node in way)
    return _filled(search, way, depth, least, wanted, distinct)


def _filled(
    search: CandidateSource, way: Nodes, depth: int, start: list[Any], wanted: int, distinct: bool
) -> list[Any]:
    items = list(start)
    while len(items) < min(wanted, _MAX_ITEMS):
        nodes = item_nodes(way, len(items))
        if distinct:
            offered: Iterator[Any] = search.values(nodes, (), depth + 1)
            more = next(([value] for value in offered if value not in items), [])
        else:
            more = _simplest(search, nodes, depth)
        if not more:
            break
        items += more
    return items


def _simplest(search: CandidateSource, nodes: Nodes, depth: int) -> list[Any]:
    try:
        return [search.simplest(nodes, depth + 1) if nodes else 1]
    except LookupError:
        return []


def _varied(search: CandidateSource, way: Nodes, hints: Nodes, depth: int, least: list[Any]) -> Iterator[list[Any]]:
    positions = range(min(max(len(least) + 1, _tuple_length(way), _tuple_length(hints) + 1), _MAX_POSITIONS))
    contained = tuple(c for hint in hints if (c := hint.one("contains")) is not None)

    def varied(index: int) -> Iterator[list[Any]]:
        before = _filled(search, way, depth, least[:index], index, False)
        if len(before) == index:
            inner, outer = item_nodes(way, index), item_nodes(hints, index) + contained
            yield from ([*before, value, *least[index + 1 :]] for value in search.values(inner, outer, depth + 1))

    yield from interleaved(map(varied, positions))


def _sized(search: CandidateSource, way: Nodes, hints: Nodes, depth: int, least: list[Any]) -> Iterator[list[Any]]:
    wanted = [2, 3]
    for hint in hints:
        for keyword, offset in (("maxItems", 1), ("minItems", -1), ("maxContains", 1), ("minContains", -1)):
            if keyword in hint.schema:
                wanted.append(hint.count(keyword) + offset)
    distinct = any(node.schema.get("uniqueItems") is True for node in way)
    for length in dict.fromkeys(wanted):
        if length >= 0:
            yield _filled(search, way, depth, least[:length], length, distinct)


def _repeated(search: CandidateSource, way: Nodes, hints: Nodes, depth: int) -> Iterator[list[Any]]:
    """Yield arrays of one repeated item, for ``uniqueItems`` and the counts of ``contains``."""
    contained = tuple(c for hint in hints if (c := hint.one("contains")) is not None)
    counts = [h.count("maxContains") + 1 for h in hints if "maxContains" in h.schema]
    for value in islice(search.values(item_nodes(way, 0), contained, depth + 1), 6):
        yield [value, value]
    for nodes in [(*item_nodes(way, 0), c) for c in contained]:
        for value in islice(search.values(nodes, (), depth + 1), 2):
            yield from ([value] * count for count in counts if count <= _MAX_ITEMS)


def _tuple_length(nodes: Nodes) -> int:
    lists = (node.schema.get(item_list(node.schema, node.side.dialect)[0]) for node in nodes)
    return max((len(listed) for listed in lists if isinstance(listed, list)), default=0)
