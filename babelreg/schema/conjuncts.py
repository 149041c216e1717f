"""What a schema says about one value: the subschemas that all hold for it, and the kinds of value they leave.

``$ref`` and ``allOf`` are taken apart here, so that the mapping only sees plain subschemas. Nothing is merged: every
conjunct holds by itself, so any of them may be believed alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from babelreg.schema import pointer
from babelreg.schema.pointer import Pointer
from babelreg.schema.values import json_type

__all__ = ["ANY", "Conjunct", "ConjunctWalker", "Recursion", "choices", "kind_of", "listed"]

ANY = frozenset({"object", "array", "string", "boolean", "null", "integer", "fraction"})
"""The kinds of JSON value. JSON Schema's ``number`` is ``integer`` and ``fraction``."""

_KINDS = {kind: frozenset({kind}) for kind in ANY} | {"number": frozenset({"integer", "fraction"})}
_CHOICES = ("anyOf", "oneOf")


@dataclass(frozen=True, slots=True)
class Conjunct:
    """A subschema and where it stands in the bundled schema."""

    schema: Any
    pointer: Pointer

    def child(self, *steps: str | int) -> Conjunct:
        """The subschema at ``steps`` below."""
        return Conjunct(pointer.find(self.schema, steps), self.pointer + steps)


class Recursion(Exception):
    """A value that contains, further down, a value of its own schema. ``at`` is the place of the reference."""

    def __init__(self, at: Pointer) -> None:
        super().__init__()
        self.at = at


class ConjunctWalker:
    """The subschemas of one bundled schema. ``steps`` bounds the work: it ends in :class:`OverflowError`."""

    def __init__(self, root: Mapping[str, Any], steps: int) -> None:
        self._root = root
        self._steps = steps
        self._draft7 = "draft-07" in str(root.get("$schema", ""))

    def step(self) -> None:
        """Count one step of work. Raises OverflowError when there were too many."""
        self._steps -= 1
        if self._steps < 0:
            raise OverflowError

    def flat(self, nodes: list[Conjunct], above: frozenset[str]) -> tuple[list[Conjunct], frozenset[str]]:
        """The conjuncts of ``nodes`` without ``$ref`` and ``allOf``, and the references that led to them.

        ``above`` are the references that led to the values around this one. Raises Recursion when one comes back.
        """
        found: list[Conjunct] = []
        followed: set[str] = set()
        waiting = list(reversed(nodes))
        while waiting:
            self.step()
            node = waiting.pop()
            schema = node.schema
            if not isinstance(schema, dict):
                found.append(node)
                continue
            reference = schema.get("$ref")
            if isinstance(reference, str):
                if reference in above:
                    raise Recursion(node.pointer)
                if reference not in followed:
                    followed.add(reference)
                    waiting.append(self._target(reference))
                if self._draft7:  # draft-07, 8.3: whatever stands beside a $ref is ignored
                    continue
            waiting.extend(reversed([node.child("allOf", i) for i, _ in enumerate(listed(schema, "allOf"))]))
            found.append(node)
        return found, above | followed

    def _target(self, reference: str) -> Conjunct:
        """What a local reference leads to; anything at all where it leads nowhere."""
        try:
            steps = pointer.parse(unquote(reference[1:])) if reference.startswith("#") else ("",)
            return Conjunct(pointer.find(self._root, steps), steps)
        except (KeyError, ValueError):
            return Conjunct(True, ())

    def kinds(self, conjuncts: list[Conjunct], above: frozenset[str], depth: int = 0) -> frozenset[str]:
        """The kinds of value that all of ``conjuncts`` (flat) may admit."""
        left = ANY
        for node in conjuncts:
            self.step()
            if isinstance(node.schema, dict):
                left &= _own_kinds(node.schema)
                for branches in choices(node):
                    left &= self._any_kinds(branches, above, depth)
            elif node.schema is False:
                return frozenset()
        return left

    def _any_kinds(self, branches: list[Conjunct], above: frozenset[str], depth: int) -> frozenset[str]:
        found: frozenset[str] = frozenset()
        for branch in branches:
            try:
                conjuncts, followed = self.flat([branch], above)
            except Recursion:
                return ANY
            found |= ANY if depth > 16 else self.kinds(conjuncts, followed, depth + 1)
        return found


def choices(node: Conjunct) -> Iterator[list[Conjunct]]:
    """The lists of alternatives of a conjunct: those of its ``anyOf``, those of its ``oneOf``."""
    for key in _CHOICES:
        count = len(listed(node.schema, key)) if isinstance(node.schema, dict) else 0
        if count:
            yield [node.child(key, i) for i in range(count)]


def listed(schema: Mapping[str, Any], key: str) -> list[Any]:
    """``schema[key]`` where it is a list, else an empty one."""
    value = schema.get(key)
    return value if isinstance(value, list) else []


def _own_kinds(schema: Mapping[str, Any]) -> frozenset[str]:
    left = ANY
    types = schema.get("type")
    if isinstance(types, str):
        types = [types]
    if isinstance(types, list):
        left &= frozenset().union(*(_KINDS.get(name, frozenset()) for name in types if isinstance(name, str)))
    if isinstance(schema.get("enum"), list):
        left &= frozenset(kind_of(value) for value in schema["enum"])
    if "const" in schema:
        left &= {kind_of(schema["const"])}
    return left


def kind_of(value: Any) -> str:
    """Return the kind of a JSON value, one of :data:`ANY`: its type, and ``fraction`` for a number with a fraction."""
    name = json_type(value)
    return "fraction" if name == "number" else name
