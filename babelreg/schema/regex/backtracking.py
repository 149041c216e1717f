"""Loops of a pattern that take a backtracking engine exponential time.

Such a loop is found where its body matches runs of one character in two lengths, or one run in two ways: ``(a+)+``,
``(a|aa)*``, ``(\\w|\\d)*``. Then a run of n such characters can be split among the rounds in exponentially many ways,
and all of them are tried where the rest does not match. Loops that are slow for other reasons are not found.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.schema.regex.parser import (
    LAST,
    Alternatives,
    Chars,
    Node,
    Regex,
    Repeat,
    Sequence,
    Zero,
)

MANY = 25
"""With two ways each, this many rounds take practically for ever."""

_LONGEST = 4  # characters of a run that are looked at; two lengths show early
_MOST_SAMPLES = 48

Ways = tuple[int, ...]
_ZERO: Ways = (0,) * (_LONGEST + 1)
_EMPTY: Ways = (1, *_ZERO[1:])
_ONE: Ways = (0, 1, *_ZERO[2:])


def explosion(regex: Regex, steps: int) -> tuple[tuple[Repeat, str] | None, int]:
    """Return an exponential loop with the character whose long runs trigger it, or None; and the remaining steps.

    ``steps`` bounds the work. Loops beyond it are not examined.
    """
    node = regex.node
    if node is None:
        return None, steps
    for loop in _loops(node, failing=False):
        if isinstance(loop.body, Chars):
            continue
        samples = _samples(loop.body)
        cost = len(samples) * sum(1 for _ in _nodes(loop.body))
        if cost > steps:
            return None, steps
        steps -= cost
        for code in samples:
            ways = _ways(loop.body, code)
            if sum(1 for n in ways[1:] if n) > 1 or max(ways[1:]) > 1:
                return (loop, chr(code)), steps
    return None, steps


def _nodes(node: Node) -> Iterator[Node]:
    yield node
    for child in _below(node):
        yield from _nodes(child)


def _below(node: Node) -> tuple[Node, ...]:
    if isinstance(node, Sequence):
        return node.items
    if isinstance(node, Alternatives):
        return node.branches
    return (node.body,) if isinstance(node, Repeat) else ()


def _loops(node: Node, *, failing: bool) -> Iterator[Repeat]:
    """Yield the loops of many rounds. ``failing``: the rest may fail; otherwise an engine never backtracks."""
    if isinstance(node, Sequence):
        for index, item in enumerate(node.items):
            after = failing or any(_may_fail(later) for later in node.items[index + 1 :])
            yield from _loops(item, failing=after)
    elif isinstance(node, Repeat):
        if failing and (node.high is None or node.high >= MANY):
            yield node
        yield from _loops(node.body, failing=failing)
    else:
        for child in _below(node):
            yield from _loops(child, failing=failing)


def _may_fail(node: Node) -> bool:
    """Return True for a node that does not match everywhere."""
    if isinstance(node, Chars | Zero):
        return True
    if isinstance(node, Repeat):
        return node.low > 0 and _may_fail(node.body)
    if isinstance(node, Alternatives):
        return all(map(_may_fail, node.branches))
    return any(map(_may_fail, node.items))


def _samples(body: Node) -> list[int]:
    """Return characters to try: the ends of the sets of the body, except of a set of all characters."""
    sets = [node.ranges for node in _nodes(body) if isinstance(node, Chars) and node.ranges != ((0, LAST),)]
    return list(dict.fromkeys(code for ranges in sets for span in ranges for code in span))[:_MOST_SAMPLES]


def _ways(node: Node, code: int) -> Ways:
    """Return in how many ways ``node`` matches the character ``code`` 0, 1, 2, ... times."""
    if isinstance(node, Chars):
        return _ONE if any(low <= code <= high for low, high in node.ranges) else _ZERO
    if isinstance(node, Zero):
        return _ZERO  # an anchor in a loop: what it does there is not certain
    if isinstance(node, Sequence):
        ways = _EMPTY
        for item in node.items:
            ways = _after(ways, _ways(item, code))
        return ways
    if isinstance(node, Alternatives):
        return tuple(min(sum(n), 9) for n in zip(*(_ways(branch, code) for branch in node.branches), strict=True))
    return _rounds(_ways(node.body, code), node.low, node.high)


def _after(one: Ways, other: Ways) -> Ways:
    if one is _EMPTY or other is _ZERO:
        return other
    if one is _ZERO:
        return one
    return tuple(min(sum(one[i] * other[n - i] for i in range(n + 1)), 9) for n in range(_LONGEST + 1))


def _rounds(body: Ways, low: int, high: int | None) -> Ways:
    """Engines leave a loop when a round takes nothing, so an empty round counts for reaching ``low`` alone."""
    if body is _ZERO:
        return _EMPTY if low == 0 else _ZERO
    if body is _ONE:
        return tuple(int(low <= n and (high is None or n <= high)) for n in range(_LONGEST + 1))
    taking = (0, *body[1:])
    total, power = _ZERO, _EMPTY
    for count in range(min(high if high is not None else _LONGEST, _LONGEST) + 1):
        if count >= low or body[0]:
            total = tuple(min(a + b, 9) for a, b in zip(total, power, strict=True))
        power = _after(power, taking)
    return total
