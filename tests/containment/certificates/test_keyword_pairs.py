"""Every pair of keywords that may speak of one thing: what is proved of them is never refuted by a small document.

The documents are all values of a few names, numbers and texts up to a small size. The proof is asked only where one of
them refutes it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from proofs import is_subschema

from babelreg.containment.preconditions import obstacle
from babelreg.errors import SchemaError
from babelreg.schema.dialects import DIALECTS

STEPS = 2_000
SCALARS: list[Any] = [None, True, 0, 1, 1.0, 1.5, 2, 3, -1, "", "a", "b", "ab", "\n", "e30=", "{}"]
VALUES: list[Any] = [1, "a", None]


def documents() -> Iterator[Any]:
    yield from SCALARS
    for length in range(4):
        yield from (list(items) for items in itertools.product(VALUES, repeat=length))
    for size in range(4):
        for names in itertools.combinations(["a", "b", "ab", "c"], size):
            for values in itertools.product(VALUES, repeat=size):
                yield dict(zip(names, values, strict=True))
    yield from ([[1]], [{}], {"a": {"a": 1}}, {"a": {}}, {"a": []}, {"a": {"b": "a"}}, [1, 2, 3, 4, 5], {"a": [1]})


DOCUMENTS = list(documents())
INT: Any = {"type": "integer"}
TEXT: Any = {"type": "string"}
NOT_NULL: Any = {"not": {"type": "null"}}
NOTHING: Any = {"not": {}}

EVERYWHERE: list[dict[str, Any]] = [
    {"type": "integer"}, {"type": "number"}, {"type": ["integer", "string"]}, {"type": ["array", "object"]},
    {"type": "object"}, {"type": "array"}, {"type": "null"}, {"type": "string"}, {"type": ["number", "integer"]},
    {"enum": [1]}, {"enum": [1.0, 2]}, {"enum": [1, True]}, {"enum": ["a", None]}, {"enum": ["a", "b", 1.5]},
    {"enum": [{"a": 1}, []]}, {"enum": [0, 1, 2, 3, -1]},
    {"minimum": 1}, {"minimum": 1.5}, {"maximum": 2}, {"maximum": 1, "minimum": 1}, {"multipleOf": 1},
    {"multipleOf": 0.5}, {"multipleOf": 2},
    {"minLength": 1}, {"maxLength": 1}, {"minLength": 2, "maxLength": 1}, {"pattern": "^a"}, {"pattern": "b$"},
    {"pattern": "^[ab]$"}, {"pattern": "^.?$"}, {"pattern": "^$"}, {"format": "ipv4"},
    {"contentEncoding": "base64"}, {"contentMediaType": "application/json"},
    {"contentEncoding": "base64", "contentMediaType": "application/json"},
    {"items": INT}, {"items": NOT_NULL}, {"minItems": 1}, {"minItems": 2}, {"maxItems": 1}, {"maxItems": 0},
    {"uniqueItems": True}, {"additionalItems": NOTHING},
    {"properties": {"a": INT}}, {"properties": {"a": NOTHING}}, {"properties": {"a": {}, "b": TEXT}},
    {"patternProperties": {"^a": INT}}, {"patternProperties": {"b$": TEXT}}, {"patternProperties": {"": NOT_NULL}},
    {"additionalProperties": INT}, {"additionalProperties": NOTHING},
    {"properties": {"a": {}}, "additionalProperties": NOTHING}, {"properties": {"a": {}}, "additionalProperties": INT},
    {"properties": {"a": {}}, "patternProperties": {"^b": {}}, "additionalProperties": False},
    {"patternProperties": {"^a": {}}, "additionalProperties": INT}, {"additionalProperties": False},
    {"required": ["a"]}, {"required": ["a", "b"]}, {"required": ["c"]}, {"minProperties": 1}, {"minProperties": 2},
    {"maxProperties": 1}, {"maxProperties": 0},
    {"dependencies": {"a": ["b"]}}, {"dependencies": {"a": ["c"]}}, {"dependencies": {"a": {"required": ["b"]}}},
    {"dependencies": {"a": {"properties": {"b": INT}}}}, {"dependencies": {"a": NOTHING, "b": ["c"]}},
    {"allOf": [{"minimum": 1}, {"required": ["a"]}]}, {"anyOf": [{"minimum": 1}, {"type": "string"}]},
    {"oneOf": [{"minimum": 1}, {"maximum": 2}]}, {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
    {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, {"anyOf": [{"type": "null"}, INT]},
    {"not": {"required": ["a"]}}, {"not": {"type": "integer"}}, {"not": {"minimum": 1}}, {"not": {"enum": [1]}},
    {"not": {"anyOf": [{"type": "null"}, {"required": ["b"]}]}}, {"not": {"items": INT}},
    {"not": {"properties": {"a": INT}}}, {"not": {"not": INT}},
    {"$ref": "#/definitions/x", "definitions": {"x": INT}}, {"definitions": {"x": INT}},
    {"$ref": "#/definitions/x", "definitions": {"x": INT}, "minimum": 2},
    {"properties": {"a": {"$ref": "#"}}, "type": "object"}, {"properties": {"a": {"$ref": "#"}}, "maxProperties": 1},
    {"items": {"$ref": "#"}, "type": "array"},
]  # fmt: skip
BY_DIALECT: dict[str, list[dict[str, Any]]] = {
    "draft4": [
        {"minimum": 1, "exclusiveMinimum": True}, {"maximum": 2, "exclusiveMaximum": True},
        {"minimum": 1, "exclusiveMinimum": False}, {"id": "http://e.org/s", "type": "integer"},
    ],
    "draft6": [
        {"exclusiveMinimum": 1}, {"exclusiveMinimum": 0, "minimum": 1}, {"exclusiveMaximum": 2}, {"const": 1},
        {"const": None}, {"const": {"a": 1}}, {"contains": INT}, {"contains": NOTHING}, {"contains": {}},
        {"propertyNames": {"pattern": "^a"}}, {"propertyNames": {"maxLength": 1}}, {"propertyNames": False},
        {"propertyNames": {"enum": ["a", "b"]}}, {"const": 1, "enum": ["a"]}, {"const": 1.0, "enum": [1]},
        {"$id": "http://e.org/s", "$ref": "#/definitions/x", "definitions": {"x": INT}},
        {"$ref": "#here", "definitions": {"x": {"$id": "#here", "type": "string"}}},
    ],
    "draft7": [
        {"if": INT, "then": {"minimum": 1}}, {"if": {"required": ["a"]}, "then": {"required": ["b"]}},
        {"if": INT, "else": {"type": "string"}}, {"then": {"minimum": 1}}, {"else": {"type": "null"}},
        {"if": {"properties": {"a": INT}}, "then": {"required": ["c"]}, "else": {"maxProperties": 1}},
    ],
    "draft2019-09": [
        {"dependentRequired": {"a": ["b"]}}, {"dependentRequired": {"a": ["c"]}},
        {"dependentSchemas": {"a": {"required": ["b"]}}}, {"dependentSchemas": {"a": {"properties": {"b": INT}}}},
        {"dependentSchemas": {"a": NOTHING}}, {"contains": INT, "minContains": 2}, {"contains": INT, "minContains": 0},
        {"contains": INT, "maxContains": 1}, {"contains": TEXT, "minContains": 0, "maxContains": 0},
        {"minContains": 3}, {"maxContains": 0},
        {"unevaluatedProperties": False}, {"properties": {"a": {}}, "unevaluatedProperties": False},
        {"anyOf": [{"properties": {"a": INT}}, {"properties": {"b": {}}}], "unevaluatedProperties": False},
        {"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": INT}, {"unevaluatedItems": False},
        {"unevaluatedItems": INT}, {"$ref": "#/$defs/x", "minimum": 1, "$defs": {"x": INT}},
        {"$ref": "#here", "$defs": {"x": {"$anchor": "here", "type": "string"}}},
        {"$ref": "#/$defs/x", "properties": {"b": {}}, "unevaluatedProperties": False,
         "$defs": {"x": {"properties": {"a": {}}}}},
    ],
    "draft2020-12": [
        {"prefixItems": [INT]}, {"prefixItems": [INT], "items": TEXT}, {"prefixItems": [{}, TEXT], "items": False},
        {"prefixItems": [{}], "unevaluatedItems": False}, {"contains": INT, "unevaluatedItems": False},
        {"$dynamicRef": "#n", "$defs": {"x": {"$dynamicAnchor": "n", "type": "string"}}},
        {"properties": {"a": {"$dynamicRef": "#n"}}, "$dynamicAnchor": "n", "type": "object"},
    ],
}  # fmt: skip
OLDER_ITEMS: list[dict[str, Any]] = [
    {"items": [INT]}, {"items": [INT], "additionalItems": NOTHING}, {"items": [{}, TEXT], "additionalItems": INT},
    {"items": [], "additionalItems": INT}, {"items": INT, "additionalItems": NOTHING},
]  # fmt: skip
DYNAMIC_2019: list[dict[str, Any]] = [
    {"items": {"$recursiveRef": "#"}, "type": "array"},
    {"properties": {"a": {"$recursiveRef": "#"}}, "$recursiveAnchor": True, "maxProperties": 1},
    {"items": [INT], "unevaluatedItems": False}, {"items": [INT], "additionalItems": TEXT, "unevaluatedItems": False},
]  # fmt: skip


SCHEMAS: dict[str, dict[str, Any]] = {dialect: {} for dialect in DIALECTS}


@cache
def accepted(dialect: str, schema: str) -> int | None:
    """The documents that a schema accepts, as bits; None for one that is not usable."""
    try:
        validator = DIALECTS[dialect].validator_for(SCHEMAS[dialect][schema], formats=False)
    except SchemaError:
        return None
    return sum(1 << at for at, document in enumerate(DOCUMENTS) if validator.is_valid(document))


def named(dialect: str, schemas: list[dict[str, Any]]) -> list[str]:
    """The names of the usable ones among ``schemas``, by which ``accepted`` finds them."""
    table = SCHEMAS[dialect]
    table.update({repr(schema): schema for schema in schemas if obstacle(schema) is None})
    return [repr(schema) for schema in schemas if repr(schema) in table and accepted(dialect, repr(schema)) is not None]


def keywords_of(dialect: str) -> list[dict[str, Any]]:
    """Schemas of one or a few keywords that the dialect has, and of some that it ignores."""
    names = list(BY_DIALECT)
    own = [schema for name in names[1 : names.index(dialect) + 1] for schema in BY_DIALECT[name]]
    own += BY_DIALECT["draft4"] if dialect == "draft4" else BY_DIALECT["draft2019-09"][:4]
    own += OLDER_ITEMS if dialect != "draft2020-12" else []
    return EVERYWHERE + own + (DYNAMIC_2019 if dialect == "draft2019-09" else [])


def refuted_proofs(dialect: str, inner: list[str], outer: list[str]) -> list[tuple[str, str, Any]]:
    """Pairs whose containment is proved, with a document that refutes it."""
    wrong = []
    for left, right in itertools.product(inner, outer):
        refuting = (accepted(dialect, left) or 0) & ~(accepted(dialect, right) or 0)
        schemas = (SCHEMAS[dialect][name] for name in (left, right))
        if refuting and is_subschema(*schemas, DIALECTS[dialect], steps=STEPS):
            wrong.append((left, right, DOCUMENTS[refuting.bit_length() - 1]))
    return wrong


def joined(schemas: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every two schemas as one: side by side where they have no keyword in common, else in an ``allOf``."""
    return [
        {**left, **right} if left.keys().isdisjoint(right) else {"allOf": [left, right]}
        for left, right in itertools.combinations(schemas, 2)
    ]


# Draft 6 is draft 7 without two keywords, and draft 4 the oldest: theirs are long.
QUICK = [pytest.param(name, marks=[pytest.mark.long] if name in ("draft4", "draft6") else []) for name in DIALECTS]


@pytest.mark.parametrize("dialect", QUICK)
def test_no_proof_of_one_keyword_by_another_is_refuted(dialect: str) -> None:
    """Keywords that all dialects have, with each other: in the newest, and in the long form in all.

    So are those of drafts 6 and 7, which draft 7 has with all.
    """
    schemas = named(dialect, keywords_of(dialect))
    tried = BY_DIALECT["draft6"] + BY_DIALECT["draft7"] if dialect == "draft2019-09" else []
    own = named(dialect, [schema for schema in keywords_of(dialect)[len(EVERYWHERE) :] if schema not in tried])
    assert own
    assert refuted_proofs(dialect, schemas, schemas if dialect == "draft2020-12" else own) == []
    assert dialect == "draft2020-12" or refuted_proofs(dialect, own, schemas) == []


@pytest.mark.long
@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_proof_of_any_keyword_by_another_is_refuted(dialect: str) -> None:
    schemas = named(dialect, keywords_of(dialect))
    assert refuted_proofs(dialect, schemas, schemas) == []


@pytest.mark.parametrize("dialect", QUICK)
def test_no_proof_by_two_keywords_is_refuted(dialect: str) -> None:
    schemas = named(dialect, keywords_of(dialect))
    some = joined(keywords_of(dialect))[::300]
    assert refuted_proofs(dialect, named(dialect, some), schemas) == []


@pytest.mark.long
@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_proof_by_any_two_keywords_is_refuted(dialect: str) -> None:
    schemas = named(dialect, keywords_of(dialect))
    both = named(dialect, joined(keywords_of(dialect)))
    assert refuted_proofs(dialect, both, schemas) == []
    assert refuted_proofs(dialect, schemas, both) == []
