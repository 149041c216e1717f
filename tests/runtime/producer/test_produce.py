from __future__ import annotations

import json
import uuid
import warnings
from dataclasses import replace
from typing import Any

import pytest
import runtime_messages as on
from babelqueue import BabelQueue, EnvelopeCodec

from babelreg.errors import UsageError
from babelreg.runtime import InvalidDataError, PartlySentError, Producer


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
    assert '"data":{"note":"é/<☃>","order_id":1}' in on.bodies(app, "orders")[0]


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
    on.OrdersCreatedProducer(app).send(on.OrdersCreated(order_id=1), trace_id=trace)
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


# Many at once


def orders(*numbers: int) -> list[on.OrdersCreated]:
    return [on.OrdersCreated(order_id=number) for number in numbers]


def test_many_are_sent_in_order_each_with_an_id_of_its_own() -> None:
    app = on.app()
    identities = on.OrdersCreatedProducer(app).send_many(iter(orders(1, 2, 3)))
    envelopes = [json.loads(body) for body in on.bodies(app, "orders")]
    assert [envelope["data"]["order_id"] for envelope in envelopes] == [1, 2, 3]
    assert [envelope["meta"]["id"] for envelope in envelopes] == identities
    assert len({envelope["trace_id"] for envelope in envelopes}) == 3
    assert on.OrdersCreatedProducer(app).send_many([]) == []


def test_many_carry_on_one_trace_when_given_it() -> None:
    app = on.app()
    trace = str(uuid.uuid4())
    on.OrdersCreatedProducer(app).send_many(orders(1, 2), trace_id=trace)
    assert {json.loads(body)["trace_id"] for body in on.bodies(app, "orders")} == {trace}


def test_one_that_is_refused_holds_back_all_and_is_named() -> None:
    app = on.app()
    with pytest.raises(InvalidDataError, match=r"item 2: /order_id") as caught:
        on.OrdersCreatedProducer(app).send_many(orders(1, 2, 0, 4))
    assert (caught.value.index, caught.value.pointer, caught.value.value) == (2, "/order_id", 0)
    assert on.bodies(app, "orders") == []


def test_one_of_another_message_is_named_too() -> None:
    app = on.app()
    with pytest.raises(TypeError, match="item 1: urn:babel:orders:created takes OrdersCreated, not OrdersCancelled"):
        on.OrdersCreatedProducer(app).send_many([*orders(1), on.OrdersCancelled(order_id=1)])  # type: ignore[list-item]
    assert on.bodies(app, "orders") == []


def test_a_broker_that_fails_on_the_way_leaves_word_of_what_it_took(monkeypatch: pytest.MonkeyPatch) -> None:
    app = on.app()
    publish = app.transport.publish

    def third_fails(queue: str, body: str) -> None:
        if '"order_id":3' in body:
            raise ConnectionError("gone")
        publish(queue, body)

    monkeypatch.setattr(app.transport, "publish", third_fails)
    with pytest.raises(PartlySentError, match="took 2 of 4") as caught:
        on.OrdersCreatedProducer(app).send_many(orders(1, 2, 3, 4))
    assert caught.value.sent == tuple(json.loads(body)["meta"]["id"] for body in on.bodies(app, "orders"))
    assert isinstance(caught.value.__cause__, ConnectionError)


@pytest.mark.parametrize(
    "value, shown",
    [
        pytest.param("x" * 1_000_000, "'" + "x" * 98 + "…", id="a long text"),
        pytest.param([0] * 1_000_000, "list of 1000000 members", id="a long list"),
        pytest.param("short", "'short'", id="a short text"),
        pytest.param(None, "None", id="nothing"),
    ],
)
def test_the_value_of_an_error_can_be_shown_within_bounds(value: object, shown: str) -> None:
    assert InvalidDataError("u", "", "r", "d", value).shown == shown


# What its status says


def of_status(**facts: Any) -> type[Producer[on.OrdersCreated]]:
    made = replace(on.ORDERS_CREATED, **facts)
    return type("MadeProducer", (Producer,), {"message": made})


def test_a_deprecated_message_is_warned_of_once_where_its_producer_is_made() -> None:
    urn = f"urn:babel:orders:old-{uuid.uuid4()}"
    made = of_status(urn=urn, status="deprecated", successor=on.CREATED, sunset="2099-06-30")
    said = f"{urn} is deprecated and goes away on 2099-06-30: send {on.CREATED} instead"
    with pytest.warns(DeprecationWarning, match=said) as caught:
        made(on.app())
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made(on.app())


def test_a_retired_message_cannot_be_sent() -> None:
    with pytest.raises(UsageError, match="retired") as caught:
        of_status(status="retired", successor="urn:babel:orders:created.v2")(on.app())
    assert caught.value.fix == "send urn:babel:orders:created.v2 instead"
