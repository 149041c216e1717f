from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

RETIRED = "status: retired\nretired_on: '2026-01-31'\n"


NOBODY = "producers: []\nconsumers: []\n"
ALL = " while billing-worker still consumes it and orders-api still produces it"


@pytest.mark.parametrize(
    "old, new, found",
    [
        pytest.param("", None, [f"urn:babel:orders:created was removed{ALL}"], id="an active one"),
        pytest.param(NOBODY, None, ["urn:babel:orders:created was removed"], id="one that nobody uses"),
        pytest.param(RETIRED, None, ["urn:babel:orders:created was removed"], id="a tombstone"),
        pytest.param("status: draft\n", None, [], id="a draft"),
        pytest.param("status: deprecated\n" + NOBODY, RETIRED, [], id="retired, nobody left"),
        pytest.param("", RETIRED, [f"urn:babel:orders:created was retired{ALL}"], id="retired with all who use it"),
        pytest.param(
            "consumers: []\nproducers: [a, b]\n",
            RETIRED,
            ["urn:babel:orders:created was retired while a and b still produce it"],
            id="retired while it is sent",
        ),
        pytest.param(RETIRED, RETIRED, [], id="retired long since"),
    ],
)
def test_urn_removed(old: str, new: str | None, found: list[str], breaks: Callable[..., list[Finding]]) -> None:
    assert [f.message for f in breaks(old, new) if f.rule == "urn-removed"] == found


def test_a_retired_urn_is_still_consumed(breaks: Callable[..., list[Finding]]) -> None:
    service = "owner: team-crm\nlang: go\nconsumes: [{urn: 'urn:babel:orders:created'}]\n"
    found = breaks(NOBODY, RETIRED, **{"_services/crm.yaml": service})
    assert [(f.rule, f.message) for f in found] == [
        ("urn-removed", "urn:babel:orders:created was retired while crm still consumes it")
    ]
    assert str(found[0].place) == "orders/created.yaml:2:9"
