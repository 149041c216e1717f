"""Where two schemas differ: which places are found, and that nothing is found where they are the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelreg.containment.fields import field_path
from babelreg.containment.schema_diff import differences

NUMBER, TEXT = {"type": "integer"}, {"type": "string"}


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def referring(money: Any, *, key: str = "$defs") -> dict[str, Any]:
    return {**of(total={"$ref": f"#/{key}/money"}, tax={"$ref": f"#/{key}/money"}), key: {"money": money}}


LIST = {"properties": {"next": {"$ref": "#"}, "value": NUMBER}}


@pytest.mark.parametrize(
    "old, new, places",
    [
        pytest.param(of(a=NUMBER), of(a=NUMBER), [], id="nothing"),
        pytest.param(of(a=NUMBER), of(a={**NUMBER, "description": "One."}), [], id="words"),
        pytest.param(of(a=NUMBER), of(a=TEXT), ["a"], id="a type"),
        pytest.param(of(a=of(b=[NUMBER])), of(a=of(b=[NUMBER], c=TEXT)), ["a.c"], id="a property that is new"),
        pytest.param(of(a=NUMBER, b=TEXT), of(b=TEXT), ["a"], id="a property that is gone"),
        pytest.param(of(b=TEXT), of(a=of(b=NUMBER), b=TEXT), ["a"], id="a property that is new, with properties"),
        pytest.param(
            {**of(a=NUMBER), "required": ["a", "b"]}, {**of(a=NUMBER), "required": ["b", "a"]}, [], id="another order"
        ),
        pytest.param({**of(a=NUMBER), "required": ["a"]}, of(a=NUMBER), [""], id="what is required"),
        pytest.param(of(a={"items": NUMBER}), of(a={"items": TEXT}), ["a[]"], id="items"),
        pytest.param(
            {"prefixItems": [NUMBER, NUMBER]}, {"prefixItems": [NUMBER, TEXT]}, ["[]"], id="one of several items"
        ),
        pytest.param(
            {"items": [NUMBER, NUMBER]},
            {"items": [NUMBER, TEXT]},
            ["[]"],
            id="one of several items, as they were spelled",
        ),
        pytest.param({"additionalProperties": NUMBER}, {"additionalProperties": TEXT}, ["*"], id="other properties"),
        pytest.param({"anyOf": [of(a=NUMBER), TEXT]}, {"anyOf": [of(a=TEXT), TEXT]}, ["a"], id="within a variant"),
        pytest.param({"anyOf": [NUMBER]}, {"anyOf": [NUMBER, TEXT]}, [""], id="a variant more"),
        pytest.param(referring(of(minor=NUMBER)), referring(of(minor=TEXT)), ["total.minor"], id="a definition, once"),
        pytest.param(referring(NUMBER), referring(NUMBER, key="definitions"), [], id="a definition that moved"),
        pytest.param(referring(NUMBER), of(total=NUMBER, tax=TEXT), ["tax"], id="one written out"),
        pytest.param(LIST, {"properties": {**LIST["properties"], "value": TEXT}}, ["value"], id="a recursion"),
        pytest.param(True, False, [""], id="no mappings"),
    ],
)
def test_places(old: Any, new: Any, places: list[str]) -> None:
    assert [field_path(found.place) for found in differences(old, new)] == places
    assert [field_path(found.place) for found in differences(new, old)] == places


def test_it_says_where_each_side_speaks_of_the_place() -> None:
    (found,) = differences(referring(of(minor=NUMBER)), referring(of(minor=TEXT), key="definitions"))
    assert found.old == ("$defs", "money", "properties", "minor")
    assert found.new == ("definitions", "money", "properties", "minor")


LEAVES = st.sampled_from([True, {}, NUMBER, TEXT, {"$ref": "#"}, {"enum": [1]}])
SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(lambda one, two: {"anyOf": [one, two]}, inner, inner),
        st.builds(lambda one, two: of(a=one, b=two), inner, inner),
        st.builds(lambda one: {"items": one}, inner),
    ),
    max_leaves=6,
)


@settings(deadline=None)
@given(SCHEMAS)
def test_a_schema_does_not_differ_from_itself(schema: Any) -> None:
    assert differences(schema, json.loads(json.dumps(schema))) == []


def test_a_bush_of_references_is_walked_once() -> None:
    bush = {f"n{i}": of(a={"$ref": f"#/$defs/n{i + 1}"}, b={"$ref": f"#/$defs/n{i + 1}"}) for i in range(60)}
    old, new = ({"$ref": "#/$defs/n0", "$defs": {**bush, "n60": leaf}} for leaf in (NUMBER, TEXT))
    (found,) = differences(old, new)
    assert len(found.place) == 60


def test_a_difference_further_down_is_among_many_nearer_to_the_root() -> None:
    def schema(high: int, *added: str) -> Any:
        return {"properties": {**{name: {**TEXT} for name in added}, "a": {"properties": {"n": {"maximum": high}}}}}

    added = [f"p{n}" for n in range(80)]
    assert ("a", "n") in [difference.place for difference in differences(schema(50), schema(51, *added))]
