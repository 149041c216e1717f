"""Rules of the checker: what a certificate can be made for, and the false claims beside it, which are refused.

Each case has an inner schema, an outer one that contains it, and an inner one that a document shows not to be contained
in the outer one. The derivation of the true claim is no derivation of the false one.
"""

from __future__ import annotations

from typing import Any

import pytest
from proofs import certificate, is_subschema

from babelreg.containment.certificates.checker import CertificateRefused, check
from babelreg.containment.certificates.content import VERSION
from babelreg.schema.dialects import DIALECTS

NEWEST = "draft2020-12"
EMBEDDED = {"$ref": "urn:a", "$defs": {"a": {"$id": "urn:a", "type": "integer"}}}
A_OR_B = {"oneOf": [{"required": [name], "properties": {name: {"type": "integer"}}} for name in "ab"]}
CASES = [
    pytest.param(
        {"const": {"a1": 1}}, {"patternProperties": {r"^a\d$": {"type": "integer"}}}, {"const": {"a1": "b"}}, NEWEST,
        {"a1": "b"}, id="a listed object and patterns of names",
    ),
    pytest.param(
        {"enum": ["a", "ab"]}, {"anyOf": [{"pattern": "^a$"}, {"pattern": "b$"}]}, {"enum": ["a", "c"]}, NEWEST, "c",
        id="listed strings and patterns in a union",
    ),
    pytest.param(
        {"oneOf": [A_OR_B, {"required": ["c"], "properties": {"c": {"const": 1}}}], "unevaluatedProperties": False},
        {"oneOf": [A_OR_B, {"required": ["c"], "properties": {"c": True}}], "unevaluatedProperties": False},
        {"oneOf": [A_OR_B, {"required": ["c"], "properties": {"c": {"const": 1}}}]},
        NEWEST, {"c": 1, "d": 1}, id="branches that evaluate different properties",
    ),
    pytest.param({"const": 1}, EMBEDDED, {"const": "a"}, NEWEST, "a", id="a listed value and an embedded document"),
    pytest.param(
        {"$defs": {"b": {"$id": "urn:b", "maximum": 2}}, "type": "integer"},
        {"type": "number"},
        {"$defs": {"b": {"$id": "urn:b", "maximum": 2}}, "type": "string"},
        NEWEST,
        "a",
        id="types beside an embedded document",
    ),
    pytest.param(
        {"const": [1]},
        {"$dynamicRef": "#i", "$defs": {"i": {"$dynamicAnchor": "i", "items": {"type": "integer"}}}},
        {"const": ["a"]}, NEWEST, ["a"], id="a listed value and a dynamic reference",
    ),
    pytest.param(
        {"if": {"maxLength": 4}, "then": {"const": "yes"}, "else": {"const": "other"}}, {"enum": ["yes", "other"]},
        {"if": {"maxLength": 4}, "then": {"const": "yes"}, "else": {"type": "string"}}, NEWEST, "longer",
        id="a condition that holds or does not",
    ),
    pytest.param(
        {"oneOf": [{"type": "string"}, {"maxLength": 5}]}, {"not": {"type": "string", "maxLength": 5}},
        {"anyOf": [{"type": "string"}, {"maxLength": 5}]}, NEWEST, "a", id="one of two that may both hold",
    ),
    pytest.param(
        {"type": "array", "prefixItems": [{"type": "integer"}], "minItems": 1}, {"contains": {"type": "integer"}},
        {"type": "array", "prefixItems": [{"type": "integer"}]}, NEWEST, [], id="an item that contains seeks",
    ),
    pytest.param(
        {"type": "array", "items": {"type": "string"}, "contains": {"type": "integer"}}, {"maxItems": 0},
        {"type": "array", "items": {"type": "string"}, "contains": {"type": "integer"}, "minContains": 0}, NEWEST, ["a"],
        id="an item that contains seeks in vain",
    ),
    pytest.param(
        {"type": "object", "required": ["a"], "dependentSchemas": {"a": {"minProperties": 2}}}, {"minProperties": 2},
        {"type": "object", "dependentSchemas": {"a": {"minProperties": 2}}}, NEWEST, {},
        id="a schema that a required property demands",
    ),
    pytest.param(
        {"type": "object", "required": ["a"], "dependentSchemas": {"a": {"enum": [{"a": 1}]}}}, {"enum": [{"a": 1}]},
        {"required": ["a"], "dependentSchemas": {"a": {"enum": [{"a": 1}]}}}, NEWEST, "a",
        id="which says nothing of values that are no objects",
    ),
    pytest.param(
        {"type": "object", "dependencies": {"a": ["b"], "c": {"maxProperties": 2}}},
        {"dependencies": {"c": {"maxProperties": 2}}},
        {"type": "object", "dependencies": {"a": ["b"], "c": {"maxProperties": 3}}},
        "draft7",
        {"c": 1, "d": 1, "e": 1},
        id="dependencies of both kinds",
    ),
    pytest.param(
        {"minLength": 1}, {"anyOf": [{"$defs": {"a": True}, "not": {"type": "string"}}, {"minLength": 1}]},
        {"maxLength": 1}, NEWEST, "", id="a union with a negation",
    ),
    pytest.param(
        {"contentMediaType": "text/plain", "type": "string"}, {"contentMediaType": "text/html", "type": "string"},
        {"contentMediaType": "text/plain"}, NEWEST, 1, id="content is described from 2019-09 on",
    ),
    pytest.param(
        {"type": "array", "items": [{"const": 1}], "additionalItems": {"const": 2}}, {"items": {"type": "integer"}},
        {"type": "array", "items": [{"const": 1}], "additionalItems": {"const": "a"}}, "draft7", [1, "a"],
        id="items of drafts before 2020-12",
    ),
    pytest.param(
        {"minimum": 1, "exclusiveMinimum": True, "type": "integer"}, {"minimum": 2},
        {"minimum": 1, "exclusiveMinimum": False, "type": "integer"}, "draft4", 1, id="bounds of draft 4",
    ),
]  # fmt: skip


@pytest.mark.parametrize("inner, outer, false, draft, refuting", CASES)
def test_a_rule_certifies_what_it_is_for(inner: Any, outer: Any, false: Any, draft: str, refuting: Any) -> None:
    made = certificate(inner, outer, DIALECTS[draft])
    assert made is not None
    check(made)


@pytest.mark.parametrize("inner, outer, false, draft, refuting", CASES)
def test_its_derivation_shows_no_false_claim(inner: Any, outer: Any, false: Any, draft: str, refuting: Any) -> None:
    within, beyond = (DIALECTS[draft].validator_for(schema, formats=False) for schema in (false, outer))
    made = certificate(inner, outer, DIALECTS[draft])
    assert within.is_valid(refuting)
    assert not beyond.is_valid(refuting)
    with pytest.raises(CertificateRefused):
        check({**made, "inner": false})
    assert certificate(false, outer, DIALECTS[draft]) is None


@pytest.mark.parametrize(
    "inner, outer",
    [
        pytest.param({"enum": ["a\n"]}, {"not": {"pattern": "^a$"}}, id="a listed value"),
        pytest.param({"enum": [{"a\n": 1}]}, {"patternProperties": {"^a$": False}}, id="a name in a listed value"),
        pytest.param(
            {"enum": [{"a\n": 1}]}, {"patternProperties": {"^a$": False}, "unevaluatedProperties": True}, id="by a validator"
        ),
        pytest.param({"const": "\u00e9"}, {"pattern": r"^\W$"}, id="a class"),
    ],
)  # fmt: skip
def test_a_step_for_one_reading_of_patterns_serves_not_for_another(inner: Any, outer: Any) -> None:
    assert is_subschema(inner, outer)
    assert certificate(inner, outer) is None
    with pytest.raises(CertificateRefused, match="may be left"):
        check(by_values(inner, outer))


def test_a_step_for_which_all_readings_are_alike_serves_for_each() -> None:
    check(by_values({"enum": ["a"]}, {"type": "string", "pattern": "a$"}))
    check(by_values({"enum": ["a"]}, {"type": "string", "items": {"pattern": "a$"}}))


def test_a_step_for_sides_that_read_alike_serves_not_for_others() -> None:
    """For ``python-reader``, the ``$`` of the inner side matches at the end only."""
    made = certificate({"pattern": "^a$", "minLength": 1}, {"pattern": "^a$"})
    check(made)
    ecma = made["readings"]["ecma"]
    check({**made, "readings": {"ecma": ecma, "python": ecma}})
    with pytest.raises(CertificateRefused):
        check({**made, "readings": {"ecma": ecma, "python-reader": ecma}})


def by_values(inner: Any, outer: Any) -> Any:
    """The claim that ``outer`` contains ``inner``, by the listed values, for two readings of patterns."""
    steps = {"steps": [["values", [], []]], "tables": [], "readings": {"ecma": 0, "python": 0}}
    return {"version": VERSION, "dialect": NEWEST, "formats": False, "inner": inner, "outer": outer, **steps}
