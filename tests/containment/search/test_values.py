"""Candidates: allowed by the inner schema where it can be told, in one fixed order, and near the difference."""

from __future__ import annotations

from itertools import islice
from typing import Any

import jsonschema_rs
import pytest
from hang import in_a_child
from steps import steps

from babelreg.containment.search.node import SearchDocument, allowed, compared
from babelreg.containment.search.values import CandidateSearch
from babelreg.schema.dialects import DEFAULT, DIALECTS, Dialect


def candidates(inner: Any, outer: Any, count: int = 60) -> list[Any]:
    sides = [SearchDocument(schema, DEFAULT, formats=True).node for schema in (inner, outer)]
    return list(islice(CandidateSearch().documents(*sides), count))


@pytest.mark.parametrize(
    "inner, outer",
    [
        pytest.param({"type": "integer", "minimum": 10}, {"minimum": 11}, id="a bound"),
        pytest.param({"type": "number"}, {"multipleOf": 0.5}, id="steps"),
        pytest.param({"type": "string", "minLength": 3}, {"maxLength": 200}, id="a long text"),
        pytest.param({"type": "string", "minLength": 1}, {"maxLength": 65535}, id="a text too long for a column"),
        pytest.param({"type": "string", "minLength": 2}, {"pattern": ".{2,}"}, id="a line feed, which no dot matches"),
        pytest.param(
            {"type": "string", "pattern": "^[A-Z]{2}-[0-9]+$"}, {"pattern": "^[A-Z]{2}-[0-9]$"}, id="a pattern"
        ),
        pytest.param({"type": "string", "pattern": "EGA[0-9]{3}"}, {"pattern": "^EGA[0-9]{3}"}, id="a new start"),
        pytest.param({"type": "string", "pattern": "EGA[0-9]{3}"}, {"pattern": "EGA[0-9]{3}$"}, id="a new end"),
        pytest.param({"type": "string", "format": "date"}, {"maxLength": 9}, id="a format"),
        pytest.param({"type": "string", "format": "email"}, {"maxLength": 254}, id="a long address"),
        pytest.param({"type": "string", "format": "hostname"}, {"maxLength": 128}, id="a long name of a host"),
        pytest.param({"type": "string", "format": "date-time"}, {"maxLength": 30}, id="a long time"),
        pytest.param({"type": "string", "format": "uri"}, {"maxLength": 2048}, id="a long address of a page"),
        pytest.param({"enum": list(range(50))}, {"enum": list(range(49))}, id="the last of many values"),
        pytest.param({"type": "array", "items": {"type": "integer"}}, {"uniqueItems": True}, id="two alike"),
        pytest.param({"propertyNames": True}, {"not": {"propertyNames": True}}, id="any name"),
        pytest.param(
            {"type": "object"}, {"propertyNames": {"minLength": 9, "not": {"minLength": 12}}}, id="names by length"
        ),
        pytest.param({"type": "array"}, {"maxItems": 20}, id="many items"),
        pytest.param({"type": "array", "contains": {"const": 7}}, {"not": {"contains": {"const": 7}}}, id="contained"),
        pytest.param({"type": "object"}, {"maxProperties": 5}, id="many properties"),
        pytest.param({"type": "object"}, {"propertyNames": {"pattern": "^[a-z]"}}, id="a name"),
        pytest.param(
            {"type": "object", "patternProperties": {"^s_": {"type": "string"}}},
            {"patternProperties": {"^s_": {"maxLength": 1}}},
            id="a name by its pattern",
        ),
        pytest.param(
            {"required": ["a"], "properties": {"a": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"properties": {"b": {}}}}},
            {"properties": {"a": {"properties": {"b": {"type": "null"}}}}},
            id="behind a reference",
        ),
        pytest.param(
            {"if": {"properties": {"k": {"const": 1}}, "required": ["k"]}, "then": {"required": ["a"]}},
            {"not": {"required": ["k", "a"]}},
            id="a condition",
        ),
        pytest.param(
            {"dependentRequired": {"a": ["b"]}, "required": ["a"]}, {"not": {"required": ["b"]}}, id="a dependency"
        ),
        pytest.param(
            {"properties": {f"p{i}": {"type": "string"} for i in range(200)}},
            {"properties": {**{f"p{i}": {"type": "string"} for i in range(199)}, "p199": {"type": "integer"}}},
            id="one difference among many properties",
        ),
    ],
)
def test_a_difference_is_met_early(inner: Any, outer: Any) -> None:
    sent, taken = (jsonschema_rs.validator_for(schema, validate_formats=True) for schema in (inner, outer))
    assert any(sent.is_valid(document) and not taken.is_valid(document) for document in candidates(inner, outer))


@pytest.mark.parametrize("union", ["anyOf", "oneOf"])
@pytest.mark.parametrize("refer", [True, False])
def test_a_new_member_of_a_long_union_is_tried_first(union: str, refer: bool) -> None:
    members = [{"properties": {"k": {"const": n}}, "required": ["k"]} for n in range(60)]
    definitions = {f"d{n}": member for n, member in enumerate(members)}
    listed = [{"$ref": f"#/$defs/d{n}"} for n in range(60)] if refer else members
    inner, outer = ({union: branches, "$defs": definitions} for branches in (listed, listed[:-1]))
    sides = compared(*(SearchDocument(schema, DEFAULT, formats=True) for schema in (inner, outer)))
    documents = islice(CandidateSearch().documents(*(side.node for side in sides)), 20)
    assert {"k": 59} in documents


def required(leaf: Any, levels: int) -> Any:
    for _ in range(levels):
        leaf = {"type": "object", "required": ["on"], "properties": {"on": leaf}}
    return leaf


@pytest.mark.parametrize("levels", [9, 20])
def test_what_is_required_far_below_is_there(levels: int) -> None:
    document = candidates(required({"const": 7}, levels), True, 1)[0]
    for _ in range(levels):
        document = document["on"]
    assert document == 7


def test_where_nothing_is_found_too_far_below_it_is_looked_for_again_nearer_to_the_root() -> None:
    schema = required({"const": 7}, 36)
    node, search = SearchDocument(schema, DEFAULT, formats=True).node, CandidateSearch()
    assert search.simplest((node,), 0) == []
    assert search.simplest((node.at(*("properties", "on") * 6),), 0)


def test_a_value_that_must_contain_itself_is_none() -> None:
    schema = {"type": "object", "required": ["on"], "properties": {"on": {"$ref": "#"}}}
    assert CandidateSearch().simplest((SearchDocument(schema, DEFAULT, formats=True).node,), 0) == []


def test_the_order_is_fixed_and_nothing_comes_twice() -> None:
    inner = {"type": "object", "properties": {"a": {"type": ["string", "null"]}, "b": {"items": {"type": "integer"}}}}
    first, second = (candidates(inner, {"type": "array"}, 300) for _ in range(2))
    assert repr(first) == repr(second)
    assert len({repr(document) for document in first}) == len(first)


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param(False, id="nothing is allowed"),
        pytest.param({"properties": {"a": {"$ref": "#"}}, "required": ["a"]}, id="no end"),
        pytest.param({"type": "array", "minItems": 10**8}, id="a huge array"),
        pytest.param({"type": "string", "minLength": 10**8}, id="a huge text"),
        pytest.param({"type": "string", "pattern": "(a{1000}){1000}"}, id="a huge pattern"),
        pytest.param({"type": "integer", "minimum": 10**300, "multipleOf": 7}, id="a huge number"),
        pytest.param({"oneOf": [{"anyOf": [{"oneOf": [{}] * 9}] * 9}] * 9}, id="many unions"),
        pytest.param({"required": 3, "properties": [], "enum": {}, "minLength": "x"}, id="keywords of the wrong shape"),
        pytest.param({"$ref": "#/nowhere"}, id="a reference to nothing"),
        pytest.param(
            {"required": ["a"], "properties": {"a": False}, "dependentRequired": {"a": ["a"]}},
            id="what needs itself and cannot be",
        ),
        pytest.param(
            {"allOf": [{"type": "object"}, {"required": ["a"], "properties": {"a": False}}]}, id="no document"
        ),
    ],
)
def test_it_always_ends(schema: Any) -> None:
    assert len(candidates(schema, schema, 2000)) <= 2000


def test_definitions_that_refer_to_one_another_are_compiled_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiling every subschema at once took a minute for 300 of these, and all memory for 1,000."""
    count = 300
    definitions = {
        f"d{i}": {
            "type": "object",
            "anyOf": [{"$ref": f"#/$defs/d{(i * 7 + j) % count}"} for j in range(1, 10)],
            "properties": {f"p{j}": {"$ref": f"#/$defs/d{(i * 7 + j) % count}"} for j in range(9)},
        }
        for i in range(count)
    }
    schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions}
    compiled: list[Any] = []
    compile_one = SearchDocument._compiled
    monkeypatch.setattr(
        SearchDocument, "_compiled", lambda side, pointer: compiled.append(pointer) or compile_one(side, pointer)
    )
    in_a_child(lambda: candidates(schema, {"maxProperties": 0}, 20), cpu_seconds=20)
    assert steps(lambda: candidates(schema, {"maxProperties": 0}, 20), most=20_000_000) > 0
    assert 0 < len(compiled) < count


def test_a_schema_that_refers_to_itself_by_patterns_is_searched_in_bounded_steps() -> None:
    of_x = {"type": "object", "properties": {"x": {"type": "integer"}}}
    schema = {
        "type": "object",
        "properties": {"a": {**of_x, "required": ["x"]}, "b": of_x},
        "patternProperties": {"^[a-z]+$": {"$ref": "#"}, "^[a-m]": {"$ref": "#"}},
    }
    other = {**schema, "properties": {"a": of_x, "b": of_x}}
    # A subschema that is reached in many ways counts once; before, this took more than 100,000,000.
    assert steps(lambda: candidates(schema, other, 1500), most=12_000_000) > 0


@pytest.mark.parametrize("name", ["a b", "a%20b", "ä", "a~b/c", '"', "#"])
def test_a_subschema_is_asked_whatever_its_name(name: str) -> None:
    side = SearchDocument(
        {"properties": {name: {"$ref": "#/$defs/n"}}, "$defs": {"n": {"type": "null"}}}, DEFAULT, formats=True
    )
    assert allowed(side.validator(("properties", name)), None)
    assert not allowed(side.validator(("properties", name)), 1)


LEAVES: list[Any] = [
    {},
    *({"type": kind} for kind in ("string", "integer", "number", "boolean", "null", "array", "object")),
    {"type": ["string", "null"]},
    {"type": "string", "minLength": 1, "maxLength": 2},
    {"type": "string", "format": "date"},
    {"format": "none that anybody knows"},
    {"pattern": "^a"},
    {"minimum": 1, "maximum": 4, "multipleOf": 2},
    {"enum": ["a", 1, None, {"$ref": "#"}]},
    {"const": [1.0]},
    {"const": 10**40},
]
VALUES: list[Any] = ["", "a", "ab", "abc", "2024-02-29", 0, 1, 2, 1.0, 10**40, True, None, [], [1], {}, {"$ref": "#"}]


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("formats", [True, False])
def test_a_subschema_that_is_compiled_once_for_all_documents_says_the_same(dialect: Dialect, formats: bool) -> None:
    names = {f"n{number}": leaf for number, leaf in enumerate(LEAVES)}
    side = SearchDocument({"properties": names}, dialect, formats=formats)
    for name in names:
        place = side.node.at("properties", name)
        for value in VALUES:
            assert allowed(place.validator, value) == allowed(side.validator(place.pointer), value), (
                names[name],
                value,
            )
