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
    "said, after, message, fix",
    [
        pytest.param(
            {"change": "000000000000"},
            NEW,
            "this waiver hides nothing: urn:babel:orders:created changed again",
            "review the change again; if it is acceptable, too, write `change: e8ed444af02f` and its reason",
            id="the message changed again",
        ),
        pytest.param(
            {"pointer": "/data"},
            NEW,
            "this waiver hides nothing: 'number-range-changed' reports nothing at /data",
            "remove this entry, or take its pointer from `babelreg breaking --format waivers`",
            id="it is reported elsewhere",
        ),
        pytest.param(
            {"rule": "type-changed"},
            NEW,
            "this waiver hides nothing: what it accepts of urn:babel:orders:created was published or undone",
            "remove this entry",
            id="nothing of the kind is reported",
        ),
        pytest.param(
            {},
            OLD,
            "this waiver hides nothing: what it accepts of urn:babel:orders:created was published or undone",
            "remove this entry",
            id="nothing differs",
        ),
    ],
)
def test_breaking_waiver_unused(
    said: dict[str, str], after: str, message: str, fix: str, breaks: Callable[..., list[Finding]]
) -> None:
    settings = "version: 1\nbreaking: " + spell({"waivers": [{**WAIVER, **said}]}) + "\n"
    found = [f for f in breaks(OLD, after, **{"babelreg.yaml": settings}) if f.rule == "breaking-waiver-unused"]
    assert [(f.message, f.fix, str(f.place)) for f in found] == [(message, fix, "babelreg.yaml:2:22")]


def test_one_that_hides_something_is_used(breaks: Callable[..., list[Finding]]) -> None:
    settings = "version: 1\nbreaking: " + spell({"waivers": [WAIVER]}) + "\n"
    assert breaks(OLD, NEW, **{"babelreg.yaml": settings}) == []
