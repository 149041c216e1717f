"""A waiver without a breaking change.

A waiver applies to one change, identified by its hash: once the change is published, nothing differs any more, and when
the message changes again, the hash is different. The waiver then hides nothing, and nobody can review it.

Bad::

    # before
    data: {type: object, properties: {total: {type: integer}}}
    # after
    data: {type: object, properties: {total: {type: integer, minimum: 2}}}
    # babelreg.yaml
    version: 1
    breaking:
      waivers:
        - rule: number-range-changed
          urn: urn:babel:orders:created
          pointer: /data/properties/total/minimum
          change: e8ed444af02f
          reason: orders of nothing were never sent

Good::

    # before
    data: {type: object, properties: {total: {type: integer}}}
    # after
    data: {type: object, properties: {total: {type: integer, minimum: 2}}}
    # babelreg.yaml
    version: 1
    breaking:
      waivers:
        - rule: number-range-changed
          urn: urn:babel:orders:created
          pointer: /data/properties/total/minimum
          change: a8675adefcb3
          reason: nobody ever sold fewer than two

Fix::

    Remove the entry from the settings. If the message changed again, check what breaks now: `babelreg breaking --format
    waivers` prints an entry with the hash of that change.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.breaking.changes.waivers import BreakingWaiver, BreakingWaivers
from babelreg.finding import Finding, Severity

severity = Severity.WARNING


def check(waivers: BreakingWaivers) -> Iterator[Finding]:
    for waiver in waivers.unused():
        message, fix = _message_and_fix(waivers, waiver)
        place = waiver.source.place(waiver.at)
        yield Finding("breaking-waiver-unused", severity, message, place, urn=waiver.urn, fix=fix)


def _message_and_fix(waivers: BreakingWaivers, waiver: BreakingWaiver) -> tuple[str, str]:
    present = waivers.change_now(waiver)
    if present is not None and present != waiver.change:
        message = f"this waiver hides nothing: {waiver.urn} changed again"
        return (
            message,
            f"review the change again; if it is acceptable, too, write `change: {present}` and its reason",
        )
    if waivers.reported(waiver):
        where = f"at {waiver.pointer}" if waiver.pointer is not None else "of the message as a whole"
        message = f"this waiver hides nothing: '{waiver.rule}' reports nothing {where}"
        return message, "remove this entry, or take its pointer from `babelreg breaking --format waivers`"
    message = f"this waiver hides nothing: what it accepts of {waiver.urn} was published or undone"
    return message, "remove this entry"
