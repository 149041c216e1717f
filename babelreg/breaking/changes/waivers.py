"""Waivers of breaking changes: read from the settings, matched with findings, and bound to a change by its id.

An entry of ``breaking: waivers:`` names the rule, the URN or the path of a plain schema, the pointer, and the change
id, a hash of the published and the present version. So it lapses by itself: once the change is published nothing
differs any more, and when the message changes again the id is another. The id covers everything that rules check and
nothing else, so an edited description does not invalidate a waiver.

Without a change id the waiver lasts: it accepts whatever its rule reports at its pointer, such as a version in a
``const`` that every release changes, and nothing below. Every run lists it. It cannot cover an unknown, nor a replaced
schema, whose parts are findings of other rules.
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


@dataclass(frozen=True, slots=True)
class BreakingWaiver:
    """A waiver of the findings of ``rule`` about one change of ``urn``: at ``pointer``, or anywhere where that is None.

    Where ``change`` is None, it is of every change at ``pointer``. ``expires`` is the last day of its validity. It is
    declared at ``at`` in ``source``.
    """

    rule: str
    urn: str
    pointer: str | None
    change: str | None
    expires: date | None
    reason: str
    source: Source
    at: Pointer

    def holds(self, today: date) -> bool:
        """Return False when it has expired."""
        return self.expires is None or today <= self.expires


@dataclass(frozen=True, slots=True)
class BreakingWaiverFault:
    """A defect that makes an entry ineffective, whatever the rules report."""

    message: str
    fix: str
    source: Source
    at: Pointer
    urn: str


@dataclass(slots=True)
class BreakingWaivers:
    """The effective waivers of a registry, the ``faults`` of the others, and the ``hidden`` findings."""

    today: date = date.min
    all: tuple[BreakingWaiver, ...] = ()
    faults: tuple[BreakingWaiverFault, ...] = ()
    hidden: list[Finding] = field(default_factory=list)
    _index: dict[tuple[str, str, str | None, str | None], list[BreakingWaiver]] = field(default_factory=dict)
    _matches: dict[int, set[str]] = field(default_factory=dict)
    _reported: dict[tuple[str, str, str | None], str] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: Settings, rule_ids: Iterable[str], today: date) -> BreakingWaivers:
        """Read the waivers of ``settings``. ``rule_ids`` are the rules that can be waived."""
        known = frozenset(rule_ids)
        entries = [
            _read(entry, source, ("breaking", "waivers", i), known)
            for source, section in settings.breaking
            for i, entry in enumerate(section.get("waivers", ()))
        ]
        accepted = tuple(item for item in entries if isinstance(item, BreakingWaiver))
        waivers = cls(today, accepted, tuple(item for item in entries if isinstance(item, BreakingWaiverFault)))
        for waiver in accepted:
            waivers._index.setdefault((waiver.rule, waiver.urn, waiver.pointer, waiver.change), []).append(waiver)
        return waivers

    def hides(self, finding: Finding) -> bool:
        """Return True when a waiver accepts ``finding`` about one message. The most specific one is then in use.

        A waiver of a plain schema names the schema, or the file that the finding is in.
        """
        if not self.all or finding.urn is None or finding.change is None:
            return False
        return any(self._hides(finding, name) for name in dict.fromkeys((finding.urn, finding.place.path)))

    def _hides(self, finding: Finding, name: str) -> bool:
        rule, change = finding.rule, finding.change
        assert change is not None
        for where in _spellings(finding):
            self._reported.setdefault((rule, name, where), change)
            if self._holds(finding, (rule, name, where, change)):
                return True
        if finding.parts:  # each may be waived by itself; a lasting waiver hides no other rule
            return False
        return any(self._holds(finding, (rule, name, where, None)) for where in _own_spellings(finding))

    def _holds(self, finding: Finding, key: tuple[str, str, str | None, str | None]) -> bool:
        for waiver in self._index.get(key, ()):
            self._matches.setdefault(id(waiver), set()).add(finding.message)
            if waiver.holds(self.today):
                self.hidden.append(finding)
                return True
        return False

    def expired(self) -> list[BreakingWaiver]:
        """Return the expired waivers."""
        return [waiver for waiver in self.all if not waiver.holds(self.today)]

    def unused(self) -> list[BreakingWaiver]:
        """Return the waivers of one change that matched no finding; to be called after all rules have run."""
        bound = (waiver for waiver in self.all if waiver.change is not None and waiver.holds(self.today))
        return [waiver for waiver in bound if id(waiver) not in self._matches]

    def lasting(self) -> list[tuple[BreakingWaiver, int]]:
        """Return the waivers without a change id, each with the number of findings that it hides in this run."""
        lasting = (waiver for waiver in self.all if waiver.change is None and waiver.holds(self.today))
        return [(waiver, len(self._matches.get(id(waiver), ()))) for waiver in lasting]

    def change_now(self, waiver: BreakingWaiver) -> str | None:
        """Return the id of the reported change where ``waiver`` accepts another one; None where nothing is reported."""
        return self._reported.get((waiver.rule, waiver.urn, waiver.pointer))

    def reported(self, waiver: BreakingWaiver) -> bool:
        """Return True where its rule reports something about its message, at any pointer."""
        return (waiver.rule, waiver.urn, None) in self._reported


def _spellings(finding: Finding) -> Iterator[str | None]:
    """Yield the pointers that a waiver of ``finding`` may have, the most specific first.

    A finding about several properties of one object has the pointer of the keyword that lists them.
    """
    yield from _own_spellings(finding)
    if finding.properties is not None and finding.properties.holder != finding.pointer:
        yield from _spelled(finding, finding.properties.holder)
    yield None


def _own_spellings(finding: Finding) -> Iterator[str]:
    if finding.pointer is not None:
        yield from _spelled(finding, finding.pointer)


def _spelled(finding: Finding, pointer: str) -> tuple[str, str]:
    return f"{finding.place.path}#{pointer}", pointer


def _read(
    entry: Mapping[str, Any], source: Source, at: Pointer, rule_ids: frozenset[str]
) -> BreakingWaiver | BreakingWaiverFault:
    rule, urn, expires = entry["rule"], entry.get("urn") or entry["path"], entry.get("expires")

    def fault(key: str, message: str, fix: str) -> BreakingWaiverFault:
        return BreakingWaiverFault(message, fix, source, (*at, key), urn)

    if rule not in rule_ids:
        return fault("rule", f"`babelreg breaking` has no waivable rule '{rule}'", _rule_suggestion(rule, rule_ids))
    last = day(expires)
    if expires is not None and last is None:
        return fault("expires", f"there is no day '{expires}'", "write the last day on which it is valid: YYYY-MM-DD")
    change = entry.get("change")
    if change is None and rule in _BOUND:
        return fault(
            "rule", f"a waiver of '{rule}' cannot be permanent: {_BOUND[rule]}", "add the `change` of the finding"
        )
    no_reason = without_reason(rule, entry["reason"])
    if no_reason is not None:
        return fault("reason", no_reason, "say why, so that the next reader can review it")
    return BreakingWaiver(rule, urn, entry.get("pointer"), change, last, entry["reason"], source, at)


_BOUND = {
    "containment-unknown": "the effect of the next change is unknown as well",
    "schema-replaced": "the breaks of the schema are findings of other rules",
}
"""Rules whose waivers are for one change, and why."""


def _rule_suggestion(rule: str, rule_ids: frozenset[str]) -> str:
    near = closest(rule, rule_ids)
    return f"did you mean '{near}'?" if near else "remove this waiver; `babelreg rules` lists the rules"


_DIGITS = 12
# Annotations for validators, contract for us: a rule checks each of them or depends on it.
_CONTRACT_ANNOTATIONS = ("x-gdpr-sensitive", "x-unit", "x-spark-type")
_OF_THE_FILE = frozenset({"urn-removed", "kind-changed", "status-backward"})
_OF_THE_WORDS = frozenset({"description-changed"})


def with_change_ids(pair: Pair, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield ``findings`` about ``pair``, each with its change id."""

    @cache
    def hashed(part: str) -> str:
        return change_id(pair.old, pair.new, part)

    def with_id(finding: Finding) -> Finding:
        change = finding.change or hashed(_part(finding.rule))
        messages = tuple(use._replace(change=change) for use in finding.messages)
        return replace(finding, change=change, messages=messages, parts=tuple(map(with_id, finding.parts)))

    yield from map(with_id, findings)


def part_id(old: Any, new: Any) -> str:
    """Return the change id of a part of two schemas, which is JSON."""
    from hashlib import sha256

    return sha256(json.dumps([old, new], sort_keys=True, separators=(",", ":")).encode()).hexdigest()[:_DIGITS]


def change_id(old: Message | None, new: Message | None, part: str = "data") -> str:
    """Return the change id of two versions of a message; a version is None where it is missing or unreadable.

    ``part`` is the part that is hashed: ``data`` without annotations; ``file``, the same with kind and status; or
    ``words``, the schema with every annotation.
    """
    return part_id(_hashed_part(old, part), _hashed_part(new, part))


def _part(rule: str) -> str:
    return "file" if rule in _OF_THE_FILE else "words" if rule in _OF_THE_WORDS else "data"


def _hashed_part(message: Message | None, part: str) -> Any:
    if message is None:
        return None
    if part == "words":
        return message.schema
    data = {
        "data": without_annotations(message.schema, formats=True),
        "marks": sorted(_contract_annotations(message.schema)),
    }
    return {**data, "kind": message.kind, "status": message.status} if part == "file" else data


def _contract_annotations(schema: Any) -> Iterator[tuple[str, str]]:
    """Yield each annotation that a rule checks: its pointer and its value."""
    waiting: list[tuple[str, Any]] = [("", schema)]
    while waiting:
        pointer, subschema = waiting.pop()
        if not isinstance(subschema, dict):
            continue
        yield from (
            (f"{pointer}/{keyword}", json.dumps(subschema[keyword], sort_keys=True))
            for keyword in _CONTRACT_ANNOTATIONS
            if keyword in subschema
        )
        waiting.extend((pointer + text(steps), inner) for steps, inner in subschemas(subschema))
