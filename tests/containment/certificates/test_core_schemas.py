"""Core schemas of large views: which of them are one object."""

from __future__ import annotations

from typing import Any

import pytest

from babelreg.containment.certificates import core_schemas
from babelreg.containment.certificates.core_schemas import View

DRAFT = 4


@pytest.mark.parametrize(
    "one, other, alike",
    [
        pytest.param({"type": "string", "minLength": 1}, {"minLength": 1, "type": "string"}, True, id="other order"),
        pytest.param({"title": "A", "minLength": 1}, {"minLength": 1}, True, id="an annotation"),
        pytest.param({"const": "a"}, {"enum": ["a"]}, True, id="the same in other words"),
        pytest.param({"items": {"const": 1}}, {"items": {"enum": [1]}}, True, id="what is below is alike"),
        pytest.param({"items": {"const": 1}}, {"items": {"const": 2}}, False, id="what is below differs"),
        pytest.param({"items": True}, {"items": {}}, True, id="all values, in other words"),
        pytest.param({"enum": [1]}, {"enum": [1.0]}, False, id="a number that is written in another way"),
        pytest.param({"enum": [1]}, {"enum": [True]}, False, id="a number and a boolean"),
        pytest.param({"anyOf": [{"minLength": 1}]}, {"oneOf": [{"minLength": 1}]}, False, id="another union"),
        pytest.param(
            {"anyOf": [{"minLength": 1}, {"minLength": 2}]},
            {"anyOf": [{"minLength": 2}, {"minLength": 1}]},
            False,
            id="another order of branches",
        ),
        pytest.param({"$ref": "#/properties/x"}, {"$ref": "#/properties/x"}, True, id="the same reference"),
        pytest.param({"$dynamicRef": "#a"}, {"$dynamicRef": "#a"}, False, id="a reference that depends on the way"),
    ],
)
def test_core_schemas_that_are_written_alike_are_one(
    one: Any, other: Any, alike: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core_schemas, "_MANY", 0)
    anchors = {"$defs": {name: {"$id": f"urn:{name}", "$defs": {"d": {"$dynamicAnchor": "a"}}} for name in "pq"}}
    schema = {"properties": {"x": one, "y": other}, **(anchors if "$dynamicRef" in one else {})}
    view = View(schema, DRAFT, formats=True)
    cores = {id(subschema): core for subschema, core in view.pairs}
    x, y = (view.root["properties"][name] for name in "xy")
    assert (x is y) == alike
    assert [cores[id(view.written["properties"][name])] for name in "xy"] == [x, y]


def test_small_views_are_left_as_they_are() -> None:
    view = View({"properties": {name: {"minLength": 1} for name in "xy"}}, DRAFT, formats=True)
    assert view.root["properties"]["x"] is not view.root["properties"]["y"]
