"""A bound is compared with each number as its text says, also where jsonschema-rs alone would not."""

from __future__ import annotations

import random
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from babelreg.contract import Contract
from babelreg.contract.exact_numbers import number
from babelreg.schema.dialects import DEFAULT, DIALECTS
from babelreg.schema.exact_bounds import compared_exactly
from babelreg.schema.values import as_integer, is_integral

KEYWORDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")


def exactly(value: int | float | Decimal) -> Fraction:
    return Fraction(Decimal(repr(value)) if isinstance(value, float) else value)


def expected(keyword: str, bound: int | float, value: int | float | Decimal) -> bool:
    left, right = exactly(value), exactly(bound)
    if keyword == "multipleOf":
        return (left / right).denominator == 1
    beyond = left < right if keyword.lower().endswith("minimum") else left > right
    return not beyond and not (keyword.startswith("exclusive") and left == right)


def read(value: Decimal) -> int | float | Decimal:
    """Return the number as the parser of messages makes it."""
    made = number(format(value, "E"))
    return as_integer(made) if isinstance(made, Decimal) and is_integral(made) else made


def cases(count: int) -> list[tuple[str, int | float, int | float | Decimal]]:
    source, made = random.Random(7), []
    for _ in range(count):
        whole = source.choice((2 ** source.randint(0, 70), 10 ** source.randint(0, 24))) + source.randint(-3, 3) or 5
        keyword = source.choice(KEYWORDS)
        bound = source.choice((1, -1)) * source.choice((whole, float(whole), whole / 8, whole + 0.5))
        if keyword == "multipleOf":
            bound = abs(bound)
        near = Decimal(repr(bound)) * (source.getrandbits(20) if keyword == "multipleOf" else 1)
        value = near + source.choice((0, 1, -1)) * Decimal(source.randint(1, 999)).scaleb(-source.randint(0, 22))
        made.append((keyword, bound, read(value)))
    return made


def test_random_numbers_beside_random_bounds() -> None:
    wrong = [
        (keyword, bound, value)
        for keyword, bound, value in cases(20_000)
        if DEFAULT.validator_for({keyword: bound}).is_valid(value) is not expected(keyword, bound, value)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "schema, text, reason",
    [
        pytest.param({"maximum": 1.0}, "1.0000000000000001", "above_maximum", id="a bound that is written as 1.0"),
        pytest.param({"minimum": 1e17}, "99999999999999997.93", "below_minimum", id="a large bound"),
        pytest.param({"exclusiveMaximum": 2**63 - 2}, "9223372036854775805.14", None, id="one below an integer"),
        pytest.param({"exclusiveMinimum": 2**63 + 2}, "9.223372036854776e18", None, id="a double by its text"),
        pytest.param({"multipleOf": 3}, "9007199254740995.88", "not_a_multiple", id="a fraction of a whole step"),
        pytest.param({"type": "number", "multipleOf": 0.01}, "9007199254740995.88", None, id="a multiple of cents"),
        pytest.param({"not": {"multipleOf": 1}}, "9007199254740995.88", None, id="below not"),
    ],
)
def test_the_verdict_and_its_reason(schema: Any, text: str, reason: str | None) -> None:
    contract = Contract({"u": {"properties": {"n": schema}}})
    verdict = contract.data_verdict("u", {"n": read(Decimal(text))})
    assert verdict.reason == reason
    if reason:
        assert verdict.pointer == "/n"
        (keyword,) = schema
        assert f"({keyword}: " in (verdict.detail or "") or keyword == "multipleOf"


@pytest.mark.parametrize("exclusive", [True, False])
def test_the_booleans_of_draft_4(exclusive: bool) -> None:
    validator = DIALECTS["draft4"].validator_for({"maximum": 10**17, "exclusiveMaximum": exclusive})
    values = (10**17, Decimal("99999999999999999.99"), Decimal("100000000000000000.01"), "text", True)
    assert [validator.is_valid(value) for value in values] == [not exclusive, True, False, True, True]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "integer", "minimum": 0, "maximum": 2**63 - 1, "multipleOf": 5},
        {"type": ["integer", "null"], "minimum": 1 - 2**63, "maximum": 2**53 - 1},
        {"type": "number", "minimum": 0.0, "maximum": 1000.0, "multipleOf": 0.01},
        {"properties": {"maximum": {"type": "number"}}, "const": {"minimum": "1"}},
    ],
)
def test_ordinary_schemas_are_left_to_the_validator(schema: Any) -> None:
    assert compared_exactly(schema)[1] == {}


@pytest.mark.parametrize("keyword", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"])
@pytest.mark.parametrize("bound", [2**53, -(2**53), 10**17, 1e17, 2**70], ids=str)
def test_a_bound_from_2_to_53_on_is_left_to_python(keyword: str, bound: float) -> None:
    if keyword != "multipleOf" or bound > 0:
        assert keyword in compared_exactly({"items": {keyword: bound}})[1]


def test_a_name_like_a_bound_in_a_text_is_none() -> None:
    assert compared_exactly({"description": '"minimum":1e30', "minimum": -5})[1] == {}
