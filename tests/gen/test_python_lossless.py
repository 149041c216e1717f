"""The law of generated models: for every document a reader accepts, dump(parse(x)) == x as JSON."""

from __future__ import annotations

import importlib.util
import itertools
import json
import sys
import types
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from babelreg.contract.views import reader_view
from babelreg.gen.render import render
from babelreg.gen.targets.python_kinds import KINDS
from babelreg.gen.targets.python_models import models, names
from babelreg.runtime.message import MessageType
from babelreg.typemap.python import Shape, shape

_SPEC = importlib.util.spec_from_file_location("sane_schemas", Path(__file__).with_name("sane_schemas.py"))
assert _SPEC is not None
assert _SPEC.loader is not None
sane = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(sane)

_NUMBERS = itertools.count()


def message(schema: Any, kind: str = "pydantic", *, rich: bool = False) -> MessageType[Any]:
    """What is generated for ``schema``, imported."""
    found = shape(schema, "Data", rich=rich)
    classes = models(found, KINDS[kind])
    elsewhere, own = KINDS[kind].imports(names(classes))
    own = [line.replace("from ._babelreg.", "from babelreg.") for line in own]
    view = {
        "docstring": '"""Test."""',
        "header": "test",
        "imports": [*elsewhere, *own, "from babelreg.runtime.produce import Producer", "SCHEMA = {}"],
        "exports": [],
        "classes": classes,
        "deprecated": None,
        "name": "Data",
        "constant": "DATA",
        "urn": '"urn:babel:test:made"',
        "how": [],
        "producer_docstring": '"""Test."""',
    }
    module = types.ModuleType(f"generated_{next(_NUMBERS)}")
    sys.modules[module.__name__] = module
    exec(compile(render("python", "message.py.jinja", view), module.__name__, "exec"), module.__dict__)
    made: MessageType[Any] = module.__dict__["DATA"]
    return made


def same(one: Any, two: Any) -> bool:
    """JSON equality: 1 is 1.0, true is not 1, and no digit may be lost."""
    if isinstance(one, bool) or isinstance(two, bool) or type(one) is not type(two):
        numbers = isinstance(one, int | float) and isinstance(two, int | float)
        return (numbers and not isinstance(one, bool) and not isinstance(two, bool) and one == two) or one is two
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(same(one[key], two[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(two) and all(map(same, one, two))
    return bool(one == two)


def declares_all(value: Any, node: Any, found: Shape) -> bool:
    """True when ``value`` has no property that its class does not declare; ``node`` is a shape of ``found``."""
    for option in node.get("anyOf", [node]):
        if isinstance(value, list) and option.get("type") == "array":
            return all(declares_all(item, option.get("items", {}), found) for item in value)
        if isinstance(value, dict) and option.get("type") == "object":
            return all(declares_all(item, option.get("additionalProperties", {}), found) for item in value.values())
        if isinstance(value, dict) and "$ref" in option:
            one = found.classes[option["$ref"].rpartition("/")[2]]
            wires = {attribute.wire: attribute for attribute in one.attributes}
            if one.tag is not None and value.get(one.tag) != wires[one.tag].shape["enum"][0]:
                continue
            return all(name in wires and declares_all(item, wires[name].shape, found) for name, item in value.items())
    return True


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_dump_of_parse_gives_the_document_again(kind: str, data: st.DataObject) -> None:
    hold_the_law(kind, data)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=3000, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_dump_of_parse_gives_the_document_again_in_its_long_form(kind: str, data: st.DataObject) -> None:
    hold_the_law(kind, data)


def hold_the_law(kind: str, data: st.DataObject) -> None:
    """One schema, three documents."""
    structs = kind == "msgspec"  # they drop what is not declared, and cannot name everything
    schema = data.draw(sane.schemas(sane.PLAIN_NAMES if structs else sane.NAMES), label="schema")
    validator = jsonschema_rs.validator_for(reader_view(schema), validate_formats=True)
    documents = [data.draw(sane.documents(schema, extras=not structs), label="document") for _ in range(3)]
    valid = [document for document in documents if validator.is_valid(document)]
    if structs:
        found = KINDS[kind].narrowed(shape(schema, "Data"))
        valid = [document for document in valid if declares_all(document, {"$ref": "#/$defs/Data"}, found)]
    assume(valid)
    made = message(schema, kind)
    for document in valid:
        before = json.dumps(document)
        again = made.dump(made.parse(document))
        assert same(again, document)
        assert json.dumps(document) == before


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
    made = message(whole, kind)
    assert same(made.dump(made.parse(document)), document)
