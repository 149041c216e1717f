"""Mapping of a bundled JSON Schema to columns. It accepts every schema, however vague, and never raises."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from babelreg.schema import field_path, pointer
from babelreg.schema.conjuncts import (
    Conjunct,
    ConjunctWalker,
    Recursion,
    choices,
    listed,
)
from babelreg.schema.keywords import COMBINED
from babelreg.schema.types import KINDS
from babelreg.schema.values import is_number
from babelreg.typemap.spark import objects, type_override
from babelreg.typemap.spark.type_union import both, either
from babelreg.typemap.spark.types import Array, Decimal, Json, Map, Scalar, SparkType, Struct

MAX_DEPTH = 40
MAX_STEPS = 100_000
_INT64 = 2**63
_FOLLOWED = frozenset({"$ref", *COMBINED})


@dataclass(frozen=True, slots=True)
class Note:
    """One place where the columns express less than the schema.

    ``path`` is the column (``lines[].qty``), ``pointer`` the RFC 6901 place in the bundled schema. ``what``:
    ``json-text`` (the column holds JSON text), ``no-column`` (the data column alone has it), ``guarded`` (a valid
    message may hold another type there and is then unstorable), ``ignored`` (an ``x-spark-type`` that is not possible).
    """

    path: str
    pointer: str
    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Mapped:
    """Columns of one schema, and notes about what they leave out."""

    struct: Struct
    notes: tuple[Note, ...]


def mapped(schema: Mapping[str, Any]) -> Mapped:
    """Return the columns for ``data`` of a bundled schema, with notes.

    ``data`` is an object in every message, whatever type the schema declares.
    """
    mapper = _Mapper(schema)
    root = mapper.type_of([Conjunct(dict(schema), ())], frozenset({"#"}), 0, KINDS & {"object"})
    if not isinstance(root, Struct):
        why = root.why if isinstance(root, Json) else "its names are not declared"
        note = Note("", "", "no-column", f"{why}: all of it stays in the data column")
        return Mapped(Struct(), (note, *mapper.ignored))
    return Mapped(root, (*dict.fromkeys(_notes(root, "")), *dict.fromkeys(mapper.ignored)))


def _notes(type_: SparkType, path: str) -> Iterator[Note]:
    if isinstance(type_, Json):
        yield Note(path, pointer.text(type_.pointer), "json-text", type_.why)
    elif isinstance(type_, Array):
        yield from _notes(type_.element, f"{path}[]")
    elif isinstance(type_, Map):
        yield from _notes(type_.value, f"{path}{{}}")
    elif isinstance(type_, Struct):
        for column in type_.fields:
            inner = field_path.child(path, column.name)
            if not column.certain:
                yield Note(
                    inner, "", "guarded", "not every variant of the object declares it, so the others may use it freely"
                )
            yield from _notes(column.type, inner)
        for omitted in type_.left_out:
            yield Note(field_path.child(path, omitted.name), pointer.text(omitted.pointer), "no-column", omitted.why)


class _Mapper:
    """Top-down mapping of the values of one schema."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._schemas = ConjunctWalker(root, MAX_STEPS)
        self.ignored: list[Note] = []

    def facets(self, nodes: list[Conjunct], above: frozenset[str]) -> list[Conjunct]:
        """Return the conjuncts of a value, which have its description and other annotations."""
        try:
            return self._schemas.flat(nodes, above)[0]
        except (Recursion, OverflowError):
            return self._schemas.applying(nodes)

    def branches(self, node: Conjunct, keywords: Sequence[str]) -> list[Conjunct]:
        return self._schemas.branches(node, keywords)

    def type_of(
        self, nodes: list[Conjunct], above: frozenset[str], depth: int, kinds: frozenset[str] = KINDS
    ) -> SparkType:
        """Return the type of a value for which all of ``nodes`` hold. ``above``: see ``ConjunctWalker.flat``."""
        at = nodes[0].pointer if nodes else ()
        if depth > MAX_DEPTH:
            return Json(f"it is nested deeper than {MAX_DEPTH} levels", at)
        try:
            conjuncts, followed = self._schemas.flat(nodes, above)
            kinds = (kinds & self._schemas.kinds(conjuncts, followed)) - {"null"}
        except Recursion as recursion:
            return Json("it is recursive", recursion.at)
        except OverflowError:
            return Json("the schema is too large to follow it further", at)
        override = self._override(conjuncts, kinds)
        if override is not None:
            return override
        type_ = self._plain(conjuncts, kinds, followed, depth)
        for node in conjuncts:
            for branches in choices(node):
                other = self._one_of([_bare(each) for each in conjuncts], branches, kinds, followed, depth)
                if not (isinstance(other, Json) and len(kinds) > 1):  # the kinds explain better why it is mixed
                    type_ = both(type_, other)
        return type_

    def _one_of(
        self, bare: list[Conjunct], branches: list[Conjunct], kinds: frozenset[str], above: frozenset[str], depth: int
    ) -> SparkType:
        mixed = Json("its alternatives have different types", branches[0].pointer[:-1])
        union: SparkType | None = None
        for branch in branches:
            if self._impossible([*bare, branch], kinds, above):
                continue
            branch_type = self.type_of([*bare, branch], above, depth + 1, kinds)
            union = branch_type if union is None else either(union, branch_type, mixed)
        return mixed if union is None else union

    def _impossible(self, nodes: list[Conjunct], kinds: frozenset[str], above: frozenset[str]) -> bool:
        try:
            conjuncts, followed = self._schemas.flat(nodes, above)
            return not kinds & self._schemas.kinds(conjuncts, followed)
        except (Recursion, OverflowError):
            return False

    def _override(self, conjuncts: list[Conjunct], kinds: frozenset[str]) -> SparkType | None:
        for node in conjuncts:
            if not isinstance(node.schema, dict) or "x-spark-type" not in node.schema:
                continue
            try:
                override = type_override.type_for(node.schema, kinds)
            except ValueError as err:
                at = pointer.text((*node.pointer, "x-spark-type"))
                self.ignored.append(Note("", at, "ignored", str(err)))
                continue
            return Json("x-spark-type sets it", node.pointer) if isinstance(override, Json) else override
        return None

    def _plain(self, conjuncts: list[Conjunct], kinds: frozenset[str], above: frozenset[str], depth: int) -> SparkType:
        """Return the type by the plain keywords alone."""
        at = conjuncts[0].pointer if conjuncts else ()
        if kinds == {"object"}:
            return objects.type_for(self, conjuncts, above, depth)
        if kinds == {"array"}:
            return self._array(conjuncts, above, depth)
        if kinds == {"string"}:
            return _text(conjuncts)
        if kinds == {"boolean"}:
            return Scalar.BOOLEAN
        if kinds == {"integer"}:
            return _integer(conjuncts)
        if kinds and kinds <= {"integer", "fraction"}:
            return Scalar.DOUBLE
        return Json(_why_mixed(kinds), at)

    def _array(self, conjuncts: list[Conjunct], above: frozenset[str], depth: int) -> SparkType:
        items = [
            node.child("items")
            for node in conjuncts
            if isinstance(node.schema, dict)
            and isinstance(node.schema.get("items"), dict | bool)
            and not listed(node.schema, "prefixItems")
        ]
        if items:
            return Array(self.type_of(items, above, depth + 1))
        tuples = [n for n in conjuncts if isinstance(n.schema, dict) and _tuple(n.schema)]
        why = "the items of a tuple have different types" if tuples else "its items are not described"
        return Array(Json(why, (tuples or conjuncts)[0].pointer))


def _tuple(schema: Mapping[str, Any]) -> bool:
    return bool(listed(schema, "prefixItems") or listed(schema, "items"))


def _bare(node: Conjunct) -> Conjunct:
    """Return the conjunct without the keywords that were already followed: references and alternatives."""
    if not isinstance(node.schema, dict):
        return node
    return Conjunct({key: value for key, value in node.schema.items() if key not in _FOLLOWED}, node.pointer)


def _why_mixed(kinds: frozenset[str]) -> str:
    if not kinds:
        return "only null is valid there"
    if kinds >= KINDS - {"null"}:
        return "its type is not declared"
    names = sorted(
        {"number" if kind == "fraction" else kind for kind in kinds} - ({"integer"} if "fraction" in kinds else set())
    )
    return f"it may be {', '.join(names[:-1])} or {names[-1]}"


def _text(conjuncts: list[Conjunct]) -> SparkType:
    formats = {
        node.schema.get("format")
        for node in conjuncts
        if isinstance(node.schema, dict) and isinstance(node.schema.get("format"), str)
    }
    if "date-time" in formats:
        return Scalar.TIMESTAMP
    return Scalar.DATE if "date" in formats else Scalar.STRING


def _integer(conjuncts: list[Conjunct]) -> SparkType:
    """Return BIGINT, unless the bounds admit greater numbers."""
    largest = 0
    for node in conjuncts:
        if isinstance(node.schema, dict):
            bounds = [node.schema.get(key) for key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")]
            for value in [*bounds, *listed(node.schema, "enum"), node.schema.get("const")]:
                if is_number(value) and abs(value) < 10**400:
                    largest = max(largest, int(value) if value >= 0 else -int(value) - 1)
    if largest < _INT64:
        return Scalar.BIGINT
    return Decimal(20, 0) if largest < 10**20 else Decimal(38, 0)
