"""A waiver of a breaking change whose last day has passed.

A date on a waiver is a promise to look again. When it has passed, the break that the waiver hid is reported again, and
this finding says why.

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
          reason: orders of nothing were never sent
          expires: "2020-12-31"

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
          expires: "2999-12-31"

Fix::

    Undo the break, or mint the next version, and remove the waiver. If that is not possible yet, give it a new date,
    and say in the reason what it waits for.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.breaking.changes.waivers import BreakingWaivers
from babelreg.finding import Finding, Severity

severity = Severity.WARNING


def check(waivers: BreakingWaivers) -> Iterator[Finding]:
    for waiver in waivers.expired():
        message = f"this waiver of '{waiver.rule}' was valid until {waiver.expires}"
        fix = "undo the break and remove this entry, or set a later date"
        place = waiver.source.place(waiver.at)
        yield Finding("breaking-waiver-expired", severity, message, place, urn=waiver.urn, fix=fix)
