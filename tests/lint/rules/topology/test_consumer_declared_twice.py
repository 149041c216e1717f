from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding
from babelreg.lint.engine.run import examine
from babelreg.model import Edit, Registry

Lint = Callable[..., list[Finding]]
Load = Callable[[str], Registry]

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


AGAIN = "  - urn: urn:babel:orders:created\n"
IN_MESSAGE, IN_SERVICE = "orders/created.yaml", "_services/billing-worker.yaml"


@pytest.mark.parametrize(
    "block, edit",
    [
        pytest.param(BOTH, Edit(IN_MESSAGE, "remove", ("consumers", 1)), id="the message's entry goes"),
        pytest.param(
            BOTH.replace("storefront, ", ""),
            Edit(IN_MESSAGE, "remove", ("consumers",)),
            id="with the list if it is alone",
        ),
        pytest.param(
            BOTH.replace("consumers: [storefront, billing-worker]\n", "") + AGAIN,
            Edit(IN_SERVICE, "remove", ("consumes", 1)),
            id="the second of two alike",
        ),
        pytest.param(
            BOTH.replace("consumers: [storefront, billing-worker]\n", "") + AGAIN + "    reads: [id]\n",
            None,
            id="the second says more",
        ),
    ],
)
def test_what_says_the_same_again_can_be_removed(block: str, edit: Edit | None, registry: Load) -> None:
    outcome = examine(registry(block))
    (found,) = [finding for finding in outcome.findings if finding.rule == "consumer-declared-twice"]
    assert outcome.edits.get(found, ()) == (() if edit is None else (edit,))
