"""Findings that are accepted: read from comments and settings, and matched with what the rules report.

A comment says ``# babelreg: allow RULE until 2027-03-31 -- reason``, on the line of the finding or right above it; an
entry of ``lint: waivers:`` names the rule, the URN or the path, and the pointer. Either is for one rule and one place.
A faulty waiver hides nothing; it is kept as a :class:`LintWaiverFault` for the rule that reports it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from babelreg.finding import Finding
from babelreg.lint.manual.defects import PAGES
from babelreg.model import Registry, Remark, Source, Urn, UrnError, Waiver
from babelreg.model.day import day
from babelreg.model.waiver import without_reason
from babelreg.schema.pointer import Pointer

__all__ = ["FORM", "UNWAIVABLE", "LintWaiverFault", "LintWaivers"]

FORM = "# babelreg: allow RULE until YYYY-MM-DD -- reason"
UNWAIVABLE = frozenset(
    {"waiver-malformed", "waiver-reason-missing", "waiver-rule-unknown", "waiver-expired", "waiver-unused"}
)


@dataclass(frozen=True, slots=True)
class LintWaiverFault:
    """What is wrong with one waiver, as the rule ``rule`` reports it. ``named`` is the rule that it misnames."""

    rule: str
    message: str
    source: Source
    at: Pointer
    fix: str | None = None
    named: str | None = None


@dataclass(slots=True)
class LintWaivers:
    """All waivers of a registry that may hide something, and the ``faults`` of the others.

    ``in_force`` says whether a rule speaks in a file by the settings, ``asked`` whether it does in this run, which may
    have a profile of its own. ``whole`` is there when only a part of the registry is reported on: it gives what some
    rules have to say of all of it.
    """

    today: date = date.min
    all: tuple[Waiver, ...] = ()
    faults: tuple[LintWaiverFault, ...] = ()
    in_force: Callable[[str, str], bool] = lambda rule, path: True
    asked: Callable[[str, str], bool] = lambda rule, path: True
    whole: Callable[[frozenset[str]], Iterable[Finding]] | None = None
    _touched: set[Waiver] = field(default_factory=set)
    _index: dict[tuple[str, str, str | int | None], list[Waiver]] = field(default_factory=dict)

    @classmethod
    def of(cls, registry: Registry, rule_ids: frozenset[str], today: date) -> LintWaivers:
        """The waivers that stand in ``registry``. ``rule_ids`` are all that lint knows."""
        drafts = [*_inline(registry.remarks), *_configured(registry)]
        judged = [
            draft if isinstance(draft, LintWaiverFault) else _refused(draft, rule_ids) or draft for draft in drafts
        ]
        waivers = tuple(item for item in judged if isinstance(item, Waiver))
        made = cls(today, waivers, tuple(item for item in judged if isinstance(item, LintWaiverFault)))
        for waiver in made.all:
            where = waiver.line if waiver.line is not None else waiver.pointer
            made._index.setdefault((waiver.rule, waiver.path, where), []).append(waiver)
        return made

    def hides(self, finding: Finding) -> bool:
        """True when a waiver holds for ``finding``. The nearest one is then in use, and no other because of it."""
        if not self._index:
            return False
        rule, path = finding.rule, finding.place.path
        for where in (finding.pointer, finding.place.line, None):
            for waiver in self._index.get((rule, path, where), ()):
                self._touched.add(waiver)
                if waiver.holds(self.today):
                    return True
        return False

    def expired(self) -> list[Waiver]:
        """Those that hide nothing any more."""
        return [waiver for waiver in self.all if not waiver.holds(self.today)]

    def unused(self, judged: Callable[[str], bool]) -> list[Waiver]:
        """Those in files that ``judged`` says yes to, and that hid nothing; asked when all rules have spoken."""
        idle = [w for w in self.all if w not in self._touched and w.holds(self.today) and judged(w.path)]
        idle = [w for w in idle if self.asked(w.rule, w.path) or not self.in_force(w.rule, w.path)]
        if idle and self.whole is not None:
            # What is in one file may be reported because of another, which this run does not look at.
            for finding in self.whole(frozenset(waiver.rule for waiver in idle)):
                self.hides(finding)
            idle = [waiver for waiver in idle if waiver not in self._touched]
        return idle


def _inline(remarks: Iterable[Remark]) -> Iterator[Waiver | LintWaiverFault]:
    for remark in remarks:
        head, dashes, reason = remark.text.partition("--")
        match head.split():
            case ["allow", rule]:
                yield Waiver(rule, remark.path, reason.strip(), remark, line=remark.about)
            case ["allow", rule, "until", said]:
                if (last := day(said)) is None:
                    yield _malformed(remark, f"'{said}' is not a day like 2027-03-31", FORM)
                else:
                    yield Waiver(rule, remark.path, reason.strip(), remark, line=remark.about, expires=last)
            case ["allow", rule, *more] if not dashes:
                fix = f"# babelreg: allow {rule.rstrip(':,')} -- {' '.join(more)}"
                yield _malformed(remark, "the reason of a waiver follows '--'", fix)
            case _:
                yield _malformed(remark, "babelreg does not know this kind of comment", FORM)


def _malformed(remark: Remark, message: str, fix: str) -> LintWaiverFault:
    return LintWaiverFault("waiver-malformed", message, remark, (), fix)


def _configured(registry: Registry) -> Iterator[Waiver | LintWaiverFault]:
    source = registry.settings.lint_source
    entries: Iterable[Mapping[str, Any]] = registry.settings.lint.get("waivers", ())
    if source is None or not entries:
        return
    home = _homes(registry)
    for i, entry in enumerate(entries):
        at: Pointer = ("lint", "waivers", i)
        said, urn = entry.get("expires"), entry.get("urn")
        last = day(said)
        if said is not None and last is None:
            fix = "write the last day on which the waiver is valid: YYYY-MM-DD"
            yield LintWaiverFault("waiver-malformed", f"there is no day '{said}'", source, (*at, "expires"), fix)
            continue
        path = home(urn) if urn is not None else str(entry["path"]).removeprefix("./")
        yield Waiver(
            entry["rule"], path, entry["reason"], source, at, pointer=entry.get("pointer"), urn=urn, expires=last
        )


def _homes(registry: Registry) -> Callable[[str], str]:
    """The file that a URN means: the one at its own path where that declares it, else the first that does."""
    declared: dict[str, str] = {}
    for message in registry.messages:
        own = message.parsed is not None and message.parsed.path == message.source.path
        if own or message.urn not in declared:
            declared[message.urn] = message.source.path

    def home(urn: str) -> str:
        if urn in declared:
            return declared[urn]
        try:
            return Urn.parse(urn).path
        except UrnError:
            return ""

    return home


def _refused(waiver: Waiver, rule_ids: frozenset[str]) -> LintWaiverFault | None:
    """Why ``waiver`` can hide nothing at all, whatever the rules report."""
    rule, source, at = waiver.rule, waiver.source, waiver.at
    if rule in PAGES or rule in UNWAIVABLE:
        what = "a defect of a file" if rule in PAGES else "about waivers themselves"
        message = f"'{rule}' is {what}: it cannot be waived"
        return LintWaiverFault(
            "waiver-rule-unknown", message, source, (*at, "rule") if at else at, "fix it, and remove this waiver"
        )
    if rule not in rule_ids:
        return LintWaiverFault(
            "waiver-rule-unknown", f"there is no rule '{rule}'", source, (*at, "rule") if at else at, named=rule
        )
    wrong = without_reason(rule, waiver.reason)
    if wrong is not None:
        fix = "say why, so that the next reader can assess it"
        if not at:
            fix = f"# babelreg: allow {rule} -- why it is right here"
        return LintWaiverFault("waiver-reason-missing", wrong, source, (*at, "reason") if at else at, fix)
    return None
