"""``formats: typed``: what becomes a date, a UUID or a decimal, what of it comes out again, and what does not."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any
from uuid import UUID

import jsonschema_rs
import made_models
import pytest
import sane_schemas as sane
from examples import fewer
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from babelreg.contract import exact_numbers
from babelreg.contract.views import reader_view
from babelreg.runtime.errors import Reject
from babelreg.runtime.models.typed_formats import _decimal_of_number, _number

KINDS = ("pydantic",)
SCHEMA = {
    "type": "object",
    "properties": {
        "at": {"type": "string", "format": "date-time"},
        "on": {"type": ["string", "null"], "format": "date"},
        "key": {"type": "string", "format": "uuid"},
        "price": {"type": "string", "format": "decimal"},
        "rate": {"type": "number", "multipleOf": 0.01},
        "stored": {"type": "number", "x-spark-type": "decimal(18,2)"},
        "plain": {"type": "number"},
        "some": {"type": "array", "items": {"type": "string", "format": "date-time"}},
        "money": {
            "anyOf": [
                {"type": "string", "format": "date-time"},
                {"type": "object", "properties": {"minor": {"type": "integer"}}},
            ]
        },
        "either": {"anyOf": [{"type": "string", "format": "uuid"}, {"type": "string"}, {"type": "integer"}]},
    },
}


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    return {kind: made_models.message(SCHEMA, models=kind, formats="typed") for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "data, attribute, value",
    [
        pytest.param({"at": "2026-11-20T10:00:00Z"}, "at", datetime(2026, 11, 20, 10, tzinfo=UTC), id="an instant"),
        pytest.param({"at": "2026-11-20T10:00:00.250000+05:30"}, "at",
                     datetime(2026, 11, 20, 10, 0, 0, 250000, timezone(timedelta(hours=5, minutes=30))),
                     id="an instant with an offset"),
        pytest.param({"on": "2026-11-20"}, "on", date(2026, 11, 20), id="a day"),
        pytest.param({"on": None}, "on", None, id="no day"),
        pytest.param({"key": "c2c2c2c2-0000-4000-8000-00000000000a"}, "key",
                     UUID("c2c2c2c2-0000-4000-8000-00000000000a"), id="a UUID"),
        pytest.param({"price": "1.10"}, "price", Decimal("1.10"), id="a decimal, with its zeros"),
        pytest.param({"plain": 1.5}, "plain", 1.5, id="a number in no steps"),
        pytest.param({"some": ["2026-11-20T10:00:00Z"]}, "some", [datetime(2026, 11, 20, 10, tzinfo=UTC)],
                     id="a list of instants"),
        pytest.param({"either": "x"}, "either", "x", id="a text that may be a UUID and is not"),
        pytest.param({"either": "c2c2c2c2-0000-4000-8000-00000000000a"}, "either",
                     "c2c2c2c2-0000-4000-8000-00000000000a", id="a UUID where any text may stand"),
        pytest.param({"either": 7}, "either", 7, id="a number beside texts"),
    ],
)  # fmt: skip
def test_what_comes_in_and_out_again(
    kind: str, data: dict[str, Any], attribute: str, value: Any, made: dict[str, Any]
) -> None:
    parsed = made[kind].parse(data)
    assert getattr(parsed, attribute) == value
    assert type(getattr(parsed, attribute)) is type(value)
    assert made[kind].dump(parsed) == data


@pytest.mark.parametrize("kind", KINDS)
def test_an_object_beside_a_rich_type_is_an_object(kind: str, made: dict[str, Any]) -> None:
    parsed = made[kind].parse({"money": {"minor": 7}})
    assert parsed.money.minor == 7
    assert made[kind].dump(parsed) == {"money": {"minor": 7}}


@pytest.mark.parametrize("kind", KINDS)
def test_an_instant_without_an_offset_is_not_sent(kind: str, made: dict[str, Any]) -> None:
    data = made[kind].dump(made[kind].model(at=datetime(2026, 11, 20)))
    assert not jsonschema_rs.is_valid(SCHEMA, data, validate_formats=True)


@pytest.mark.parametrize(
    "number, value",
    [
        pytest.param(0.07, Decimal("0.07"), id="a fraction that no float holds"),
        pytest.param(7, Decimal(7), id="an integer"),
        pytest.param(10**25, Decimal(10**25), id="an integer that does not fit into 64 bits"),
        pytest.param(10**300, Decimal(10**300), id="a very large one"),
        pytest.param(
            Decimal("12345678901234567.89"), Decimal("12345678901234567.89"), id="digits that no float returns"
        ),
    ],
)
def test_numbers_in_decimal_steps_are_decimals_in_pydantic(number: Any, value: Decimal, made: dict[str, Any]) -> None:
    parsed = made["pydantic"].parse({"rate": number, "stored": number})
    assert (parsed.rate, parsed.stored) == (value, value)
    again = made["pydantic"].dump(parsed)
    assert again == {"rate": number, "stored": number}
    assert json.loads(exact_numbers.dumps(again), parse_float=exact_numbers.number) == again


@given(st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.integers()))
def test_a_number_keeps_its_value_as_a_decimal(number: float) -> None:
    assert Decimal(repr(_number(_decimal_of_number(number)))) == Decimal(repr(number))


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1e999999999", "0.1234567890123456789"])
def test_a_decimal_that_is_no_number_of_json_stays_one_and_so_is_never_sent(value: str) -> None:
    with pytest.raises(TypeError):
        json.dumps(_number(Decimal(value)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "data, comes_out",
    [
        pytest.param({"at": "2026-11-20T10:00:00+00:00"}, {"at": "2026-11-20T10:00:00Z"}, id="UTC spelled as an offset"),
        pytest.param({"key": "C2C2C2C2-0000-4000-8000-00000000000A"}, {"key": "c2c2c2c2-0000-4000-8000-00000000000a"},
                     id="a UUID in capitals"),
        pytest.param({"price": "1e2"}, {"price": "1E+2"}, id="a decimal with an exponent"),
    ],
)  # fmt: skip
def test_what_is_spelled_anew(kind: str, data: dict[str, Any], comes_out: dict[str, Any], made: dict[str, Any]) -> None:
    assert made[kind].dump(made[kind].parse(data)) == comes_out


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "data, where",
    [
        pytest.param({"at": "2016-12-31T23:59:60Z"}, "at", id="a leap second"),
        pytest.param({"at": "0000-01-01T00:00:00Z"}, "at", id="the year 0"),
        pytest.param({"price": "free of charge"}, "price", id="a decimal that is none"),
        pytest.param({"on": "0000-02-02"}, "on", id="a day of the year 0, where none may stand too"),
    ],
)
def test_what_there_is_no_room_for_is_rejected_by_place_and_not_by_value(
    kind: str, data: dict[str, Any], where: str, made: dict[str, Any]
) -> None:
    with pytest.raises(Reject) as caught:
        made[kind].parse(data)
    assert str(caught.value).endswith(f"/{where}" if kind == "pydantic" else f"$.{where}")
    assert str(next(iter(data.values()))) not in str(caught.value)


def test_the_place_of_a_value_names_no_types(made: dict[str, Any]) -> None:
    with pytest.raises(Reject, match="at /some/1$"):
        made["pydantic"].parse({"some": ["2026-11-20T10:00:00Z", "2016-12-31T23:59:60Z"]})


def test_without_being_asked_for_no_text_is_anything_else() -> None:
    for kind in (*KINDS, "typeddict"):
        assert "DateTime" not in made_models.module(SCHEMA, {"models": kind})


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=fewer(6, 10), deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_what_came_out_once_comes_out_the_same_again(kind: str, data: st.DataObject) -> None:
    schema = data.draw(sane.schemas(sane.PLAIN_NAMES), label="schema")
    document = data.draw(sane.documents(schema), label="document")
    validator = jsonschema_rs.validator_for(reader_view(schema), validate_formats=True)
    assume(validator.is_valid(document))
    typed = made_models.message(schema, models=kind, formats="typed")
    once = typed.dump(typed.parse(document))
    if kind == "pydantic":
        assert validator.is_valid(once)
    assert made_models.same(typed.dump(typed.parse(once)), once)
