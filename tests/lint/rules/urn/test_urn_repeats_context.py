from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "urn, fix",
    [
        pytest.param("urn:babel:orders:orders.created", "urn: urn:babel:orders:created", id="as a sub-part"),
        pytest.param("urn:babel:orders:orders-created", "urn: urn:babel:orders:created", id="before a hyphen"),
        pytest.param("urn:babel:orders:orders_created.v2", "urn: urn:babel:orders:created.v2", id="with a version"),
        pytest.param("urn:babel:orders:order.created", None, id="the singular is the thing"),
        pytest.param("urn:babel:orders:ordersheet.created", None, id="another word that begins like it"),
        pytest.param("urn:babel:orders:created", None, id="not repeated"),
        pytest.param("urn:babel:orders:orders", None, id="nothing else in the name"),
        pytest.param("urn:babel:orders:invoice.orders.created", None, id="later in the name"),
    ],
)
def test_urn_repeats_context(urn: str, fix: str | None, findings: Lint) -> None:
    assert [f.fix for f in findings(f"urn: {urn}\n", "urn-repeats-context")] == ([fix] if fix else [])


def test_a_tombstone_cannot_be_renamed(findings: Lint) -> None:
    block = "urn: urn:babel:orders:orders.created\nstatus: retired\nretired_on: 2026-01-31\n"
    assert findings(block, "urn-repeats-context") == []
