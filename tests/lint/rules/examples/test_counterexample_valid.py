from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]

MESSAGE = """\
# file: orders/created.yaml
urn: urn:babel:orders:created
data:
  type: object
  required: [order_id]
  properties:
    order_id: {type: integer}
    email: {type: string, format: email}
examples: [{order_id: 1}]
counterexamples:
  - because: it must not be
"""


@pytest.mark.parametrize(
    "data, place",
    [
        pytest.param("{order_id: 1}", "11:11", id="valid"),
        pytest.param("{}", None, id="a property is missing"),
        pytest.param("{order_id: 1, colour: red}", None, id="an undeclared property"),
        pytest.param("{order_id: 1, email: nobody}", None, id="a format"),
    ],
)
def test_counterexample_valid(data: str, place: str | None, findings: Lint) -> None:
    found = findings(f"{MESSAGE}    data: {data}\n", "counterexample-valid")
    assert [str(f.place) for f in found] == ([f"orders/created.yaml:{place}"] if place else [])
    assert all("it must not be" in f.message for f in found)
