"""What a keyword says of values, by path: nothing is missed, wherever it was said."""

from __future__ import annotations

import re
from typing import Any

import pytest
import sane_schemas as sane
from examples import fewer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from steps import steps

from babelreg.gen.reference.personal_fields import MARK as MARK_OF_DOCS
from babelreg.gen.reference.personal_fields import marks
from babelreg.schema.annotations import Others, Path, annotated
from babelreg.schema.field_path import EACH

MARK: dict[str, Any] = {"x": 1}
REST = Others(frozenset())


@pytest.mark.parametrize(
    "schema, paths",
    [
        pytest.param({"properties": {"a": MARK}}, {("a",)}, id="a property"),
        pytest.param(MARK, {()}, id="the whole"),
        pytest.param({"properties": {"a": {"properties": {"b.c": MARK}}}}, {("a", "b.c")}, id="a property of a property"),
        pytest.param({"properties": {"a": {"items": MARK}}}, {("a", EACH)}, id="items"),
        pytest.param({"properties": {"a": {"prefixItems": [{}, MARK]}}}, {("a", EACH)}, id="one item of a tuple"),
        pytest.param({"properties": {"a": {"contains": MARK}}}, {("a", EACH)}, id="what is contained"),
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
            set(),
            id="beside a reference in draft-07, which ignores it",
        ),
    ],
)  # fmt: skip
def test_where_it_is_annotated(schema: Any, paths: set[Path]) -> None:
    found = annotated(schema, "x")
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
    assert annotated(schema, "x") is None


def test_many_that_come_back_cost_a_bounded_number_of_steps() -> None:
    every = {f"n{n}": {"properties": {"again": {"$ref": "#"}, "v": {"x": n}}} for n in range(500)}
    assert steps(lambda: annotated({"properties": every}, "x"), most=15_000_000) > 0


def _sprinkled(data: st.DataObject, node: Any) -> Any:
    """The schema with the mark on some of its subschemas."""
    if isinstance(node, list):
        return [_sprinkled(data, one) for one in node]
    if not isinstance(node, dict):
        return node
    below = {
        key: {name: _sprinkled(data, one) for name, one in value.items()}
        if key in ("properties", "patternProperties", "$defs")
        else value
        if key in ("const", "enum", "required", "type")
        else _sprinkled(data, value)
        for key, value in node.items()
    }
    return {**below, MARK_OF_DOCS: True} if data.draw(st.integers(0, 5)) == 0 else below


def _steps(path: str) -> list[str]:
    return [step for step in re.split(r"\.|(\[\])", path) if step]


def _covers(path: Path, steps: list[str]) -> bool:
    """Whether what is said at ``path`` holds for the values at ``steps``, or for something around them."""
    if len(path) > len(steps):
        return False
    return all(
        step == "[]" if own is EACH else step != "[]" if isinstance(own, Others) else step in (own, "*")
        for own, step in zip(path, steps, strict=False)
    )


@settings(max_examples=fewer(20, 40), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_nothing_that_the_inventory_of_personal_data_lists_is_missed(data: st.DataObject) -> None:
    schema = _sprinkled(data, data.draw(sane.schemas(["id", "name", "a-b", "Money", "ﬁ"])))
    found = annotated(schema, MARK_OF_DOCS)
    for mark in marks(schema).fields:
        assert found is None or any(_covers(one.path, _steps(mark.path)) for one in found), mark.path
