"""The law of generated models: for every document a reader accepts, dump(parse(x)) == x as JSON."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import made_models
import pytest
import sane_schemas as sane
from examples import fewer
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from babelreg.contract.views import reader_view
from babelreg.gen.python_code.models.kinds import KINDS
from babelreg.runtime.errors import Reject
from babelreg.schema.values import integral

same = made_models.same


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=fewer(5, 8), deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_dump_of_parse_gives_the_document_again(kind: str, data: st.DataObject) -> None:
    hold_the_law(kind, data)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_dump_of_parse_gives_the_document_again_in_its_long_form(kind: str, data: st.DataObject) -> None:
    hold_the_law(kind, data)


def hold_the_law(kind: str, data: st.DataObject) -> None:
    """One schema, three documents."""
    schema = data.draw(sane.schemas(), label="schema")
    validator = jsonschema_rs.validator_for(reader_view(schema), validate_formats=True)
    documents = [data.draw(sane.documents(schema), label="document") for _ in range(3)]
    valid = [document for document in documents if validator.is_valid(document)]
    assume(valid)
    made = made_models.message(schema, models=kind)
    for document in valid:
        before = json.dumps(document)
        again = made.dump(made.parse(document))
        assert same(again, document)
        assert json.dumps(document) == before
        if kind == "pydantic":  # limits refuse nothing that is valid
            made.model.model_validate(integral(document), by_alias=True, by_name=False)


@pytest.mark.parametrize(
    "schema, document",
    [
        pytest.param({"properties": {"n": {"type": "integer"}}}, {"n": 1.0}, id="an integer spelled 1.0"),
        pytest.param({"properties": {"n": {"type": "integer"}}}, {"n": 1e300}, id="an integer spelled 1e300"),
        pytest.param({"properties": {"n": {"type": "number"}}}, {"n": 2**53 + 1}, id="a number that no float holds"),
        pytest.param({"properties": {"s": {"type": "string"}}}, {}, id="absent stays absent"),
        pytest.param({"properties": {"s": {"type": ["string", "null"]}}}, {"s": None}, id="null stays null"),
        pytest.param({"properties": {"class": {"type": "string"}}}, {"class_": 1}, id="an extra named as an attribute"),
        pytest.param({"properties": {"ﬁ": {"type": "string"}, "fi": {"type": "integer"}}}, {"ﬁ": "x", "fi": 1},
                     id="names that Python's normalisation folds into one"),
        pytest.param({"properties": {"p": {"type": "string", "format": "password"}}}, {"p": "x"}, id="a password"),
        pytest.param({"properties": {"u": {"type": "string", "format": "uri"}}}, {"u": "http://A"}, id="a URI"),
        pytest.param({"properties": {"t": {"type": "string", "format": "date-time"}}},
                     {"t": "2016-12-31T23:59:60.123456789Z"}, id="a leap second with nanoseconds"),
        pytest.param({"properties": {"o": {"type": "object", "properties": {"a": {"type": "integer"}}}}},
                     {"o": {"a": 1, "b": 2}}, id="an undeclared property in a nested object"),
        pytest.param(
            {"properties": {"u": {"anyOf": [
                {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}},
                {"type": "object", "properties": {"a": {"type": "string"}}}]}}},
            {"u": {"a": "1", "b": 2}}, id="a union whose first branch looks better but is wrong"),
        pytest.param({"properties": {"v": {"anyOf": [{"const": 1}, {"type": "boolean"}]}}}, {"v": True},
                     id="true beside 1"),
        pytest.param({"$ref": "#/$defs/x", "$defs": {"x": {"type": "object", "properties": {"n": {"$ref": "#"}}}}},
                     {"n": {"n": {}}}, id="a root that is a reference, and recursive"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["pydantic", "typeddict"])
def test_nothing_is_lost(kind: str, schema: dict[str, Any], document: Any) -> None:
    whole = {"type": "object", **schema}
    assert jsonschema_rs.is_valid(reader_view(whole), document, validate_formats=True)
    made = made_models.message(whole, models=kind)
    assert same(made.dump(made.parse(document)), document)


def nested(levels: int) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for _ in range(levels):
        data = {"below": data}
    return data


@pytest.mark.parametrize("kind", KINDS)
def test_depth_loses_nothing_or_is_refused_for_good(kind: str) -> None:
    deep = made_models.message({"type": "object", "properties": {"below": {"$ref": "#"}, "free": {}}}, models=kind)
    for data in (nested(200), {"free": nested(900)}):
        assert deep.dump(deep.parse(data)) == data
    if kind == "typeddict":
        assert deep.dump(deep.parse(nested(900))) == nested(900)
    else:
        with pytest.raises(Reject):
            deep.parse(nested(1100))
