from __future__ import annotations

import json
import uuid
from typing import Any

import pytest
import runtime_messages as on
from babelqueue import BabelQueue, EnvelopeCodec

from babelreg.runtime import InvalidDataError


def sent(app: BabelQueue) -> dict[str, Any]:
    (body,) = on.bodies(app, "orders")
    found: dict[str, Any] = json.loads(body)
    return found


def test_the_envelope_is_that_of_the_specification() -> None:
    app = on.app()
    identity = on.OrdersCreatedProducer(app).send(on.OrdersCreated(order_id=1042, lines=[on.Line(sku="TEA")]))
    envelope = sent(app)
    assert list(envelope) == ["job", "trace_id", "data", "meta", "attempts"]
    assert list(envelope["meta"]) == ["id", "queue", "lang", "schema_version", "created_at"]
    assert envelope["job"] == on.CREATED
    assert envelope["data"] == {"order_id": 1042, "lines": [{"sku": "TEA"}]}
    assert envelope["meta"]["id"] == identity
    assert envelope["meta"]["queue"] == "orders"
    assert envelope["meta"]["lang"] == "python"
    assert envelope["meta"]["schema_version"] == 1
    assert envelope["attempts"] == 0
    assert str(uuid.UUID(envelope["trace_id"])) == envelope["trace_id"] != identity
    assert EnvelopeCodec.accepts(envelope)


def test_unicode_and_slashes_go_unescaped_and_without_blanks() -> None:
    app = on.app()
    on.OrdersCreatedProducer(app).send(on.OrdersCreated(order_id=1, note="é/<☃>"))
    assert '"data":{"order_id":1,"note":"é/<☃>"}' in on.bodies(app, "orders")[0]


@pytest.mark.parametrize(
    "data, pointer",
    [
        pytest.param({"order_id": 0}, "/order_id", id="a bound"),
        pytest.param({"order_id": "1"}, "/order_id", id="a type"),
        pytest.param({}, "", id="a missing property"),
        pytest.param({"order_id": 1, "emial": "x"}, "", id="a property the schema does not list"),
        pytest.param({"order_id": 1, "note": None}, "/note", id="null for absent"),
        pytest.param({"order_id": 1, "lines": [{"sku": "A"}, {"sku": ""}]}, "/lines/1/sku", id="deep inside"),
        pytest.param({"order_id": 1, "amount": float("nan")}, "/amount", id="NaN"),
        pytest.param({"order_id": 1, "amount": float("inf")}, "/amount", id="infinity"),
        pytest.param({"order_id": 1, "note": "\ud800"}, "/note", id="a lone surrogate"),
        pytest.param({"order_id": 1, "note": b"x"}, "/note", id="bytes"),
        pytest.param({"order_id": 1, "lines": [{"sku": "A", 1: "x"}]}, "/lines/0", id="a key that is no text"),
    ],
)
def test_bad_data_is_refused_with_its_place_and_nothing_is_sent(data: dict[str, Any], pointer: str) -> None:
    app = on.app()
    with pytest.raises(InvalidDataError) as caught:
        on.OrdersCreatedProducer(app).send(on.OrdersCreated.model_construct(None, **data))
    error = caught.value
    assert (error.urn, error.pointer) == (on.CREATED, pointer)
    assert error.reason
    assert on.CREATED in str(error)
    assert on.bodies(app, "orders") == []


def test_the_error_names_no_value_but_carries_it() -> None:
    with pytest.raises(InvalidDataError) as caught:
        on.OrdersCreatedProducer(on.app()).send(
            on.OrdersCreated.model_construct(None, order_id=1, lines=[{"sku": 4111111111111111}])
        )
    assert "4111111111111111" not in str(caught.value)
    assert caught.value.value == 4111111111111111


def test_a_trace_is_continued_when_given_one() -> None:
    app = on.app()
    trace = str(uuid.uuid4())
    on.OrdersCreatedProducer(app).send(on.OrdersCreated(order_id=1), trace)
    assert sent(app)["trace_id"] == trace


@pytest.mark.parametrize(
    "trace", ["", "x", "7b3f9c2ae41d4f889b2a1c0d5e6f7a8b", " 7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b"]
)
def test_a_trace_that_is_no_uuid_is_refused(trace: str) -> None:
    app = on.app()
    with pytest.raises(ValueError, match="UUID"):
        on.OrdersCreatedProducer(app).send(on.OrdersCreated(order_id=1), trace_id=trace)
    assert on.bodies(app, "orders") == []


def test_a_queue_can_be_chosen() -> None:
    app = on.app()
    on.OrdersCreatedProducer(app, queue="rush").send(on.OrdersCreated(order_id=1))
    (body,) = on.bodies(app, "rush")
    assert json.loads(body)["meta"]["queue"] == "rush"


def test_another_messages_data_is_refused() -> None:
    with pytest.raises(TypeError, match="OrdersCreated"):
        on.OrdersCreatedProducer(on.app()).send(on.OrdersCancelled(order_id=1))  # type: ignore[arg-type]


def test_integers_keep_every_digit() -> None:
    app = on.app()
    on.OrdersCreatedProducer(app).send(on.OrdersCreated(order_id=2**63 - 1, amount=2**53 + 1))
    assert '"order_id":9223372036854775807' in on.bodies(app, "orders")[0]
    assert '"amount":9007199254740993' in on.bodies(app, "orders")[0]
