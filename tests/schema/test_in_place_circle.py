from __future__ import annotations

from typing import Any

import pytest

from babelreg.schema.in_place_circle import in_place_circle
from babelreg.schema.local_references import LocalReferences

DRAFT_07 = "http://json-schema.org/draft-07/schema#"
SELF = {"$ref": "#"}


def _list(**keywords: Any) -> dict[str, Any]:
    return {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": keywords}}


@pytest.mark.parametrize(
    "schema, pointer",
    [
        pytest.param({"allOf": [{}, SELF]}, ("allOf", 1), id="all of it"),
        pytest.param({"anyOf": [SELF, {}]}, ("anyOf", 0), id="a branch"),
        pytest.param({"not": SELF}, ("not",), id="its own opposite"),
        pytest.param({"if": SELF}, ("if",), id="a condition"),
        pytest.param({"if": {}, "then": SELF}, ("then",), id="what follows a condition"),
        pytest.param({"dependentSchemas": {"a": SELF}}, ("dependentSchemas", "a"), id="beside a property"),
        pytest.param(_list(allOf=[{"$ref": "#/$defs/a"}]), ("$defs", "b", "allOf", 0), id="through definitions"),
        pytest.param({"properties": {"a": {"oneOf": [{"$ref": "#/properties/a"}]}}}, ("properties", "a", "oneOf", 0),
                     id="below a property"),
        pytest.param({"$anchor": "x", "anyOf": [{"$ref": "#x"}]}, ("anyOf", 0), id="by an anchor"),
        pytest.param({"$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}]}}}, None, id="a definition that nothing uses"),
        pytest.param({"properties": {"a": SELF}, "items": SELF}, None, id="with a property or an item between"),
        pytest.param({"anyOf": [{"properties": {"a": SELF}}, {"not": {"items": SELF}}]}, None, id="below branches"),
        pytest.param(_list(properties={"a": {"$ref": "#/$defs/a"}}), None, id="a list of definitions"),
        pytest.param({"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}], "$defs": {"a": {}}}, None, id="used twice"),
        pytest.param({"then": SELF}, None, id="what follows no condition"),
        pytest.param({"$schema": DRAFT_07, "$ref": "#/definitions/a", "allOf": [SELF], "definitions": {"a": {}}}, None,
                     id="void beside a reference of draft-07"),
        pytest.param({"properties": {"a": {"$ref": "#/nowhere"}}}, None, id="a reference to nothing"),
        pytest.param(True, None, id="no mapping"),
    ],
)  # fmt: skip
def test_circles_in_place(schema: Any, pointer: tuple[str | int, ...] | None) -> None:
    assert in_place_circle(LocalReferences(schema)) == pointer
