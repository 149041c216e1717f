from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "reason, missing",
    [
        pytest.param(" -- sent on as it came", False, id="a reason"),
        pytest.param(" -- legacy", False, id="one word"),
        pytest.param(" -- the reason is known to finance", False, id="a reason that says reason"),
        pytest.param(" -- todos come in as text", False, id="a word that only starts like a placeholder"),
        pytest.param("", True, id="none"),
        pytest.param(" --", True, id="none behind the dashes"),
        pytest.param(" -- ...", True, id="dots"),
        pytest.param(" -- TODO", True, id="to do"),
        pytest.param(" -- TODO: say why", True, id="what is printed ready to paste"),
        pytest.param(" -- fixme later", True, id="to be mended"),
        pytest.param(" -- reason", True, id="the word of the manual"),
        pytest.param(" -- why?", True, id="a question"),
    ],
)
def test_waiver_reason_missing(reason: str, missing: bool, findings: Lint) -> None:
    block = "urn: urn:babel:orders:created\ndata:\n  type: object\n  properties:\n    total: {type: number} # babelreg: allow money-as-float"
    found = findings(block + reason + "\n")
    expected = [("money-as-float", 19), ("waiver-reason-missing", 27)] if missing else []
    assert [(f.rule, f.place.column) for f in found] == expected


def test_a_placeholder_in_the_settings_is_no_reason(findings: Lint) -> None:
    entry = '{rule: money-as-float, path: a.yaml, reason: "TODO: say why"}'
    found = findings(f"# file: babelreg.yaml\nversion: 1\nlint:\n  waivers:\n  - {entry}\n")
    assert [(f.rule, str(f.place)) for f in found] == [("waiver-reason-missing", "babelreg.yaml:4:50")]
