from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "urn, meant",
    [
        pytest.param("App\\Jobs\\ProcessOrder", "urn:babel:orders:process-order", id="PHP"),
        pytest.param("com.acme.orders.OrderCreated", "urn:babel:orders:order-created", id="Java"),
        pytest.param("Acme.Orders.OrderCreated", "urn:babel:orders:order-created", id="dotnet"),
        pytest.param("Orders::Created", "urn:babel:orders:created", id="Ruby"),
        pytest.param("OrderCreated", "urn:babel:orders:order-created", id="bare"),
        pytest.param("urn:babel:billing:OrderPaid", "urn:babel:billing:order-paid", id="behind the prefix"),
        pytest.param("urn:babel:orders:App\\Jobs\\ProcessOrder", "urn:babel:orders:process-order", id="both"),
    ],
)
def test_a_class_name_is_reported_once(urn: str, meant: str, findings: Lint) -> None:
    found = [f for f in findings(f"# file: orders/created.yaml\nurn: {urn}\n") if f.rule.startswith("urn-")]
    assert [(f.rule, f.fix) for f in found] == [("urn-class-name", f"urn: {meant}")]


@pytest.mark.parametrize("urn", ["urn:babel:orders:Created", "urn:babel:orders:order.created", "orders.created"])
def test_other_slips_are_no_class_names(urn: str, findings: Lint) -> None:
    assert findings(f"# file: orders/created.yaml\nurn: {urn}\n", "urn-class-name") == []
