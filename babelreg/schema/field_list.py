"""The fields of a schema as a list: path, type, whether it is required, and its description."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from babelreg.schema.conjuncts import Conjunct, ConjunctWalker, Recursion, choices
from babelreg.schema.dialects import SENSITIVITY
from babelreg.schema.field_path import OTHERS, child
from babelreg.schema.types import TYPES

_MAX_FIELDS = 400
_MAX_STEPS = 20_000
_MAX_DEPTH = 24
_BOUNDING = (
    "enum", "const", "format", "pattern", "minLength", "maxLength", "minimum", "exclusiveMinimum", "maximum",
    "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
)  # fmt: skip


class Field(NamedTuple):
    """One field. ``path`` is spelled as in :mod:`babelreg.schema.field_path`.

    ``type`` is a text such as ``string or null``. ``required``: every object that has the field's parent has the field.
    ``category`` is that of personal data, "" where it has none, None for a field that is not personal. ``constraints``
    are the keywords that bound its values, such as ``minimum`` and ``enum``.
    """

    path: str
    type: str
    required: bool
    description: str
    category: str | None = None
    constraints: Mapping[str, Any] = {}


def field_list(schema: Mapping[str, Any]) -> list[Field]:
    """Return the fields of a bundled schema, nested ones after their object, in the order written.

    At most 400 fields, and those of a recursive schema once.
    """
    fields: dict[str, Field] = {}
    walker = ConjunctWalker(schema, _MAX_STEPS)
    try:
        for field in _inside(walker, [Conjunct(dict(schema), ())], "", frozenset({"#"}), 0):
            fields.setdefault(field.path, field)
            if len(fields) == _MAX_FIELDS:
                break
    except OverflowError:
        pass  # as many as the work allows
    return list(fields.values())


def _inside(
    walker: ConjunctWalker, nodes: list[Conjunct], path: str, above: frozenset[str], depth: int
) -> Iterator[Field]:
    try:
        conjuncts, followed = walker.flat(nodes, above)
    except Recursion:
        return
    if depth > _MAX_DEPTH:
        return
    required = {name for node in conjuncts for name in _listed(node.schema, "required")}
    declared: dict[str, list[Conjunct]] = {}
    for node in conjuncts:
        properties = node.schema.get("properties") if isinstance(node.schema, dict) else None
        for name in properties if isinstance(properties, dict) else ():
            declared.setdefault(name, []).append(node.child("properties", name))
    for name, below in declared.items():
        yield from _field(walker, below, child(path, name), name in required, followed, depth)
    for keyword, suffix in (("items", f"{path}[]"), ("additionalProperties", child(path, OTHERS))):
        below = [node.child(keyword) for node in conjuncts if _has_schema(node.schema, keyword)]
        if below and keyword == "items":
            yield from _inside(walker, below, suffix, followed, depth + 1)
        elif below:
            yield from _field(walker, below, suffix, False, followed, depth)
    for node in conjuncts:
        for branches in choices(node):
            for branch in branches:
                for field in _inside(walker, [branch], path, followed, depth + 1):
                    yield field._replace(required=False)


def _field(
    walker: ConjunctWalker, nodes: list[Conjunct], path: str, required: bool, above: frozenset[str], depth: int
) -> Iterator[Field]:
    try:
        conjuncts, followed = walker.flat(nodes, above)
    except Recursion:
        conjuncts, followed = walker.flat(nodes, frozenset())[0], above  # the same again: named, but not entered
    marks = [node.schema[SENSITIVITY] for node in conjuncts if _has(node.schema, SENSITIVITY)]
    category = next((mark if isinstance(mark, str) else "" for mark in marks if mark), None)
    description = next((text for node in conjuncts if isinstance(text := _value(node.schema, "description"), str)), "")
    constraints = {key: value for node in reversed(conjuncts) for key, value in _constraints(node.schema)}
    yield Field(path, _type(walker, conjuncts, followed), required, description, category, constraints)
    yield from _inside(walker, nodes, path, above, depth + 1)


def _type(walker: ConjunctWalker, conjuncts: list[Conjunct], above: frozenset[str]) -> str:
    kinds = walker.kinds(conjuncts, above)
    if {"integer", "fraction"} <= kinds:
        kinds = kinds - {"integer", "fraction"} | {"number"}
    names = [name for name in TYPES if name in kinds or (name == "number" and "fraction" in kinds)]
    if len(names) >= len(TYPES) - 1:
        return "any"
    formats = [text for node in conjuncts if isinstance(text := _value(node.schema, "format"), str)]
    spelled = [f"string ({formats[0]})" if name == "string" and formats else name for name in names]
    return " or ".join(spelled) or "nothing"


def _constraints(schema: Any) -> Iterator[tuple[str, Any]]:
    """Yield the keywords of one schema that bound values by themselves: no subschemas, and no annotations."""
    if isinstance(schema, dict):
        known = (*_BOUNDING, *(key for key in schema if key.startswith("x-") and key != SENSITIVITY))
        yield from ((key, schema[key]) for key in known if key in schema)


def _has(schema: Any, keyword: str) -> bool:
    return isinstance(schema, dict) and keyword in schema


def _value(schema: Any, keyword: str) -> Any:
    return schema.get(keyword) if isinstance(schema, dict) else None


def _has_schema(schema: Any, keyword: str) -> bool:
    return isinstance(_value(schema, keyword), dict) and bool(schema[keyword])


def _listed(schema: Any, keyword: str) -> list[str]:
    value = _value(schema, keyword)
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []
