from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]
COMMENT = """\
urn: urn:babel:orders:created
data:
  type: object
  properties:
    total: {type: number} # babelreg: allow money-as-float until 2027-03-31 -- as it came
"""
ENTRY = """\
urn: urn:babel:orders:created
data: {type: object, properties: {total: {type: number}}}
# file: babelreg.yaml
version: 1
lint:
  waivers:
    - rule: money-as-float
      urn: urn:babel:orders:created
      reason: as it came
      expires: 2027-03-31
"""


@pytest.mark.parametrize(
    "block, place",
    [
        pytest.param(COMMENT, "orders/created.yaml:5:27", id="a comment"),
        pytest.param(ENTRY, "babelreg.yaml:4:7", id="an entry of the settings"),
    ],
)
@pytest.mark.parametrize(
    "today, expired",
    [
        pytest.param(date(2027, 3, 30), False, id="the day before"),
        pytest.param(date(2027, 3, 31), False, id="the last day"),
        pytest.param(date(2027, 4, 1), True, id="the day after"),
    ],
)
def test_waiver_expired(block: str, place: str, today: date, expired: bool, findings: Lint) -> None:
    found = findings(block, today=today)
    assert {f.rule for f in found} == ({"money-as-float", "waiver-expired"} if expired else set())
    assert [str(f.place) for f in found if f.rule == "waiver-expired"] == ([place] if expired else [])


def test_what_has_expired_is_not_called_unused_too(findings: Lint) -> None:
    found = findings(COMMENT.replace("number", "integer"), today=date(2027, 4, 1))
    assert [f.rule for f in found] == ["waiver-expired"]
