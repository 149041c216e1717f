from __future__ import annotations

from typing import Any

import pytest
import sane_schemas as sane
from examples import fewer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from babelreg.errors import BabelregError
from babelreg.gen.python_code.models import classes as python_models
from babelreg.gen.python_code.models import generator
from babelreg.gen.python_code.models.classes import models
from babelreg.gen.python_code.models.kinds import KINDS
from babelreg.typemap.python.types import shape_of

MONEY = {"type": "object", "required": ["minor"], "properties": {"minor": {"type": "integer"}}}


def annotations(schema: dict[str, Any]) -> dict[str, str]:
    """``{"Class.attribute": annotation and default}`` of everything made of ``schema``."""
    found = models(shape_of({"type": "object", **schema}, "Data"))
    return {f"{one.name}.{line.name}": line.annotation + line.default for one in found for line in one.attributes}


@pytest.mark.parametrize(
    "schema, annotation",
    [
        pytest.param({"type": "string"}, "str", id="a text"),
        pytest.param({"type": "string", "format": "date-time", "minLength": 3, "pattern": "^a"}, "str",
                     id="formats, bounds and patterns are the contract's business"),
        pytest.param({"type": "integer"}, "int", id="an integer"),
        pytest.param({"type": "number"}, "int | float", id="a number keeps the digits of integers"),
        pytest.param({"type": "boolean"}, "bool", id="a boolean"),
        pytest.param({"type": ["string", "null"]}, "str | None", id="nullable"),
        pytest.param({"anyOf": [{"type": "string"}, {"type": "null"}]}, "str | None", id="nullable, the long way"),
        pytest.param({"enum": ["a", "b"]}, 'Literal["a", "b"]', id="an enum"),
        pytest.param({"enum": ["a", 2, None]}, 'Literal["a", 2] | None', id="an enum of mixed scalars"),
        pytest.param({"enum": [1, 2, "a"]}, 'Literal["a"] | int', id="an enum with 1, which Python takes for true"),
        pytest.param({"const": True}, "bool", id="a constant true, which Python takes for 1"),
        pytest.param({"type": "string", "enum": ["a", "b", 1]}, 'Literal["a", "b"]', id="an enum, by its type"),
        pytest.param({"type": "string", "enum": ["a"], "x-open-enum": True}, 'Literal["a"] | str', id="an open enum"),
        pytest.param({"enum": ["a", 5, None], "x-open-enum": True}, 'Literal["a", 5] | int | str | None', id="an open enum of several types"),
        pytest.param({"enum": ["a", 1], "x-open-enum": True}, 'Literal["a"] | int | str', id="an open enum with 1, which Python takes for true"),
        pytest.param({"enum": [1.5, 2.5]}, "int | float", id="an enum of fractions"),
        pytest.param({"const": "card"}, 'Literal["card"]', id="a constant"),
        pytest.param({"const": {"a": 1}}, "Mapping[str, Any]", id="a constant object"),
        pytest.param({"type": "array"}, "Sequence[Any]", id="any list"),
        pytest.param({"type": "array", "items": {"type": "string"}}, "Sequence[str]", id="a list"),
        pytest.param({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False},
                     "Sequence[str | int]", id="a tuple"),
        pytest.param({"type": "object"}, "Mapping[str, Any]", id="any object"),
        pytest.param({"type": "object", "additionalProperties": {"type": "integer"}}, "Mapping[str, int]", id="a map"),
        pytest.param({"type": "object", "additionalProperties": False}, "Mapping[str, Any]", id="a closed empty object"),
        pytest.param({}, "Any", id="anything"),
        pytest.param({"minimum": 1}, "Any", id="no type"),
        pytest.param({"not": {"type": "string"}}, "Any", id="a negation"),
        pytest.param({"$ref": "#/$defs/money"}, "Money", id="a definition"),
        pytest.param({"$ref": "#/$defs/nowhere"}, "Any", id="a reference that leads nowhere"),
        pytest.param({"$ref": "#/$defs/circle"}, "Any", id="a circle without a class"),
        pytest.param({"$ref": "#"}, "Data", id="the message's data itself"),
        pytest.param({"anyOf": [{"$ref": "#/$defs/money"}, {"type": "string"}]}, "Money | str", id="a union"),
        pytest.param({"allOf": [{"$ref": "#/$defs/money"}], "description": "x"}, "DataX", id="a definition and more"),
        pytest.param({"$ref": "#/$defs/maybe"}, "Maybe | None", id="a definition that may be null"),
        pytest.param(
            {"type": "object", "anyOf": [{"$ref": "#/$defs/whirl"}, {"type": "string"}]},
            "Any",
            id="a circle of branches",
        ),
        pytest.param({"type": "array", "items": MONEY}, "Sequence[DataX]", id="a list of objects"),
    ],
)  # fmt: skip
def test_annotations(schema: dict[str, Any], annotation: str) -> None:
    whirl = {"anyOf": [{"type": "object"}, {"anyOf": [{"$ref": "#/$defs/whirl"}, {"type": "string"}]}]}
    maybe = {**MONEY, "type": ["object", "null"]}
    defs = {
        "money": MONEY,
        "maybe": maybe,
        "whirl": whirl,
        "circle": {"anyOf": [{"$ref": "#/$defs/circle"}, {"type": "null"}]},
    }
    found = annotations({"required": ["x"], "properties": {"x": schema}, "$defs": defs})
    assert found["Data.x"] == annotation


@pytest.mark.parametrize(
    "schema, classes",
    [
        pytest.param({"properties": {"lines": {"type": "array", "items": MONEY}}}, {"DataLine"}, id="an item, singular"),
        pytest.param({"properties": {"status": {"type": "array", "items": MONEY}}}, {"DataStatus"}, id="no plural"),
        pytest.param({"properties": {"a": {"type": "object", "properties": {"b": MONEY}}}}, {"DataA", "DataAB"},
                     id="nested, after the path"),
        pytest.param({"properties": {"m": {"$ref": "#/$defs/money"}}, "$defs": {"money": MONEY}}, {"Money"},
                     id="a definition, after its key"),
        pytest.param({"properties": {"m": {"$ref": "#/$defs/data"}}, "$defs": {"data": MONEY}}, {"Data2"},
                     id="a definition with the name of the message"),
        pytest.param({"properties": {"p": {"oneOf": [
            {"type": "object", "properties": {"kind": {"const": "card"}, "n": {"type": "integer"}}},
            {"type": "object", "properties": {"kind": {"const": "cash"}}}]}}}, {"DataPCard", "DataPCash"},
                     id="branches, after the constant that tells them apart"),
        pytest.param({"properties": {"p": {"oneOf": [MONEY, {"type": "object", "properties": {"x": True}}]}}},
                     {"DataPOption1", "DataPOption2"}, id="branches without such a constant"),
        pytest.param({"properties": {"m": MONEY, "producer": MONEY}}, {"DataM", "DataProducer2"},
                     id="a name the module needs itself"),
    ],
)  # fmt: skip
def test_class_names(schema: dict[str, Any], classes: set[str]) -> None:
    found = models(shape_of({"type": "object", **schema}, "Data", reserved=("DataProducer",)))
    assert {one.name for one in found} == {"Data", *classes}


def test_optional_and_renamed() -> None:
    found = annotations(
        {"required": ["a"], "properties": {"a": {"type": "string"}, "class": {"type": ["string", "null"]}}}
    )
    assert found == {
        "Data.a": "str",
        "Data.class_": 'Annotated[str | None | Missing, Field(alias="class")] = MISSING',
    }


def test_names_that_only_a_branch_declares_may_hold_anything() -> None:
    found = annotations(
        {
            "properties": {"kind": {"type": "string"}},
            "oneOf": [{"properties": {"card": {"type": "string"}}}, {"properties": {"iban": {"type": "string"}}}],
            "if": {"required": ["kind"]},
            "then": {"properties": {"note": {"type": "string"}}},
            "required": ["owed"],
        }
    )
    assert found == {
        "Data.kind": "str | Missing = MISSING",
        **{f"Data.{name}": "Any | Missing = MISSING" for name in ("card", "iban", "note")},
        "Data.owed": "Any",
    }


def test_long_enums_stand_one_value_a_line() -> None:
    values = [f"value-number-{number}" for number in range(12)]
    annotation = annotations({"properties": {"x": {"enum": values}}})["Data.x"]
    assert annotation.startswith('Literal[\n        "value-number-0",\n')
    assert annotation.endswith('"value-number-11",\n    ] | Missing = MISSING')


@pytest.mark.parametrize(
    "written",
    [
        pytest.param("class Data(Model):\n    a0: os.system\n", id="a dotted name"),
        pytest.param("class Data(Model):\n    a0: evil\n", id="an unknown name"),
        pytest.param("class Data(Model):\n    a0: Annotated[str, f()]\n", id="a call"),
        pytest.param("class Data(Model):\n    y: str\n", id="another attribute"),
        pytest.param("class Data(Model):\n    a0: str\nclass More(Model):\n    pass\n", id="another class"),
        pytest.param("", id="nothing"),
    ],
)
def test_what_was_not_asked_for_is_not_taken_over(written: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python_models, "_generate", lambda found, kind: written)
    monkeypatch.setattr(generator, "ANSWERS", {})
    with pytest.raises(BabelregError):
        models(shape_of({"type": "object", "properties": {"x": {"type": "string"}}}, "Data"))


def test_a_failure_of_the_generator_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **options: object) -> str:
        raise RecursionError("too deep")

    monkeypatch.setattr("datamodel_code_generator.generate", fail)
    monkeypatch.setattr(generator, "ANSWERS", {})
    with pytest.raises(BabelregError, match="the model generator failed for Data: RecursionError"):
        models(shape_of({"properties": {"x": {}}}, "Data"))


def chain(links: int) -> dict[str, Any]:
    nodes = {f"n{n}": {"type": "object", "properties": {"next": {"$ref": f"#/$defs/n{n + 1}"}}} for n in range(links)}
    return {"properties": {"first": {"$ref": "#/$defs/n0"}}, "$defs": {**nodes, f"n{links}": {"type": "string"}}}


def test_a_long_chain_of_definitions_is_typed_to_its_end() -> None:
    found = shape_of(chain(900), "Data")
    assert len(found.classes) == 901
    assert found.classes["N899"].attributes[0].shape == {"type": "string"}


def deep(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


def wide() -> dict[str, Any]:
    steps = {f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 8} for n in range(40)}
    both = {f"e{n}": {"allOf": [{"$ref": f"#/$defs/e{n + 1}"}] * 8} for n in range(40)}
    properties = {"d": {"$ref": "#/$defs/d0"}, "e": {"$ref": "#/$defs/e0"}}
    return {"type": "object", "properties": properties, "$defs": {**steps, **both, "d40": True, "e40": MONEY}}


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param(deep(200), id="two hundred levels"),
        pytest.param(wide(), id="references that multiply"),
        pytest.param({"allOf": [{"$ref": "#"}, {"$ref": "#"}]}, id="a schema that is all of itself"),
        pytest.param({"anyOf": [{"$ref": "#"}, {"anyOf": [{"$ref": "#"}]}]}, id="a schema that is any of itself"),
        pytest.param({"type": "object", "properties": [], "required": "x", "anyOf": {}, "items": 3}, id="nonsense"),
        pytest.param({"type": 7, "enum": "abc", "$ref": 3, "$defs": []}, id="other nonsense"),
        pytest.param({"properties": {f"p{n}": MONEY for n in range(2000)}}, id="two thousand properties"),
    ],
)
def test_any_schema_gives_a_shape_soon(schema: dict[str, Any]) -> None:
    found = shape_of(schema, "Data")
    assert "Data" in found.classes


def in_kind(kind: str, schema: dict[str, Any]) -> dict[str, str]:
    """As :func:`annotations`, for any kind, with the headers of classes as well."""
    found = models(shape_of({"type": "object", **schema}, "Data"), KINDS[kind])
    lines = {f"{one.name}.{line.name}": line.annotation + line.default for one in found for line in one.attributes}
    keyed = {f"{one.keyed_name}.{line.name}": line.annotation for one in found for line in one.keyed}
    return {**{one.name: one.bases for one in found}, **lines, **keyed}


def test_keys_that_are_no_names_stand_in_a_dictionary_of_their_own() -> None:
    properties = {
        "id": {"type": "integer"},
        "class": {"$ref": "#"},
        "__x": True,
        "int": {"type": "integer"},
        "copy": {},
    }
    assert in_kind("typeddict", {"required": ["id", "class"], "properties": properties}) == {
        "Data": "_DataKeys",
        "Data.id": "ReadOnly[int]",
        "Data.copy": "ReadOnly[NotRequired[Any]]",
        '_DataKeys."class"': 'ReadOnly["Data"]',
        '_DataKeys."__x"': 'ReadOnly[NotRequired["Any"]]',
        '_DataKeys."int"': 'ReadOnly[NotRequired["int"]]',
    }


@pytest.mark.parametrize("kind", KINDS)
def test_a_deprecated_property_says_so(kind: str) -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"deprecated": True, "description": "Old."}, "b": {"deprecated": True}},
    }
    (found,) = models(shape_of(schema, "Data"), KINDS[kind])
    assert [line.docstring for line in found.attributes] == ['"""Deprecated. Old."""', '"""Deprecated."""']


NEW = ["brand_new", "names", "ids", "moneys", "OneOf", "one_of", "data"]


@settings(max_examples=fewer(12, 20), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_a_property_that_is_added_last_renames_nothing_and_changes_no_other_attribute(data: st.DataObject) -> None:
    schema = data.draw(sane.schemas())
    name = data.draw(st.sampled_from([one for one in NEW if one not in schema.get("properties", {})]))
    added = data.draw(st.sampled_from([MONEY, {"type": "string"}, {"type": "array", "items": MONEY}]))
    after = {**schema, "properties": {**schema.get("properties", {}), name: added}}
    before, found = shape_of(schema, "Data").classes, shape_of(after, "Data").classes
    for one in before.values():
        # Where a branch refers to the data as a whole, the new name may stand in other classes too.
        left = {attribute.wire: attribute for attribute in found[one.name].attributes if attribute.wire != name}
        assert {attribute.wire: attribute for attribute in one.attributes} == left
