"""A message with headers has no consumer in a language whose SDK takes a frame in Redis for the message."""

from __future__ import annotations

import pytest

CREATED = "urn:babel:orders:created"


def registry(lang: str, *, headers: str = "headers: true\n", status: str = "") -> str:
    return (
        f"# file: orders/created.yaml\nurn: {CREATED}\n{status}{headers}"
        f"# file: _services/reader.yaml\nowner: team-a\n{lang}consumes:\n  - urn: {CREATED}\n"
    )


@pytest.mark.parametrize(
    "text, count",
    [
        *(pytest.param(registry(f"lang: {name}\n"), 0, id=name) for name in ("python", "node", "go", "java", "dotnet")),
        pytest.param(registry("lang: php\n"), 1, id="PHP reads no frames"),
        pytest.param(registry("lang: php\n", headers=""), 0, id="PHP without headers"),
        pytest.param(registry("lang: php\n", headers="headers: false\n"), 0, id="PHP with headers: false"),
        pytest.param(registry(""), 0, id="an unknown language is in doubt"),
        pytest.param(
            registry("lang: php\n", status="status: retired\nretired_on: 2024-01-01\n"), 0, id="a tombstone is not sent"
        ),
    ],
)
def test_a_consumer_reads_the_headers(text, count, findings):
    found = findings(text, "headers-unreadable")
    assert [f"{finding.place.path}:{finding.place.line}" for finding in found] == ["orders/created.yaml:2"] * count
    assert all("'reader' (PHP)" in finding.message for finding in found)
