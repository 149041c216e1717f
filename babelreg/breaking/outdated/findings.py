"""How far a service is behind, as findings at the lines of its lock: errors for what breaks, warnings for the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from babelreg.breaking.outdated.comparison import Behind
from babelreg.finding import Finding, Place, Severity
from babelreg.model.service_repo import Lock

__all__ = ["findings"]

_FIX = "run `babelreg update` and generate anew"


def findings(lock: Lock, every: Sequence[Behind] | None, changed: frozenset[str], folder: str) -> list[Finding]:
    """What to say of ``every``; None where the pinned state of the ``changed`` URNs is not on this machine.

    ``folder`` is put before the places in the newer registry.
    """
    if every is None:
        return [_unknown(lock, urn) for urn in sorted(changed)]
    return [finding for one in every for finding in _findings(lock, one, folder)]


def _unknown(lock: Lock, urn: str) -> Finding:
    """An error, since it fails like what breaks."""
    said = f"{urn} has changed since; what was pinned is not on this machine, so whether it breaks is unknown"
    return Finding("locked-message-unknown", Severity.ERROR, said, _place(lock, urn), urn=urn, fix=_FIX)


def _findings(lock: Lock, one: Behind, folder: str) -> Iterator[Finding]:
    urn = one.urns[0]
    place = _place(lock, urn)
    has, is_ = ("has", "is") if len(one.urns) == 1 else ("have", "are")
    for breaking in one.breaking:
        yield replace(
            breaking,
            message=f"{one.named} {has} changed since: {breaking.message}",
            place=place,
            against=breaking.below(folder).place,
            pointer=None,
            fix=f"{_FIX}, then let the code go with it",
        )
    what = {"new": f"{is_} new for {lock.service}", "gone": f"{is_} no longer of {lock.service}"}.get(one.kind)
    details = ", ".join(one.harmless)
    if what or details or not one.breaking:
        since = f"{has} changed since, and this breaks nothing"
        said = f"{one.named} {what}" if what else f"{one.named} {since}{': ' * bool(details)}{details}"
        yield Finding("locked-message-behind", Severity.WARNING, said, place, urn=urn, fix=_FIX)


def _place(lock: Lock, urn: str) -> Place:
    """The line of ``urn``; of a message that is new, the top."""
    assert lock.source is not None  # it was read
    role = lock.role(urn)
    return lock.source.place((role, urn) if role else (), key=bool(role))
