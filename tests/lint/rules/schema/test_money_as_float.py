from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

InData = Callable[..., list[str]]

MONEY = [
    "price: {type: number}",
    "unit_price: {type: number}",
    "unitPrice: {type: number}",
    "price2: {type: number}",
    "price_eur: {type: number}",
    "price: {type: [number, 'null']}",
    "amount: {type: number}",
    "amount_usd: {type: number}",
    "total: {type: number}",
    "total_amount: {type: number}",
    "amount_due: {type: number}",
    "shipping_fee: {type: number}",
    "base_fare: {type: number}",
    "salary: {type: number, multipleOf: 0.01}",
    "grand_total: {type: number}",
    "cost: {type: number, description: In euros.}",
]
OTHER = [
    "price: {type: integer}",
    "price: {type: string}",
    "price: {type: object}",
    "tax_rate: {type: number}",
    "discount_percent: {type: number}",
    "discount: {type: number, description: A fraction between 0 and 1.}",
    "price_ratio: {type: number}",
    "total_weight: {type: number}",
    "total: {type: number, description: Total weight in kg.}",
    "weight: {type: number}",
    "latitude: {type: number}",
    "risk_score: {type: number}",
    "priceless: {type: number}",
    "amount_of_rain: {type: number}",
    "feed: {type: number}",
    "costume: {type: number}",
    "price_change_percentage: {type: number}",
    "duration: {type: number}",
    "quantity: {type: number}",
]


@pytest.mark.parametrize("field", MONEY)
def test_money_as_a_number_is_reported(field: str, in_data: InData) -> None:
    assert in_data("money-as-float", field) == [field.partition(":")[0]]


@pytest.mark.parametrize("field", OTHER)
def test_what_is_not_money_or_not_a_number_is_not(field: str, in_data: InData) -> None:
    assert in_data("money-as-float", field) == []


@pytest.mark.parametrize(
    "properties, urn, found",
    [
        pytest.param("amount: {type: number}", "urn:babel:weather:measured", [], id="an amount of who knows what"),
        pytest.param(
            "amount: {type: number}\nunit: {type: string}", "urn:babel:orders:weighed", [], id="beside a unit"
        ),
        pytest.param(
            "amount: {type: number}\ncurrency: {type: string}", "urn:babel:x:done", ["amount"], id="beside a currency"
        ),
        pytest.param(
            "balance: {type: number}\nmiles: {type: number}\nprice: {type: string}", "urn:babel:x:done", [], id="miles"
        ),
        pytest.param("value: {type: number}\ncurrency: {type: string}", "urn:babel:x:done", ["value"], id="a value"),
        pytest.param(
            "orderValue: {type: number}\ncurrencyCode: {}", "urn:babel:x:done", ["orderValue"], id="a value of"
        ),
        pytest.param(
            "total: {type: object, properties: {value: {type: number}, currency: {type: string}}}",
            "urn:babel:x:done",
            ["total.value"],
            id="a value further in",
        ),
        pytest.param("value: {type: number}", "urn:babel:orders:placed", [], id="a value without a currency"),
        pytest.param("value: {type: integer}\ncurrency: {}", "urn:babel:x:done", [], id="a whole value"),
        pytest.param("value: {type: number}\ncurrency: {}\nrate: {}", "urn:babel:x:done", [], id="beside a rate"),
        pytest.param("value: {type: number}\ncurrency: {}", "urn:babel:fx:quoted", [], id="an exchange"),
        pytest.param("value: {type: number}\ncurrency: {}\nunit: {}", "urn:babel:x:done", [], id="a value of a unit"),
        pytest.param(
            "value: {type: number}\ncurrency: {}\ntype: {enum: [fixed, percentage]}",
            "urn:babel:x:done",
            [],
            id="a share",
        ),
        pytest.param(
            "value: {type: number, description: In %.}\ncurrency: {}", "urn:babel:x:done", [], id="in percent"
        ),
        pytest.param("prices: {type: array, items: {type: number}}", "urn:babel:x:done", ["prices"], id="in a list"),
        pytest.param(
            "a: {type: object, properties: {price: {type: number}}}", "urn:babel:x:done", ["a.price"], id="deeper"
        ),
        pytest.param(
            "price: {anyOf: [{type: number}, {type: string}]}", "urn:babel:x:done", ["price.anyOf.0"], id="or"
        ),
        pytest.param("price: {$ref: ../_common/n.yaml}", "urn:babel:x:done", ["price"], id="by a file"),
        pytest.param("price: {not: {type: number}}", "urn:babel:x:done", [], id="said not to be"),
    ],
)
def test_the_surroundings_count(properties: str, urn: str, found: list[str], in_data: InData) -> None:
    more = "# file: _common/n.yaml\ntype: number\n"
    assert in_data("money-as-float", properties, urn=urn, more=more) == found


@pytest.mark.parametrize(
    "name, beside, minor",
    [
        ("total_amount", "currency", "total_amount_minor"),
        ("totalAmount", "currency", "totalAmountMinor"),
        ("TotalAmount", "currency", "TotalAmountMinor"),
        ("total-amount", "currency", "total-amount-minor"),
        ("TOTAL_AMOUNT", "currency", "TOTAL_AMOUNT_MINOR"),
        ("amount", "currency", "amount_minor"),
        ("amount", "orderCurrency", "amountMinor"),
        ("amount", "order-currency", "amount-minor"),
        ("Amount", "Currency", "AmountMinor"),
        ("amountEUR", "currency", "amountEURMinor"),
    ],
)
def test_the_name_in_the_fix_has_the_style_of_those_there(
    name: str, beside: str, minor: str, findings: Callable[..., list[Finding]]
) -> None:
    properties = f"{{{name}: {{type: number}}, {beside}: {{type: string}}}}"
    block = f"urn: urn:babel:orders:created\ndata: {{type: object, properties: {properties}}}\n"
    assert [str(f.fix).partition(":")[0] for f in findings(block, "money-as-float")] == [minor]
