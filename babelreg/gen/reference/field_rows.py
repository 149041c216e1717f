"""Rows of a table of fields: path, type, whether it is required, its values and its meaning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from babelreg.gen.reference.field_text import FieldText
from babelreg.gen.reference.text_style import TextStyle
from babelreg.schema.conjuncts import (
    Conjunct,
    ConjunctWalker,
    Recursion,
    choices,
    listed,
)
from babelreg.schema.field_path import OTHERS, child
from babelreg.schema.keywords import CONDITIONAL, UNIONS
from babelreg.schema.types import KINDS

_MAX_ROWS = 400
_MAX_STEPS = 50_000
_MAX_DEPTH = 24
_PLURAL = {name: f"{name}s" for name in ("boolean", "integer", "number", "object", "string")}


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One field. Every attribute but ``path`` and ``required`` is in the style of text of the target.

    ``required``: ``yes``, ``no``, or ``depends`` where only some variants of the object have the field.
    """

    path: str
    type: str
    required: str
    values: str
    meaning: str
    personal: str


def rows(schema: Mapping[str, Any], style: TextStyle) -> list[FieldRow]:
    """Return the fields of a bundled schema, nested ones below their object: ``lines[].qty``, ``labels.*``."""
    walk = _FieldWalk(ConjunctWalker(schema, _MAX_STEPS), FieldText(style))
    result: list[FieldRow] = []
    for row in walk.inside([Conjunct(dict(schema), ())], "", frozenset({"#"}), 0):
        if len(result) == _MAX_ROWS:
            result.append(FieldRow("…", "", "no", "", "There is more: see the schema.", ""))
            break
        result.append(row)
    return result


class _FieldWalk:
    def __init__(self, schemas: ConjunctWalker, text: FieldText) -> None:
        self._schemas = schemas
        self._text = text

    def _flat(self, nodes: list[Conjunct], above: frozenset[str]) -> tuple[list[Conjunct], frozenset[str]] | None:
        """Return the flat conjuncts; None where the schema is recursive there, or too large."""
        try:
            return self._schemas.flat(nodes, above)
        except (Recursion, OverflowError):
            return None

    def inside(self, nodes: list[Conjunct], path: str, above: frozenset[str], depth: int) -> Iterator[FieldRow]:
        """Yield the rows below a value: its properties, those of its items, those of its values."""
        flat = self._flat(nodes, above)
        if flat is None or depth > _MAX_DEPTH:
            return
        conjuncts, above = flat
        for name, declared, required in self._properties(conjuncts, above):
            yield from self._field(declared, child(path, name), required, above, depth)
        items = [n.child("items") for n in conjuncts if isinstance(_get(n, "items"), dict)]
        if items:
            yield from self.inside(items, f"{path}[]", above, depth + 1)
        for node in conjuncts:
            for i, _ in enumerate(listed(node.schema, "prefixItems") if isinstance(node.schema, dict) else ()):
                yield from self._field([node.child("prefixItems", i)], f"{path}[{i}]", "no", above, depth)
        values = [n.child("additionalProperties") for n in conjuncts if _get(n, "additionalProperties")]
        values = [n for n in values if isinstance(n.schema, dict) and n.schema]
        if values:
            yield from self._field(values, child(path, OTHERS), "no", above, depth)

    def _field(
        self, nodes: list[Conjunct], path: str, required: str, above: frozenset[str], depth: int
    ) -> Iterator[FieldRow]:
        flat = self._flat(nodes, above)
        if flat is None:
            nodes = self._schemas.applying(nodes)
            yield FieldRow(path, "the same again", required, "", self._text.meaning(nodes), self._text.personal(nodes))
            return
        conjuncts, followed = flat
        if any(node.schema is False for node in conjuncts):
            return
        yield FieldRow(
            path,
            self._type(conjuncts, followed),
            required,
            "; ".join(dict.fromkeys(self._text.values(conjuncts))),
            self._text.meaning(conjuncts),
            self._text.personal(conjuncts),
        )
        yield from self.inside(nodes, path, above, depth + 1)

    def _properties(
        self, conjuncts: list[Conjunct], above: frozenset[str]
    ) -> Iterator[tuple[str, list[Conjunct], str]]:
        """Yield every declared property with its declarations; those of only some variants come last."""
        sure = _declared(conjuncts)
        sometimes: dict[str, list[Conjunct]] = {}
        for variant, _ in self._variants(conjuncts, above):
            for name, nodes in _declared(variant).items():
                sometimes.setdefault(name, []).extend(nodes)
        required = self._required(conjuncts, above)
        for name, nodes in sure.items():
            yield name, nodes, "yes" if name in required else "no"
        for name, nodes in sometimes.items():
            if name not in sure:
                yield name, [_any_of(nodes)], "yes" if name in required else "depends"

    def _required(self, conjuncts: list[Conjunct], above: frozenset[str]) -> set[str]:
        """Return the required names: those that are required here, or in every one of the alternatives."""
        names = _required(conjuncts)
        for node in conjuncts:
            for branches in choices(node):
                flat = [self._flat([branch], above) for branch in branches]
                names |= set.intersection(*(_required(branch[0]) if branch else set() for branch in flat))
        return names

    def _variants(
        self, conjuncts: list[Conjunct], above: frozenset[str], depth: int = 0
    ) -> Iterator[tuple[list[Conjunct], frozenset[str]]]:
        for node in conjuncts:
            if not isinstance(node.schema, dict) or depth > 8:
                continue
            for branch in self._schemas.branches(node, (*UNIONS, *CONDITIONAL)):
                flat = self._flat([branch], above)
                if flat is not None:
                    yield flat
                    yield from self._variants(flat[0], flat[1], depth + 1)

    def _type(self, conjuncts: list[Conjunct], above: frozenset[str]) -> str:
        try:
            kinds = self._schemas.kinds(conjuncts, above)
        except OverflowError:
            return "anything"
        if kinds == KINDS:
            return "anything"
        names = [self._kind(kind, conjuncts, above) for kind in _ordered(kinds)]
        return " or ".join(names) if names else "nothing"

    def _kind(self, kind: str, conjuncts: list[Conjunct], above: frozenset[str]) -> str:
        if kind == "array":
            items = [n.child("items") for n in conjuncts if isinstance(_get(n, "items"), dict)]
            flat = self._flat(items, above) if items else None
            inner = self._type(*flat) if flat else "anything"
            return "list of anything" if inner == "anything" else f"list of {_PLURAL.get(inner, inner)}"
        if kind == "string":
            formats = [_get(n, "format") for n in conjuncts]
            return next((f"string ({self._text.inline(name)})" for name in formats if isinstance(name, str)), "string")
        return kind


def _ordered(kinds: frozenset[str]) -> list[str]:
    order = ["object", "array", "string", "integer", "fraction", "boolean", "null"]
    if "fraction" in kinds:
        kinds = kinds - {"integer"}
    return ["number" if kind == "fraction" else kind for kind in order if kind in kinds]


def _get(node: Conjunct, key: str) -> Any:
    return node.schema.get(key) if isinstance(node.schema, dict) else None


def _declared(conjuncts: list[Conjunct]) -> dict[str, list[Conjunct]]:
    by_name: dict[str, list[Conjunct]] = {}
    for node in conjuncts:
        properties = _get(node, "properties")
        for name in properties if isinstance(properties, dict) else ():
            by_name.setdefault(str(name), []).append(node.child("properties", name))
    return by_name


def _required(conjuncts: list[Conjunct]) -> set[str]:
    return {
        name
        for node in conjuncts
        if isinstance(node.schema, dict)
        for name in listed(node.schema, "required")
        if isinstance(name, str)
    }


def _any_of(nodes: list[Conjunct]) -> Conjunct:
    """Return one declaration for several, of which one holds."""
    schemas = [node.schema for node in nodes]
    if all(schema == schemas[0] for schema in schemas):
        return nodes[0]
    if all(isinstance(schema, dict) and ("const" in schema or listed(schema, "enum")) for schema in schemas):
        values = [value for schema in schemas for value in ([schema["const"]] if "const" in schema else schema["enum"])]
        described = next((schema["description"] for schema in schemas if "description" in schema), None)
        return Conjunct({"enum": values, "description": described}, nodes[0].pointer)
    return Conjunct({"anyOf": schemas}, nodes[0].pointer)
