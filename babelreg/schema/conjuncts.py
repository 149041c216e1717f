"""The subschemas that all hold for one value, and the kinds of value that they admit.

``$ref`` and ``allOf`` are taken apart here, so that a caller sees plain subschemas only. Nothing is merged: every
conjunct holds by itself, so any of them may be believed alone. The proofs of ``breaking`` have their own conjunction
(``containment/certificates/facts.py``), which also takes negations apart and joins schemas of two documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from babelreg.schema import pointer
from babelreg.schema.dialects import SENSITIVITY, Dialect, Reach
from babelreg.schema.keywords import UNIONS
from babelreg.schema.local_references import LocalReferences
from babelreg.schema.pointer import Pointer
from babelreg.schema.types import KINDS, declared_kinds, kind_of
from babelreg.schema.walk import held

_TAKEN_APART = frozenset({"$ref", "allOf"})


class Conjunct(NamedTuple):
    """A subschema and its pointer in the bundled schema."""

    schema: Any
    pointer: Pointer

    def child(self, *steps: str | int) -> Conjunct:
        """Return the subschema at ``steps`` below."""
        return Conjunct(pointer.find(self.schema, steps), self.pointer + steps)


class Recursion(Exception):
    """A value that contains, further down, a value of its own schema. ``at`` is the pointer of the reference."""

    def __init__(self, at: Pointer) -> None:
        super().__init__()
        self.at = at


class ConjunctWalker:
    """The subschemas of one bundled schema. ``steps`` bounds the work: it ends in :class:`OverflowError`."""

    def __init__(self, root: Mapping[str, Any], steps: int) -> None:
        self._references = LocalReferences(root)
        self._dialect = self._references.dialect
        self._steps = steps

    def step(self) -> None:
        """Count one step of work. Raises OverflowError when there were too many."""
        self._steps -= 1
        if self._steps < 0:
            raise OverflowError

    def flat(self, nodes: list[Conjunct], above: frozenset[str]) -> tuple[list[Conjunct], frozenset[str]]:
        """Return the conjuncts of ``nodes`` without ``$ref`` and ``allOf``, and the references that led to them.

        ``above`` are the references that led to the values around this one. Raises Recursion when one comes back.
        """
        if len(nodes) == 1 and isinstance(alone := nodes[0].schema, dict) and _TAKEN_APART.isdisjoint(alone):
            self.step()  # nearly every value
            return nodes, above
        conjuncts: list[Conjunct] = []
        followed: set[str] = set()
        waiting = list(reversed(nodes))
        while waiting:
            self.step()
            node = waiting.pop()
            schema = node.schema
            if not isinstance(schema, dict):
                conjuncts.append(node)
                continue
            reference = schema.get("$ref")
            if isinstance(reference, str):
                if reference in above:
                    raise Recursion(node.pointer)
                if reference not in followed:
                    followed.add(reference)
                    waiting.append(self._target(reference))
            if not self._dialect.only_refers(schema):
                waiting.extend(reversed(self.branches(node, ("allOf",))))
                conjuncts.append(node)
            else:
                conjuncts.extend(_mark_beside_ref(node))
        return conjuncts, above | followed

    def applying(self, nodes: Sequence[Conjunct]) -> list[Conjunct]:
        """Return those of ``nodes`` whose keywords apply; only the mark of one whose ``$ref`` makes the others void."""
        applying: list[Conjunct] = []
        for node in nodes:
            applying.extend(_mark_beside_ref(node) if self._dialect.only_refers(node.schema) else [node])
        return applying

    def branches(self, node: Conjunct, keywords: Sequence[str]) -> list[Conjunct]:
        """Return the subschemas that the conjunct has under ``keywords``, which apply to the same value."""
        schema = node.schema
        return [
            Conjunct(subschema, node.pointer + steps)
            for keyword in keywords
            if isinstance(schema, dict) and keyword in schema
            for steps, subschema in held_by(schema, keyword, self._dialect)
        ]

    def _target(self, reference: str) -> Conjunct:
        """Return what a reference leads to; the schema of anything where it leads nowhere."""
        target = self._references.target(reference)
        return Conjunct(True, ()) if target is None else Conjunct(target[1], target[0])

    def kinds(self, conjuncts: list[Conjunct], above: frozenset[str], depth: int = 0) -> frozenset[str]:
        """Return the kinds of value that all of ``conjuncts`` (flat) may admit."""
        kinds = KINDS
        for node in conjuncts:
            self.step()
            if isinstance(node.schema, dict):
                kinds &= own_kinds(node.schema)
                for branches in choices(node):
                    kinds &= self._any_kinds(branches, above, depth)
            elif node.schema is False:
                return frozenset()
        return kinds

    def _any_kinds(self, branches: list[Conjunct], above: frozenset[str], depth: int) -> frozenset[str]:
        kinds: frozenset[str] = frozenset()
        for branch in branches:
            try:
                conjuncts, followed = self.flat([branch], above)
            except Recursion:
                return KINDS
            kinds |= KINDS if depth > 16 else self.kinds(conjuncts, followed, depth + 1)
        return kinds


def choices(node: Conjunct) -> Iterator[list[Conjunct]]:
    """Yield the lists of alternatives of a conjunct: those of its ``anyOf``, those of its ``oneOf``."""
    schema = node.schema
    for keyword in UNIONS:
        if isinstance(schema, dict) and keyword in schema and (branches := listed(schema, keyword)):
            yield [node.child(keyword, i) for i in range(len(branches))]


def listed(schema: Mapping[str, Any], keyword: str) -> list[Any]:
    """Return ``schema[keyword]`` where it is a list, else an empty one."""
    value = schema.get(keyword)
    return value if isinstance(value, list) else []


def _mark_beside_ref(node: Conjunct) -> list[Conjunct]:
    if SENSITIVITY not in node.schema:
        return []
    return [Conjunct({SENSITIVITY: node.schema[SENSITIVITY]}, node.pointer)]


def own_kinds(schema: Mapping[str, Any]) -> frozenset[str]:
    """Return the kinds of value that ``type``, ``enum`` and ``const`` of one subschema admit."""
    kinds = declared_kinds(schema)
    if isinstance(schema.get("enum"), list):
        kinds &= frozenset(kind_of(value) for value in schema["enum"])
    if "const" in schema:
        kinds &= {kind_of(schema["const"])}
    return kinds


def held_by(schema: Any, keyword: str, dialect: Dialect) -> Iterator[tuple[Pointer, Any]]:
    """Yield the subschemas that ``keyword`` holds, with the steps to each; none where it has no effect."""
    table = dialect.keywords.get(keyword)
    if table is None or not isinstance(schema, dict) or keyword not in schema:
        return
    if keyword in ("then", "else") and "if" not in schema:
        return
    if not dialect.only_refers(schema) or table.reach is Reach.NOWHERE:
        yield from (((keyword, *step), subschema) for step, subschema in held(schema[keyword], table.shape))
