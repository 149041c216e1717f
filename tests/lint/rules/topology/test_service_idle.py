from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]

BUSY = "# file: orders/created.yaml\nurn: urn:babel:orders:created\nconsumers: [billing-worker, storefront]\n"


@pytest.mark.parametrize(
    "block, found",
    [
        pytest.param("# file: _services/crm.yaml\nowner: a\n", True, id="idle"),
        pytest.param(
            "# file: _services/crm.yaml\nowner: a\nconsumes: [{urn: 'urn:babel:orders:created'}]\n",
            False,
            id="it says what it consumes",
        ),
        pytest.param(
            "# file: _services/crm.yaml\nowner: a\n"
            "# file: orders/paid.yaml\nurn: urn:babel:orders:paid\nconsumers: [crm]\n",
            False,
            id="a message names it as consumer",
        ),
        pytest.param(
            "# file: _services/crm.yaml\nowner: a\n"
            "# file: orders/paid.yaml\nurn: urn:babel:orders:paid\nstatus: draft\nproducers: [crm]\n",
            False,
            id="a draft names it as producer",
        ),
        pytest.param(
            "# file: _services/crm.yaml\nowner: a\n# file: orders/paid.yaml\nurn: [\n",
            False,
            id="a message that cannot be read may name it",
        ),
    ],
)
def test_service_idle(block: str, found: bool, findings: Lint) -> None:
    reported = findings(BUSY + block, "service-idle")
    assert [f.place.path for f in reported] == (["_services/crm.yaml"] if found else [])
