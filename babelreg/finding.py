"""Findings of checks: a :class:`Finding` at a :class:`Place`, with a :class:`Severity`.

Every verb (lint, breaking, validate, gen --check) returns findings; ``report/`` prints them. A finding is plain frozen
data: the same finding always has the same text and the same JSON.
"""

from __future__ import annotations

import enum
import os
import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from babelreg.place import Place

__all__ = [
    "NOTHING",
    "Finding",
    "FragmentUse",
    "Hurt",
    "Nothing",
    "Place",
    "PropertyList",
    "Rollout",
    "Severity",
    "TrafficEvidence",
    "counts",
    "shown_folder",
]


class Severity(enum.Enum):
    """Severity of a finding. The order is that of the report: errors first."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for an error, 1 for a warning, 2 for an info."""
        return _RANKS[self]

    def reaches(self, threshold: Severity) -> bool:
        """Return True if this severity is at least as bad as ``threshold``."""
        return self.rank <= threshold.rank


_RANKS = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}


class Nothing(enum.Enum):
    """The type of :data:`NOTHING`: no witness at all, which is not the witness ``null``."""

    NOTHING = "nothing"


NOTHING = Nothing.NOTHING


class Hurt(NamedTuple):
    """A service that a change hurts. ``does`` goes on where its name ends: ``orders-api may still send {}``.

    ``role`` is producer, consumer, or table for what ``does`` alone describes. ``reads`` are the fields it says it
    reads among those that changed; None where it does not say which fields it reads.
    """

    service: str
    role: str
    does: str
    lang: str | None = None
    owner: str | None = None
    reads: tuple[str, ...] | None = None
    urn: str | None = None


class Rollout(NamedTuple):
    """The order in which services can take a change: ``side`` goes first, ``producers`` or ``consumers``.

    ``side`` is ``none`` where every order breaks somebody.
    """

    side: str
    first: tuple[str, ...] = ()
    then: tuple[str, ...] = ()


class FragmentUse(NamedTuple):
    """A message that uses the shared fragment a finding is about, and the field of it that changed with it.

    ``change`` is that of its own; see Finding.
    """

    urn: str
    field: str
    change: str | None = None


class TrafficEvidence(NamedTuple):
    """``refused`` of the ``seen`` recorded messages would have been refused; ``period`` is their time, as a phrase.

    ``expires`` is the last day of a waiver that rests on them.
    """

    refused: int
    seen: int
    period: str
    expires: str

    def __str__(self) -> str:
        return f"{self.refused:,} of {self.seen:,} message{'' if self.seen == 1 else 's'} {self.period}"


class PropertyList(NamedTuple):
    """The properties of one object that a finding is about, and its texts for several of them.

    ``message`` and ``fix`` are those of a finding that lists several; ``message`` has ``{}`` in place of their names,
    and a second ``{}`` where ``names`` are pairs. ``holder`` is the pointer to the keyword that lists the properties,
    in the file of the finding.
    """

    names: tuple[str, ...]
    holder: str
    message: str
    fix: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a person can act on.

    ``pointer`` is an RFC 6901 pointer into the file at ``place``. ``breaks`` are lines that say whom it hurts,
    ``hurts`` the same as data. ``witness`` is a JSON document that proves the finding, or :data:`NOTHING`; where
    ``direction`` is ``both``, ``witnesses`` has one for each. ``instance`` is the place of the refused value in
    ``witness``, or of the missing one. ``urn`` is None where several ``messages`` share it.
    ``change`` is the hash of the two versions that were compared, where waivers are bound to it. ``parts`` are the
    findings that one edit causes together, where this one is about the edit. ``properties`` is set by rules whose
    findings about properties of one object are one finding. ``traffic`` are the recorded messages that it is about.

    Findings about messages of a wire format have the format's own ``code``; ``offset`` is that of the first wrong byte,
    or of the message, in the file, and ``excerpt`` a hex view of the bytes around it.
    """

    rule: str
    severity: Severity
    message: str
    place: Place
    urn: str | None = None
    pointer: str | None = None
    fix: str | None = None
    reason: str | None = None
    against: Place | None = None
    direction: str | None = None
    breaks: tuple[str, ...] = ()
    witness: Any = NOTHING
    instance: tuple[str | int, ...] = ()
    witnesses: Mapping[str, Any] = field(default_factory=dict, hash=False)
    hurts: tuple[Hurt, ...] = ()
    rollout: Rollout | None = None
    messages: tuple[FragmentUse, ...] = ()
    parts: tuple[Finding, ...] = ()
    properties: PropertyList | None = None
    change: str | None = None
    traffic: TrafficEvidence | None = None
    code: str | None = None
    offset: int | None = None
    excerpt: tuple[str, ...] = ()

    @property
    def sort_key(self) -> tuple[str, int, int, int, str, str]:
        """The order of a report: by file, then by position, then by severity and rule."""
        where = self.place
        return (where.path, where.line, where.column, self.severity.rank, self.rule, self.message)

    def as_json(self) -> dict[str, Any]:
        """Return the finding as one JSON object; absent parts are left out."""
        found: dict[str, Any] = {
            "rule": self.rule,
            "code": self.code,
            "severity": self.severity.value,
            **self.place.as_json(),
            "offset": self.offset,
            "urn": self.urn,
            "pointer": self.pointer,
            "message": self.message,
            "properties": None if self.properties is None else list(self.properties.names),
            "fix": self.fix,
            "reason": self.reason,
            "against": None if self.against is None else self.against.as_json(),
            "direction": self.direction,
            "change": self.change,
            "breaks": list(self.breaks) or None,
            "hurts": [_said(hurt) for hurt in self.hurts] or None,
            "rollout": None if self.rollout is None else _said(self.rollout),
            "messages": [_said(use) for use in self.messages] or None,
            "traffic": None if self.traffic is None else _said(self.traffic),
            "parts": [_part(part) for part in self.parts] or None,
            "excerpt": list(self.excerpt) or None,
            "witnesses": dict(self.witnesses) or None,
        }
        found = {key: value for key, value in found.items() if value is not None}
        if self.witness is not NOTHING:
            found["witness"] = self.witness
        return found

    def below(self, folder: str) -> Finding:
        """Return the finding with ``folder`` put before its path, which makes it relative to the working directory."""
        if folder in ("", "."):
            return self
        return replace(self, place=_below(self.place, folder))


def _said(part: Hurt | Rollout | FragmentUse | TrafficEvidence) -> dict[str, Any]:
    known = {key: value for key, value in part._asdict().items() if value is not None}
    return {key: list(value) if isinstance(value, tuple) else value for key, value in known.items()}


_OF_THE_WHOLE = frozenset({"severity", "urn", "fix", "change", "breaks", "hurts", "rollout", "messages"})


def _part(finding: Finding) -> dict[str, Any]:
    """Return a part as JSON, without what the whole finding says."""
    return {key: value for key, value in finding.as_json().items() if key not in _OF_THE_WHOLE}


def _below(place: Place, folder: str) -> Place:
    path = f"{folder.rstrip('/')}/{place.path}"
    if place.path.startswith("../"):
        path = posixpath.normpath(path)  # a pyproject.toml above the registry
    return Place(path, place.line, place.column)


def counts(findings: Iterable[Finding]) -> dict[Severity, int]:
    """Return the number of findings by severity; every severity is a key."""
    total = dict.fromkeys(Severity, 0)
    for finding in findings:
        total[finding.severity] += 1
    return total


def shown_folder(folder: str | Path) -> str:
    """Return the prefix that makes paths in the registry ``folder`` relative to the working directory."""
    if not str(folder):
        return ""  # a registry that is in no folder
    shown = os.path.relpath(folder)
    if shown.startswith(os.pardir) and Path(folder).is_absolute():
        shown = str(folder)
    return "" if shown == "." else shown.replace(os.sep, "/")
