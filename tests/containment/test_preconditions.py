from __future__ import annotations

from typing import Any

import pytest

from babelreg.containment.preconditions import obstacle, size_problem


def doubled(keyword: str, number: int) -> dict[str, Any]:
    """Definitions, each of which refers twice to the next."""
    return {f"d{n}": {keyword: [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(number)} | {f"d{number}": {}}


def nested_unevaluated(levels: int) -> dict[str, Any]:
    """Each level applies the one below it twice: to validate, and to see which properties it evaluates."""
    schema: dict[str, Any] = {"properties": {"z": {}}}
    for level in range(levels):
        schema = {"anyOf": [schema, {"properties": {f"p{level}": {}}}], "unevaluatedProperties": False}
    return schema


@pytest.mark.parametrize(
    "schema, stands",
    [
        pytest.param({"properties": {"a": {"$ref": "#"}}}, False, id="recursion through a property"),
        pytest.param({"items": {"anyOf": [{"$ref": "#"}, {}]}}, False, id="recursion through items"),
        pytest.param({"$ref": "#"}, True, id="itself"),
        pytest.param({"allOf": [{"$ref": "#"}]}, True, id="through allOf"),
        pytest.param({"if": {"if": {}, "else": {"$ref": "#"}}}, True, id="through a condition"),
        pytest.param({"dependentSchemas": {"a": {"not": {"$ref": "#"}}}}, True, id="through a dependency"),
        pytest.param(
            {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"anyOf": [{"$ref": "#/$defs/a"}]}}},
            True,
            id="of two definitions",
        ),
        pytest.param(
            {"$defs": {"a": {"$anchor": "here", "oneOf": [{"$ref": "#here"}]}}, "$ref": "#/$defs/a"}, True, id="by name"
        ),
        pytest.param({"allOf": [{"$ref": "#/$defs/a"}] * 2, "$defs": {"a": {}}}, False, id="the same twice"),
        pytest.param({"$ref": "#/$defs/d0", "$defs": doubled("allOf", 9)}, False, id="the same twice, nine times"),
        pytest.param({"$ref": "#/$defs/d0", "$defs": doubled("allOf", 60)}, True, id="the same twice, sixty times"),
        pytest.param({"$ref": "#/$defs/d0", "$defs": doubled("anyOf", 60)}, True, id="or as alternatives"),
        pytest.param(nested_unevaluated(4), False, id="what is evaluated, four times nested"),
        pytest.param(nested_unevaluated(25), True, id="what is evaluated, 25 times nested"),
        pytest.param({"const": {"$ref": "#"}}, False, id="no reference but a value"),
        pytest.param([], True, id="a list"),
        pytest.param(None, True, id="nothing"),
        pytest.param(True, False, id="true"),
    ],
)
def test_obstacle(schema: Any, stands: bool) -> None:
    assert (obstacle(schema) is not None) is stands


def test_a_chain_of_thousands_of_references() -> None:
    definitions = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(5_000)}
    assert obstacle({"$ref": "#/$defs/d0", "$defs": {**definitions, "d5000": {}}}) is None


def test_endless_and_enormous_schemas() -> None:
    endless: dict[str, Any] = {}
    endless["not"] = endless
    assert "nested deeper" in (size_problem(endless) or "")
    assert "more than" in (size_problem({"enum": list(range(300_000))}) or "")
