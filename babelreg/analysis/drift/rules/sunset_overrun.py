"""A deprecated message that is sent after its sunset, or a retired one that is sent after its retirement.

Consumers were told that the message ends on that day, and may no longer handle it.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    status: deprecated
    sunset: 2026-06-30
    data: {type: object}
    # file: traffic.yaml
    - {urn: "urn:babel:orders:created", data: {}, day: 2026-07-02}

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    status: deprecated
    sunset: 2026-08-31
    data: {type: object}
    # file: traffic.yaml
    - {urn: "urn:babel:orders:created", data: {}, day: 2026-07-02}

Fix::

    Move the producers to the successor. Until then, agree with the consumers on a later `sunset`.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from babelreg.analysis.drift.rules.rule import Drift, DriftScope, in_message
from babelreg.analysis.drift.senders import senders_phrase
from babelreg.finding import Severity
from babelreg.model.day import day

severity = Severity.WARNING


def check(scope: DriftScope) -> Iterator[Drift]:
    for urn, sketch in sorted(scope.recorded.declared.items()):
        message = scope.registry.by_urn[urn]
        key = {"deprecated": "sunset", "retired": "retired_on"}.get(message.status)
        last = day(message.sunset if key == "sunset" else message.retired_on) if key else None
        if key is None or last is None or sketch.last_ms is None:
            continue
        sent = datetime.fromtimestamp(sketch.last_ms / 1000, UTC).date()
        if sent <= last:
            continue
        word = "ended" if key == "sunset" else "was retired"
        told = senders_phrase(sketch, scope.is_public, last)
        said = f"'{urn}' {word} on {last} and was sent until {sent}: {told}"
        successor = scope.registry.successor(urn)
        move = (
            f"move {scope.senders(message)} to {successor.urn}" if successor else f"end it in {scope.senders(message)}"
        )
        fix = f"{move}, or agree on a later date: sunset: YYYY-MM-DD" if key == "sunset" else move
        yield in_message(message, (key,), said, fix)
