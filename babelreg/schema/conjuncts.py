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

__all__ = [
    "ANY",
    "Conjunct",
    "ConjunctWalker",
    "Recursion",
    "choices",
    "conjunction",
    "declared_types",
    "kind_of",
    "listed",
]

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
            own, reference, members = conjunction(schema, ref_alone=self._draft7)
            if isinstance(reference, str):
                if reference in above:
                    raise Recursion(node.pointer)
                if reference not in followed:
                    followed.add(reference)
                    waiting.append(self._target(reference))
            if own:
                waiting.extend(node.child("allOf", i) for i in reversed(range(len(members))))
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


def conjunction(schema: Mapping[str, Any], *, ref_alone: bool) -> tuple[bool, Any, list[Any]]:
    """Return what ``schema`` is the conjunction of: whether its own keywords count, its ``$ref``, its ``allOf``.

    With ``ref_alone`` (up to draft-07, 8.3) a ``$ref`` hides every keyword beside it.
    """
    reference = schema.get("$ref")
    hidden = ref_alone and reference is not None
    return not hidden, reference, [] if hidden else listed(schema, "allOf")


def declared_types(schema: Mapping[str, Any]) -> frozenset[str] | None:
    """Return the names under ``type``, one or several; None where the keyword says nothing."""
    types = schema.get("type")
    if isinstance(types, str):
        return frozenset((types,))
    return frozenset(name for name in types if isinstance(name, str)) if isinstance(types, list) else None


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
    types = declared_types(schema)
    if types is not None:
        left &= frozenset().union(*(_KINDS.get(name, frozenset()) for name in types))
    if isinstance(schema.get("enum"), list):
        left &= frozenset(kind_of(value) for value in schema["enum"])
    if "const" in schema:
        left &= {kind_of(schema["const"])}
    return left


def kind_of(value: Any) -> str:
    """Return the kind of a JSON value, one of :data:`ANY`: its type, and ``fraction`` for a number with a fraction."""
    name = json_type(value)
    return "fraction" if name == "number" else name
