from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding
from babelreg.load.yaml.emitter import spell

OLD = "data: {type: object, properties: {total: {type: integer}}}\n"
NEW = "data: {type: object, properties: {total: {type: integer, minimum: 1}}}\n"
WAIVER = {
    "rule": "number-range-changed",
    "urn": "urn:babel:orders:created",
    "pointer": "/data/properties/total/minimum",
    "change": "e8ed444af02f",
    "reason": "orders of nothing were never sent",
}


@pytest.mark.parametrize(
    "last, found",
    [
        pytest.param("2026-11-22", [], id="tomorrow"),
        pytest.param("2026-11-21", [], id="today"),
        pytest.param(
            "2026-11-20",
            [("this waiver of 'number-range-changed' was valid until 2026-11-20", "babelreg.yaml:2:22")],
            id="yesterday",
        ),
    ],
)
def test_breaking_waiver_expired(last: str, found: list[tuple[str, str]], breaks: Callable[..., list[Finding]]) -> None:
    settings = "version: 1\nbreaking: " + spell({"waivers": [{**WAIVER, "expires": last}]}) + "\n"
    said = breaks(OLD, NEW, **{"babelreg.yaml": settings})
    assert [(f.message, str(f.place)) for f in said if f.rule == "breaking-waiver-expired"] == found
    assert ("number-range-changed" in {f.rule for f in said}) == bool(found)
