"""Generated models: an absent property is false, and constructors take only properties of the schema."""

from __future__ import annotations

import copy
import pickle
from decimal import Decimal
from typing import Any

import pydantic
import pytest

from babelreg.runtime.models.pydantic_base import MISSING, Missing, Model, OpenModel, Sequence, dump, parse


class Money(Model, frozen=True):
    minor: int


class Order(Model, frozen=True):
    order_id: int
    email: str | Missing = MISSING
    total: Money | Missing = MISSING


class Tags(OpenModel, frozen=True):
    first: str | Missing = MISSING


@pytest.mark.parametrize(
    "data, email, truth",
    [
        pytest.param({"order_id": 1}, MISSING, False, id="not sent"),
        pytest.param({"order_id": 1, "email": ""}, "", False, id="sent and empty"),
        pytest.param({"order_id": 1, "email": "a@b.example"}, "a@b.example", True, id="sent"),
    ],
)
def test_an_absent_property_is_false(data: dict[str, Any], email: Any, truth: bool) -> None:
    for order in (
        Order(**data),
        Order.model_validate(data),
        copy.deepcopy(Order(**data)),
        Order.model_construct(**data),
    ):
        assert (order.email, bool(order.email)) == (email, truth)
        assert order.model_dump() == order.model_dump(exclude_unset=True) == data
        assert pickle.loads(pickle.dumps(order)) == order


def test_missing_may_be_passed_and_removes_a_property() -> None:
    order = Order(order_id=1, email="a", total=Money(minor=1))
    assert Order(order_id=1, email=MISSING) == Order(order_id=1)
    assert Order(order_id=1, email=Order(order_id=2).email).model_dump() == {"order_id": 1}
    assert order.model_copy(update={"email": MISSING}).email is MISSING
    assert order.model_copy(update={"email": MISSING}).model_dump() == {"order_id": 1, "total": {"minor": 1}}
    assert pickle.loads(pickle.dumps(MISSING)) is copy.deepcopy(MISSING) is MISSING
    assert pydantic.TypeAdapter(list[Order]).dump_json([Order(order_id=1)]) == b'[{"order_id":1}]'


def test_a_constructor_refuses_what_the_schema_does_not_name() -> None:
    with pytest.raises(
        TypeError, match=r"Order\(\) got an unexpected keyword argument 'emial'; did you mean 'email'\?"
    ):
        Order(order_id=1, emial="a")  # type: ignore[call-arg]
    assert Order.model_validate({"order_id": 1, "emial": "a"}).model_extra == {"emial": "a"}
    assert Tags(second="b").model_dump() == {"second": "b"}  # type: ignore[call-arg]


def test_a_schema_for_openapi_has_no_default_for_what_may_be_absent() -> None:
    assert Order.model_json_schema()["properties"]["email"] == {"title": "Email", "type": "string"}


class Payment(Model, frozen=True):
    amount: int | float
    count: int
    note: Any = MISSING
    parts: Sequence[Part] | Missing = MISSING


class Part(Model, frozen=True):
    share: float
    extra: Any = MISSING


def test_a_number_that_no_float_returns_is_a_float_only_where_the_model_has_one() -> None:
    exact = Decimal("12345678901234567.89")
    data = {"amount": exact, "count": 3.0, "note": [exact], "parts": [{"share": exact, "extra": exact}], "other": exact}
    payment = parse(Payment, data)
    assert (payment.amount, type(payment.amount), payment.count) == (float(exact), float, 3)
    assert (payment.note, payment.model_extra) == ([exact], {"other": exact})
    (part,) = payment.parts
    assert (part.share, type(part.share), part.extra) == (float(exact), float, exact)
    assert data["amount"] is exact
    assert dump(payment)["note"] == [exact]
