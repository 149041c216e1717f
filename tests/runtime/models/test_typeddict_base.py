from __future__ import annotations

import json
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg.runtime.models.typeddict_base import plain, rounded
from babelreg.schema.values import integral

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=2),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=2), below, max_size=3),
    max_leaves=6,
)


def spelled(value: Any) -> Any:
    """``value`` with types beside it, because 1 == 1.0 == True."""
    if isinstance(value, list):
        return [spelled(item) for item in value]
    if isinstance(value, dict):
        return {key: spelled(item) for key, item in value.items()}
    return type(value), value


def test_a_decimal_becomes_the_nearest_float() -> None:
    data = {"a": [Decimal("12345678901234567.89"), 1], "b": {"c": Decimal("1e-400")}, "d": 1.0}
    assert spelled(rounded(data)) == spelled({"a": [12345678901234568.0, 1], "b": {"c": 0.0}, "d": 1.0})
    assert rounded(data["d"]) is data["d"]
    assert plain((Decimal("0.10000000000000001"), 1.0)) == [Decimal("0.10000000000000001"), 1.0]


def as_written(value: Any) -> Any:
    """``value`` with numbers as JSON has them: 1e23 is 10**23, its double is another number."""
    return json.loads(json.dumps(value), parse_float=Decimal)


@given(VALUES)
def test_every_whole_number_becomes_an_integer_and_nothing_else_changes(value: Any) -> None:
    found = integral(value)
    assert as_written(found) == as_written(value)
    assert spelled(plain(value)) == spelled(value)
    assert spelled(integral(found)) == spelled(found)


@pytest.mark.parametrize(
    "value, found",
    [
        pytest.param({"a": [1.0, 1.5, True, "1.0"]}, {"a": [1, 1.5, True, "1.0"]}, id="a whole number in a list"),
        pytest.param({"b": {"a": -0.0}}, {"b": {"a": 0}}, id="minus zero"),
        pytest.param([1e300], [10**300], id="a whole number that no 64 bits hold"),
    ],
)
def test_whole_numbers(value: Any, found: Any) -> None:
    assert spelled(integral(value)) == spelled(found)


@pytest.mark.parametrize("value", [{"a": [1, {"b": None}]}, [], "1.0", 7, {"a": 1.5}])
def test_what_has_nothing_to_change_is_not_copied(value: Any) -> None:
    assert integral(value) is value
    assert plain(value) is value


def test_tuples_and_mappings_become_lists_and_dictionaries() -> None:
    given_ = MappingProxyType({"a": (1.0, MappingProxyType({"b": ()}))})
    assert spelled(plain(given_)) == spelled({"a": [1.0, {"b": []}]})


def test_depth_costs_no_calls() -> None:
    value: Any = 1.0
    for _ in range(4_000):
        value = [value]
    found = integral(value)
    while isinstance(found, list):
        (found,) = found
    assert spelled(found) == (int, 1)
    assert plain(value) is value


def test_what_holds_itself_comes_to_an_end() -> None:
    value: list[Any] = [()]
    value.append(value)
    assert plain(value)[0] == []
    alone: list[Any] = []
    alone.append(alone)
    assert plain(alone) is alone


def test_what_holds_itself_twice_does_not_double_at_every_level() -> None:
    value: list[Any] = [1, (2,)]
    value += [value, value]
    found = plain(value)
    assert found[:2] == [1, [2]]
    assert found[2] is found[3] is found


def test_what_stands_in_many_places_is_copied_once() -> None:
    value: Any = (1.0,)
    for _ in range(100):
        value = [value, value]
    found = plain(value)
    while len(found) == 2:
        assert found[0] is found[1]
        found = found[0]
    assert spelled(found) == [(float, 1.0)]
