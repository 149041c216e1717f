"""A member of an enumeration that no message has, although at least 100 strings were sent there.

It applies to strings, and only if the sketch of the traffic kept all of them: at most 24, none of them personal.

Bad::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    producers: [orders-api]
    data:
      type: object
      properties:
        channel: {enum: [web, fax]}
    # file: traffic.yaml
    - {urn: "urn:babel:orders:created", data: {channel: web}, times: 150}

Good::

    # file: orders/created.yaml
    urn: urn:babel:orders:created
    producers: [orders-api]
    data:
      type: object
      properties:
        channel: {enum: [web, fax]}
    # file: traffic.yaml
    - {urn: "urn:babel:orders:created", data: {channel: web}, times: 150}
    - {urn: "urn:babel:orders:created", data: {channel: fax}}

Fix::

    Ask the producers whether they will send it. If not, remove it: a value that producers no longer send does not break
    consumers, and `babelreg breaking` lists the producers that may still send it.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.analysis.drift.rules.rule import Drift, DriftScope, in_schema
from babelreg.finding import Severity
from babelreg.model.coverage import ENOUGH

severity = Severity.INFO


def check(scope: DriftScope) -> Iterator[Drift]:
    for each in scope.judged:
        for member in each.members():
            traffic = each.at(member.field.steps)
            texts = traffic.values.strings if traffic is not None and traffic.values is not None else 0
            if member.times or texts < ENOUGH:
                continue
            said = f"'{member.value}' of '{member.field.path}' was never sent: 0 of {texts:,}"
            fix = f"ask {scope.senders(each.message)} whether they will send it; if not, remove it from `enum`"
            yield in_schema(each.message, member.pointer, said, fix)
