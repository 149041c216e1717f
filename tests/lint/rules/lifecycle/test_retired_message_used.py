from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]

TOMBSTONE = "# file: orders/created.yaml\nurn: urn:babel:orders:created\nstatus: retired\nretired_on: 2026-01-31\n"
SERVICE = "# file: _services/crm.yaml\nowner: a\nconsumes:\n  - urn: urn:babel:orders:created\n"
NEW = "# file: orders/placed.yaml\nurn: urn:babel:orders:placed\nsupersedes: urn:babel:orders:created\nstatus: {}\n"


@pytest.mark.parametrize(
    "block, found",
    [
        pytest.param(TOMBSTONE, [], id="nobody"),
        pytest.param(TOMBSTONE + SERVICE, ["_services/crm.yaml:3:10"], id="a service consumes it"),
        pytest.param(TOMBSTONE + "consumers: [crm]\n", ["orders/created.yaml:4:1"], id="it names a consumer"),
        pytest.param(TOMBSTONE + "producers: [crm]\n", ["orders/created.yaml:4:1"], id="it names a producer"),
        pytest.param(TOMBSTONE + "producers: []\n", [], id="it names nobody"),
        pytest.param(TOMBSTONE.replace("retired\n", "deprecated\n", 1) + SERVICE, [], id="not retired yet"),
    ],
)
def test_retired_message_used(block: str, found: list[str], findings: Lint) -> None:
    assert [str(f.place) for f in findings(block, "retired-message-used")] == found


@pytest.mark.parametrize(
    "status, fix",
    [
        pytest.param("active", "urn: urn:babel:orders:placed", id="a successor to use"),
        pytest.param("draft", "remove this entry", id="a successor that nobody may use yet"),
    ],
)
def test_the_way_out_is_a_successor_that_can_be_used(status: str, fix: str, findings: Lint) -> None:
    (found,) = findings(TOMBSTONE + SERVICE + NEW.format(status), "retired-message-used")
    assert found.fix == fix
    assert found.against is not None
    assert found.against.path == "orders/created.yaml"
