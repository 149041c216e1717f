"""A waiver that is not limited to one change.

Some values change with every release, such as a version in a `const`. A waiver without `change` accepts every finding
of its rule at its pointer until `expires`, but no other rule and nothing below that pointer. Because it accepts changes
that nobody has reviewed, every run lists it.

Bad::

    # before
    data: {type: object, properties: {version: {const: "0.5.0"}}}
    # after
    data: {type: object, properties: {version: {const: "0.6.0"}}}
    # babelreg.yaml
    version: 1
    breaking:
      waivers:
        - rule: value-changed
          urn: urn:babel:orders:created
          pointer: /data/properties/version/const
          reason: each release sets its own version
          expires: "2999-12-31"

Good::

    # before
    data: {type: object, properties: {version: {const: "0.5.0"}}}
    # after
    data: {type: object, properties: {version: {const: "0.6.0"}}}
    # babelreg.yaml
    version: 1
    breaking:
      waivers:
        - rule: value-changed
          urn: urn:babel:orders:created
          pointer: /data/properties/version/const
          change: c517c67300b5
          reason: each release sets its own version

Fix::

    Keep it as long as the value changes with every release. Otherwise remove the entry, or limit it to one change:
    `babelreg breaking --format waivers` prints the hash.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.breaking.changes.waivers import BreakingWaivers
from babelreg.finding import Finding, Severity

severity = Severity.INFO


def check(waivers: BreakingWaivers) -> Iterator[Finding]:
    for waiver, hidden in waivers.lasting():
        until = f"until {waiver.expires}" if waiver.expires is not None else "without an end"
        hides = "nothing" if hidden == 0 else "1 finding" if hidden == 1 else f"{hidden} findings"
        where = f"'{waiver.rule}' at {waiver.pointer} of {waiver.urn}"
        message = f"{where} is waived {until} ({waiver.reason}): hides {hides}"
        fix = "remove this entry once the place no longer changes with every release"
        place = waiver.source.place(waiver.at)
        yield Finding("breaking-waiver-lasting", severity, message, place, urn=waiver.urn, fix=fix)
