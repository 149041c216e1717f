from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]

SERVICE = """\
# file: orders/created.yaml
urn: urn:babel:orders:created
data: {type: object, properties: {total: {type: object}}}
# file: _services/billing-worker.yaml
owner: team-billing
consumes:
  - urn: urn:babel:orders:created
    expects:
      total: %s
"""


@pytest.mark.parametrize(
    "expected, place, message, fix",
    [
        pytest.param("{type: objct}", "5:21", "'objct' is not a JSON type", "did you mean", id="a misspelt type"),
        pytest.param("{required: minor}", "5:25", "'required' must be array", "required: [minor]", id="no list"),
        pytest.param("{minimum: '3'}", "5:24", "'minimum' must be number", "minimum: 3", id="a number in quotes"),
        pytest.param("{$ref: '#/$defs/x'}", "5:15", "has a '$ref'", "write out the part", id="a reference"),
        pytest.param(
            "{properties: {a: {$ref: ../_common/money.yaml}}}", "5:32", "has a '$ref'", "write out", id="a fragment"
        ),
    ],
)
def test_a_schema_that_cannot_be_used_is_reported(
    expected: str, place: str, message: str, fix: str, findings: Lint
) -> None:
    (found,) = findings(SERVICE % expected, "expectation-invalid")
    assert str(found.place) == f"_services/billing-worker.yaml:{place}"
    assert message in found.message
    assert fix in (found.fix or "")
    assert findings(SERVICE % expected, "expectation-unmet") == []


@pytest.mark.parametrize("expected", ["true", "{}", "{properties: {$ref: {type: string}}}", "{const: {$ref: x}}"])
def test_a_schema_that_can_be_used_is_not(expected: str, findings: Lint) -> None:
    assert findings(SERVICE % expected, "expectation-invalid") == []
