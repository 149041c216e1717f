"""A waiver of a breaking change that can hide nothing.

It names a rule that there is not, or none that can be waived, or a day that no calendar has, or it gives no reason.
What `--format waivers` prints has a placeholder in place of the reason, which is none: why a break is right only a
person can say. Until the entry is corrected it waives nothing. A comment in a message's file waives no break either: it
would stay there when the change it was written for is long published.

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

    Write the id in brackets after the finding, a day as YYYY-MM-DD, and why the break hurts nobody. If it
    hurts somebody, there is no reason: mint the next version.
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
