from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    "first, second, found",
    [
        pytest.param("urn:babel:orders:created", "urn:babel:orders:created", 1, id="the same"),
        pytest.param("urn:babel:orders:created", "urn:babel:Orders:created", 1, id="but for a capital"),
        pytest.param("urn:babel:orders:created", "urn:babel:orders:created.v2", 0, id="two versions"),
        pytest.param("urn:babel:orders:created", "urn:babel:billing:created", 0, id="two contexts"),
    ],
)
def test_urn_duplicate(first: str, second: str, found: int, findings: Lint) -> None:
    block = f"# file: orders/a.yaml\nurn: {first}\n# file: orders/b.yaml\nurn: {second}\n"
    reported = findings(block, "urn-duplicate")
    assert [(f.place.path, f.against and f.against.path) for f in reported] == [
        ("orders/b.yaml", "orders/a.yaml")
    ] * found


def test_a_tombstone_keeps_its_urn(findings: Lint) -> None:
    block = """\
# file: orders/a.yaml
urn: urn:babel:orders:created
status: retired
retired_on: 2026-01-31
# file: orders/created.yaml
urn: urn:babel:orders:created
"""
    assert len(findings(block, "urn-duplicate")) == 1


@pytest.mark.parametrize(
    "tombstone, living",
    [
        pytest.param("orders/a.yaml", "orders/b.yaml", id="the tombstone first"),
        pytest.param("orders/b.yaml", "orders/a.yaml", id="the tombstone last"),
    ],
)
def test_a_urn_that_was_retired_is_not_declared_again(tombstone: str, living: str, findings: Lint) -> None:
    gone = f"# file: {tombstone}\nurn: urn:babel:orders:created\nstatus: retired\nretired_on: 2026-01-31\n"
    (found,) = findings(gone + f"# file: {living}\nurn: urn:babel:orders:Created\n", "urn-duplicate")
    assert (found.place.path, found.against and found.against.path) == (living, tombstone)
    assert "never used again" in found.message
