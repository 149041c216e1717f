"""One set of findings for all styles: with everything, with next to nothing, and with what a hostile file may hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from babelreg.finding import Finding, Place, Severity
from babelreg.report import RuleText, RunInfo

GOLDEN = Path(__file__).with_name("golden")

FINDINGS = [
    Finding(
        "property-required",
        Severity.ERROR,
        "property 'total' became required",
        Place("registry/orders/created.yaml", 14, 9),
        urn="urn:babel:orders:created",
        pointer="/data/required",
        fix="make it optional again, or run `babelreg mint urn:babel:orders:created`",
        against=Place("orders/created.yaml", 13, 9),
        direction="backward",
        breaks=('orders-api (producer) may still send {"order_id": 1042}',),
        witness={"order_id": 1042},
    ),
    Finding(
        "example-missing",
        Severity.WARNING,
        "'urn:babel:key:sent' has no example",
        Place("registry/key/sent.yaml", 1, 1),
        urn="urn:babel:key:sent",
        fix="examples: [{…}], with one document as it is sent in practice",
    ),
    Finding(
        "file-unreadable",
        Severity.INFO,
        "a | `b` <img src=x> @babel/team fixes #12, see https://a.example/ [x](1) _y_ *z*\n::stop-commands::x\x1b\u202e%0A",
        Place("registry/a,b:c.yaml"),
    ),
]
RUN_INFO = RunInfo(
    "babelreg lint",
    "0.1.0",
    "12 messages",
    rules={
        "example-missing": RuleText(
            "A message without an example.", "A message without an example.\n\nWhy.", Severity.WARNING
        )
    },
)


@pytest.fixture
def findings() -> list[Finding]:
    return list(FINDINGS)


@pytest.fixture
def run_info() -> RunInfo:
    return RUN_INFO


@pytest.fixture
def golden(request: pytest.FixtureRequest):
    """Compares a report with ``golden/NAME``; BABELREG_GOLDEN=write writes it, for a person to read."""
    import os

    def same(name: str, text: str) -> None:
        file = GOLDEN / name
        if os.environ.get("BABELREG_GOLDEN") == "write":
            file.write_text(text, "utf-8")
        assert text == file.read_text("utf-8")

    return same
