"""Values of recorded messages that may be published, and names that are data."""

from __future__ import annotations

from typing import Any

import pytest

from babelreg.lint.privacy.publishable import is_data_name, is_publishable


@pytest.mark.parametrize(
    "path, value",
    [
        pytest.param("status", "paid", id="a word"),
        pytest.param("order_id", 4711, id="an identifier"),
        pytest.param("id", "0b54f1a6-6a0e-4d0f-9d4c-7d0c2f7a4e11", id="a UUID"),
        pytest.param("at", "2026-01-02T03:04:05.123Z", id="an instant"),
        pytest.param("day", "2026-01-02", id="a day"),
        pytest.param("duration", "00:15:00", id="a duration"),
        pytest.param("lines.sku", "AX-12/b", id="an article"),
        pytest.param("path", "orders/created/2026/AX-12/invoices/documents.pdf", id="a long path"),
        pytest.param("url", "https://shop.io/orders/AX-12", id="an address without a query"),
        pytest.param("password", None, id="nothing"),
        pytest.param("rate", 0.19, id="a fraction"),
        pytest.param("paid", True, id="a boolean"),
        pytest.param("support_hours", "Mon to Fri, 9 to 5", id="a sentence"),
    ],
)
def test_harmless_values(path: str, value: Any) -> None:
    assert is_publishable(tuple(path.split(".")), value)


@pytest.mark.parametrize(
    "path, value",
    [
        pytest.param("customer.email", "x", id="an address by its name"),
        pytest.param("shipping_address.one", "Main St", id="part of an address"),
        pytest.param("customer.name", "Bob", id="a name"),
        pytest.param("recipient", "Bob Smith", id="a person by the field"),
        pytest.param("dob", "1984-02-03", id="a birth date"),
        pytest.param("person.born", "1984-02-03", id="a birth date by another name"),
        pytest.param("zipCode", 10115, id="a postcode"),
        pytest.param("plz", "10115", id="a postcode in Germany"),
        pytest.param("pw", "hunter2", id="a password by a short name"),
        pytest.param("place.lat", 52.52, id="a place"),
        pytest.param("is_smoker_ssn", "123-45-6789", id="a social security number"),
        pytest.param("x", "see 123-45-6789", id="a social security number, by its form"),
        pytest.param("x", "write to bob@real.org today", id="an address in a sentence"),
        pytest.param("x", "+49 (170) 123 45-67", id="a phone number"),
        pytest.param("x", "0170/1234567", id="a phone number without a country"),
        pytest.param("x", "(555) 123-4567", id="a phone number in America"),
        pytest.param("x", "10.1.2.3", id="an address of a host"),
        pytest.param("x", "from 10.1.2.3 to 10.1.2.4", id="addresses of hosts in a sentence"),
        pytest.param("x", "2001:db8::8a2e:370:7334", id="a long address of a host"),
        pytest.param("x", "DE68 2105 0170 0012 3456 78", id="a bank account"),
        pytest.param("x", 4539148803436467, id="a card as a number"),
        pytest.param("x", "4242-4242-4242-4242", id="a card for tests"),
        pytest.param("x", "sk_" + "live_51HxAbCdEfGhIjKlMnOp", id="a key"),
        pytest.param("x", "c29tZSByYW5kb20gYmFzZTY0IHRleHQ", id="what looks random"),
        pytest.param("x", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMnLEKE", id="a secret key of AWS"),
        pytest.param("x", "9f86d081884c7d659a2feaa0c55ad015", id="a digest"),
        pytest.param("user_password", "a", id="a password"),
        pytest.param("pin", 1234, id="a PIN"),
        pytest.param("session.value", "a", id="below a session"),
        pytest.param("x", "https://shop.io/x?user=bob", id="the query of an address"),
        pytest.param("x", "Server=db;Password=hunter2", id="a connection string"),
    ],
)
def test_values_that_are_left_out(path: str, value: Any) -> None:
    assert not is_publishable(tuple(path.split(".")), value)


@pytest.mark.parametrize(
    "name", ["orderId", "order id", "sha256", "iso_8601", "größe", "@type", "$ref", "x-total", "_1"]
)
def test_names_of_fields(name: str) -> None:
    assert not is_data_name(name)


@pytest.mark.parametrize(
    "name", ["47", "user_88417", "bob@real.org", "+49 170 1234567", "a\tb", "x" * 65, "10.0.0.1", "${HOME}", "\ud800"]
)
def test_names_that_are_data(name: str) -> None:
    assert is_data_name(name)
