from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]

MESSAGE = """\
# file: orders/_context.yaml
owner: team-orders
# file: orders/created.yaml
urn: urn:babel:orders:created
producers: [orders-api]
data:
  type: object
  required: [total]
  properties:
    total: {type: object, required: [currency], properties: {currency: {enum: [EUR, GBP]}, minor: {type: integer}}}
    channel: {enum: [web, app], x-open-enum: true}
    lines: {type: array, items: {type: object, properties: {qty: {type: integer, minimum: 1}}}}
    rates: {type: object, properties: {base: {type: string}}, additionalProperties: {type: number}}
    day: {type: string, format: date}
# file: _services/billing-worker.yaml
owner: team-billing
consumes:
  - urn: urn:babel:orders:created
    expects:
      '%s': %s
"""


@pytest.mark.parametrize(
    "path, expected",
    [
        pytest.param("total.currency", "{enum: [EUR, GBP, USD]}", id="more values than are sent"),
        pytest.param("total", "{required: [currency]}", id="a field that is always there"),
        pytest.param(".", "{required: [total]}", id="the whole data is spelled by a dot"),
        pytest.param("lines[].qty", "{minimum: 0}", id="items of a list"),
        pytest.param("rates.*", "{type: number}", id="values of a map, without the fields that have names"),
        pytest.param("day", "{format: date}", id="a format"),
        pytest.param("channel", "{enum: [web, app]}", id="the known values of an open enumeration"),
        pytest.param("total.currency", "true", id="nothing"),
    ],
)
def test_an_expectation_that_the_schema_promises_is_not_reported(path: str, expected: str, findings: Lint) -> None:
    assert findings(MESSAGE % (path, expected), "expectation-unmet") == []


@pytest.mark.parametrize(
    "path, expected, sent",
    [
        pytest.param("total.currency", "{enum: [EUR, USD]}", 'send "GBP"', id="a value that is not handled"),
        pytest.param("total", "{required: [minor]}", "omit 'total.minor'", id="a field that may be missing"),
        pytest.param(".", "{required: [lines]}", "omit 'lines'", id="one of the whole data"),
        pytest.param("lines", "{minItems: 1}", "send []", id="an empty list"),
        pytest.param("lines[].qty", "{minimum: 2}", "send 1", id="a number that is too small"),
        pytest.param("rates.*", "{type: integer}", "send 0.5", id="a value of a map"),
        pytest.param("channel", "{const: web}", 'send "app"', id="a known value of an open enumeration"),
    ],
)
def test_what_producers_may_send_beyond_it_is_shown(path: str, expected: str, sent: str, findings: Lint) -> None:
    (found,) = findings(MESSAGE % (path, expected), "expectation-unmet")
    assert found.message.endswith(f" of '{path}'; orders-api may {sent}")
    assert found.fix == "handle it and widen 'expects', or agree with team-orders"
    assert str(found.place) == "_services/billing-worker.yaml:5:7"


def test_what_cannot_be_decided_is_said(findings: Lint) -> None:
    (found,) = findings(MESSAGE % ("day", "{pattern: '(?=20)'}"), "expectation-unmet")
    assert "cannot be decided" in found.message


def test_the_expectations_of_services_are_apart(findings: Lint) -> None:
    alone = findings(MESSAGE % ("lines", "{minItems: 1}"), "expectation-unmet")
    other = """\
# file: _services/warehouse.yaml
owner: team-warehouse
consumes:
  - urn: urn:babel:orders:created
    expects: {lines: {minItems: 2}}
"""
    both = findings(MESSAGE % ("lines", "{minItems: 1}") + other, "expectation-unmet")
    assert [each for each in both if each.place.path == "_services/billing-worker.yaml"] == alone
    assert len(both) == 2
