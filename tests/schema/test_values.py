"""JSON values: types, equality and integral numbers, the same for every caller."""

from __future__ import annotations

import ast

import pytest
from syntax_trees import modules

from babelreg.containment.certificates.core_schemas import type_of
from babelreg.schema import conjuncts
from babelreg.schema.values import equality_key, integral, is_integral, is_number, json_type, may_contain

BIG = 2**53
VALUES = [
    pytest.param(None, "null", id="null"),
    pytest.param(True, "boolean", id="a boolean"),
    pytest.param(1, "integer", id="an integer"),
    pytest.param(10**400, "integer", id="an integer of many digits"),
    pytest.param(1.0, "integer", id="an integer with a point"),
    pytest.param(1e300, "integer", id="an integer with an exponent"),
    pytest.param(0.5, "number", id="a fraction"),
    pytest.param(float("inf"), "number", id="a number beyond all doubles"),
    pytest.param("1", "string", id="a string"),
    pytest.param([1], "array", id="an array"),
    pytest.param({"a": 1}, "object", id="an object"),
]


@pytest.mark.parametrize("value, name", VALUES)
def test_a_value_has_one_type_everywhere(value, name):
    assert json_type(value) == name
    assert conjuncts.kind_of(value) == {"number": "fraction"}.get(name, name)
    assert type_of(value) == {"integer": "number"}.get(name, name)
    assert is_number(value) is (name in ("integer", "number"))
    assert is_integral(value) is (name == "integer" and isinstance(value, float))


@pytest.mark.parametrize(
    "left, right, equal",
    [
        pytest.param(1, 1.0, True, id="an integer and the same with a fraction"),
        pytest.param(0, -0.0, True, id="nought and minus nought"),
        pytest.param(1, True, False, id="one and true"),
        pytest.param(0, False, False, id="nought and false"),
        pytest.param(None, False, False, id="null and false"),
        pytest.param("1", 1, False, id="a text and a number"),
        pytest.param([1, 2], [1.0, 2], True, id="items that are equal"),
        pytest.param([1, 2], [2, 1], False, id="items in another order"),
        pytest.param({"a": 1, "b": [2]}, {"b": [2.0], "a": 1}, True, id="members in another order"),
        pytest.param({"a": 1}, {"a": True}, False, id="members of other types"),
        pytest.param({}, [], False, id="an empty object and an empty array"),
        pytest.param([["a", 1]], {"a": 1}, False, id="an object and its members"),
        pytest.param(BIG + 1, BIG + 2, False, id="integers that are one double"),
        pytest.param(BIG, float(BIG), False, id="a number beyond the exact ones, written in two ways"),
        pytest.param(0.1, 0.1, True, id="fractions"),
    ],
)
def test_keys_are_the_same_for_equal_values_only(left, right, equal):
    assert (equality_key(left) == equality_key(right)) is equal
    assert len({equality_key([left]), equality_key([right])}) == (1 if equal else 2)


def test_a_deep_value_is_converted_without_recursion():
    deep: list[object] = [1.0]
    for _ in range(3_000):
        deep = [deep]
    made = integral(deep)
    while isinstance(made[0], list):
        made = made[0]
    assert made == [1]
    assert type(made[0]) is int


def test_a_value_without_an_integral_float_is_not_copied():
    value = {"a": [0.5, 1, "1.0"]}
    assert integral(value) is value


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"a${b}": 1}, True),
        ([{"b": ["$", "x${"]}], True),
        ({"a": "$", "b": "{"}, False),
        ({"a": "$\\{"}, False),
        ({"a": "\ud800"}, True),  # no JSON: in doubt
        ({"a": 2**70}, True),
    ],
    ids=str,
)
def test_a_text_is_found_in_names_and_strings(value, found):
    assert may_contain(value, "${") is found


def test_no_other_module_names_the_json_types_of_values():
    naming = {
        module.name
        for module in modules()
        if '"boolean"' in module.text
        for node in module.each(ast.FunctionDef)
        if {"null", "boolean", "string", "array", "object"}
        <= {part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)}
        and "isinstance" in ast.unparse(node)
    }
    assert naming == {"schema/values.py"}
