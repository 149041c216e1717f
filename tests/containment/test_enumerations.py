"""Long enumerations: whether one lies within another takes as many steps as they list values."""

from __future__ import annotations

from typing import Any

import pytest
from proofs import is_subschema

from babelreg.containment.certificates import core_schemas, facts, rules, single_values
from babelreg.containment.schema_pair import compare
from babelreg.schema.dialects import DEFAULT, DIALECTS

TEXTS = [f"v{n}" for n in range(1_000)]
NUMBERS: list[Any] = list(range(1_000))


def listing(values: list[Any], **more: Any) -> Any:
    return {"enum": values, **more}


def array(values: list[Any]) -> Any:
    return {"type": "array", "uniqueItems": True, "minItems": 500, "items": {"enum": values}}


def within(schema: Any) -> Any:
    return {"type": "object", "properties": {"x": schema}, "required": ["x"]}


@pytest.mark.parametrize(
    "inner, outer, proved",
    [
        pytest.param(listing(TEXTS), listing(["new", *TEXTS]), True, id="a value is new"),
        pytest.param(listing(TEXTS), listing(TEXTS[::-1]), True, id="another order"),
        pytest.param(listing(TEXTS), listing([*TEXTS[:-1], "new"]), False, id="a value is replaced"),
        pytest.param(listing(TEXTS), listing(TEXTS[1:]), False, id="a value is gone"),
        pytest.param(listing(NUMBERS), listing([float(n) for n in NUMBERS]), True, id="1 is 1.0"),
        pytest.param(listing([True, *TEXTS]), listing([1, *TEXTS]), False, id="true is not 1"),
        pytest.param(listing([0, *TEXTS]), listing([False, *TEXTS]), False, id="0 is not false"),
        pytest.param(
            listing([{"a": n, "b": "c"} for n in NUMBERS]),
            listing([{"b": "c", "a": n} for n in NUMBERS]),
            True,
            id="members in another order",
        ),
        pytest.param(
            listing([[n, "c"] for n in NUMBERS]),
            listing([["c", n] for n in NUMBERS]),
            False,
            id="items in another order",
        ),
        pytest.param(listing([None, *TEXTS]), listing(["v", *TEXTS, None]), True, id="values of several types"),
        pytest.param(listing(TEXTS), listing(["v", *TEXTS], type="string"), True, id="a type that all values have"),
        pytest.param(listing(NUMBERS), listing([-1, *NUMBERS], type="integer"), True, id="integers, by what they list"),
        pytest.param(
            listing([0.5, *NUMBERS]), listing([0.5, *NUMBERS], type="integer"), False, id="not all of them integers"
        ),
        pytest.param(
            listing(TEXTS), listing(["v", *TEXTS], maxLength=2), False, id="a length that not all values have"
        ),
        pytest.param(listing(TEXTS), listing(["v", *TEXTS], const="v"), False, id="one value beside the list"),
        pytest.param(array(TEXTS), array(["v", *TEXTS]), True, id="distinct items, a value is new"),
        pytest.param(array(TEXTS), array(["v", *TEXTS[1:]]), False, id="distinct items, a value is replaced"),
        pytest.param(
            {"anyOf": [listing(TEXTS), listing(NUMBERS)]}, listing([*TEXTS, *NUMBERS]), True, id="two lists within one"
        ),
    ],
)
def test_a_long_enumeration_within_another_is_proved(inner: Any, outer: Any, proved: bool) -> None:
    assert is_subschema(inner, outer, DEFAULT) is proved
    assert is_subschema(within(inner), within(outer), DEFAULT) is proved


def test_in_draft_4_only_what_is_written_without_a_fraction_is_an_integer() -> None:
    numbers = [float(n) for n in NUMBERS]
    assert not is_subschema(listing(numbers), listing(numbers, type="integer"), DIALECTS["draft4"])
    assert is_subschema(listing(NUMBERS), listing(numbers), DIALECTS["draft4"])


def several(shape: Any, values: list[Any]) -> Any:
    """Ten properties that are held against the same list, and one that takes it or null."""
    properties = {f"p{n}": shape(values) for n in range(10)}
    nullable = {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/values"}]}
    return {"$defs": {"values": shape(values)}, "properties": {**properties, "o": nullable}}


@pytest.mark.parametrize("shape", [pytest.param(listing, id="values"), pytest.param(array, id="distinct items")])
@pytest.mark.parametrize("last", [pytest.param("v", id="within"), pytest.param("w", id="not within")])
@pytest.mark.parametrize("size", [1_000, 4_000])
def test_the_steps_are_linear_in_the_number_of_values(
    size: int, last: str, shape: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps, key, kind = [0], core_schemas.equality_key, core_schemas.type_of

    def counted(function: Any) -> Any:
        def count(value: Any) -> Any:
            steps[0] += 1
            return function(value)

        return count

    for module in (core_schemas, facts, rules, single_values):
        monkeypatch.setattr(module, "equality_key", counted(key), raising=False)
        monkeypatch.setattr(module, "type_of", counted(kind), raising=False)
    texts = [f"v{n}" for n in range(size)]
    old, new = several(shape, [*texts, "v"]), several(shape, [*texts, last, "x"])
    assert is_subschema(old, new, DEFAULT) is (last == "v")
    assert 2 * size <= steps[0] < 80 * size  # there are 22 such lists, and a replay


def test_listed_documents_are_compared_one_by_one() -> None:
    circle = {"properties": {"foo": {"$ref": "#"}}, "additionalProperties": False}
    result = compare({"const": {"foo": {"foo": {}}}}, circle, reader="strict")
    assert (result.backward.kind, result.forward.kind) == ("compatible", "breaking")
