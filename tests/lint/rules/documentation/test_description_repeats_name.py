from __future__ import annotations

from collections.abc import Callable

import pytest

InData = Callable[..., list[str]]


@pytest.mark.parametrize(
    "name, description, found",
    [
        pytest.param("order_id", "Order ID.", True, id="the name with a full stop"),
        pytest.param("orderId", "The id of the order", True, id="with small words"),
        pytest.param("orders", "Order.", True, id="as one thing"),
        pytest.param("firstname", "First name", False, id="a name that was written together"),
        pytest.param("order_id", "The order.", False, id="a word less: it says what the id is of"),
        pytest.param("order_id", "Order number.", False, id="another word"),
        pytest.param("city", "City or town.", False, id="one word more"),
        pytest.param("width", "Width in pixels.", False, id="the unit"),
        pytest.param("id", "UUID of the order.", False, id="what of"),
        pytest.param("total", "", False, id="nothing"),
        pytest.param("name", "名前", False, id="another script"),
        pytest.param("a", "a " * 5000, False, id="long"),
    ],
)
def test_of_a_field(name: str, description: str, found: bool, in_data: InData) -> None:
    reported = in_data("description-repeats-name", f"{name}: {{type: string, description: '{description}'}}")
    assert reported == ([name] if found else [])


@pytest.mark.parametrize(
    "description, found",
    [
        pytest.param("Order created.", True, id="the name"),
        pytest.param("This event is created when orders are created.", True, id="the name in a sentence"),
        pytest.param("An order was accepted and paid for.", False, id="what it means"),
        pytest.param("Sent once for each order.", False, id="when it is sent"),
    ],
)
def test_of_a_message(description: str, found: bool, findings: Callable[..., list[object]]) -> None:
    block = f"urn: urn:babel:orders:created\ndescription: {description}\n"
    assert len(findings(block, "description-repeats-name")) == int(found)
