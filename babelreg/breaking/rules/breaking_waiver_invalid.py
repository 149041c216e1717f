"""An invalid waiver of a breaking change.

Its rule does not exist or cannot be waived, its date is impossible, or it has no reason. The placeholder that `--format
waivers` prints does not count as a reason: only a person can justify a break. Until the entry is corrected, it waives
nothing. Comments in a message's file never waive a break, because they would remain long after the change is published.

Bad::

    # before
    data: {type: object, properties: {total: {type: integer}}}
    # after
    data: {type: object, properties: {total: {type: integer, minimum: 1}}}
    # babelreg.yaml
    version: 1
    breaking:
      waivers:
        - rule: number-range-changed
          urn: urn:babel:orders:created
          pointer: /data/properties/total/minimum
          change: e8ed444af02f
          reason: "TODO: say why"

Good::

    # before
    data: {type: object, properties: {total: {type: integer}}}
    # after
    data: {type: object, properties: {total: {type: integer, minimum: 1}}}
    # babelreg.yaml
    version: 1
    breaking:
      waivers:
        - rule: number-range-changed
          urn: urn:babel:orders:created
          pointer: /data/properties/total/minimum
          change: e8ed444af02f
          reason: orders of nothing were never sent

Fix::

    Write the id that the finding shows in brackets, a date as YYYY-MM-DD, and why the break affects nobody. If it does
    affect somebody, mint the next version.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.breaking.changes.waivers import BreakingWaivers
from babelreg.finding import Finding, Severity

severity = Severity.ERROR


def check(waivers: BreakingWaivers) -> Iterator[Finding]:
    for fault in waivers.faults:
        place = fault.source.place(fault.at)
        yield Finding("breaking-waiver-invalid", severity, fault.message, place, urn=fault.urn, fix=fault.fix)
