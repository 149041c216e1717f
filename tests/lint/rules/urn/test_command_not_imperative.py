from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "name, meant",
    [
        pytest.param("thumbnail.generate", None, id="an imperative"),
        pytest.param("email.welcome.send", None, id="an imperative in the last sub-part"),
        pytest.param("order.put", None, id="one form for both"),
        pytest.param("payment.refund", None, id="a noun too"),
        pytest.param("xyzzy", None, id="no word"),
        pytest.param("thumbnail.generated", "thumbnail.generate", id="past"),
        pytest.param("email.sent", "email.send", id="irregular past"),
    ],
)
def test_command_not_imperative(name: str, meant: str | None, findings: Lint) -> None:
    found = findings(f"urn: urn:babel:media:{name}\nkind: command\n", "command-not-imperative")
    assert [f.fix for f in found] == ([f"name it '{meant}', or write kind: event"] if meant else [])
