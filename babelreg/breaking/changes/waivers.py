"""Breaking changes that are accepted: read from the settings, and matched with what the rules report.

An entry of ``breaking: waivers:`` names the rule, the URN, the pointer, and the hash of the change: of the published
version and the one at hand. So it lapses by itself. When the change is published nothing differs any more, and when
the message changes again the hash is another.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from typing import Any

from babelreg.breaking.changes.pairs import Pair
from babelreg.finding import Finding
from babelreg.model import Message, Settings, Source
from babelreg.model.day import day
from babelreg.model.waiver import without_reason
from babelreg.schema.pointer import Pointer, text
from babelreg.schema.simplify import without_annotations
from babelreg.schema.subschemas import subschemas
from babelreg.suggest import closest

__all__ = ["BreakingWaiver", "BreakingWaiverFault", "BreakingWaivers", "change_id", "with_change_ids"]


@dataclass(frozen=True, slots=True)
class BreakingWaiver:
    """Accepts what ``rule`` reports of one change of ``urn``: at ``pointer``, or where that is None anywhere.

    ``expires`` is the last day on which it holds. It stands at ``at`` in ``source``.
    """

    rule: str
    urn: str
    pointer: str | None
    change: str
    expires: date | None
    source: Source
    at: Pointer

    def holds(self, today: date) -> bool:
        """False when it has expired."""
        return self.expires is None or today <= self.expires


@dataclass(frozen=True, slots=True)
class BreakingWaiverFault:
    """Why one entry can hide nothing, whatever the rules report."""

    message: str
    fix: str
    source: Source
    at: Pointer
    urn: str


@dataclass(slots=True)
class BreakingWaivers:
    """All waivers of a registry that may hide something, the ``faults`` of the others, and what was ``hidden``."""

    today: date = date.min
    all: tuple[BreakingWaiver, ...] = ()
    faults: tuple[BreakingWaiverFault, ...] = ()
    hidden: list[Finding] = field(default_factory=list)
    _index: dict[tuple[str, str, str | None, str], list[BreakingWaiver]] = field(default_factory=dict)
    _touched: set[int] = field(default_factory=set)
    _reported: dict[tuple[str, str, str | None], str] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: Settings, rule_ids: Iterable[str], today: date) -> BreakingWaivers:
        """The waivers that stand in ``settings``. ``rule_ids`` are those that can be waived."""
        known = frozenset(rule_ids)
        read = [
            _read(entry, source, ("breaking", "waivers", i), known)
            for source, said in settings.breaking
            for i, entry in enumerate(said.get("waivers", ()))
        ]
        accepted = tuple(item for item in read if isinstance(item, BreakingWaiver))
        made = cls(today, accepted, tuple(item for item in read if isinstance(item, BreakingWaiverFault)))
        for waiver in accepted:
            made._index.setdefault((waiver.rule, waiver.urn, waiver.pointer, waiver.change), []).append(waiver)
        return made

    def hides(self, finding: Finding) -> bool:
        """True when a waiver holds for ``finding``, which is about one message. The nearest is then in use."""
        rule, urn, change = finding.rule, finding.urn, finding.change
        if not self.all or urn is None or change is None:
            return False
        for where in _spellings(finding):
            self._reported.setdefault((rule, urn, where), change)
            for waiver in self._index.get((rule, urn, where, change), ()):
                self._touched.add(id(waiver))
                if waiver.holds(self.today):
                    self.hidden.append(finding)
                    return True
        return False

    def expired(self) -> list[BreakingWaiver]:
        """Those that hide nothing any more."""
        return [waiver for waiver in self.all if not waiver.holds(self.today)]

    def unused(self) -> list[BreakingWaiver]:
        """Those that were for no finding; asked when all rules have spoken."""
        return [waiver for waiver in self.all if id(waiver) not in self._touched and waiver.holds(self.today)]

    def change_now(self, waiver: BreakingWaiver) -> str | None:
        """The hash of the change that is reported where ``waiver`` accepts another; None where nothing is."""
        return self._reported.get((waiver.rule, waiver.urn, waiver.pointer))

    def reported(self, waiver: BreakingWaiver) -> bool:
        """True where its rule reports something of its message, wherever that is."""
        return (waiver.rule, waiver.urn, None) in self._reported


def _spellings(finding: Finding) -> Iterator[str | None]:
    """The pointers that a waiver may have for ``finding``, the one that says most first."""
    if finding.pointer is not None:
        yield f"{finding.place.path}#{finding.pointer}"
        yield finding.pointer
    yield None


def _read(
    entry: Mapping[str, Any], source: Source, at: Pointer, rule_ids: frozenset[str]
) -> BreakingWaiver | BreakingWaiverFault:
    rule, urn, said = entry["rule"], entry["urn"], entry.get("expires")

    def fault(key: str, message: str, fix: str) -> BreakingWaiverFault:
        return BreakingWaiverFault(message, fix, source, (*at, key), urn)

    if rule not in rule_ids:
        return fault("rule", f"`babelreg breaking` has no rule '{rule}' that can be waived", _meant(rule, rule_ids))
    last = day(said)
    if said is not None and last is None:
        return fault("expires", f"there is no day '{said}'", "write the last day on which it holds: YYYY-MM-DD")
    no_reason = without_reason(rule, entry["reason"])
    if no_reason is not None:
        return fault("reason", no_reason, "say why, so that it can be judged by whoever reads it next")
    return BreakingWaiver(rule, urn, entry.get("pointer"), entry["change"], last, source, at)


def _meant(rule: str, rule_ids: frozenset[str]) -> str:
    near = closest(rule, rule_ids)
    return f"did you mean '{near}'?" if near else "remove this waiver; `babelreg rules` lists the rules"


_DIGITS = 12
# Annotations for whoever validates, contract for us: each is what a rule judges, or what it is judged with.
_JUDGED = ("x-gdpr-sensitive", "x-unit", "x-spark-type")
_OF_THE_FILE = frozenset({"urn-removed", "kind-changed", "status-backward"})
_OF_THE_WORDS = frozenset({"description-changed"})


def with_change_ids(pair: Pair, findings: Iterable[Finding]) -> Iterator[Finding]:
    """``findings`` about ``pair``, each with its ``change``."""

    @cache
    def hashed(part: str) -> str:
        return change_id(pair.old, pair.new, part)

    for finding in findings:
        change = hashed(_part(finding.rule))
        yield replace(finding, change=change, messages=tuple(use._replace(change=change) for use in finding.messages))


def change_id(old: Message | None, new: Message | None, part: str = "data") -> str:
    """The hash of two versions of a message, None where there is none or it cannot be read.

    ``part`` is what is looked at: the ``data`` without its annotations, with kind and status the ``file``, or its
    ``words`` with every annotation.
    """
    from hashlib import sha256

    said = json.dumps([_judged(old, part), _judged(new, part)], sort_keys=True, separators=(",", ":"))
    return sha256(said.encode()).hexdigest()[:_DIGITS]


def _part(rule: str) -> str:
    return "file" if rule in _OF_THE_FILE else "words" if rule in _OF_THE_WORDS else "data"


def _judged(message: Message | None, part: str) -> Any:
    if message is None:
        return None
    if part == "words":
        return message.schema
    data = {"data": without_annotations(message.schema, formats=True), "marks": sorted(_marks(message.schema))}
    return {**data, "kind": message.kind, "status": message.status} if part == "file" else data


def _marks(schema: Any) -> Iterator[tuple[str, str]]:
    """Each annotation that a rule judges: where it stands, and what it says."""
    waiting: list[tuple[str, Any]] = [("", schema)]
    while waiting:
        at, here = waiting.pop()
        if not isinstance(here, dict):
            continue
        yield from ((f"{at}/{word}", json.dumps(here[word], sort_keys=True)) for word in _JUDGED if word in here)
        waiting.extend((at + text(steps), inner) for steps, inner in subschemas(here))
