from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "first, second, found",
    [
        pytest.param("billing:payment.captured", "billing:payment-captured", 1, id="a dot and a hyphen"),
        pytest.param("billing:payment_captured", "billing:paymentcaptured", 1, id="an underscore and nothing"),
        pytest.param("billing:payment.captured", "billing:payment.captured.v2", 0, id="two versions"),
        pytest.param("billing:payment.captured", "orders:payment-captured", 0, id="two contexts"),
        pytest.param("billing:thumbnail.generate", "billing:thumbnail.generated", 0, id="command and event"),
        pytest.param("billing:invoice.sent", "billing:invoices.sent", 0, id="one and many"),
    ],
)
def test_name_lookalike(first: str, second: str, found: int, findings: Lint) -> None:
    block = "".join(f"# file: {name.replace(':', '/')}.yaml\nurn: urn:babel:{name}\n" for name in (first, second))
    assert len(findings(block, "name-lookalike")) == found
