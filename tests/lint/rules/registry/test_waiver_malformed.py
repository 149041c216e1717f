from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]
FORM = "# babelreg: allow RULE until YYYY-MM-DD -- reason"


@pytest.mark.parametrize(
    "said, fix",
    [
        pytest.param("allow money-as-float -- as it came", None, id="well formed"),
        pytest.param("allow money-as-float until 2999-12-31 -- as it came", None, id="with a day"),
        pytest.param("allow money-as-float --as it came", None, id="no space behind the dashes"),
        pytest.param("allow money-as-float -- as it came -- and went", None, id="dashes in the reason"),
        pytest.param("allow money-as-float", None, id="without a reason: another rule's"),
        pytest.param("allow money-float -- as it came", None, id="an unknown rule: another rule's"),
        pytest.param("ignore money-as-float -- as it came", FORM, id="another word"),
        pytest.param("allow", FORM, id="no rule"),
        pytest.param("", FORM, id="nothing"),
        pytest.param("allow -- as it came", FORM, id="a reason and no rule"),
        pytest.param("allow money-as-float urn-syntax -- as it came", FORM, id="two rules"),
        pytest.param("allow money-as-float till 2999-12-31 -- as it came", FORM, id="another word for until"),
        pytest.param("allow money-as-float until 2027-02-30 -- as it came", FORM, id="a day that is none"),
        pytest.param("allow money-as-float until tomorrow -- as it came", FORM, id="a day in words"),
        pytest.param("allow money-as-float until 20270331 -- as it came", FORM, id="a day without dashes"),
        pytest.param(
            "allow money-as-float as it came",
            "# babelreg: allow money-as-float -- as it came",
            id="a reason without dashes",
        ),
        pytest.param(
            "allow money-as-float: as it came",
            "# babelreg: allow money-as-float -- as it came",
            id="a colon for dashes",
        ),
    ],
)
def test_waiver_malformed(said: str, fix: str | None, findings: Lint) -> None:
    block = f"urn: urn:babel:orders:created\ndata:\n  properties:\n    total: {{type: number}} # babelreg: {said}\n"
    found = findings(block, "waiver-malformed")
    assert [(str(f.place), f.fix) for f in found] == ([("orders/created.yaml:4:27", fix)] if fix else [])


def test_a_day_in_the_settings_is_a_day_of_the_calendar(findings: Lint) -> None:
    entry = "{rule: money-as-float, path: a.yaml, reason: as it came, expires: 2027-02-30}"
    (found,) = findings(f"# file: babelreg.yaml\nversion: 1\nlint:\n  waivers:\n  - {entry}\n", "waiver-malformed")
    assert (str(found.place), found.message) == ("babelreg.yaml:4:71", "there is no day '2027-02-30'")
