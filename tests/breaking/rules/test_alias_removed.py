from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding


@pytest.mark.parametrize(
    "old, new, found",
    [
        pytest.param("aliases: [Orders.Created]\n", "", ["'Orders.Created'"], id="all are gone"),
        pytest.param("aliases: [a, b]\n", "aliases: [b]\n", ["'a'"], id="one is gone"),
        pytest.param("aliases: [a.b]\n", "aliases: [A.b]\n", ["'a.b'"], id="another spelling is another name"),
        pytest.param("aliases: [a, b]\n", "aliases: [b, a]\n", [], id="in another order"),
        pytest.param("", "aliases: [a]\n", [], id="added"),
        pytest.param("status: draft\naliases: [a]\n", "status: draft\n", [], id="a draft promises nothing"),
        pytest.param(
            "aliases: [a]\n", "status: retired\nretired_on: '2026-01-31'\n", ["'a'"], id="retired without its aliases"
        ),
        pytest.param("aliases: [a]\n", "status: retired\nretired_on: '2026-01-31'\naliases: [a]\n", [], id="retired"),
    ],
)
def test_alias_removed(old: str, new: str, found: list[str], breaks: Callable[..., list[Finding]]) -> None:
    reported = [f for f in breaks(old, new) if f.rule == "alias-removed"]
    assert [f.message.split()[4].rstrip(":,") for f in reported] == found
    assert all("restore " in str(f.fix) and "mint" not in str(f.fix) for f in reported)
