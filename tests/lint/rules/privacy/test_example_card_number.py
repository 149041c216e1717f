"""Card numbers in fields that are not named for them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]
BLOCK = "urn: urn:babel:orders:created\nexamples:\n  - {%s}\n"


@pytest.mark.parametrize(
    "example, shown",
    [
        pytest.param("order_number: 4539148803436467", "4539***67", id="a number"),
        pytest.param("tracking: '4539148803436467'", "4539***67", id="a text"),
        pytest.param("note: paid with 4539 1488 0343 6467 twice", "4539***67", id="in groups, within a text"),
        pytest.param("note: 4539-1488-0343-6467", "4539***67", id="with hyphens"),
        pytest.param("x: '5425233430109903'", "5425***03", id="another issuer"),
        pytest.param("x: '3742 454554 00126'", "3742***26", id="fifteen digits in their groups"),
    ],
)
def test_a_card_number_is_reported(example: str, shown: str, findings: Lint) -> None:
    (found,) = findings(BLOCK % example, "example-card-number")
    assert found.message == f"the example has what looks like a real card number, {shown}"


@pytest.mark.parametrize(
    "example",
    [
        pytest.param("x: '4539148803436468'", id="a wrong check digit"),
        pytest.param("x: '4242 4242 4242 4242'", id="a test number"),
        pytest.param("x: 1732094400000", id="an instant in milliseconds"),
        pytest.param("x: '1539148803436467'", id="no issuer"),
        pytest.param("x: '0b4539148803436467'", id="part of a word"),
        pytest.param("x: 45391488-0343-6467-8888-453914880343", id="part of an identifier"),
        pytest.param("x: 0.4539148803436467", id="a fraction"),
        pytest.param("x: '0.4539148803436467'", id="the text of a fraction"),
        pytest.param("x: '4444444444444448'", id="hardly any digit"),
        pytest.param("card_number: '4539148803436467'", id="a card that example-personal-data reports"),
    ],
)
def test_other_numbers_are_not(example: str, findings: Lint) -> None:
    assert findings(BLOCK % example, "example-card-number") == []
