"""A registry of drafts is reported once."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from babelreg.finding import Finding

Lint = Callable[..., list[Finding]]
NAMES = ("created", "paid", "sent", "shipped")


@pytest.mark.parametrize(
    "statuses, number",
    [
        pytest.param(["draft"] * 4, "4 of 4 messages are drafts", id="all"),
        pytest.param(["draft", "draft", "active"], "2 of 3 messages are drafts", id="most"),
        pytest.param(["draft", "retired", "retired"], "1 of 1 message is a draft", id="tombstones do not count"),
        pytest.param(["draft", "active"], None, id="half"),
        pytest.param(["active", "deprecated", "draft"], None, id="one of three"),
        pytest.param([], None, id="no message"),
    ],
)
def test_drafts_prevalent(statuses: list[str], number: str | None, findings: Lint) -> None:
    block = "".join(
        f"# file: orders/{name}.yaml\nurn: urn:babel:orders:{name}\nstatus: {status}\n"
        + ("retired_on: 2026-01-01\n" if status == "retired" else "")
        for name, status in zip(NAMES, statuses, strict=False)
    )
    reported = findings(block, "drafts-prevalent")
    texts = [(finding.place.path, finding.message) for finding in reported]
    assert texts == ([("babelreg.yaml", f"{number}, which `breaking` does not compare")] if number else [])
