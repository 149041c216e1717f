"""Constraints of a schema that types of a language can express: types, properties, listed values, items.

A schema is read as its *parts*, the conjuncts of :mod:`babelreg.schema.conjuncts`: itself, the schemas it refers to and
all members of ``allOf``. Each function answers one question about parts. In doubt the answer is the wider one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any, NamedTuple

from babelreg.schema.conjuncts import Conjunct, ConjunctWalker, choices, listed
from babelreg.schema.keywords import ADDITIONAL_PROPERTIES, ANNOTATIONS, COMBINED, CONDITIONAL, DEFINITIONS, UNIONS
from babelreg.schema.local_references import LocalReferences
from babelreg.schema.simplify import without_ref_siblings
from babelreg.schema.types import TYPES, declared_types
from babelreg.schema.values import equality_key, json_type

_OTHERS = (*ADDITIONAL_PROPERTIES, "patternProperties")
_SILENT = ANNOTATIONS | {"$id", "$schema"}
_BRANCHING = (*UNIONS, *CONDITIONAL)
_BRANCHES = frozenset(_BRANCHING)
_MAX_STEPS = 2_000

Parts = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class ListedValues:
    """The values that ``enum`` and ``const`` admit, each once. ``grows``: new values of the same types may come."""

    values: tuple[Any, ...]
    grows: bool


class TypeSpelling(NamedTuple):
    """A language that types are spelled in.

    No type gets a name of ``reserved``. ``listed`` divides listed values into those that have a type of their own in
    the language, and the JSON types of the others. ``attributes`` returns ``{property: attribute}`` for the properties
    of one class, beside the names of all classes. ``format`` returns the format of values of a JSON type, by their
    parts, where they have a narrower type in the language than others of that JSON type. ``limits`` returns the limits
    of values of a JSON type that the language states beside the type, as ``{keyword: value}``. ``names_known_values``:
    the words about a property name the known values of an open ``enum``.
    """

    reserved: frozenset[str]
    listed: Callable[[ListedValues], tuple[list[Any], list[str]]]
    attributes: Callable[[Iterable[str], Set[str]], dict[str, str]]
    format: Callable[[str, Parts], str | None] = lambda kind, parts: None
    limits: Callable[[str, Parts], Mapping[str, Any]] = lambda kind, parts: {}
    names_known_values: bool = False


class SchemaParts:
    """Access to the parts of schemas in one bundled document. ``root``: the document without ignored keywords."""

    def __init__(self, document: Any) -> None:
        self.root: dict[str, Any] = without_ref_siblings(document) if isinstance(document, dict) else {}

    def target(self, reference: str) -> Any:
        """Return the schema that ``reference`` leads to; None where this document has none."""
        target = LocalReferences(self.root).target(reference)
        return None if target is None else target[1]

    def of(self, schema: Any) -> Parts:
        """Return the parts of ``schema``. Those of a reference cycle appear once."""
        if not isinstance(schema, dict):
            return []
        if "$ref" not in schema and "allOf" not in schema:
            return [schema]
        try:
            conjuncts, _ = self._walker().flat([Conjunct(schema, ())], frozenset())
        except OverflowError:
            return []
        return [node.schema for node in conjuncts if isinstance(node.schema, dict)]

    def conditional_names(self, parts: Parts) -> list[str]:
        """Return the names of properties that only a branch declares: anyOf, oneOf, then, else, dependentSchemas."""
        names: dict[str, None] = {}
        for part in parts:
            for branch in self._branches(part):
                inner = self.of(branch.schema)
                names.update(dict.fromkeys(properties(inner)))
                for deeper in (node for piece in inner for group in choices(Conjunct(piece, ())) for node in group):
                    names.update(dict.fromkeys(properties(self.of(deeper.schema))))
        return list(names)

    def admits_others(self, parts: Parts, strict: bool) -> bool:
        """Return True if a producer may send properties that ``parts`` do not name.

        It may where a part, or a branch that may apply, says so; with ``strict`` where none says that it may not.
        """
        said = [part[key] for part in self._with_branches(parts) for key in _OTHERS if key in part]
        return any(value is not False for value in said) or (strict and not said)

    def _with_branches(self, parts: Parts) -> Parts:
        found = list(parts)
        for part in parts:
            for branch in self._branches(part):
                found += self.of(branch.schema)
        return found

    def _branches(self, part: dict[str, Any]) -> list[Conjunct]:
        return [] if _BRANCHES.isdisjoint(part) else self._walker().branches(Conjunct(part, ()), _BRANCHING)

    def _walker(self) -> ConjunctWalker:
        return ConjunctWalker(self.root, _MAX_STEPS)


def bare_reference(schema: Any) -> str | None:
    """Return the ``$ref`` of a schema without other keywords than annotations, else None."""
    if not isinstance(schema, dict) or not isinstance(schema.get("$ref"), str):
        return None
    others = [key for key in schema if key != "$ref" and key not in _SILENT and not key.startswith("x-")]
    return None if others else str(schema["$ref"])


def types(parts: Parts) -> list[str] | None:
    """Return the JSON types that all parts allow, in a fixed order; None when no part names one."""
    allowed: set[str] | None = None
    for part in parts:
        names = set(declared_types(part) or ())
        if not names:
            continue
        if "number" in names:
            names.add("integer")
        allowed = names if allowed is None else allowed & names
    if allowed is None:
        return None
    return [kind for kind in TYPES if kind in allowed and not (kind == "integer" and "number" in allowed)]


def is_class(parts: Parts) -> bool:
    """Return True for an object, by its ``type``, that declares properties."""
    kinds = types(parts)
    return kinds is not None and "object" in kinds and bool(properties(parts))


def properties(parts: Parts) -> dict[str, Any]:
    """Return the schema of every property that some part declares, in document order."""
    declared: dict[str, list[Any]] = {}
    for part in parts:
        for name, schema in _mapping(part.get("properties")).items():
            declared.setdefault(name, []).append(schema)
    return {name: schemas[0] if len(schemas) == 1 else {"allOf": schemas} for name, schemas in declared.items()}


def required(parts: Parts) -> dict[str, None]:
    """Return the names that some part requires, in order."""
    return {name: None for part in parts for name in listed(part, "required") if isinstance(name, str)}


def alternatives(parts: Parts) -> list[Any]:
    """Return the branches of the first ``anyOf`` or ``oneOf``, of which a document matches at least one; else none."""
    return next((listed(part, keyword) for part in parts for keyword in UNIONS if listed(part, keyword)), [])


def without_alternatives(parts: Parts) -> Parts:
    """Return the parts without ``anyOf`` and ``oneOf``; parts of annotations alone are dropped."""
    dropped = {*COMBINED, "$ref", *DEFINITIONS, *_SILENT}
    remaining = ({key: value for key, value in part.items() if key not in dropped} for part in parts)
    return [part for part in remaining if part]


def items(parts: Parts) -> tuple[list[Any], Any]:
    """Return the schemas of the leading items, and the schema of the rest (False: no more may follow)."""
    leading: list[Any] = []
    rest: list[Any] = []
    for part in parts:
        first = part.get("prefixItems", part.get("items"))
        if isinstance(first, list):
            leading += first
            after = part.get("items") if "prefixItems" in part else part.get("additionalItems")
            rest.append(True if after is None or isinstance(after, list) else after)
        elif "items" in part:
            rest.append(part["items"])
    if leading and any(schema is False for schema in rest):
        return leading, False
    schemas = [schema for schema in rest if isinstance(schema, dict)]
    return leading, True if not schemas else schemas[0] if len(schemas) == 1 else {"allOf": schemas}


def map_values(parts: Parts) -> list[Any]:
    """Return the schemas one of which each value of a free-form object satisfies; empty when a value may be anything.

    A closed object counts as one: readers ignore names that it does not declare.
    """
    for part in parts:
        if isinstance(part.get("additionalProperties"), dict):
            return [part["additionalProperties"], *_mapping(part.get("patternProperties")).values()]
    return []


def tag(parts: Parts) -> str | None:
    """Return the value of the first property that is a constant text, which distinguishes this branch."""
    for schema in properties(parts).values():
        value = schema.get("const") if isinstance(schema, dict) else None
        if isinstance(value, str) and value and len(value) <= 60:
            return value
    return None


def description(schemas: Iterable[Any]) -> str | None:
    """Return the first description that is a text."""
    for schema in schemas:
        text = schema.get("description") if isinstance(schema, dict) else None
        if isinstance(text, str) and text.strip():
            return text
    return None


def deprecated(schema: Any) -> bool:
    """Return True where the schema itself is deprecated."""
    return isinstance(schema, dict) and schema.get("deprecated") is True


def listed_values(parts: Parts) -> ListedValues | None:
    """Return the values that ``enum`` and ``const`` admit; None when no part has one."""
    values: list[Any] | None = None
    grows = False
    for part in parts:
        for key in ("const", "enum"):
            if key not in part or (key == "enum" and not isinstance(part[key], list)):
                continue
            mine = [part["const"]] if key == "const" else part["enum"]
            grows = grows or (key == "enum" and part.get("x-open-enum") is True)
            keys = {equality_key(value) for value in mine}
            values = mine if values is None else [value for value in values if equality_key(value) in keys]
    if values is None:
        return None
    allowed = types(parts)
    fitting = [value for value in values if allowed is None or _fits(json_type(value), allowed)]
    unique: dict[Any, Any] = {}
    for value in fitting:
        unique.setdefault(equality_key(value), value)
    return ListedValues(tuple(unique.values()), grows)


def _fits(kind: str, allowed: list[str]) -> bool:
    return kind in allowed or (kind == "integer" and "number" in allowed)


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
