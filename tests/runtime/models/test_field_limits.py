"""Limits of fields hold where pydantic validates and where a constructor is asked to; received data may be beyond them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from pydantic import Field, TypeAdapter, ValidationError

from babelreg.runtime.errors import Reject
from babelreg.runtime.models.field_limits import validator_without_limits
from babelreg.runtime.models.pydantic_base import MISSING, Mapping, Missing, Model, OpenModel, Sequence, dump, parse


class Money(Model, frozen=True):
    minor: Annotated[int, Field(ge=0)]
    currency: Annotated[str, Field(pattern="^[A-Z]{3}$")] | Missing = MISSING


class Order(Model, frozen=True):
    order_id: Annotated[int, Field(ge=1, le=9)]
    total: Money | Missing = MISSING
    email: Annotated[str, Field(min_length=1, max_length=5)] | None | Missing = MISSING  # noqa: RUF036
    shares: (
        Annotated[Sequence[Annotated[int, Field(gt=0)] | Annotated[float, Field(gt=0.0)]], Field(min_length=1)]
        | Missing
    ) = MISSING
    labels: Annotated[Mapping[str, Any], Field(max_length=1)] | Missing = MISSING
    channel: Literal["web", "app"] | str | Missing = MISSING
    parts: Sequence[Order] | Missing = MISSING
    type: Annotated[int, Field(multiple_of=5)] | Missing = MISSING
    ge: Annotated[str, Field(max_length=1)] | Missing = MISSING
    validate_: Annotated[Annotated[int, Field(ge=1)] | Missing, Field(alias="validate")] = MISSING


class Plain(Model, frozen=True):
    order_id: int
    type: str | Missing = MISSING


class Tags(OpenModel, frozen=True):
    first: Annotated[str, Field(min_length=1)] | Missing = MISSING


BEYOND = [
    pytest.param({"order_id": 0}, "order_id", id="a bound"),
    pytest.param({"order_id": 1, "total": {"minor": -1}}, "total.minor", id="a bound in an object"),
    pytest.param({"order_id": 1, "total": {"minor": 1, "currency": "eur"}}, "total.currency", id="a pattern"),
    pytest.param({"order_id": 1, "email": ""}, "email", id="a length"),
    pytest.param({"order_id": 1, "shares": []}, "shares", id="a number of items"),
    pytest.param({"order_id": 1, "shares": [0.0]}, "shares.0", id="a bound in a list"),
    pytest.param({"order_id": 1, "labels": {"a": 1, "b": 2}}, "labels", id="a number of members"),
    pytest.param({"order_id": 1, "parts": [{"order_id": 10}]}, "parts.0.order_id", id="a bound in its own class"),
    pytest.param({"order_id": 1, "type": 1}, "type", id="a property named as a key of pydantic's schemas"),
    pytest.param({"order_id": 1, "ge": "ab"}, "ge", id="a property named as a limit"),
    pytest.param({"order_id": 1, "validate": 0}, "validate", id="a property named validate"),
]
WITHIN: dict[str, Any] = {
    "order_id": 1,
    "total": {"minor": 1, "currency": "EUR"},
    "email": None,
    "shares": [1, 2.5],
    "labels": {"a": 1},
    "channel": "fax",
    "parts": [{"order_id": 2, "channel": "web"}],
    "other": 1,
}


def api() -> TestClient:
    application = FastAPI()

    @application.post("/orders")
    def create(order: Order) -> dict[str, Any]:
        return dump(order)

    return TestClient(application)


API = api()


@pytest.mark.parametrize("data, place", BEYOND)
@pytest.mark.parametrize(
    "build",
    [
        pytest.param(Order.model_validate, id="model_validate"),
        pytest.param(TypeAdapter(Order).validate_python, id="another type's validation"),
    ],
)
def test_pydantic_refuses_what_is_beyond_a_limit(build: Callable[[Any], Any], data: dict[str, Any], place: str) -> None:
    with pytest.raises(ValidationError) as caught:
        build(data)
    (first, *_) = caught.value.errors()
    assert ".".join(map(str, first["loc"])).startswith(place)


@pytest.mark.parametrize("data, place", BEYOND)
def test_an_api_refuses_what_is_beyond_a_limit(data: dict[str, Any], place: str) -> None:
    answer = API.post("/orders", json=data)
    assert answer.status_code == 422
    assert ".".join(map(str, answer.json()["detail"][0]["loc"])).startswith(f"body.{place}")


def test_an_api_takes_what_is_within_its_limits_and_names_them() -> None:
    assert API.post("/orders", json=WITHIN).json() == WITHIN
    properties = API.get("/openapi.json").json()["components"]["schemas"]["Order"]["properties"]
    assert properties["order_id"] == {"type": "integer", "minimum": 1, "maximum": 9, "title": "Order Id"}
    assert properties["channel"]["anyOf"] == [{"type": "string", "enum": ["web", "app"]}, {"type": "string"}]


@pytest.mark.parametrize("data, place", BEYOND)
def test_received_data_may_be_beyond_a_limit_and_comes_back_as_it_was(data: dict[str, Any], place: str) -> None:
    order = parse(Order, data)
    assert dump(order) == data
    assert type(order) is Order


@pytest.mark.parametrize("data, place", BEYOND)
def test_a_constructor_refuses_it_only_where_it_validates(data: dict[str, Any], place: str) -> None:
    data = {"validate_" if name == "validate" else name: value for name, value in data.items()}
    assert dump(Order(**data)) == dump(Order(**data, validate=False)) == dump(parse(Order, dump(Order(**data))))
    with pytest.raises(ValidationError) as caught:
        Order(**data, validate=True)
    assert ".".join(map(str, caught.value.errors()[0]["loc"])).startswith(place)


def test_a_constructor_that_validates_takes_what_is_within() -> None:
    declared = {name: value for name, value in WITHIN.items() if name != "other"}
    assert dump(Order(**declared, validate=True)) == declared
    assert Tags(first="a", validate=True).model_dump() == {"first": "a"}
    with pytest.raises(ValidationError, match="at least 1 character"):
        Tags(first="", validate=True)


def test_models_that_a_validated_one_holds_are_validated_too() -> None:
    money = Money(minor=-1)
    assert dump(Order(order_id=1, total=money)) == {"order_id": 1, "total": {"minor": -1}}
    with pytest.raises(ValidationError, match=r"total\.minor"):
        Order(order_id=1, total=money, validate=True)


def test_types_are_checked_beyond_limits_too() -> None:
    for data in ({"order_id": "0"}, {"order_id": 0, "total": {"minor": "1"}}, {"order_id": 0, "parts": [{}]}):
        with pytest.raises(ValidationError):
            Order(**data)
        with pytest.raises(Reject):
            parse(Order, data)


def test_a_model_without_limits_has_one_validator() -> None:
    assert validator_without_limits(Plain) is Plain.__pydantic_validator__
    assert validator_without_limits(Order) is not Order.__pydantic_validator__
