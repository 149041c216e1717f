"""What a keyword says of values, by path: nothing is missed, wherever it was said."""

from __future__ import annotations

import time
from typing import Any

import pytest

from babelreg.typemap.said import ITEM, Others, Path, said

MARK: dict[str, Any] = {"x": 1}
REST = Others(frozenset())


@pytest.mark.parametrize(
    "schema, paths",
    [
        pytest.param({"properties": {"a": MARK}}, {("a",)}, id="a property"),
        pytest.param(MARK, {()}, id="the whole"),
        pytest.param({"properties": {"a": {"properties": {"b.c": MARK}}}}, {("a", "b.c")}, id="a property of a property"),
        pytest.param({"properties": {"a": {"items": MARK}}}, {("a", ITEM)}, id="items"),
        pytest.param({"properties": {"a": {"prefixItems": [{}, MARK]}}}, {("a", ITEM)}, id="one item of a tuple"),
        pytest.param({"properties": {"a": {"contains": MARK}}}, {("a", ITEM)}, id="what is contained"),
        pytest.param({"properties": {"x": {}}, "additionalProperties": MARK}, {(Others(frozenset({"x"})),)}, id="all others"),
        pytest.param({"patternProperties": {"^x": MARK}}, {(REST,)}, id="names of a pattern"),
        pytest.param({"unevaluatedProperties": MARK}, {(REST,)}, id="what is not evaluated"),
        pytest.param({"propertyNames": MARK}, {()}, id="a name says something of the object around it"),
        pytest.param({"properties": {"a": {"contentSchema": {"properties": {"b": MARK}}}}}, {("a", "b")}, id="inside a text"),
        pytest.param({"anyOf": [{}, {"properties": {"a": MARK}}]}, {("a",)}, id="a branch"),
        pytest.param({"if": {"properties": {"a": MARK}}}, {("a",)}, id="a condition"),
        pytest.param({"dependentSchemas": {"b": {"properties": {"a": MARK}}}}, {("a",)}, id="what depends on another"),
        pytest.param({"properties": {"a": {"$ref": "#/$defs/d"}}, "$defs": {"d": MARK}}, {("a",)}, id="behind a reference"),
        pytest.param({"properties": {"a": {"$ref": "#/$defs/d", **MARK}}, "$defs": {"d": {}}}, {("a",)}, id="beside one"),
        pytest.param({"properties": {"a": {"$ref": "#n"}}, "$defs": {"d": {"$anchor": "n", **MARK}}}, {("a",)}, id="an anchor"),
        pytest.param({"$defs": {"d": MARK}}, set(), id="a definition that nothing uses"),
        pytest.param({"properties": {"x": {"type": "string"}}}, set(), id="a property that has the keyword's name"),
        pytest.param(
            {"properties": {"n": MARK, "next": {"$ref": "#"}}}, {("n",), ("next",)}, id="what contains its own kind"
        ),
        pytest.param(
            {"$ref": "#/$defs/a", "$defs": {"a": {"properties": {"b": {"$ref": "#/$defs/b"}}}, "b": {"properties": {"a": {"$ref": "#/$defs/a"}, "n": MARK}}}},
            {("b", "n"), ("b", "a")},
            id="two that contain each other",
        ),
        pytest.param(
            {"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"$ref": "#/definitions/d", **MARK}}, "definitions": {"d": {}}},
            {("a",)},
            id="beside a reference in draft-07",
        ),
    ],
)  # fmt: skip
def test_where_it_is_said(schema: Any, paths: set[Path]) -> None:
    found = said(schema, "x")
    assert found is not None
    assert {one.path for one in found} == paths
    assert {one.value for one in found} <= {1}


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({"$ref": "https://example.com/s"}, id="a reference that leads out"),
        pytest.param({"properties": {"a": {"$ref": "#/nowhere"}}}, id="a reference that leads nowhere"),
        pytest.param({"$schema": "of another kind"}, id="a dialect that is not known"),
        pytest.param(
            {"$ref": "#/$defs/d0", "$defs": {f"d{n}": {"properties": {"a": {"$ref": f"#/$defs/d{n + 1}"}, "b": {"$ref": f"#/$defs/d{n + 1}"}}} for n in range(20)} | {"d20": MARK}},
            id="a million paths",
        ),
    ],
)  # fmt: skip
def test_a_schema_that_cannot_be_followed_says_so(schema: Any) -> None:
    assert said(schema, "x") is None


def test_many_that_come_back_cost_a_bounded_time() -> None:
    every = {f"n{n}": {"properties": {"again": {"$ref": "#"}, "v": {"x": n}}} for n in range(2000)}
    start = time.process_time()
    said({"properties": every}, "x")
    assert time.process_time() - start < 5
