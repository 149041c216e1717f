from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


def test_a_typo_is_reported_wherever_it_stands(findings: Lint) -> None:
    block = """\
# file: orders/created.yaml
urn: urn:babel:orders:created
producers: [order-api]
# file: orders/paid.yaml
urn: urn:babel:orders:paid
consumers: [billing-worker, biling-worker]
"""
    found = findings(block, "service-undeclared")
    assert [(f.place.path, f.pointer) for f in found] == [
        ("orders/created.yaml", "/producers/0"),
        ("orders/paid.yaml", "/consumers/1"),
    ]
    assert "did you mean 'orders-api'?" in (found[0].fix or "")


def test_a_missing_file_is_reported_once(findings: Lint) -> None:
    names = ("created", "paid", "shipped")
    block = "".join(f"# file: orders/{n}.yaml\nurn: urn:babel:orders:{n}\nproducers: [zoo]\n" for n in names)
    (found,) = findings(block, "service-undeclared")
    assert "named in 3 messages" in found.message
    assert "_services/zoo.yaml" in (found.fix or "")


@pytest.mark.parametrize("text", ["owner: [", "ownr: me\n"])
def test_a_broken_service_file_is_a_service(text: str, findings: Lint) -> None:
    block = f"# file: orders/a.yaml\nurn: urn:babel:orders:a\nproducers: [zoo]\n# file: _services/zoo.yaml\n{text}"
    assert findings(block, "service-undeclared") == []
