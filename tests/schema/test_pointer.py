"""Pointers of errors lead to the value that is wrong, also where a name consists of digits."""

from __future__ import annotations

import jsonschema_rs
import pytest

from babelreg import contract
from babelreg.containment.validator import SchemaValidator
from babelreg.schema import pointer
from babelreg.schema.dialects import DIALECTS

SCHEMA = {"additionalProperties": {"type": "array", "items": {"additionalProperties": {"type": "string"}}}}


@pytest.mark.parametrize("name", ["12", "012", "+1", "00", "0", "٣", "a", "1 ", "99999999999999999999"])
def test_an_error_is_located_by_the_name_as_it_is_written(name):
    document = {"7": [{}, {name: 1}]}
    (error,) = jsonschema_rs.Draft202012Validator(SCHEMA).iter_errors(document)
    assert pointer.located(document, error) == ("7", 1, name)
    assert pointer.find(document, pointer.located(document, error)) == 1


def test_of_two_names_of_one_number_the_plain_one_is_taken():
    document = {"01": [], "1": [1]}
    (error,) = jsonschema_rs.Draft202012Validator({"additionalProperties": {"maxItems": 0}}).iter_errors(document)
    assert pointer.located(document, error) == ("1",)


INTEGER = {"type": "integer"}
NUMBERED = {"additionalProperties": INTEGER}


@pytest.mark.parametrize(
    "schema, document, instance, keyword",
    [
        pytest.param({"properties": {"": INTEGER}}, {"": "x"}, "/", "/properties//type", id="at the root"),
        pytest.param(
            {"properties": {"a": {"properties": {"": INTEGER}}}},
            {"a": {"": "x"}},
            "/a/",
            "/properties/a/properties//type",
            id="at the end",
        ),
        pytest.param(
            {"properties": {"": {"properties": {"x": INTEGER}}}},
            {"": {"x": "y"}, "x": "y"},
            "//x",
            "/properties//properties/x/type",
            id="before a name that is there too, with an equal value",
        ),
        pytest.param({"properties": {"": NUMBERED}}, {"": {"012": "x"}}, "//012", None, id="before digits"),
        pytest.param(NUMBERED, {"": "x"}, "/", "/additionalProperties/type", id="not listed"),
        pytest.param({"items": NUMBERED}, [{"": 1}, {"": "x"}], "/1/", None, id="in an item"),
        pytest.param(
            {"$ref": "#/$defs/", "$defs": {"": INTEGER}}, "x", "", "/$defs//type", id="the name of a definition"
        ),
        pytest.param({"properties": {"": {"properties": {"": False}}}}, {"": {"": 2}}, "//", None, id="twice"),
        pytest.param({"properties": {"u": {"additionalProperties": False}}}, {"u": {"": 1}}, "/u/", None, id="none"),
        pytest.param({"properties": {"r": {"required": ["z"]}}}, {"r": {"": 1}}, "/r", None, id="beside what lacks"),
    ],
)
def test_an_empty_name_is_not_dropped(schema, document, instance, keyword):
    (error,) = jsonschema_rs.Draft202012Validator(schema).iter_errors(document)
    assert pointer.text(pointer.located(document, error)) == instance
    (refusal,) = SchemaValidator(schema, DIALECTS["draft2020-12"], formats=False).refusals(document)
    assert pointer.text(refusal.instance) == instance
    assert keyword in (None, pointer.text(refusal.pointer))


def test_a_refused_message_names_the_property_as_it_is_written():
    registry = contract.Contract({"urn:babel:a:b": {"type": "object", "properties": {"012": {"type": "string"}}}})
    (violation,) = registry.violations("urn:babel:a:b", {"012": 1})
    assert violation.pointer == "/012"


def test_a_refused_message_names_the_property_without_letters():
    schema = {"type": "object", "properties": {"a": {"properties": {"": {"type": "string"}}}}}
    (violation,) = contract.Contract({"urn:babel:a:b": schema}).violations("urn:babel:a:b", {"a": {"": 1}})
    assert (violation.pointer, violation.reason) == ("/a/", "not_a_string")
