"""A number is read as its text says: by a double that returns it, or else exactly."""

from __future__ import annotations

import json
import random
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from babelreg.contract import Contract, exact_numbers, parse

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))
from number_texts import BORDERS, number_text

URN = "urn:babel:orders:created"


def exactly(value: float | Decimal) -> Decimal:
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


@pytest.mark.parametrize(
    "text, value",
    [
        pytest.param("0.30000000000000004", 0.30000000000000004, id="a shortest double of 17 digits"),
        pytest.param("12345678901234567.89", Decimal("12345678901234567.89"), id="a fraction beyond a double"),
        pytest.param("12345678901234567890123456.1234567891", Decimal("12345678901234567890123456.1234567891"), id="36 digits"),
        pytest.param("9007199254740993.0", 2**53 + 1, id="an integer that is written with a fraction"),
        pytest.param("9007199254740993e0", 2**53 + 1, id="an integer that is written with an exponent"),
        pytest.param("123456789012345678.9", Decimal("123456789012345678.9"), id="a fraction that a double drops"),
        pytest.param("1e-400", Decimal("1e-400"), id="a number below all doubles"),
        pytest.param("4.9e-324", Decimal("4.9e-324"), id="a number that a small double rounds"),
        pytest.param("0.10000000000000001", Decimal("0.10000000000000001"), id="a digit too many"),
        pytest.param("0.5000000000000000000000", 0.5, id="zeros too many"),
        pytest.param("1e23", 1e23, id="a double that is not this integer, but returns it"),
        pytest.param("1.1234567890123457e-07", 1.1234567890123457e-07, id="an exponent as Python writes it"),
        pytest.param("1" + "0" * 23, 10**23, id="an integer that is not its double"),
        pytest.param("0e-5000", 0.0, id="zero with a long exponent"),
    ],
)  # fmt: skip
def test_a_number_is_read_exactly(text: str, value: Any) -> None:
    read = parse.bare(b"[%s]" % text.encode())[0]
    assert (read, type(read)) == (value, type(value))
    assert parse.document(b'{"data":{"n":%s}}' % text.encode())["data"]["n"] == value


@pytest.mark.parametrize("text", ["1e-4001", "0." + "3" * 4001, "1e400", "1e-99999999999999999999", "9" * 4001])
def test_a_number_of_thousands_of_digits_is_refused(text: str) -> None:
    with pytest.raises(parse.ParseError) as caught:
        parse.document(b'{"data":{"n":%s}}' % text.encode())
    assert (caught.value.reason, caught.value.pointer) == ("number_out_of_range", "/data")


def test_an_integer_of_the_envelope_stays_an_integer_literal() -> None:
    """The body is poison, as for 1.0, and not mended."""
    assert type(parse.document(b'{"attempts":9007199254740993.0,"data":{}}')["attempts"]) is Decimal


@pytest.mark.parametrize(
    "schema, text, reason",
    [
        pytest.param({"type": "integer"}, "9007199254740993.0", None, id="a large integer with a fraction of zero"),
        pytest.param(
            {"type": "integer"}, "123456789012345678.9", "not_an_integer", id="a fraction that a double drops"
        ),
        pytest.param({"type": "integer"}, "1e-400", "not_an_integer", id="a fraction below all doubles"),
        pytest.param({"exclusiveMinimum": 0}, "1e-400", None, id="more than nothing"),
        pytest.param({"maximum": 0.1}, "0.10000000000000001", "above_maximum", id="a little more than a bound"),
        pytest.param({"multipleOf": 0.01}, "12345678901234567.89", None, id="a multiple"),
        pytest.param({"multipleOf": 0.01}, "12345678901234567.891", "not_a_multiple", id="not a multiple"),
        pytest.param({"const": 9007199254740992}, "9007199254740993.0", "wrong_const", id="not the constant"),
    ],
)
def test_the_verdict_is_about_the_number_as_written(schema: Any, text: str, reason: str | None) -> None:
    contract = Contract({URN: {"type": "object", "properties": {"n": schema}}})
    meta = '{"id":"m","queue":"q","lang":"php","schema_version":1,"created_at":0}'
    body = f'{{"job":"{URN}","trace_id":"t","data":{{"n":{text}}},"meta":{meta},"attempts":0}}'.encode()
    contract.validator(URN)
    assert contract.verdict(body).reason == reason
    assert contract.admit(body) is None


@pytest.mark.parametrize(
    "body, doubtful",
    [
        pytest.param(b'{"a":0.30000000000000004,"b":-1.2345678901234567}', False, id="shortest doubles"),
        pytest.param(b'{"a":1732363200000000000}', False, id="nanoseconds"),
        pytest.param(b'{"a":"12345678901234567.89","b":"x1e-400"}', False, id="strings of numbers"),
        pytest.param(b'{"a":"00000000-0000-1e-4000-8e-300-0e-999123456"}', False, id="a string of digits and dashes"),
        pytest.param(b'["12345678901234567.89",12345678901234567.89]', True, id="a string and the same number"),
        pytest.param(b"-9223372036854775809", True, id="the first integer below 64 bits"),
        pytest.param(b"-9223372036854775808", False, id="the last integer of 64 bits"),
        pytest.param(b'{"a": \n1E-400\t}', True, id="white space around it"),
    ],
)
def test_only_numbers_that_no_double_returns_are_parsed_twice(body: bytes, doubtful: bool) -> None:
    assert exact_numbers.may_be_inexact(body) is doubtful


def check(texts: list[str]) -> None:
    for text in texts:
        read = parse.bare(text.encode())
        assert exactly(read) == Decimal(text), text
        assert Decimal(exact_numbers.json_text(read)) == Decimal(text), text
        if isinstance(read, Decimal):
            assert float(text) != read or Decimal(repr(float(text))) != read
            assert exact_numbers.number_text(read * 10 / 10 if len(text) < 20 else read) == exact_numbers.number_text(
                read
            )


def test_every_text_is_read_and_written_as_its_value() -> None:
    source = random.Random(5)
    check([*BORDERS, *(number_text(source) for _ in range(3_000))])


@pytest.mark.long
def test_a_million_texts_are_read_and_written_as_their_values() -> None:
    source = random.Random(6)
    check([number_text(source) for _ in range(1_000_000)])


def test_json_of_decimals_is_sorted_and_deep_like_any_other() -> None:
    value = {"b": [Decimal("0.10000000000000001"), 2**70, True, None, 1.5], "a": {'"': "ä\n"}}
    text = exact_numbers.dumps(value, sort_keys=True)
    assert text == '{"a":{"\\"":"ä\\n"},"b":[0.10000000000000001,1180591620717411303424,true,null,1.5]}'
    assert json.loads(text, parse_float=exact_numbers.number) == value


@pytest.mark.parametrize("value", [{1: Decimal("0.1")}, [Decimal("NaN")], [Decimal("0.1"), {2}]])
def test_what_has_no_form_in_json_is_an_error(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        exact_numbers.dumps(value)
