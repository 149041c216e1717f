"""The search for proofs: what it finds, what it must not find, and that nothing it finds is ever refuted."""

from __future__ import annotations

import json
from itertools import islice
from typing import Any

import pytest
from corpora import CORPORA, corpora_needed
from examples import fewer
from hypothesis import given, settings
from hypothesis import strategies as st
from proofs import is_subschema

from babelreg.containment.preconditions import obstacle
from babelreg.containment.search.node import SearchDocument
from babelreg.containment.search.values import CandidateSearch
from babelreg.containment.validator import SchemaValidator
from babelreg.errors import SchemaError
from babelreg.schema.dialects import DEFAULT, DIALECTS

TREE = {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#"}}, "n": {"type": "integer"}}}
LOOSE_TREE = {"properties": {"kids": {"items": {"$ref": "#"}}, "n": {"type": "number"}}}
CLOSED = {
    "patternProperties": {"^I_": {"type": "integer"}, "^S_": {"type": "string"}},
    "properties": {"foo": {"type": "string"}},
    "additionalProperties": False,
}
OPEN_NAME = {**CLOSED, "properties": {"foo": {"type": "string"}, "I_1": {"type": "number"}}}
MANY: Any = {
    "anyOf": [{"properties": {"kind": {"const": n}, "n": {"maximum": n}}, "required": ["kind"]} for n in range(30)]
}

PROVED = [
    pytest.param({"pattern": "^[a-z]+$"}, {"pattern": "^[a-z0-9]+$"}, id="a pattern within a wider one"),
    pytest.param({"pattern": "^(ab)*$", "maxLength": 5}, {"pattern": "^(ab){0,3}$"}, id="a pattern and a length"),
    pytest.param({"type": "string", "pattern": ".{2,}"}, {"minLength": 2}, id="a pattern that asks for a length"),
    pytest.param({"type": "string", "pattern": "^a{2,4}$"}, {"maxLength": 4}, id="a pattern that bounds the length"),
    pytest.param(CLOSED, OPEN_NAME, id="a listed name that a pattern covers already"),
    pytest.param(
        {"patternProperties": {"b.*b": {"type": "boolean"}}, "type": "object"},
        {"patternProperties": {"^ba+b$": {"type": "boolean"}}},
        id="a narrower pattern of names",
    ),
    pytest.param(
        {"additionalProperties": {"type": "string"}},
        {"additionalProperties": {"type": "string"}, "properties": {"name": {"type": "string"}}},
        id="a listed name with what holds for all others",
    ),
    pytest.param(TREE, LOOSE_TREE, id="a recursive schema within a looser one"),
    pytest.param({"enum": [{"a": 1}, {"a": 2}]}, {"properties": {"a": {"maximum": 2}}}, id="listed values"),
    pytest.param(True, {"anyOf": [{"minLength": 2}, {"not": {"minLength": 2}}]}, id="one thing or not"),
    pytest.param({"allOf": [{"minLength": 2}, {"not": {"minLength": 2}}]}, False, id="one thing and not"),
    pytest.param({"type": "integer", "exclusiveMinimum": 0}, {"minimum": 1}, id="whole numbers above nought"),
    pytest.param({"multipleOf": 0.2}, {"multipleOf": 0.1}, id="decimal steps"),
    pytest.param({"multipleOf": 3, "type": "number"}, {"type": "integer"}, id="steps of whole numbers"),
    pytest.param({"type": "integer", "minimum": 3, "maximum": 2}, False, id="no number between the bounds"),
    pytest.param({"anyOf": [{"const": 1}, {"const": "a"}]}, {"type": ["integer", "string"]}, id="a union, split"),
    pytest.param({"type": ["string", "null"]}, {"oneOf": [{"type": "null"}, {"type": "string"}]}, id="one of two"),
    pytest.param({"oneOf": [{"minLength": 1}, {"minLength": 1}]}, False, id="one of two equal branches"),
    pytest.param(
        {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {"oneOf": [{"required": ["b"]}, {"required": ["a"]}]},
        id="one of two that may both hold, in another order",
    ),
    pytest.param({"oneOf": [True, {"minLength": 1}]}, {"not": {"minLength": 1}}, id="one of all and some"),
    pytest.param(
        {"if": {"type": "string"}, "then": {"minLength": 2}, "type": "string", "minLength": 3},
        {"if": {"type": "string"}, "then": {"minLength": 1}},
        id="a condition that is met",
    ),
    pytest.param(
        {"type": "array", "prefixItems": [{"type": "integer"}], "items": False},
        {"items": {"type": "number"}, "maxItems": 1},
        id="a tuple within a list",
    ),
    pytest.param(
        {"type": "array", "minItems": 1, "items": {"const": 1}},
        {"contains": {"type": "integer"}},
        id="an item among them",
    ),
    pytest.param(
        {"type": "object", "required": ["a", "b"]}, {"minProperties": 2, "dependentRequired": {"a": ["b"]}}, id="counts"
    ),
    pytest.param({"required": ["a"], "properties": {"a": False}, "type": "object"}, False, id="what cannot be there"),
    pytest.param(
        {"properties": {"a": True}, "additionalProperties": False, "type": "object"},
        {"propertyNames": {"maxLength": 1}},
        id="the names of a closed object",
    ),
    pytest.param(
        {"type": "object", "maxProperties": 0},
        {"properties": {"a": {"type": "string"}}, "additionalProperties": False, "propertyNames": {"minLength": 1}},
        id="an object without properties",
    ),
    pytest.param({"type": "string", "pattern": "^[ab]$"}, {"enum": ["b", "a", 1]}, id="a pattern of listed texts"),
    pytest.param({"type": "string", "pattern": "^a|^$", "maxLength": 1}, {"enum": ["a", ""]}, id="or of few lengths"),
    pytest.param({"type": "string", "pattern": "^a$"}, {"const": "a"}, id="a pattern of one text"),
    pytest.param(MANY, {"anyOf": [*MANY["anyOf"], {"type": "null"}]}, id="a union of thirty"),
    pytest.param(
        {"properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"$id": "urn:x", "type": "string"}}},
        {"properties": {"a": {"type": "string"}}},
        id="a resource of its own",
    ),
    pytest.param(
        {"properties": {"a": True}, "unevaluatedProperties": False},
        {"properties": {"a": True, "b": True}, "unevaluatedProperties": False},
        id="what is not evaluated",
    ),
    pytest.param(
        {"allOf": [{"$ref": "#/$defs/x"}], "unevaluatedProperties": False, "$defs": {"x": {"properties": {"a": True}}}},
        {"propertyNames": {"enum": ["a"]}},
        id="what a reference evaluates",
    ),
    pytest.param(
        {"$dynamicRef": "#n", "$defs": {"x": {"$dynamicAnchor": "n", "type": "string"}}},
        {"type": "string"},
        id="a dynamic reference with one target",
    ),
    pytest.param({"propertyNames": {"enum": ["a"]}}, {"properties": {"b": False}}, id="a property that no name allows"),
    pytest.param(
        {"type": "integer", "multipleOf": 5, "minimum": 1, "maximum": 20},
        {"anyOf": [{"multipleOf": 10}, {"enum": [5, 15]}]},
        id="all multiples between two bounds",
    ),
    pytest.param({"type": "object", "maxProperties": 0}, {"const": {}}, id="the only value that holds nothing"),
]


def tagged(number: int) -> list[dict[str, Any]]:
    """Members of a union that a tag tells apart."""
    return [
        {"type": "object", "properties": {"kind": {"const": f"k{n}"}, "n": {"type": "integer"}}, "required": ["kind"]}
        for n in range(number)
    ]


@pytest.mark.parametrize("union", ["anyOf", "oneOf"])
def test_tags_tell_the_members_of_a_long_union_apart_in_one_step_each(union: str) -> None:
    inner, outer = {union: tagged(100)}, {union: [*tagged(101)[::-1], {"type": "null"}]}
    assert is_subschema(inner, outer, DEFAULT, steps=30_000)


@pytest.mark.parametrize("inner, outer", PROVED)
def test_a_proof_is_found(inner: Any, outer: Any) -> None:
    assert is_subschema(inner, outer, DEFAULT)


NOT_PROVED = [
    pytest.param(
        {"properties": {"k": {"const": "a"}}, "type": "object"},
        {"oneOf": [{"type": "object"}, {"properties": {"k": {"const": "b"}}}]},
        id="a tag that may be absent",
    ),
    pytest.param(
        {"properties": {"k": {"const": "a"}}, "required": ["k"], "type": "object"},
        {"oneOf": [{"type": "object"}, {"not": {"properties": {"k": {"const": "b"}}}}]},
        id="a tag that is negated",
    ),
    pytest.param({"pattern": "^[a-z0-9]+$"}, {"pattern": "^[a-z]+$"}, id="a wider pattern"),
    pytest.param({"minLength": 1, "type": "string"}, {"pattern": ".+"}, id="a line feed is no dot"),
    pytest.param({"pattern": "^(?=a)b"}, {"pattern": "^c"}, id="look-around is not read"),
    pytest.param(OPEN_NAME, {**CLOSED, "properties": {}}, id="a name that was listed"),
    pytest.param(LOOSE_TREE, TREE, id="a looser recursive schema"),
    pytest.param({"not": {"anyOf": [{"type": "string"}]}}, {"type": "string"}, id="the opposite"),
    pytest.param(
        {"const": {"foo": 1}},
        {"not": {"anyOf": [True, {"properties": {"foo": True}}], "unevaluatedProperties": False}},
        id="a union that evaluates properties is not taken apart",
    ),
    pytest.param(
        {"minContains": 2, "contains": {"const": 1}}, {"contains": {"const": 1}, "maxContains": 3}, id="at most"
    ),
]


def events(number: int, **more: Any) -> Any:
    """A map of events, each of which may have six parts or null in their place."""
    parts = {f"part{n}": {"anyOf": [{"$ref": f"#/$defs/part{n}"}, {"type": "null"}]} for n in range(6)}
    kinds = [
        {"type": "object", "properties": {**parts, "type": {"const": f"kind{n}"}}, "required": ["type"]}
        for n in range(number)
    ]
    definitions = {
        name: {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": ["integer", "null"]}}}
        for name in parts
    }
    return {
        "type": "object",
        "properties": {"events": {"type": "object", "additionalProperties": {"anyOf": kinds}}, **more},
        "$defs": definitions,
    }


@pytest.mark.parametrize("number", [12, 40])
def test_a_property_beside_a_map_of_many_kinds_of_event_is_proved(number: int) -> None:
    assert is_subschema(events(number, note={"type": "string"}), events(number), DEFAULT)


HUGE = 10**16


@pytest.mark.parametrize(
    "inner, outer, dialect, document",
    [
        pytest.param({"enum": [1]}, {"type": "integer"}, "draft4", 1.0, id="1.0 in draft 4, where 1 is listed"),
        pytest.param({"enum": [1, 2]}, {"type": ["integer", "string"]}, "draft4", 2.0, id="or one of several"),
        pytest.param({"type": "string"}, {"minLength": HUGE}, "draft2020-12", "a", id="a length that nothing has"),
        pytest.param({"type": "array"}, {"minItems": HUGE}, "draft2020-12", [], id="a count of items"),
        pytest.param({"type": "object"}, {"minProperties": HUGE}, "draft2020-12", {}, id="a count of members"),
        pytest.param(
            {"type": "string", "contentMediaType": "application/json", "contentEncoding": "base64"},
            {"contentMediaType": "application/json"},
            "draft7",
            "e30=",
            id="JSON in base64 is not JSON",
        ),
    ],
)
def test_what_a_document_refutes_is_not_proved(inner: Any, outer: Any, dialect: str, document: Any) -> None:
    accepts = [DIALECTS[dialect].validator_for(schema).is_valid(document) for schema in (inner, outer)]
    assert accepts == [True, False]
    assert not is_subschema(inner, outer, DIALECTS[dialect])


@pytest.mark.parametrize("inner, outer", NOT_PROVED)
def test_no_proof_is_found(inner: Any, outer: Any) -> None:
    assert not is_subschema(inner, outer, DEFAULT)


@pytest.mark.parametrize("dialect, asserted", [("draft6", True), ("draft7", True), ("draft2019-09", False)])
def test_an_encoding_is_asserted_up_to_draft_7(dialect: str, asserted: bool) -> None:
    inner, outer = {"contentEncoding": "base16", "type": "string"}, {"contentEncoding": "base64"}
    assert is_subschema(inner, outer, DIALECTS[dialect]) is not asserted


def test_keywords_of_later_dialects_say_nothing() -> None:
    assert is_subschema({"type": "string", "const": "a"}, {"enum": ["a"]}, DIALECTS["draft6"])
    assert not is_subschema({"type": "string", "const": "a"}, {"enum": ["a"]}, DIALECTS["draft4"])


def test_formats_count_where_they_are_asserted() -> None:
    inner, outer = {"type": "string"}, {"type": "string", "format": "email"}
    assert is_subschema(inner, outer, DEFAULT)
    assert not is_subschema(inner, outer, DEFAULT, formats=True)
    assert is_subschema({**outer, "minLength": 3}, outer, DEFAULT, formats=True)


def test_steps_run_out_without_a_verdict() -> None:
    assert not is_subschema(TREE, LOOSE_TREE, DEFAULT, steps=2)


@pytest.mark.parametrize("union", ["anyOf", "oneOf"])
def test_a_subschema_that_stands_in_many_places_is_proved_once(union: str) -> None:
    inner, outer = ({"type": types} for types in ("string", ["string", "null"]))
    for _ in range(10):
        inner, outer = (
            {union: [{"type": "object", "properties": {"a": side}}, {"type": "array", "items": side}]}
            for side in (inner, outer)
        )
    assert is_subschema(inner, outer, DEFAULT, steps=500)


def test_alternatives_within_alternatives_end() -> None:
    deep: Any = {"type": "string"}
    for _ in range(9):
        deep = {"anyOf": [deep, {"allOf": [deep, {"not": {"maxLength": 3}}]}]}
    assert is_subschema(deep, {"type": "number"}, DEFAULT) is False


_LEAVES = st.sampled_from(
    [
        *(True, False, {}, {"type": "string"}, {"type": ["integer", "null"]}, {"const": 1}, {"enum": ["a", None, [1]]}),
        *({"minimum": 1}, {"exclusiveMaximum": 3}, {"multipleOf": 2}, {"minLength": 2}, {"maxLength": 1}),
        *({"pattern": "^a"}, {"pattern": "b$"}, {"pattern": "^[ab]{1,2}$"}, {"maxItems": 1}, {"uniqueItems": True}),
        *(
            {"format": "date"},
            {"format": "date", "minLength": 2},
            {"required": ["a"]},
            {"minProperties": 1},
            {"maxProperties": 1},
            {"$ref": "#"},
            {"type": "object"},
        ),
    ]
)


def _branches(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    two = st.lists(inner, min_size=1, max_size=2)
    return st.one_of(
        *(st.fixed_dictionaries({keyword: two}) for keyword in ("anyOf", "oneOf", "allOf", "prefixItems")),
        st.fixed_dictionaries({"not": inner}),
        st.fixed_dictionaries({"if": inner, "then": inner, "else": inner}),
        st.fixed_dictionaries({}, optional={"items": inner, "contains": inner, "minItems": st.integers(0, 2)}),
        st.fixed_dictionaries(
            {},
            optional={
                "type": st.just("object"),
                "properties": st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
                "patternProperties": st.dictionaries(st.sampled_from(["^a", "b", "^[bc]$"]), inner, max_size=2),
                "additionalProperties": inner,
                "required": st.just(["a"]),
                "propertyNames": inner,
                "unevaluatedProperties": inner,
            },
        ),
    )


schemas = st.recursive(_LEAVES, _branches, max_leaves=6)
DOCUMENTS: list[Any] = [
    *(
        None,
        True,
        0,
        1,
        1.5,
        2,
        4,
        -2,
        "",
        "a",
        "b",
        "ab",
        "ba",
        "aaa",
        "\n",
        "2024-02-29",
        [],
        [1],
        ["a"],
        [1, 1],
        [1, 2, "a"],
    ),
    *({}, {"a": 1}, {"a": "a"}, {"b": None}, {"c": 1}, {"a": {"a": 1}}, {"a": 1, "b": "b"}, {"ab": 1}, {"a": []}),
]


@settings(max_examples=fewer(80, 150), deadline=None)
@given(inner=schemas, outer=schemas)
def test_no_document_refutes_a_proof(inner: Any, outer: Any) -> None:
    _check(inner, outer)


@pytest.mark.long
@settings(max_examples=40_000, deadline=None)
@given(inner=schemas, outer=schemas)
def test_no_document_refutes_a_proof_in_many_tries(inner: Any, outer: Any) -> None:
    _check(inner, outer)


def _check(inner: Any, outer: Any) -> None:
    if obstacle(inner) or obstacle(outer):
        return
    for formats in (False, True):
        if is_subschema(inner, outer, DEFAULT, formats=formats):
            _refute(inner, outer, formats=formats)


def _refute(inner: Any, outer: Any, *, formats: bool) -> None:
    try:
        within, beyond = (SchemaValidator(schema, DEFAULT, formats=formats) for schema in (inner, outer))
    except SchemaError:
        return
    sides = (SearchDocument(schema, DEFAULT, formats=formats).node for schema in (inner, outer))
    for document in [*DOCUMENTS, *islice(CandidateSearch().documents(*sides), 60)]:
        assert not (within.accepts(document) and beyond.refuses(document)), document


@corpora_needed
def test_nothing_known_to_break_is_proved() -> None:
    for file in sorted(CORPORA.glob("*.jsonl")):
        if file.stem == "change_kinds":
            continue
        for line in file.read_text("utf-8").splitlines():
            case = json.loads(line)
            for direction, inner, outer in (("backward", "old", "new"), ("forward", "new", "old")):
                if case["truth"][direction] == "breaking":
                    found = is_subschema(case[inner], case[outer], DIALECTS[case["draft"]])
                    assert not found, (case["id"], direction)
