from __future__ import annotations

from typing import Any

import pytest

from babelreg.containment.fields import declared, declared_path, field_path, schemas_at

LINE = {"type": "object", "properties": {"qty": {"type": "integer"}}}


@pytest.mark.parametrize(
    "schema, paths",
    [
        pytest.param({"properties": {"a": {}, "b": {"properties": {"c": {}}}}}, ["a", "b", "b.c"], id="nested"),
        pytest.param({"properties": {"lines": {"items": LINE}}}, ["lines", "lines[].qty"], id="items"),
        pytest.param({"properties": {"t": {"prefixItems": [LINE]}}}, ["t", "t[].qty"], id="tuples"),
        pytest.param({"properties": {"m": {"additionalProperties": LINE}}}, ["m", "m.*.qty"], id="maps"),
        pytest.param({"allOf": [LINE], "anyOf": [{"properties": {"a": {}}}]}, ["qty", "a"], id="in place"),
        pytest.param({"not": LINE, "if": LINE}, [], id="what is denied or asked is not declared"),
        pytest.param({"$ref": "#/$defs/l", "$defs": {"l": LINE}}, ["qty"], id="a reference"),
        pytest.param({"properties": {"a.b": {}}}, ["a\\.b"], id="a dot in a name"),
        pytest.param({"properties": {"next": {"$ref": "#"}}}, ["next"], id="a recursion is not followed"),
        pytest.param(True, [], id="a boolean"),
    ],
)
def test_declared(schema: Any, paths: list[str]) -> None:
    assert list(declared(schema)) == paths


def test_what_a_field_is_said_to_be_may_stand_behind_a_reference() -> None:
    schema = {"properties": {"a": {"$ref": "#/$defs/m"}}, "$defs": {"m": {"x-unit": "ms"}}}
    assert declared(schema)["a"].keyword_value("x-unit") == "ms"
    assert declared(schema)["a"].keyword_value("title") is None


def test_judging() -> None:
    schema = {"properties": {"lines": {"items": {"allOf": [LINE, {"minProperties": 1}]}}}}
    found = [node.pointer for node in schemas_at(schema, ("lines", 3))]
    below = ("properties", "lines", "items")
    assert found == [below, (*below, "allOf", 0), (*below, "allOf", 1)]
    assert schemas_at(schema, ("other",)) == []


def test_what_some_item_must_be_does_not_judge_each() -> None:
    schema = {"items": {"type": "string"}, "contains": {"const": "a"}}
    assert [node.pointer for node in schemas_at(schema, (0,))] == [("items",)]


def test_spelled() -> None:
    assert field_path(("lines", 0, "qty")) == "lines[].qty"
    assert field_path(()) == ""


def next_(i: int) -> dict[str, str]:
    return {"$ref": f"#/$defs/n{i + 1}"}


def test_a_bush_of_references_ends() -> None:
    bush: dict[str, Any] = {f"n{i}": {"allOf": [{"properties": {"a": next_(i), "b": next_(i)}}] * 3}
                            for i in range(30)}  # fmt: skip
    assert len(declared({"$ref": "#/$defs/n0", "$defs": {**bush, "n30": {}}})) <= 5000


def test_a_name_that_no_schema_lists_is_an_asterisk() -> None:
    listed = {"properties": {"rates": {"additionalProperties": LINE}}}
    assert declared_path(["rates", "EUR", "qty"], [{}, listed]) == "rates.*.qty"
    assert declared_path(["lines", 0, "qty"], [{"properties": {"lines": {"items": LINE}}}]) == "lines[].qty"
