"""Candidate arrays: empty, at the bounds, with candidates of each item, with duplicates, and for ``contains``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from babelreg.containment.search.conditions import settled
from babelreg.containment.search.node import Nodes, interleaved, nodes_below
from babelreg.containment.search.objects import CandidateSource
from babelreg.schema.applicators import item_list

_MAX_ITEMS = 220
_MAX_POSITIONS = 12


def arrays(search: CandidateSource, way: Nodes, hints: Nodes, depth: int) -> Iterator[list[Any]]:
    """Yield arrays that ``way`` allows and ``hints`` may refuse."""
    least = plainest(search, way, depth)
    yield least
    yield []
    yield from interleaved([_varied(search, way, hints, depth, least), _sized(search, way, hints, depth, least)])


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
            least += search.simplest((contained, *nodes_below(way, len(least))), depth + 1)
    wanted = max((node.count("minItems") for node in way), default=0)
    distinct = any(node.schema.get("uniqueItems") is True for node in way)
    return _filled(search, way, depth, least, wanted, distinct)


def _filled(
    search: CandidateSource, way: Nodes, depth: int, start: list[Any], wanted: int, distinct: bool
) -> list[Any]:
    items = list(start)
    while len(items) < min(wanted, _MAX_ITEMS):
        nodes = nodes_below(way, len(items))
        if distinct:
            offered: Iterator[Any] = search.values(nodes, (), depth + 1)
            more = next(([value] for value in offered if value not in items), [])
        else:
            more = search.simplest(nodes, depth + 1)
        if not more:
            break
        items += more
    return items


def _varied(search: CandidateSource, way: Nodes, hints: Nodes, depth: int, least: list[Any]) -> Iterator[list[Any]]:
    positions = range(min(max(len(least) + 1, _tuple_length(way), _tuple_length(hints) + 1), _MAX_POSITIONS))
    contained = tuple(c for hint in hints if (c := hint.one("contains")) is not None)

    def varied(index: int) -> Iterator[list[Any]]:
        before = _filled(search, way, depth, least[:index], index, False)
        if len(before) == index:
            inner, outer = nodes_below(way, index), nodes_below(hints, index) + contained
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


def _tuple_length(nodes: Nodes) -> int:
    lists = (node.schema.get(item_list(node.schema, node.side.dialect)[0]) for node in nodes)
    return max((len(listed) for listed in lists if isinstance(listed, list)), default=0)
