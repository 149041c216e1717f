"""A field or a member of an enumeration that is sent less than in an earlier window.

`babelreg drift --check` compares the traffic with the classes in a coverage file from an earlier run: 0, 1+, 100+ and
always. It compares only windows of the same length, and only messages that were sent as often as before, up to the
class of their number. All others are listed as not compared, so that a quiet night does not fail the check.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    producers: [orders-api]
    data:
      type: object
      properties:
        email: {type: string}
    # file: before.yaml
    - {urn: "urn:babel:orders:created", data: {email: a}, times: 150}
    # file: traffic.yaml
    - {urn: "urn:babel:orders:created", data: {email: a}, times: 149}
    - {urn: "urn:babel:orders:created", data: {}}

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    producers: [orders-api]
    data:
      type: object
      properties:
        email: {type: string}
    # file: before.yaml
    - {urn: "urn:babel:orders:created", data: {email: a}, times: 150}
    # file: traffic.yaml
    - {urn: "urn:babel:orders:created", data: {}, times: 20}

Fix::

    Ask the producers whether the change is intended. If it is, write the coverage again: `babelreg drift SRC --write
    FILE` without `--check`.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.analysis.drift.coverage import compare_coverage
from babelreg.analysis.drift.rules.rule import Drift, DriftScope, in_schema
from babelreg.finding import Severity

severity = Severity.ERROR


def check(scope: DriftScope) -> Iterator[Drift]:
    if scope.baseline is None:
        return
    for fall in compare_coverage(scope.baseline, scope.messages, scope.window_days).falls:
        said = f"{fall.subject} is sent less than before: {fall.before} then, {fall.sent:,} of {fall.holders:,} now"
        fix = f"ask {scope.senders(fall.message)}; if it is intended, rewrite the coverage without --check"
        yield in_schema(fall.message, fall.pointer, said, fix, key=fall.is_key)
