"""Detail lines below a finding: hex view, other place, direction, parts, broken services, rollout order, fix."""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import NOTHING, Finding, Rollout
from babelreg.report.printable import printable

_MAX_PARTS = 6
_DIRECTIONS = {
    "backward": "backward, new readers refuse old data",
    "forward": "forward, published readers refuse new data",
    "both": "both ways, old and new readers refuse each other's data",
}
_UNKNOWN = {
    "backward": "backward, unknown whether new readers accept old data",
    "forward": "forward, unknown whether published readers accept new data",
    "both": "both ways, unknown whether old and new readers accept each other's data",
}
"""Directions of a finding without a witness: nothing shows that somebody refuses something."""


def details(finding: Finding) -> Iterator[tuple[str, str]]:
    """Yield labels and printable texts, such as ``("fix", "type: boolean")``, in the order that every style uses."""
    for line in finding.excerpt:
        yield "bytes", printable(line)
    if finding.against is not None:
        yield "against", printable(str(finding.against))
    if finding.direction is not None:
        texts = _UNKNOWN if finding.witness is NOTHING and not finding.witnesses else _DIRECTIONS
        yield "direction", texts.get(finding.direction, printable(finding.direction))
    for line in _parts(finding):
        yield "part", printable(line)
    for line in finding.breaks:
        yield "breaks", printable(line)
    if finding.rollout is not None:
        yield "rollout", printable(_rollout_order(finding.rollout))
    if finding.fix:
        yield "fix", printable(finding.fix)


def _parts(finding: Finding) -> Iterator[str]:
    """Yield a line for each of the first parts of a finding about one edit, then how many more there are."""
    parts = finding.parts if finding.properties is None else ()  # the message lists them
    shown = parts if len(parts) <= _MAX_PARTS + 1 else parts[:_MAX_PARTS]
    yield from (f"{part.message} [{part.rule}]" for part in shown)
    if len(shown) < len(parts):
        yield f"and {len(parts) - len(shown)} more; `--format json` lists all of them"


def _rollout_order(rollout: Rollout) -> str:
    """Return the order of deployment: ``consumers first: billing-worker, warehouse; then orders-api``."""
    if rollout.side not in ("consumers", "producers"):
        return "no safe order; publish a new version and run both"
    other = "producers" if rollout.side == "consumers" else "consumers"
    first = f"{rollout.side} first" + (f": {', '.join(rollout.first)}" if rollout.first else "")
    # Queues still hold old messages when the producers are done.
    drained = ", once no old message is queued," if rollout.side == "producers" else ""
    return f"{first}; then{drained} {', '.join(rollout.then) or other}"
