from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding


@pytest.mark.parametrize(
    "old, new, found",
    [
        pytest.param("kind: event\n", "kind: command\n", ["was an event and is now a command"], id="into a command"),
        pytest.param("kind: command\n", "kind: event\n", ["was a command and is now an event"], id="into an event"),
        pytest.param("kind: event\n", "kind: event\n", [], id="the same"),
    ],
)
def test_kind_changed(old: str, new: str, found: list[str], breaks: Callable[..., list[Finding]]) -> None:
    reported = [f for f in breaks(old, new) if f.rule == "kind-changed"]
    assert [f.message.removeprefix("urn:babel:orders:created ") for f in reported] == found
    assert all(f.pointer == "/kind" for f in reported)
