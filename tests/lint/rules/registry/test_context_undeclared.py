from __future__ import annotations

from collections.abc import Callable

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]


def test_a_context_is_reported_once(findings: Lint) -> None:
    block = """\
# file: orders/created.yaml
urn: urn:babel:orders:created
# file: orders/paid.yaml
urn: urn:babel:orders:paid
# no file: orders/_context.yaml
"""
    found = findings(block, "context-undeclared")
    assert [(f.place.path, f.place.line) for f in found] == [("orders/created.yaml", 1)]
    assert found[0].fix == "create orders/_context.yaml with the line 'owner: team-orders'"


def test_a_likely_slip_is_named(findings: Lint) -> None:
    block = """\
# file: orders/created.yaml
urn: urn:babel:orders:created
# file: order/paid.yaml
urn: urn:babel:order:paid
# no file: order/_context.yaml
"""
    (found,) = findings(block, "context-undeclared")
    assert "did you mean the context 'orders'?" in (found.fix or "")


def test_a_broken_context_file_is_a_context(findings: Lint) -> None:
    block = "# file: orders/created.yaml\nurn: urn:babel:orders:created\n# file: orders/_context.yaml\nowner: [\n"
    assert {f.rule for f in findings(block)} == {"yaml-syntax"}
