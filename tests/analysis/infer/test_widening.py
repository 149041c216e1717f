"""Widenings of declared messages: each keyword, what is left alone, and the laws of all of them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from examples import fewer
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from inferred import schema_of
from sane_schemas import PLAIN_NAMES, documents, schemas
from widened import PATH, URN, is_readable, message_text, schema_in, widened_texts

from babelreg.containment import compare
from babelreg.contract import views
from babelreg.schema.dialects import DEFAULT

SAFE = 2**53 - 1
NAMES = st.sampled_from(["a", "b", "c", "id", "", "$ref", "properties", "null", "a@b.c", "47", "é"])
SCALARS = [None, True, 0, -1, 1.0, 1.5, -0.5, 2**60, -(2**60), 2**70, 1e300, "", "x", "2026-02-28", "2026-02-30", "a:b"]
TEXTS = ["https://x.y/z", "mailto:x@y.z", "a@b.c", "1.2.3.4", "::1", "0b54f1a6-6a0e-4d0f-9d4c-7d0c2f7a4e11"]
JSON = st.recursive(
    st.sampled_from([*SCALARS, *TEXTS]),
    lambda below: st.one_of(st.lists(below, max_size=3), st.dictionaries(NAMES, below, max_size=3)),
    max_leaves=6,
)
SAMPLES = st.lists(st.dictionaries(NAMES, JSON, max_size=3), min_size=1, max_size=4)


def field_after(schema, values, **decisions):
    """Return the schema of the property ``f`` after it was widened by ``values``."""
    files = {PATH: message_text({"type": "object", "properties": {"f": schema}})}
    texts, _ = widened_texts(files, {URN: [{"f": value} for value in values]}, **decisions)
    return schema_in(texts)["properties"]["f"]


@pytest.mark.parametrize(
    "schema, values, expected",
    [
        pytest.param({"type": "string"}, ["a", None], {"type": ["string", "null"]}, id="null"),
        pytest.param({"type": "integer"}, [1, 1.5], {"type": "number"}, id="a fraction"),
        pytest.param({"type": "integer"}, [1, 1.0, 1e3], {"type": "integer"}, id="1.0 is an integer"),
        pytest.param({"type": "number"}, [1], {"type": "number"}, id="an integer is a number"),
        pytest.param({"type": ["integer", "null"]}, [True], {"type": ["integer", "null", "boolean"]}, id="a boolean"),
        pytest.param({"type": "string", "format": "uuid"}, ["x"], {"type": "string"}, id="a format that is not kept"),
        pytest.param({"type": "string", "format": "uri"}, ["mailto:a@b.de"], {"type": "string", "format": "uri"}, id="a URI that does not look like one"),
        pytest.param({"type": "string", "format": "uri"}, ["http://a", "no uri"], {"type": "string"}, id="a text that is no URI"),
        pytest.param({"type": "string", "format": "time"}, ["x"], {"type": "string", "format": "time"}, id="a format that is not sketched"),
        pytest.param({"type": "integer", "minimum": 0}, [-1], {"type": "integer"}, id="a negative number"),
        pytest.param({"type": "integer", "minimum": 0, "maximum": SAFE}, [-1], {"type": "integer", "minimum": -SAFE, "maximum": SAFE}, id="a negative number within the safe integers"),
        pytest.param({"type": "integer", "minimum": 0, "maximum": SAFE}, [2**60], {"type": "integer", "minimum": 0}, id="an integer that is too large"),
        pytest.param({"type": "integer", "maximum": 10}, [11], {"type": "integer", "maximum": 10}, id="a bound that no sketch decides"),
        pytest.param({"type": "string", "pattern": "^a"}, ["b"], {"type": "string", "pattern": "^a"}, id="a pattern"),
        pytest.param({"enum": ["a"], "type": "string"}, ["b"] * 20, {"enum": ["a", "b"], "type": "string"}, id="a member that was seen often"),
        pytest.param({"enum": ["a"], "type": "string"}, ["b"] * 19, {"enum": ["a"], "type": "string"}, id="a member that was seen rarely"),
        pytest.param({"enum": ["a"], "type": "string"}, ["ada@example.com"] * 20, {"enum": ["a"], "type": "string"}, id="a member that may not be published"),
        pytest.param({"enum": ["a"], "type": "string", "x-open-enum": True}, ["b"] * 20, {"enum": ["a"], "type": "string", "x-open-enum": True}, id="an open enum"),
        pytest.param({"enum": ["a"], "type": "string", "x-open-enum": True}, ["a", None], {"enum": ["a", None], "type": ["string", "null"], "x-open-enum": True}, id="an open enum and null"),
        pytest.param({"const": "a", "type": "string"}, [None, "b"], {"const": "a", "type": "string"}, id="a constant"),
        pytest.param({"type": "array", "items": {"type": "string"}}, [[None]], {"type": "array", "items": {"type": ["string", "null"]}}, id="items"),
        pytest.param({"type": "object", "additionalProperties": {"type": "string"}}, [{"b": 1}], {"type": "object", "additionalProperties": {"type": ["string", "integer"]}}, id="a map stays a map"),
        pytest.param({"type": "object", "properties": {}}, [{f"n{i}": i} for i in range(9)], None, id="a record stays a record"),
        pytest.param({"type": "object"}, [{"b": 1}], {"type": "object"}, id="an object that takes any property"),
        pytest.param({"type": "object", "additionalProperties": True, "properties": {}}, [{"b": 1}], {"type": "object", "additionalProperties": True, "properties": {}}, id="an open object"),
        pytest.param({"type": "object", "required": ["a", "b"]}, [{"a": 1}], {"type": "object", "required": ["a"]}, id="a property that was absent"),
        pytest.param({"type": "object", "required": ["a"]}, [{}], {"type": "object"}, id="the only required property"),
        pytest.param({"type": "object", "properties": {"id": {}}, "required": ["a"]}, [{"a": True}, {}], {"type": "object", "properties": {"id": {}, "a": {}}}, id="a required property that is not declared"),
        pytest.param({"allOf": [{"properties": {"id": {}}}]}, [{"b": True, "c": ""}], {"allOf": [{"properties": {"id": {}}}], "properties": {"b": {"type": "boolean"}, "c": {"type": "string"}}}, id="two properties beside a conjunction"),
        pytest.param({"type": "object", "required": ["4711"]}, [{"4711": 1}], {"type": "object", "required": ["4711"]}, id="a required name that is data"),
        pytest.param({"type": "string"}, ["a", {"b": [1]}], {"type": ["string", "object"], "properties": {"b": {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": SAFE}}}}, id="an object beside texts"),
        pytest.param({"not": {"type": "string"}}, ["a"], {"not": {"type": "string"}}, id="a negation"),
        pytest.param({"oneOf": [{"type": "string"}, {"type": "integer"}]}, [None], {"oneOf": [{"type": "string"}, {"type": "integer"}]}, id="a union of alternatives"),
        pytest.param({"anyOf": [{"type": "string"}, {"type": "null"}]}, [1], {"anyOf": [{"type": "string"}, {"type": "null"}, {"type": "integer", "minimum": 0, "maximum": SAFE}]}, id="a union of types"),
        pytest.param({"allOf": [{"type": "string"}]}, [None], {"allOf": [{"type": ["string", "null"]}]}, id="a conjunction"),
    ],
)  # fmt: skip
def test_a_keyword_is_widened_as_far_as_the_values_show(schema, values, expected):
    result = field_after(schema, values)
    if expected is None:
        assert sorted(result["properties"]) == [f"n{i}" for i in range(9)]
        assert "additionalProperties" not in result
    else:
        assert result == expected


def test_an_undeclared_property_is_declared_with_its_evidence():
    texts, _ = widened_texts(
        {PATH: message_text({"type": "object", "properties": {"a": {"type": "string", "description": "x" * 80}}})},
        {URN: [{"a": "x", "b": "2026-11-20"}, {"a": "y"}]},
    )
    assert "    b: {type: string}  # optional: 1 of 2\n" in texts[PATH]


def test_a_property_beside_others_on_the_line_is_named_in_the_comment():
    files = {PATH: message_text({"type": "object", "properties": {"a": {"type": "string"}}})}
    texts, _ = widened_texts(files, {URN: [{"a": "x", "b": True}, {}]})
    assert "  properties: {a: {type: string}, b: {type: boolean}}  # b optional: 1 of 2\n" in texts[PATH]


def test_the_evidence_of_an_inference_is_continued_and_other_comments_stay():
    lines = [
        "  properties:",
        "    a: {type: string}  # required: 20 of 20; uuid: all of 20",
        "    b: {type: string}  # mine",
    ]
    text = f"urn: {URN}\nkind: event\ndata:\n  type: object\n" + "\n".join(lines) + "\n"
    texts, _ = widened_texts({PATH: text}, {URN: [{"a": None, "b": None}]})
    assert texts[PATH].splitlines()[4:] == [
        "  properties:",
        '    a: {type: [string, "null"]}  # required: 20 of 20; uuid: all of 20; later null in 1 of 1',
        '    b: {type: [string, "null"]}  # mine',
    ]


def test_an_exception_is_tolerated_and_listed():
    files = {PATH: message_text({"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}})}
    samples = [{"a": "x"}] * 1998 + [{}, {"a": None}]
    texts, result = widened_texts(files, {URN: samples}, tolerance=Fraction(1, 1000))
    assert texts == files
    assert result.exceptions == {
        PATH: ["data lacks a in 1 of 2,000 values", "data.a is null in 1 of 1,999 values"],
    }


FRAGMENT = "type: object\nrequired: [x]\nproperties:\n  x: {type: string}  # kept\n"


def test_a_shared_fragment_is_widened_once_and_its_uses_take_null():
    data = {
        "type": "object",
        "properties": {
            "f": {"$ref": "../_common/part.yaml"},
            "g": {"anyOf": [{"$ref": "../_common/part.yaml"}, {"type": "null"}]},
        },
    }
    files = {PATH: message_text(data), "_common/part.yaml": FRAGMENT}
    texts, _ = widened_texts(files, {URN: [{"f": {"x": None}, "g": None}, {"f": None, "g": {"y": 1}}]})
    assert '    f: {anyOf: [{$ref: ../_common/part.yaml}, {type: "null"}]}  # null in 1 of 2\n' in texts[PATH]
    assert '    g: {anyOf: [{$ref: ../_common/part.yaml}, {type: "null"}]}\n' in texts[PATH]
    assert texts["_common/part.yaml"] == (
        'type: object  # x is missing in 1 of 2 objects\nproperties:\n  x: {type: [string, "null"]}  # kept\n'
        '  "y": {type: integer, minimum: 0, maximum: 9007199254740991}  # optional: 1 of 2\n'
    )


def test_a_fragment_that_is_also_negated_is_left_alone():
    other = "urn: urn:babel:orders:other\nkind: event\ndata: {not: {$ref: ../_common/part.yaml}}\n"
    data = {"type": "object", "properties": {"f": {"$ref": "../_common/part.yaml"}}}
    files = {PATH: message_text(data), "_common/part.yaml": FRAGMENT, "orders/other.yaml": other}
    texts, _ = widened_texts(files, {URN: [{"f": {"x": 1}}]})
    assert texts == files


def test_a_branch_that_refers_back_to_its_union_is_left_alone():
    part = {"anyOf": [{"type": "string"}, {"anyOf": [{"$ref": "#/$defs/part"}]}]}
    schema = {"type": "object", "properties": {"f": {"$ref": "#/$defs/part"}}, "$defs": {"part": part}}
    files = {PATH: message_text(schema)}
    texts, _ = widened_texts(files, {URN: [{"f": "x"}, {"f": None}]})
    assert is_accepted(schema_in(texts), {"f": None})


def test_a_counterexample_stays_refused():
    text = message_text({"type": "object", "required": ["a"]})
    text += "counterexamples:\n  - {because: no a, data: {}}\n"
    texts, result = widened_texts({PATH: text}, {URN: [{}]})
    assert texts == {PATH: text}
    assert [held.reason for held in result.held] == [f"a counterexample of {URN} would be accepted: no a"]


def test_a_retired_message_stays_as_it_is():
    text = f'urn: {URN}\nkind: event\nstatus: retired\nretired_on: "2026-01-01"\ndata: {{type: object}}\n'
    texts, _ = widened_texts({PATH: text}, {URN: [1]})
    assert texts == {PATH: text}


STRICT = "version: 1\ncompatibility: {reader: strict}\n"


@pytest.mark.parametrize("closed", [True, False], ids=["closed", "open"])
def test_strict_readers_need_a_declaration_only_in_a_closed_object(closed):
    schema = {"type": "object", "properties": {"a": {}}} | ({"additionalProperties": False} if closed else {})
    texts, _ = widened_texts({PATH: message_text(schema)}, {URN: [{"b": "x"}]}, settings=STRICT)
    assert ("b" in schema_in(texts)["properties"]) is closed


def is_accepted(schema, sample):
    return DEFAULT.validator_for(views.both(schema).reader).is_valid(sample)


def check_laws(old, samples):
    """Assert the laws of a widening of ``old`` by ``samples``; return the new schema."""
    files = {PATH: message_text(old, "draft")}
    texts, _ = widened_texts(files, {URN: samples})
    before, after = schema_in(files), schema_in(texts)
    assert compare(before, after).backward.kind != "breaking", (before, after)
    assert all(is_accepted(after, sample) for sample in samples if is_accepted(before, sample))
    again, repeated = widened_texts(texts, {URN: samples})
    assert again == texts, repeated.made
    return before, after


PART = {"type": "object", "properties": {"a": {}}}


def with_part(beside):
    """A schema of which ``f`` is a shared part, and ``g`` the part in the company of another schema."""
    properties = {"f": {"$ref": "#/$defs/part"}, "g": {"allOf": [{"$ref": "#/$defs/part"}, beside]}}
    return {"type": "object", "properties": properties, "$defs": {"part": PART}}


def two_branches(first, second):
    """A schema whose ``f`` is described by two branches."""
    return {"allOf": [{"properties": {"f": first}}, {"properties": {"f": second}}]}


AROUND = {"type": "object", "properties": {"x": {"const": "card"}}, "anyOf": [{"type": "array"}, {"$ref": "#"}]}


@pytest.mark.parametrize(
    "schema, samples, accepted",
    [
        pytest.param({"type": "object", "properties": {"f": AROUND}}, [{"x": [1]}], {"f": {"x": "card"}}, id="around a reference"),
        pytest.param(with_part({"properties": {"x": {"type": "string"}}}), [{"f": {"x": 1}}], {"g": {"x": "s"}}, id="beside a reference"),
        pytest.param(with_part({"patternProperties": {"^x": {"type": "string"}}}), [{"f": {"x": 1}}], {"g": {"x": "s"}}, id="by a pattern"),
        pytest.param(with_part({"additionalProperties": {"type": "string"}}), [{"f": {"x": 1}}], {"g": {"x": "s"}}, id="for all names"),
        pytest.param(with_part({"properties": {"y": {}}}), [{"f": {"x": 1}, "g": {"x": "s"}}], {"g": {"x": "s"}}, id="nowhere, and seen in both"),
        pytest.param(two_branches(PART, {"properties": {"b": {}}}), [{"f": {"b": "2026-02-28"}}] * 20, {"f": {"b": "b"}}, id="in another branch"),
    ],
)  # fmt: skip
def test_a_property_that_is_described_beside_a_subschema_is_not_declared_there(schema, samples, accepted):
    before, after = check_laws(schema, samples)
    assert is_accepted(before, accepted)
    assert is_accepted(after, accepted)


def test_a_property_that_is_only_required_is_declared_where_any_object_of_the_place_lacks_it():
    part = {"type": "object", "properties": {"a": {}}, "required": ["x"]}
    schema = {"type": "object", "properties": {"g": part, "h": {"$ref": "#/properties/g"}}}
    _, after = check_laws(schema, [{"g": {"x": 1}, "h": {}}])
    assert after["properties"]["g"] == {"type": "object", "properties": {"a": {}, "x": {}}}


def test_a_property_that_another_message_describes_beside_a_fragment_is_not_declared_there():
    part = {"$ref": "../_common/part.yaml"}
    beside = {"type": "object", "allOf": [part, {"properties": {"z": {"type": "string"}}}]}
    other = message_text(beside).replace(URN, "urn:babel:orders:other")
    data = {"type": "object", "properties": {"f": part}}
    files = {PATH: message_text(data), "_common/part.yaml": FRAGMENT, "orders/other.yaml": other}
    texts, result = widened_texts(files, {URN: [{"f": {"x": "x", "z": 1}}]})
    assert (texts, result.made) == (files, [])


def check_widened(first, second):
    """Assert the laws of what was inferred from ``first``, widened by both."""
    before, after = check_laws(schema_of(first, format_from=1), [*first, *second])
    if "oneOf" not in str(after):
        assert all(is_accepted(after, sample) for sample in (*first, *second)), after
    assert compare(before, after).backward.kind == "compatible"


@given(SAMPLES, SAMPLES)
@settings(max_examples=15)
def test_what_was_inferred_accepts_all_once_it_is_widened(first, second):
    check_widened(first, second)


@pytest.mark.long
@given(SAMPLES, SAMPLES)
@settings(max_examples=1000)
def test_a_thousand_widenings_of_what_was_inferred_are_proved_compatible(first, second):
    check_widened(first, second)


@pytest.mark.parametrize("times", [1, 20])
@given(samples=SAMPLES)
@settings(max_examples=15)
def test_what_was_inferred_stays_as_it_is_with_the_same_messages(samples, times):
    samples = samples * times
    files = {PATH: message_text(schema_of(samples), "draft")}
    texts, result = widened_texts(files, {URN: samples})
    assert (texts, result.made) == (files, [])


def check_written(data):
    """Assert the laws of a drawn schema, widened by drawn samples."""
    schema = data.draw(schemas(PLAIN_NAMES))
    assume(is_readable({PATH: message_text(schema, "draft")}))  # no reference refers to itself
    samples = data.draw(st.lists(documents(schema), max_size=3)) + data.draw(SAMPLES)
    check_laws(schema, [sample for sample in samples if isinstance(sample, dict)])


@given(st.data())
@settings(max_examples=fewer(10, 15))
def test_a_widening_of_a_written_schema_is_backward_compatible(data):
    check_written(data)


@pytest.mark.long
@given(st.data())
@settings(max_examples=1000)
def test_a_thousand_widenings_of_written_schemas_are_backward_compatible(data):
    check_written(data)
