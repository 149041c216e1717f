"""A schema has a problem where one of its views cannot be validated by; plain ones are not asked twice."""

from __future__ import annotations

from typing import Any

import pytest
from examples import fewer
from hypothesis import event, given, settings
from hypothesis import strategies as st

from babelreg.contract import schema_problem as module
from babelreg.contract import views
from babelreg.contract.schema_problem import schema_problem
from babelreg.schema.dialects import identify


@pytest.mark.parametrize(
    "schema, has_one",
    [
        pytest.param({"type": "object"}, False, id="none"),
        pytest.param({"properties": {"a": {"type": "string", "pattern": "("}}}, True, id="a pattern of a plain schema"),
        pytest.param({"type": "objekt"}, True, id="no type"),
        pytest.param({"properties": {"a": {"required": "b"}}}, True, id="a required that is no list"),
        pytest.param({"properties": {"a": {"$ref": "#/$defs/gone"}}}, True, id="a reference that leads nowhere"),
        pytest.param({"allOf": [{"$ref": "#/$defs/gone"}]}, True, id="one in a combination"),
        pytest.param({"patternProperties": {"(": True}}, True, id="a pattern of names"),
        pytest.param({"$defs": {"a": {"pattern": "("}}, "properties": {"a": {"$ref": "#/$defs/a"}}}, True,
                     id="a definition"),
        pytest.param({"properties": {"a": {"enum": ["x"], "x-open-enum": True}}, "additionalProperties": False}, False,
                     id="what readers open"),
    ],
)  # fmt: skip
def test_a_schema_without_a_validator_has_a_problem(schema: dict[str, Any], has_one: bool) -> None:
    assert (schema_problem(schema) is not None) == has_one
    assert schema_problem(schema) == _the_long_way(schema)


def _the_long_way(schema: Any) -> str | None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module.views, "is_plain", lambda *_: False)
        return schema_problem(schema)


def test_many_objects_are_within_the_bounds_either_way() -> None:
    schema: dict[str, Any] = {"properties": {f"p{n}": {"properties": {"a": {"type": "string"}}} for n in range(499)}}
    assert schema_problem(schema) is None
    assert _the_long_way(schema) is None


_NAMES = st.sampled_from(["a", "b", "a b", ""])
_LEAVES: list[dict[str, Any]] = [
    {"type": "string"}, {"enum": ["x"], "x-open-enum": True}, {"maxProperties": 1}, {"pattern": "^a"}, {"pattern": "("},
    {"type": "objekt"}, {"minimum": "1"}, {"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}, {"required": ["b"]},
]  # fmt: skip


def _objects(below: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {"properties": st.dictionaries(_NAMES, below, min_size=1, max_size=3)},
        optional={
            "additionalProperties": st.one_of(st.booleans(), below),
            "items": below,
            "required": st.one_of(st.lists(_NAMES, max_size=2, unique=True), st.just("a")),
            "maxProperties": st.just(2),
        },
    )


PLAIN = st.recursive(st.one_of(st.sampled_from(_LEAVES), st.booleans()), _objects, max_leaves=4)


@settings(max_examples=fewer(120, 300), deadline=None)
@given(st.tuples(_objects(PLAIN), st.dictionaries(st.sampled_from("ab"), PLAIN, max_size=2)))
def test_a_plain_schema_has_no_other_problems_than_its_views(drawn: tuple[dict[str, Any], dict[str, Any]]) -> None:
    schema = {**drawn[0], "$defs": drawn[1]}
    event(f"plain: {views.is_plain(schema, identify(schema))}, problem: {schema_problem(schema) is not None}")
    assert schema_problem(schema) == _the_long_way(schema)
