"""Documents that reach what differs, however deep and wide the schema is."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

from babelreg.containment.schema_pair import compare
from babelreg.containment.search.guided import documents_reaching
from babelreg.containment.search.node import SearchDocument
from babelreg.containment.search.values import CandidateSearch
from babelreg.schema.dialects import DEFAULT
from babelreg.schema.pointer import Pointer

TEXT = {"type": "string"}


def deep(leaf: Any, levels: int) -> Any:
    """An object with fifteen properties a level that are not what is looked for, and one that leads on."""
    for _ in range(levels):
        beside = {f"p{n}": {"type": "object", "properties": {"x": TEXT}} for n in range(15)}
        leaf = {"type": "object", "required": ["p0"], "properties": {**beside, "on": leaf}}
    return leaf


@pytest.mark.parametrize(
    "schema, place, found",
    [
        pytest.param({"properties": {"a": {"enum": [7]}}}, ("a",), {"a": 7}, id="a property"),
        pytest.param({"items": {"properties": {"a": {"enum": [7]}}}}, (0, "a"), [{"a": 7}], id="of an item"),
        pytest.param({"prefixItems": [{"const": "v1"}, {"enum": [7]}]}, (1,), ["v1", 7], id="one of several items"),
        pytest.param({"additionalProperties": {"enum": [7]}}, ("*",), {"zz_x": 7}, id="any other property"),
        pytest.param(
            {"oneOf": [{"properties": {"kind": {"const": kind}, "a": {"enum": [kind, 7]}}} for kind in ("x", "y")]},
            ("a",),
            {"kind": "y", "a": 7},
            id="in a variant that one value tells apart, which is not required",
        ),
        pytest.param(
            {"propertyNames": {"anyOf": [{"const": "long"}, {"const": "k"}]}, "additionalProperties": {"enum": [7]}},
            ("*",),
            {"long": 7},
            id="a name that a union of names takes",
        ),
        pytest.param({"patternProperties": {"^k$": {"enum": [7]}}}, ("*",), {"k": 7}, id="a name by its pattern"),
        pytest.param(
            {
                "additionalProperties": {
                    "anyOf": [{"required": [f"r{n}"], "properties": {"a": {"type": "string"}}} for n in range(11)]
                    + [{"properties": {"a": {"enum": [7]}}}]
                }
            },
            ("*", "a"),
            {"zz_x": {"a": 7}},
            id="in the last of many variants",
        ),
        pytest.param(
            {"anyOf": [{"type": "null"}, {"type": "object", "properties": {"a": {"enum": [7]}}, "required": ["b"]}]},
            ("a",),
            {"b": 1, "a": 7},
            id="in a variant, with what it requires",
        ),
        pytest.param(
            {
                "required": ["kind"],
                "properties": {"kind": {"enum": ["x", "y"]}, "a": {"enum": [7]}},
                "allOf": [
                    {"if": {"properties": {"kind": {"const": "x"}}}, "then": {"required": ["b"]}},
                    {"if": {"required": ["b"]}, "then": {"required": ["c"], "properties": {"c": {"const": 1}}}},
                ],
            },
            ("a",),
            {"kind": "x", "b": 1, "c": 1, "a": 7},
            id="with what a condition requires that the simplest value meets",
        ),
        pytest.param(
            {
                "properties": {"a": {"enum": [7]}},
                "if": {"required": ["a"]},
                "then": {"required": ["b"]},
                "else": {"required": ["c"]},
            },
            ("a",),
            {"a": 7, "b": 1},
            id="with what a condition requires that the value itself meets",
        ),
    ],
)
def test_reaching(schema: Any, place: Pointer, found: Any) -> None:
    side = SearchDocument(schema, DEFAULT, formats=False).node
    assert found in list(islice(documents_reaching(CandidateSearch(), (side,), (), place), 50))


@pytest.mark.parametrize("levels", [9, 12])
def test_a_difference_far_down_is_shown(levels: int) -> None:
    old, new = deep({"enum": ["a"]}, levels), deep({"enum": ["a", "b"]}, levels)
    found = compare(old, new)
    assert (found.backward.kind, found.forward.kind) == ("compatible", "breaking")
    document = found.forward.witness
    for _ in range(levels):
        document = document["on"]
    assert document == "b"


def test_unknown_says_what_differs() -> None:
    old, new = (
        {"properties": {"a": TEXT, "ref": {"pattern": f"^(?!tmp){tail}$"}}} for tail in ("[a-z]+", "[a-z][a-z]*")
    )
    found = compare(old, new).backward
    assert found.kind == "unknown"
    assert (found.reason or "").startswith("pattern of 'ref' cannot be decided: ")
    assert found.pointer == "/properties/ref/pattern"


def address(code: Any) -> Any:
    return {
        "oneOf": [
            {"required": ["city", "code", "state"], "properties": {"city": TEXT, "code": code, "state": TEXT}},
            {"required": ["city", "country"], "properties": {"city": TEXT, "country": TEXT}},
        ]
    }


def test_what_two_branches_of_the_outer_side_take_is_tried() -> None:
    new, old = (address(code) for code in ({**TEXT, "pattern": "^[0-9]{5}$"}, TEXT))
    inner, outer = (SearchDocument(schema, DEFAULT, formats=False).node for schema in (new, old))
    found = list(islice(documents_reaching(CandidateSearch(), (inner,), (outer,), ("code",)), 30))
    assert any(document.keys() == {"city", "code", "state", "country"} and document["code"] == "" for document in found)


def test_two_branches_that_cancel_each_other_in_a_branch_are_tried() -> None:
    """The inner union refuses what is both, so that the outer one allows it by its other branch alone."""

    def container(**mounts: Any) -> Any:
        local = {"allOf": [{"oneOf": [{"required": ["image"]}]}, {"$ref": "#/$defs/base"}]}
        either = {"allOf": [{"oneOf": [local, {"required": ["service"]}]}]}
        return {"oneOf": [either, {}], "$defs": {"base": {"properties": mounts}}}

    found = compare(container(mounts={"items": TEXT}), container(), reader="strict").forward
    assert found.kind == "breaking"
    assert found.witness.keys() == {"image", "service", "mounts"}


def test_a_new_value_of_one_branch_is_tried_before_those_that_were_listed() -> None:
    def states(*names: str) -> Any:
        listed = {"required": ["country"], "properties": {"country": {"const": "CA"}, "state": {"enum": [*names]}}}
        other = {"required": ["country"], "properties": {"country": {"not": {"const": "CA"}}}}
        return {"oneOf": [listed, other]}

    many = [f"s{n}" for n in range(60)]
    inner, outer = (
        SearchDocument(schema, DEFAULT, formats=False).node for schema in (states(*many, "n"), states(*many))
    )
    found = list(islice(documents_reaching(CandidateSearch(), (inner,), (outer,), ("state",)), 8))
    assert {"country": "CA", "state": "n"} in found


def test_a_place_far_down_gets_as_many_documents_as_one_near_the_root() -> None:
    leaf = {"oneOf": [{"properties": {"a": {"enum": [f"{n}{m}" for m in range(30)]}}} for n in range(4)]}

    def reached(schema: Any, place: Pointer) -> int:
        side = SearchDocument(schema, DEFAULT, formats=False).node
        return len(list(documents_reaching(CandidateSearch(), (side,), (), place)))

    assert reached({"properties": {"p": leaf}}, ("p", "a")) == reached(leaf, ("a",)) > 40


@pytest.mark.parametrize("keyword, draft", [("dependentSchemas", "draft2020-12"), ("dependencies", "draft7")])
def test_what_a_dependent_schema_refuses_is_found_beside_what_it_requires(keyword: str, draft: str) -> None:
    old = {"type": "object", keyword: {"p": {"required": ["r"], "properties": {"q": TEXT}}}}
    new = {"type": "object", keyword: {"p": {"required": ["r"]}}}
    found = compare(old, new, dialect=draft)
    assert (found.backward.kind, found.forward.kind) == ("compatible", "breaking")
    assert found.forward.witness.keys() == {"p", "q", "r"}
