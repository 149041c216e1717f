from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "name, meant",
    [
        pytest.param("created", None, id="past"),
        pytest.param("invoice.requested", None, id="past in the last sub-part"),
        pytest.param("password_reset", None, id="one form for both"),
        pytest.param("invoice.paid", None, id="irregular"),
        pytest.param("payment.refund", None, id="a noun too"),
        pytest.param("stock.level", None, id="no verb"),
        pytest.param("xyzzy", None, id="no word"),
        pytest.param("thumbnail.generate", "thumbnail.generated", id="a request"),
        pytest.param("email.send", "email.sent", id="an irregular request"),
    ],
)
def test_event_not_past_tense(name: str, meant: str | None, findings: Lint) -> None:
    found = findings(f"urn: urn:babel:media:{name}\nkind: event\n", "event-not-past-tense")
    assert [(f.fix, f.place.column) for f in found] == (
        [(f"name it '{meant}', or write kind: command", len("urn: urn:babel:media:") + name.rfind(".") + 2)]
        if meant
        else []
    )


def test_a_command_is_none_of_its_business(findings: Lint) -> None:
    assert findings("urn: urn:babel:media:thumbnail.generate\nkind: command\n", "event-not-past-tense") == []
