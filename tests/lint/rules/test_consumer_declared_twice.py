from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]

BOTH = """\
# file: orders/created.yaml
urn: urn:babel:orders:created
consumers: [storefront, billing-worker]
# file: _services/billing-worker.yaml
consumes:
  - urn: urn:babel:orders:created
"""


def test_it_stands_at_the_service_and_names_the_message(findings: Lint) -> None:
    (found,) = findings(BOTH, "consumer-declared-twice")
    assert str(found.place) == "_services/billing-worker.yaml:2:10"
    assert str(found.against) == "orders/created.yaml:2:25"
    assert found.fix == "remove 'billing-worker' from the consumers in orders/created.yaml"


def test_twice_in_one_file(findings: Lint) -> None:
    block = BOTH.replace("consumers: [storefront, billing-worker]\n", "") + "  - urn: urn:babel:orders:created\n"
    (found,) = findings(block, "consumer-declared-twice")
    assert str(found.place) == "_services/billing-worker.yaml:3:10"


@pytest.mark.parametrize("consumers", ["[]", "[storefront]"])
def test_once_is_fine(consumers: str, findings: Lint) -> None:
    assert findings(BOTH.replace("[storefront, billing-worker]", consumers), "consumer-declared-twice") == []
