from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

RETIRED = "status: retired\nretired_on: '2026-01-31'\n"


@pytest.mark.parametrize(
    "old, new, found",
    [
        pytest.param("", None, ["urn:babel:orders:created was removed"], id="an active one"),
        pytest.param(RETIRED, None, ["urn:babel:orders:created was removed"], id="a tombstone"),
        pytest.param("status: draft\n", None, [], id="a draft"),
        pytest.param("status: deprecated\n", RETIRED, [], id="retired, nobody left"),
    ],
)
def test_urn_removed(old: str, new: str | None, found: list[str], breaks: Callable[..., list[Finding]]) -> None:
    assert [f.message for f in breaks(old, new) if f.rule == "urn-removed"] == found


def test_a_retired_urn_is_still_consumed(breaks: Callable[..., list[Finding]]) -> None:
    service = "owner: team-crm\nlang: go\nconsumes: [{urn: 'urn:babel:orders:created'}]\n"
    found = breaks("", RETIRED, **{"_services/crm.yaml": service})
    assert [(f.rule, f.message) for f in found] == [
        ("urn-removed", "urn:babel:orders:created was retired while crm still consumes it")
    ]
    assert str(found[0].place) == "orders/created.yaml:2:9"
