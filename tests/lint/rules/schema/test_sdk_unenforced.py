from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jsonschema_rs
import pytest
from babelqueue.schema import validate_schema
from hypothesis import given
from hypothesis import strategies as st

from babelreg.finding import Finding
from babelreg.lint.rules.schema.sdk_unenforced import unenforced

Lint = Callable[..., list[Finding]]
RULE = "sdk-unenforced"


def listed(schema: Any) -> list[str]:
    return ["/".join(map(str, (*at, keyword))) for at, keyword in unenforced(schema)]


@pytest.mark.parametrize(
    "schema, found, slips",
    [
        ({"type": "string", "maxLength": 1}, ["maxLength"], "ab"),
        ({"type": "string", "pattern": "^a"}, ["pattern"], "b"),
        ({"type": "string", "format": "date"}, ["format"], "soon"),
        ({"type": "integer", "maximum": 1}, ["maximum"], 2),
        ({"type": "integer", "exclusiveMinimum": 1}, ["exclusiveMinimum"], 1),
        ({"type": "number", "multipleOf": 2}, ["multipleOf"], 3),
        ({"type": ["string", "null"], "minLength": 2}, ["type"], 5),
        ({"minLength": 2}, ["minLength"], "a"),
        ({"properties": {"a": {"type": "string"}}}, ["properties"], {"a": 1}),
        ({"type": "array", "items": {"type": "string"}, "maxItems": 1}, ["maxItems"], ["a", "b"]),
        ({"type": "array", "uniqueItems": True}, ["uniqueItems"], [1, 1]),
        ({"type": "object", "additionalProperties": {"type": "string"}}, ["additionalProperties"], {"a": 1}),
        ({"type": "object", "patternProperties": {"a": {"type": "string"}}}, ["patternProperties"], {"a": 1}),
        ({"type": "object", "properties": {"a": False}}, ["properties/a"], {"a": 1}),
        ({"$ref": "#/$defs/x", "$defs": {"x": {"type": "string"}}}, ["$ref"], 1),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, ["anyOf"], 1),
        ({"allOf": [{"type": "string", "maxLength": 1}]}, ["allOf"], 1),
        ({"not": {"type": "string"}}, ["not"], "a"),
        ({"if": {"type": "string"}, "then": {"minLength": 2}}, ["if"], "a"),
        (
            {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string", "maxLength": 1}}}},
            ["properties/a/items/maxLength"],
            {"a": ["ab"]},
        ),
    ],
)
def test_what_is_listed_lets_a_value_slip_through_the_sdk(schema: Any, found: list[str], slips: Any) -> None:
    assert listed(schema) == found
    assert validate_schema(schema, slips) is None
    assert not jsonschema_rs.validator_for(schema, validate_formats=True).is_valid(slips)


WORDS = st.sampled_from(["a", "b", "c"])
SCHEMAS = st.recursive(
    st.one_of(
        st.fixed_dictionaries({"type": st.just("string")}, optional={"minLength": st.integers(0, 2)}),
        st.fixed_dictionaries({"type": st.just("integer")}, optional={"minimum": st.integers(0, 2)}),
        st.fixed_dictionaries({"type": st.just("string"), "enum": st.lists(WORDS, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"const": WORDS}),
        st.fixed_dictionaries({"type": st.sampled_from(["boolean", "null", "number"])}),
        st.fixed_dictionaries({"type": st.just("string"), "title": WORDS, "x-gdpr-sensitive": WORDS}),
        st.just({"type": "string", "maxLength": 1}),
    ),
    lambda below: st.one_of(
        st.fixed_dictionaries({"type": st.just("array"), "items": below}),
        st.fixed_dictionaries(
            {"type": st.just("object"), "properties": st.dictionaries(WORDS, below, max_size=2)},
            optional={"required": st.lists(WORDS, unique=True, max_size=2), "additionalProperties": st.booleans()},
        ),
    ),
    max_leaves=6,
)
VALUES = st.recursive(
    st.one_of(WORDS, st.just("ab"), st.integers(-1, 3), st.booleans(), st.none(), st.just(0.5)),
    lambda below: st.one_of(st.lists(below, max_size=2), st.dictionaries(WORDS, below, max_size=3)),
    max_leaves=6,
)


@given(SCHEMAS, VALUES)
def test_what_the_sdk_takes_is_valid_where_nothing_is_listed(schema: Any, value: Any) -> None:
    if not listed(schema) and validate_schema(schema, value) is None:
        assert jsonschema_rs.validator_for(schema).is_valid(value)


@pytest.mark.parametrize(
    "producers, shown",
    [
        pytest.param("[orders-api]", ["orders-api (PHP)"], id="PHP"),
        pytest.param("[billing-worker, storefront]", ["billing-worker (Go), storefront (Node)"], id="two"),
        pytest.param("[crm]", [], id="Python, which has generated producers"),
        pytest.param("[crm, orders-api]", ["orders-api (PHP)"], id="one of two"),
        pytest.param("[]", [], id="nobody"),
        pytest.param("[stranger]", [], id="one that is not known"),
    ],
)
def test_the_producers_that_have_nothing_else_are_named(producers: str, shown: list[str], findings: Lint) -> None:
    block = (
        f"urn: urn:babel:orders:created\nproducers: {producers}\n"
        "data: {type: object, properties: {a: {type: string, maxLength: 3}}}\n"
        "# file: _services/crm.yaml\nowner: a\nlang: python\n"
    )
    assert [f.message.partition(" does not")[0] for f in findings(block, RULE)] == shown


@pytest.mark.parametrize(
    "properties, shown",
    [
        ("{a: false}", "false of 'a'"),
        ("{a: {type: object, properties: {b: false}}}", "false of 'a.b'"),
        ("{a: {type: array, items: {type: object, properties: {b: false}}}}", "false of 'a[].b'"),
        ("{properties: {type: string, maxLength: 3}}", "maxLength of 'properties'"),
        ("{a: {type: array, items: {type: array, items: {maxLength: 1}}}}", "maxLength of 'a[][]'"),
    ],
)
def test_the_place_is_named_as_readers_call_it(properties: str, shown: str, findings: Lint) -> None:
    block = f"urn: urn:babel:orders:created\ndata: {{type: object, properties: {properties}}}\n"
    assert [shown in f.message for f in findings(block, RULE)] == [True]


def test_a_message_has_one_finding_that_lists_them(findings: Lint) -> None:
    block = """\
urn: urn:babel:orders:created
data:
  type: object
  properties:
    lines: {type: array, maxItems: 9, items: {type: object, properties: {sku: {type: string, pattern: x}}}}
    a: {type: string, maxLength: 3}
    b: {type: [string, "null"]}
"""
    found = findings(block, RULE)
    assert [(str(f.place), f.message) for f in found] == [
        (
            "orders/created.yaml:5:26",
            "orders-api (PHP) does not enforce maxItems of 'lines', pattern of 'lines[].sku', maxLength of 'a'"
            " and 1 more: values that only these refuse are sent anyway",
        )
    ]
