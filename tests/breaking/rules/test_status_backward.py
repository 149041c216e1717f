from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

RETIRED = "status: retired\nretired_on: '2026-01-31'\n"


@pytest.mark.parametrize(
    "old, new, found",
    [
        pytest.param("status: active\n", "status: draft\n", ["went back from active to draft"], id="to draft"),
        pytest.param("status: deprecated\n", "", ["went back from deprecated to active"], id="to active"),
        pytest.param(RETIRED, "status: active\n", ["went back from retired to active"], id="out of retirement"),
        pytest.param("status: active\n", "status: deprecated\n", [], id="forward"),
        pytest.param("status: draft\n", "status: active\n", [], id="published"),
    ],
)
def test_status_backward(old: str, new: str, found: list[str], breaks: Callable[..., list[Finding]]) -> None:
    reported = [f.message for f in breaks(old, new) if f.rule == "status-backward"]
    assert [message.removeprefix("urn:babel:orders:created ") for message in reported] == found
