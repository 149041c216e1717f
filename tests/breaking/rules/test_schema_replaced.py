from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from babelreg.finding import Finding
from babelreg.report import render

PERSON: dict[str, Any] = {"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer"}}}
COMPANY: dict[str, Any] = {
    "type": "object",
    "required": ["vat"],
    "properties": {"name": {"type": "string", "maxLength": 20}, "vat": {"type": "string"}},
}
DEFINITIONS = {"$defs": {"person": PERSON, "company": COMPANY}}
TO_PERSON, TO_COMPANY = {"$ref": "#/properties/x/$defs/person"}, {"$ref": "#/properties/x/$defs/company"}


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **DEFINITIONS}


@pytest.mark.parametrize(
    "old, new, message, parts",
    [
        pytest.param(
            of(sender=TO_PERSON),
            of(sender=TO_COMPANY),
            "'x.sender' refers to 'company', not 'person', which breaks in several ways",
            {"property-removed", "property-required", "text-length-changed"},
            id="a reference to another definition",
        ),
        pytest.param(
            of(sender={"type": "object"}),
            of(sender={"allOf": [TO_COMPANY, {"required": ["id"]}]}),
            "allOf was added to 'x.sender', which breaks in several ways",
            {"property-declared", "property-required"},
            id="members that were not there",
        ),
        pytest.param(
            of(lines={"type": "array", "items": COMPANY}),
            of(lines={"type": "array"}),
            "items was removed from 'x.lines', which breaks in several ways",
            {"property-removed", "type-changed"},
            id="items of any kind",
        ),
        pytest.param(
            of(sender={"type": "object", "patternProperties": {"^a": {"type": "string"}}}),
            of(sender={"type": "object", "patternProperties": {"^[ab]": {"maxLength": 3, "format": "uri"}}}),
            "patternProperties of 'x.sender' was replaced, which breaks in several ways",
            {"type-changed", "text-length-changed", "format-changed"},
            id="the only pattern of names",
        ),
        pytest.param(
            of(sender={"oneOf": [TO_PERSON, {"type": "null"}]}),
            of(sender={"oneOf": [TO_COMPANY, {"type": "null"}]}),
            "'x.sender' refers to 'company', not 'person', which breaks in several ways",
            {"property-removed", "union-changed"},
            id="a reference in a branch",
        ),
    ],
)
def test_a_replaced_schema_is_one_finding(
    old: Any, new: Any, message: str, parts: set[str], data_breaks: Callable[[Any, Any], list[Finding]]
) -> None:
    (found,) = [finding for finding in data_breaks(old, new) if finding.rule != "spark-type-changed"]
    assert (found.rule, found.message) == ("schema-replaced", message)
    assert {part.rule for part in found.parts} == parts


def test_properties_listed_in_place_of_a_union_belong_to_the_union(
    data_breaks: Callable[[Any, Any], list[Finding]],
) -> None:
    old = of(sender={"type": "object", "anyOf": [PERSON, COMPANY]})
    new = of(sender={"type": "object", "properties": {"age": {"type": "string"}, "vat": {"type": "integer"}}})
    named = ("union-changed", "type-changed")
    found = [finding for finding in data_breaks(old, new) if finding.rule in named]
    assert [finding.rule for finding in found] == ["union-changed"]
    assert {part.rule for part in found[0].parts} == {"union-changed", "type-changed"}


def test_each_of_two_replaced_references_is_a_finding(data_breaks: Callable[[Any, Any], list[Finding]]) -> None:
    lax = {"type": "object", "properties": {"code": {"type": "string"}, "id": {"type": "integer"}}}
    strict = {"type": "object", "properties": {"code": {"const": "a"}, "id": {"const": 1}}}
    old = {"type": "object", "properties": {"a": TO_PERSON, "b": {"$ref": "#/properties/x/$defs/lax"}}}
    new = {"type": "object", "properties": {"a": TO_COMPANY, "b": {"$ref": "#/properties/x/$defs/strict"}}}
    definitions = {"$defs": {**DEFINITIONS["$defs"], "lax": lax, "strict": strict}}
    found = data_breaks({**old, **definitions}, {**new, **definitions})
    assert [finding.message for finding in found] == [
        "'x.a' refers to 'company', not 'person', which breaks in several ways",
        "'x.b' refers to 'strict', not 'lax', which breaks in several ways",
    ]


def test_one_thing_that_breaks_keeps_its_rule(data_breaks: Callable[[Any, Any], list[Finding]]) -> None:
    required = {**PERSON, "required": ["age"]}
    old, new = ({"$defs": {"a": PERSON, "b": required}, "$ref": f"#/properties/x/$defs/{name}"} for name in "ab")
    (found,) = data_breaks(old, new)
    assert (found.rule, found.parts) == ("property-required", ())


def test_an_edit_inside_a_definition_is_no_replacement(data_breaks: Callable[[Any, Any], list[Finding]]) -> None:
    old, new = (
        {"$defs": {"p": {**PERSON, "required": names}}, "$ref": "#/properties/x/$defs/p"}
        for names in ([], ["name", "age"])
    )
    (found,) = data_breaks(old, new)
    assert (found.rule, found.message) == ("property-required", "properties 'x.name' and 'x.age' became required")


def test_the_parts_are_in_the_report(data_breaks: Callable[[Any, Any], list[Finding]]) -> None:
    (found,) = data_breaks(of(sender=TO_PERSON), of(sender=TO_COMPANY))
    shown = render([found], "text")
    assert "part: required property 'x.sender.vat' was added [property-required]" in shown
    as_json = found.as_json()["parts"]
    assert {part["rule"] for part in as_json} == {"property-removed", "property-required", "text-length-changed"}
    assert all("message" in part and "hurts" not in part for part in as_json)


def test_parts_that_break_both_ways(data_breaks: Callable[[Any, Any], list[Finding]]) -> None:
    other = {"type": "object", "properties": {"name": {"type": "integer"}, "age": {"type": "integer", "minimum": 1}}}
    definitions = {"$defs": {"person": PERSON, "other": other}}
    to_other = {"$ref": "#/properties/x/$defs/other"}
    old, new = ({"properties": {"a": reference}, **definitions} for reference in (TO_PERSON, to_other))
    (found,) = data_breaks(old, new)
    assert (found.rule, found.direction) == ("schema-replaced", "both")
    assert {(part.rule, part.direction) for part in found.parts} == {
        ("type-changed", "both"),
        ("number-range-changed", "backward"),
    }
    assert found.witnesses.keys() == {"backward", "forward"}


def test_two_definitions_of_one_name_are_told_apart_by_their_places(
    data_breaks: Callable[[Any, Any], list[Finding]],
) -> None:
    definitions = {"$defs": {"party": PERSON, "v2": {"$defs": {"party": COMPANY}}}}
    old = {"$ref": "#/properties/x/$defs/party", **definitions}
    new = {"$ref": "#/properties/x/$defs/v2/$defs/party", **definitions}
    (found,) = [finding for finding in data_breaks(old, new) if finding.rule != "spark-type-changed"]
    assert found.message == (
        "'x' refers to '#/properties/x/$defs/v2/$defs/party', not '#/properties/x/$defs/party', "
        "which breaks in several ways"
    )
