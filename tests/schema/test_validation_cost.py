"""Schemas on which the work of a validator grows exponentially, and the bound for their data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from examples import fewer
from hang import limited
from hypothesis import event, given, settings
from hypothesis import strategies as st
from schema_strategies import schemas_of

from babelreg.errors import SchemaError
from babelreg.schema.dialects import DEFAULT, DIALECTS
from babelreg.schema.validation_cost import (
    BoundedValidator,
    TooComplexError,
    ValidationCost,
    bounded,
    is_ordinary,
    validation_cost,
)

R = {"$ref": "#/$defs/n"}
INTEGER_OR_OBJECT = {"type": ["integer", "object"]}


def of(**node: Any) -> dict[str, Any]:
    return {**R, "$defs": {"n": node}}


def doubled(levels: int) -> dict[str, Any]:
    """Definitions, each of which refers twice to the next."""
    chain = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(levels)}
    return {"$ref": "#/$defs/d0", "$defs": {**chain, f"d{levels}": {"type": "object"}}}


def nested(levels: int, leaf: Any = 1, wrap: Callable[[Any], Any] = lambda below: {"m": below}) -> Any:
    value = leaf
    for _ in range(levels):
        value = wrap(value)
    return value


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param(of(properties={"m": {"oneOf": [R, R]}}), id="oneOf at a property"),
        pytest.param(of(**INTEGER_OR_OBJECT, properties={"m": {"anyOf": [R, R]}}), id="anyOf"),
        pytest.param(of(**INTEGER_OR_OBJECT, properties={"m": {"allOf": [R, R]}}), id="allOf"),
        pytest.param(of(anyOf=[{"properties": {"m": R}}, {"properties": {"m": R}}]), id="the property in two branches"),
        pytest.param(of(properties={"m": R}, patternProperties={"^m": R}), id="a name and a pattern"),
        pytest.param(
            of(properties={"m": R}, allOf=[{"additionalProperties": R}]), id="a name and all others elsewhere"
        ),
        pytest.param(of(properties={"m": R}, dependentSchemas={"m": {"properties": {"m": R}}}), id="a dependency"),
        pytest.param(of(properties={"m": {"if": R, "then": R}}), id="a condition"),
        pytest.param(of(properties={"m": {"not": R, "allOf": [R]}}), id="a negation"),
        pytest.param(of(items=R, contains=R), id="items and contains"),
        pytest.param(of(items=R, anyOf=[{"prefixItems": [R]}]), id="items and the first one"),
        pytest.param({"properties": {"m": {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}}}, id="the root"),
        pytest.param(
            {"$dynamicAnchor": "n", "properties": {"m": {"anyOf": [{"$dynamicRef": "#n"}, {"$dynamicRef": "#n"}]}}},
            id="dynamic references",
        ),
        pytest.param(of(anyOf=[{"properties": {"m": R}}], unevaluatedProperties=False), id="what is evaluated"),
        pytest.param(doubled(20), id="no recursion, but a million checks of one value"),
    ],
)
def test_a_schema_of_exponential_cost_has_a_bound(schema: Any) -> None:
    assert isinstance(bounded(DEFAULT.validator_for(schema), schema, DEFAULT), BoundedValidator)


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param(True, id="true"),
        pytest.param({"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}, id="no reference"),
        pytest.param({"properties": {"a": {"anyOf": [R, R]}}, "$defs": {"n": {"type": "string"}}}, id="no recursion"),
        pytest.param(of(properties={"m": R}), id="one reference back"),
        pytest.param(of(properties={"left": R, "right": R}), id="a tree"),
        pytest.param(of(properties={"m": R}, additionalProperties=R), id="a name and all others"),
        pytest.param(of(items=R, prefixItems=[R]), id="the first item and the rest"),
        pytest.param(
            of(oneOf=[{"properties": {"and": {"items": R}}}, {"properties": {"or": {"items": R}}}, {"type": "string"}]),
            id="branches with properties of their own",
        ),
        pytest.param(of(properties={"m": R}, unevaluatedProperties=False), id="what is evaluated without alternatives"),
        pytest.param({"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [{"$ref": "#"}, {}]}}}, id="a circle in place"),
        pytest.param({"$ref": "https://example.com/a", "unevaluatedProperties": False}, id="a reference out of it"),
        pytest.param(doubled(5), id="32 checks of one value"),
    ],
)
def test_an_ordinary_schema_has_none(schema: Any) -> None:
    assert validation_cost(schema, DEFAULT) is None


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({"$ref": "#/$defs/n", "$defs": {"n": {"type": "string"}}}, id="a definition"),
        pytest.param(
            {"items": {"$ref": "#/$defs/a"}, "$defs": {"a": {"not": {"$ref": "#/$defs/b"}}, "b": True}}, id="two levels"
        ),
        pytest.param({"properties": {"$id": {}, "id": {"$ref": "#/definitions/a"}}, "definitions": {"a": {}}}, id="id"),
        pytest.param(doubled(5), id="32 checks of one value"),
    ],
)
def test_a_schema_without_circles_is_ordinary_at_first_sight(schema: Any) -> None:
    assert is_ordinary(schema, DEFAULT)


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({"$ref": ""}, id="the root by an empty reference"),
        pytest.param({"$ref": "#/$defs/a/not", "$defs": {"a": {"not": {}}}}, id="a part of a definition"),
        pytest.param({"$ref": "#/$defs/a%20b", "$defs": {"a b": {}}}, id="a name with escapes"),
        pytest.param({"$ref": "#a", "$defs": {"n": {"$anchor": "a"}}}, id="an anchor"),
        pytest.param({"$ref": "#/$defs/n", "$defs": {"n": {"$id": "n", "$ref": "#"}}}, id="a resource of its own"),
        pytest.param({"$ref": "#/$defs/n", "$defs": {"n": {"$schema": "x"}}}, id="a dialect of its own"),
        pytest.param({"unevaluatedItems": False}, id="what is evaluated"),
        pytest.param(doubled(20), id="a million checks of one value"),
    ],
)
def test_in_doubt_a_schema_is_not_ordinary_at_first_sight(schema: Any) -> None:
    assert not is_ordinary(schema, DEFAULT)


@pytest.mark.hypothesis
@pytest.mark.parametrize("dialect", ["draft4", "draft7", "draft2020-12"])
@settings(max_examples=fewer(40))
@given(data=st.data())
def test_the_first_sight_never_misses_an_exponential_cost(dialect: str, data: st.DataObject) -> None:
    references = ("#/definitions/a", "#/definitions/b", "#/$defs/a", "#/definitions/a/not", "#")
    drawn = schemas_of(dialect, references)
    schema = {**data.draw(drawn), "definitions": {"a": data.draw(drawn), "b": data.draw(drawn)}}
    event(f"ordinary: {is_ordinary(schema, DIALECTS[dialect])}")
    if is_ordinary(schema, DIALECTS[dialect]):
        assert not ValidationCost(schema, DIALECTS[dialect]).exponential


def test_up_to_draft_7_a_reference_stands_alone() -> None:
    beside = {"$ref": "#/definitions/n", "properties": {"m": {"$ref": "#/definitions/n"}}}
    schema = {"definitions": {"n": {"properties": {"m": beside}}}, "$ref": "#/definitions/n"}
    assert validation_cost(schema, DIALECTS["draft7"]) is None
    assert validation_cost(schema, DEFAULT) is not None


N = of(**INTEGER_OR_OBJECT, properties={"m": {"anyOf": [R, R]}})


def test_the_checks_of_a_value_double_with_each_level() -> None:
    cost = validation_cost(N, DEFAULT)
    assert cost is not None
    assert [levels for levels in range(40) if cost.exceeds(nested(levels), 10_000)][:1] == [11]
    assert not cost.exceeds([nested(8)] * 10_000, 10_000)  # a long message is not a deep one
    assert not cost.exceeds(nested(3_000, wrap=lambda below: {"other": below}), 10_000)


@pytest.mark.parametrize("leaf, valid", [(1, True), ("a", False)])
def test_data_that_is_valid_is_accepted_at_any_depth(leaf: Any, valid: bool) -> None:
    validator = bounded(DEFAULT.validator_for(N), N, DEFAULT)
    with limited(20):
        assert validator.is_valid(nested(200, leaf)) is valid
        assert [error.message for error in validator.iter_errors(nested(2, "a"))] != []
        if valid:
            assert list(validator.iter_errors(nested(24, leaf))) == []
        else:
            with pytest.raises(TooComplexError):
                validator.iter_errors(nested(24, leaf))


def test_where_the_validator_keeps_no_answers_it_is_not_asked() -> None:
    both = {"type": ["object", "integer"], "anyOf": [R, {"$ref": "#/$defs/m"}], "unevaluatedProperties": R}
    m = {"oneOf": [{"type": "integer"}, {"type": "object", "patternProperties": {"^m": both}}]}
    schema = {**R, "$defs": {"n": {"$ref": "#/$defs/m"}, "m": m}}
    validator = bounded(DEFAULT.validator_for(schema), schema, DEFAULT)
    with limited(20):
        assert validator.is_valid(nested(3)) == DEFAULT.validator_for(schema).is_valid(nested(3))
        assert not validator.is_valid(nested(200))
        with pytest.raises(TooComplexError):
            validator.iter_errors(nested(200))


def test_definitions_that_double_are_not_checked_at_all() -> None:
    schema = doubled(60)
    try:
        validator = bounded(DEFAULT.validator_for(schema), schema, DEFAULT)
    except SchemaError:
        return
    with limited(20):
        assert not validator.is_valid({})
        with pytest.raises(TooComplexError):
            validator.iter_errors({})
