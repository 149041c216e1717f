"""Finite automata of patterns: whether a string matches all of some patterns and none of others.

Patterns have the meaning of ECMA-262, as jsonschema-rs implements it, and match anywhere in the string. Python's
reading of a pattern is translated beforehand (:mod:`babelreg.schema.regex.python_to_ecma`). A pattern outside the
common subset (look-around, back-references, ``\\b``, ``\\p``, anchors in the middle) is not read at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Items
from functools import lru_cache
from typing import Any

from babelreg.breaking.containment.certificates.pattern_tables import Automaton, PatternReader, Product
from babelreg.breaking.containment.proof.derivation import PatternLemma
from babelreg.schema.regex.code_points import (
    CodePoints,
    Partition,
    complement,
    single,
)
from babelreg.schema.regex.parser import Alternatives, Chars, Node, Repeat, Sequence, Zero, parse
from babelreg.schema.regex.python_to_ecma import ECMA, read_as

__all__ = ["lemma_holds", "matches", "no_string_left"]

_MAX_POSITIONS = 250
_MAX_REPEATS = 100
_MAX_STATES = 300
_MAX_PAIRS = 20_000
"""States of two automata whose intersection or difference is built."""
_MAX_CHARACTERS = 100_000
"""Written out, a class of Python has thousands of characters."""
_EVERY = complement(())
_FIRST_SYMBOL = 0x4E00  # ideographs: none of them means anything to the parser of automata

_Pieces = tuple[str | CodePoints, ...]
"""A pattern anchored at both ends: syntax, and in between the set of characters allowed at each position."""


def lemma_holds(lemma: PatternLemma) -> bool:
    """Return True if the claim surely holds. A pattern that cannot be read is left out."""
    matching, none_of = (
        [read for pattern, reading in patterns if (read := read_as(pattern, reading)) is not None]
        for patterns in (lemma.matching, lemma.none_of)
    )
    return no_string_left(matching, none_of, lemma.least, lemma.most, but=lemma.but)


def no_string_left(
    matching: Items[str],
    none_of: Items[str] = (),
    least: int = 0,
    most: int | None = None,
    *,
    but: Iterable[str] = (),
) -> bool:
    """Return True if surely no string of ``least`` to ``most`` code points matches all of ``matching`` and none of
    ``none_of``. False means undecided.

    The strings ``but`` are not counted.
    """
    if most is not None and most < least:
        return True
    # A pattern that cannot be read is left out: the set of strings only grows by that.
    demanded = [pieces for pattern in matching if (pieces := _read(pattern)) is not None]
    if least or most is not None:
        demanded += [_lengths(least, most)] if max(least, most or 0) <= _MAX_REPEATS else []
    refused = [pieces for pattern in none_of if (pieces := _read(pattern)) is not None]
    refused += [tuple(map(single, text)) or ("",) for text in but]
    if not demanded and not refused:
        return False
    every = [*(demanded or [_lengths(0, None)]), *refused]
    partition = Partition([_EVERY, *(piece for pieces in every for piece in pieces if not isinstance(piece, str))])
    machines = [_machine(_spelled(pieces, partition)) for pieces in every]
    # One ``&`` or ``-`` at a time: each intermediate automaton is minimised before it grows.
    rest = machines[0]
    for at, machine in enumerate(machines):
        if machine is None or rest is None or len(rest.states) * len(machine.states) > _MAX_PAIRS:
            return False
        if at:
            rest = rest & machine if at < len(demanded or [0]) else rest - machine
    return bool(rest.empty())


def matches(pattern: str, text: str, reading: str = ECMA) -> bool | None:
    """Return whether ``text`` matches ``pattern``; None where the pattern cannot be read."""
    spelled = read_as(pattern, reading)
    read = None if spelled is None else _alone(spelled)
    if read is None:
        return None
    partition, machine = read
    if machine is None:
        return None
    return bool(machine.accepts([_symbol(partition.part(character)) for character in text]))


@lru_cache(maxsize=512)
def _alone(pattern: str) -> tuple[Partition, Any] | None:
    pieces = _read(pattern)
    if pieces is None:
        return None
    partition = Partition([_EVERY, *(piece for piece in pieces if not isinstance(piece, str))])
    return partition, _machine(_spelled(pieces, partition))


def _lengths(least: int, most: int | None) -> _Pieces:
    return (_EVERY, f"{{{least},{'' if most is None else most}}}")


@lru_cache(maxsize=512)
def _read(pattern: str) -> _Pieces | None:
    """Return the parsed pattern; None where it cannot be read."""
    regex = parse(pattern, _MAX_CHARACTERS)
    if regex.node is None or any(construct.kind not in _READ for construct in regex.uses):
        return None
    try:
        return tuple(_PieceWriter().anchored(regex.node))
    except _UnreadError:
        return None


def _spelled(pieces: _Pieces, partition: Partition) -> str:
    """Return the pattern over an alphabet of one symbol for each class of ``partition``."""
    return "".join(piece if isinstance(piece, str) else _bracket(partition.of(piece)) for piece in pieces)


def _bracket(parts: Items[int]) -> str:
    return f"[{''.join(map(_symbol, parts))}]"


def _symbol(part: int) -> str:
    return chr(_FIRST_SYMBOL + part)


@lru_cache(maxsize=512)
def _machine(pattern: str) -> Any:
    """Return the automaton; None where it has too many states, which are counted before it is built."""
    from interegular import parse_pattern

    anchored = PatternReader(f"^(?:{pattern})$", python=False).pattern(("seq",))
    machine = Product([Automaton(anchored)], [], 0, None)
    rows, waiting = {machine.initial}, [machine.initial]
    while waiting:
        more = machine.successors(waiting.pop()) - rows
        rows |= more
        waiting += more
        if len(rows) > _MAX_STATES:
            return None
    return parse_pattern(pattern).to_fsm()


class _UnreadError(Exception):
    """A pattern that engines read differently, or that no automaton accepts."""


_READ = frozenset({"shorthand", "unicode-escape", "code-point", "identity-escape", "count"})
"""The constructs that mean the same to all engines, as far as the parser knows their characters exactly."""


class _PieceWriter:
    """Pieces of an automaton from the syntax tree of a pattern. Raises _UnreadError."""

    def __init__(self) -> None:
        self._positions = 0

    def anchored(self, node: Node) -> list[str | CodePoints]:
        """Return a pattern that is searched for anywhere, as one that is matched from end to end."""
        branches = node.branches if isinstance(node, Alternatives) else (node,)
        pieces: list[str | CodePoints] = []
        for branch in branches:
            items = list(branch.items) if isinstance(branch, Sequence) else [branch]
            head: list[str | CodePoints] = [_EVERY, "*"]
            tail = list(head)
            if items and items[0] == Zero(sign="^"):
                head, items = [], items[1:]
            if items and items[-1] == Zero(sign="$"):
                tail, items = [], items[:-1]
            pieces += [*(["|"] if pieces else []), "(?:", *head, *self._pieces(Sequence(tuple(items))), *tail, ")"]
        return pieces

    def _pieces(self, node: Node) -> list[str | CodePoints]:
        if isinstance(node, Chars):
            self._count(1)
            if not node.exact or not node.ranges:
                raise _UnreadError
            return [node.ranges]
        if isinstance(node, Sequence):
            return [piece for item in node.items for piece in self._pieces(item)]
        if isinstance(node, Alternatives):
            self._count(1)
            branches = [piece for branch in node.branches for piece in ("|", *self._pieces(branch))]
            return ["(?:", *branches[1:], ")"]
        if isinstance(node, Repeat):
            return self._repeated(node)
        raise _UnreadError  # an anchor in the middle, a look-around, a back-reference

    def _repeated(self, node: Repeat) -> list[str | CodePoints]:
        before = self._positions
        body = self._pieces(node.body)
        most = node.low if node.high is None else node.high
        if max(node.low, most) > _MAX_REPEATS or most < node.low:
            raise _UnreadError
        if (node.low, node.high) not in _SIGNS:
            self._count((self._positions - before) * max(node.low, most))
        counted = f"{{{node.low},{'' if node.high is None else node.high}}}"
        return ["(?:", *body, f"){_SIGNS.get((node.low, node.high), counted)}"]

    def _count(self, positions: int) -> None:
        self._positions += positions
        if self._positions > _MAX_POSITIONS:
            raise _UnreadError


_SIGNS = {(0, None): "*", (1, None): "+", (0, 1): "?"}
