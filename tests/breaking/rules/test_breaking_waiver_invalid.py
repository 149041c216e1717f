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
    "said, message, fix",
    [
        pytest.param(
            {"rule": "number-range-chagned"},
            "`babelreg breaking` has no waivable rule 'number-range-chagned'",
            "did you mean 'number-range-changed'?",
            id="a misspelt rule",
        ),
        pytest.param(
            {"rule": "money-as-float"},
            "`babelreg breaking` has no waivable rule 'money-as-float'",
            "remove this waiver; `babelreg rules` lists the rules",
            id="a rule of lint",
        ),
        pytest.param(
            {"rule": "x" * 100_000},
            f"`babelreg breaking` has no waivable rule '{'x' * 100_000}'",
            "remove this waiver; `babelreg rules` lists the rules",
            id="a rule without end",
        ),
        pytest.param(
            {"expires": "2026-02-30"},
            "there is no day '2026-02-30'",
            "write the last day on which it is valid: YYYY-MM-DD",
            id="no day",
        ),
        pytest.param(
            {"reason": "TODO: say why"},
            "'TODO: say why' is a placeholder, not a reason",
            "say why, so that the next reader can review it",
            id="the reason as printed",
        ),
        pytest.param(
            {"reason": "..."},
            "the waiver of 'number-range-changed' has no reason",
            "say why, so that the next reader can review it",
            id="no word of a reason",
        ),
    ],
)
def test_breaking_waiver_invalid(
    said: dict[str, str], message: str, fix: str, breaks: Callable[..., list[Finding]]
) -> None:
    settings = "version: 1\nbreaking: " + spell({"waivers": [{**WAIVER, **said}]}) + "\n"
    found = breaks(OLD, NEW, **{"babelreg.yaml": settings})
    assert {f.rule for f in found} == {"breaking-waiver-invalid", "number-range-changed"}
    assert (found[0].message, found[0].fix) == (message, fix)
    (key,) = said
    assert found[0].place.column == settings.splitlines()[1].index(f"{key}: ") + len(key) + 3
