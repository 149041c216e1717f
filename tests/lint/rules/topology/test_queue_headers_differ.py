"""All messages of one queue have headers, or none has."""

from __future__ import annotations

import pytest


def registry(*lines: str) -> str:
    return "".join(
        f"# file: orders/m{number}.yaml\nurn: urn:babel:orders:m{number}\n{text}" for number, text in enumerate(lines)
    )


@pytest.mark.parametrize(
    "text, places",
    [
        pytest.param(registry("queue: a\nheaders: true\n", "queue: a\n"), ["orders/m1.yaml:2"], id="one has none"),
        pytest.param(registry("queue: a\nheaders: true\n", "queue: a\nheaders: true\n"), [], id="all have headers"),
        pytest.param(registry("queue: a\n", "queue: a\nheaders: false\n"), [], id="none has headers"),
        pytest.param(registry("queue: a\nheaders: true\n", "queue: b\n"), [], id="another queue"),
        pytest.param(registry("headers: true\n", ""), [], id="without queues"),
    ],
)
def test_messages_of_a_queue_agree(text, places, findings):
    found = findings(text, "queue-headers-differ")
    assert [f"{finding.place.path}:{finding.place.line}" for finding in found] == places
    assert all(finding.fix == "headers: true" for finding in found)
