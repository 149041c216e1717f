"""Conditions of a candidate: branches of ``if``, and dependent schemas, that it must satisfy as it happens to be.

Alternatives take each condition as met or leave it open. The simplest value of an alternative may meet a condition that
was left open, as the first value of an ``enum`` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from babelreg.containment.search.alternatives import Alternative, alternatives
from babelreg.containment.search.node import SearchNode, allowed, distinct
from babelreg.schema.keywords import DEPENDENT

_MAX_ROUNDS = 8
_BY_PROPERTY = DEPENDENT[:2]

T = TypeVar("T")


def settled(build: Callable[[Alternative], T], way: Alternative) -> T:
    """Return what ``build`` makes of ``way``, and of the branches that the conditions among these demand of it."""
    value = build(way)
    for _ in range(_MAX_ROUNDS):
        missing = [node for branch in _missed(way, value) for node in next(iter(alternatives((branch,))), ())]
        if not missing:
            break
        way = distinct((*way, *missing))
        value = build(way)
    return value


def _missed(way: Alternative, value: object) -> Iterator[SearchNode]:
    for node in way:
        condition = node.one("if")
        if condition is not None:
            branch = node.one("then" if allowed(condition.validator, value) else "else")
            if branch is not None and not allowed(branch.validator, value):
                yield branch
        yield from (branch for branch in _demanded(node, value) if not allowed(branch.validator, value))


def _demanded(node: SearchNode, value: object) -> Iterator[SearchNode]:
    for keyword in _BY_PROPERTY:
        branches = node.schema.get(keyword)
        if isinstance(branches, dict) and isinstance(value, dict):
            named = (node.at(keyword, name) for name in branches if name in value)
            yield from (branch for branch in named if isinstance(branch.schema, dict))
