"""During a migration one handler serves all versions: what was sent is judged, upcast, judged again, then handled."""

from __future__ import annotations

import json
from typing import Any

import pytest
import runtime_messages as on
import runtime_versions as shop
from babelqueue import BabelQueue

from babelreg.errors import UsageError
from babelreg.runtime import Consumer, Context


class Seen:
    """A service that handles v3, and what it saw."""

    def __init__(self, app: BabelQueue, *earlier: type[Any], fails: bool = False) -> None:
        self.data: list[shop.PlacedV3] = []
        self.urns: list[str] = []
        self.consumer = Consumer(app)

        @self.consumer.on(shop.PlacedV3, upcast_from=earlier)
        def handle(order: shop.PlacedV3, context: Context) -> None:
            self.data.append(order)
            self.urns.append(context.urn)
            if fails:
                raise RuntimeError("no")

    def run(self) -> int:
        return self.consumer.run(max_messages=20, timeout_seconds=0.01)


def test_every_version_reaches_the_one_handler_and_tells_what_it_was() -> None:
    app = on.app()
    on.put(app, shop.sent_as(shop.V1, {"order_id": 1, "amount_minor": 5}), "shop-old")
    on.put(app, shop.sent_as(shop.V2, {"order_id": 2, "total": {"minor": 6, "currency": "SEK"}}), "shop")
    on.put(app, shop.sent_as(shop.V3, {"order_id": "3", "total": {"minor": 7, "currency": "SEK"}}), "shop")
    seen = Seen(app, shop.Placed, shop.PlacedV2)
    assert seen.run() == 3
    found = dict(zip(seen.urns, seen.data, strict=True))
    assert found == {
        shop.V1: shop.PlacedV3(order_id="1", total=shop.Money(minor=5, currency="EUR")),
        shop.V2: shop.PlacedV3(order_id="2", total=shop.Money(minor=6, currency="SEK")),
        shop.V3: shop.PlacedV3(order_id="3", total=shop.Money(minor=7, currency="SEK")),
    }


def test_v1_goes_to_v3_without_v2_being_named() -> None:
    app = on.app()
    on.put(app, shop.sent_as(shop.V1, {"order_id": 1, "amount_minor": 5}), "shop-old")
    seen = Seen(app, shop.Placed)
    seen.run()
    assert seen.urns == [shop.V1]


def test_a_version_that_was_not_asked_for_has_no_handler() -> None:
    app = on.app(on_unknown_urn="dead_letter")
    on.put(app, shop.sent_as(shop.V2, {"order_id": 1, "total": {"minor": 6, "currency": "SEK"}}), "shop")
    seen = Seen(app, shop.Placed)
    seen.run()
    assert seen.data == []
    assert json.loads(on.bodies(app, "shop.dlq")[0])["dead_letter"]["reason"] == "unknown_urn"


@pytest.mark.parametrize(
    "data, error",
    [
        pytest.param({"order_id": 1}, "missing_required: data lacks the property 'amount_minor'", id="as it was sent"),
        pytest.param({"order_id": 1, "amount_minor": -1}, "below_minimum: /total/minor", id="as it became"),
        pytest.param({"order_id": 1, "amount_minor": 1, "total": {"minor": 2}}, "upcast_failed: ", id="in between"),
    ],
)
def test_data_that_is_refused_on_the_way_is_dead_at_once_with_its_own_bytes(data: dict[str, Any], error: str) -> None:
    app = on.app()
    text = on.put(app, shop.sent_as(shop.V1, data), "shop-old")
    seen = Seen(app, shop.Placed)
    assert seen.run() == 1
    assert seen.data == []
    (body,) = on.bodies(app, "shop-old.dlq")
    assert body.startswith(text[:-1] + ',"dead_letter":{"reason":"failed"')
    assert json.loads(body)["dead_letter"]["error"].startswith(error)


def test_retries_and_the_dead_letter_of_an_earlier_version_hold_what_was_sent_by_its_own_policy() -> None:
    app = on.app()
    text = on.put(app, shop.sent_as(shop.V1, {"order_id": 1, "amount_minor": 5}), "shop-old")
    seen = Seen(app, shop.Placed, fails=True)
    assert seen.run() == 2  # its own max_attempts, not those of v3
    (body,) = on.bodies(app, "shop-old.dlq")
    assert body.startswith(text[:-1].replace('"attempts":0', '"attempts":2') + ',"dead_letter":')


def test_data_nested_deeper_than_python_copies_is_dead_and_the_worker_goes_on() -> None:
    app = on.app()
    deep: Any = []
    for _ in range(900):
        deep = [deep]
    on.put(app, shop.sent_as(shop.V1, {"order_id": 1, "amount_minor": 5, "x": deep}), "shop-old")
    on.put(app, shop.sent_as(shop.V1, {"order_id": 2, "amount_minor": 5}), "shop-old")
    seen = Seen(app, shop.Placed)
    assert seen.run() == 2
    assert [order.order_id for order in seen.data][-1] == "2"
    assert len(seen.data) + len(on.bodies(app, "shop-old.dlq")) == 2


@pytest.mark.parametrize(
    "taken, sent",
    [
        pytest.param(shop.PlacedV3, on.OrdersCreated, id="another message"),
        pytest.param(shop.Placed, shop.PlacedV3, id="a later version"),
    ],
)
def test_what_no_steps_lead_from_is_refused_by_name(taken: type[Any], sent: type[Any]) -> None:
    with pytest.raises(UsageError, match="does not define how") as caught:
        Consumer(on.app()).on(taken, upcast_from=[sent])(lambda order, context: None)
    assert caught.value.fix is not None
    assert "upcast" in caught.value.fix


def test_a_version_with_a_handler_of_its_own_cannot_be_upcast_too() -> None:
    consumer = Consumer(on.app())
    consumer.on(shop.PlacedV2)(lambda order, context: None)
    with pytest.raises(UsageError, match=f"{shop.V2} already has a handler"):
        consumer.on(shop.PlacedV3, upcast_from=[shop.PlacedV2])(lambda order, context: None)
    consumer.on(shop.PlacedV3)(lambda order, context: None)  # nothing was registered by half
