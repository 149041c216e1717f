"""Waivers of findings, read from comments and settings, and matched with the findings of the rules.

A comment says ``# babelreg: allow RULE until 2027-03-31 -- reason``, on the line of the finding or right above it; an
entry of ``lint: waivers:`` names the rule, the URN or the path, and the pointer. Each applies to one rule and place. A
faulty waiver waives nothing; a rule reports its :class:`LintWaiverFault`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from typing import Any, NamedTuple

from babelreg.finding import Finding
from babelreg.lint.defects import PAGES
from babelreg.model import Registry, Remark, Source, Urn, UrnError, Waiver
from babelreg.model.day import day
from babelreg.model.waiver import without_reason
from babelreg.schema.pointer import Pointer

FORM = "# babelreg: allow RULE until YYYY-MM-DD -- reason"
UNWAIVABLE = frozenset(
    {"waiver-malformed", "waiver-reason-missing", "waiver-rule-unknown", "waiver-expired", "waiver-unused"}
)


class LintWaiverFault(NamedTuple):
    """Fault of one waiver, as the rule ``rule`` reports it. ``named`` is the unknown rule in the waiver."""

    rule: str
    message: str
    source: Source
    at: Pointer
    fix: str | None = None
    named: str | None = None


class LintWaivers:
    """Valid waivers of a registry, and the ``faults`` of the others.

    ``enabled`` tells whether the settings enable a rule in a file, ``selected`` whether this run does, which may have
    its own profile. ``findings_everywhere`` is set when only a part of the registry is reported on: it returns the
    findings of some rules in all of it.
    """

    def __init__(
        self,
        today: date = date.min,
        valid: tuple[Waiver, ...] = (),
        faults: tuple[LintWaiverFault, ...] = (),
    ) -> None:
        self.today = today
        self.all = valid
        self.faults = faults
        self.enabled: Callable[[str, str], bool] = lambda rule, path: True
        self.selected: Callable[[str, str], bool] = lambda rule, path: True
        self.findings_everywhere: Callable[[frozenset[str]], Iterable[Finding]] | None = None
        self._used: set[Waiver] = set()
        self._index: dict[tuple[str, str, str | int | None], list[Waiver]] = {}

    @classmethod
    def of(cls, registry: Registry, rule_ids: frozenset[str], today: date) -> LintWaivers:
        """Return the waivers in ``registry``. ``rule_ids`` are all rules of lint."""
        drafts = [*_inline(registry.remarks), *_configured(registry)]
        checked = [
            draft if isinstance(draft, LintWaiverFault) else _fault_of(draft, rule_ids) or draft for draft in drafts
        ]
        valid = tuple(item for item in checked if isinstance(item, Waiver))
        waivers = cls(today, valid, tuple(item for item in checked if isinstance(item, LintWaiverFault)))
        for waiver in valid:
            position = waiver.line if waiver.line is not None else waiver.pointer
            waivers._index.setdefault((waiver.rule, waiver.path, position), []).append(waiver)
        return waivers

    def waives(self, finding: Finding) -> bool:
        """Return True when a waiver applies to ``finding``, and mark the nearest one as used."""
        if not self._index:
            return False
        rule, path = finding.rule, finding.place.path
        for position in (finding.pointer, finding.place.line, None):
            for waiver in self._index.get((rule, path, position), ()):
                self._used.add(waiver)
                if waiver.holds(self.today):
                    return True
        return False

    def expired(self) -> list[Waiver]:
        """Return the waivers whose last day has passed."""
        return [waiver for waiver in self.all if not waiver.holds(self.today)]

    def unused(self, in_scope: Callable[[str], bool]) -> list[Waiver]:
        """Return the waivers that waived nothing, in files for which ``in_scope`` is true. Call it after all rules."""
        idle = [w for w in self.all if w not in self._used and w.holds(self.today) and in_scope(w.path)]
        idle = [w for w in idle if self.selected(w.rule, w.path) or not self.enabled(w.rule, w.path)]
        if idle and self.findings_everywhere is not None:
            # A finding in one file may be caused by another, which this run does not report on.
            for finding in self.findings_everywhere(frozenset(waiver.rule for waiver in idle)):
                self.waives(finding)
            idle = [waiver for waiver in idle if waiver not in self._used]
        return idle


def _inline(remarks: Iterable[Remark]) -> Iterator[Waiver | LintWaiverFault]:
    for remark in remarks:
        head, dashes, reason = remark.text.partition("--")
        match head.split():
            case ["allow", rule]:
                yield Waiver(rule, remark.path, reason.strip(), remark, line=remark.about)
            case ["allow", rule, "until", text]:
                if (last := day(text)) is None:
                    yield _malformed(remark, f"'{text}' is not a day like 2027-03-31", FORM)
                else:
                    yield Waiver(rule, remark.path, reason.strip(), remark, line=remark.about, expires=last)
            case ["allow", rule, *more] if not dashes:
                fix = f"# babelreg: allow {rule.rstrip(':,')} -- {' '.join(more)}"
                yield _malformed(remark, "the reason of a waiver must follow '--'", fix)
            case _:
                yield _malformed(remark, "this kind of comment is unknown to babelreg", FORM)


def _malformed(remark: Remark, message: str, fix: str) -> LintWaiverFault:
    return LintWaiverFault("waiver-malformed", message, remark, (), fix)


def _configured(registry: Registry) -> Iterator[Waiver | LintWaiverFault]:
    source = registry.settings.lint_source
    entries: Iterable[Mapping[str, Any]] = registry.settings.lint.get("waivers", ())
    if source is None or not entries:
        return
    file_of = _files_by_urn(registry)
    for i, entry in enumerate(entries):
        at: Pointer = ("lint", "waivers", i)
        expires, urn = entry.get("expires"), entry.get("urn")
        last = day(expires)
        if expires is not None and last is None:
            fix = "write the last day on which the waiver is valid: YYYY-MM-DD"
            yield LintWaiverFault("waiver-malformed", f"there is no day '{expires}'", source, (*at, "expires"), fix)
            continue
        path = file_of(urn) if urn is not None else str(entry["path"]).removeprefix("./")
        yield Waiver(
            entry["rule"], path, entry["reason"], source, at, pointer=entry.get("pointer"), urn=urn, expires=last
        )


def _files_by_urn(registry: Registry) -> Callable[[str], str]:
    """Return a lookup of the file of a URN: that at its own path if it declares the URN, else the first that does."""
    declared: dict[str, str] = {}
    for message in registry.messages:
        own = message.parsed is not None and message.parsed.path == message.source.path
        if own or message.urn not in declared:
            declared[message.urn] = message.source.path

    def file_of(urn: str) -> str:
        if urn in declared:
            return declared[urn]
        try:
            return Urn.parse(urn).path
        except UrnError:
            return ""

    return file_of


def _fault_of(waiver: Waiver, rule_ids: frozenset[str]) -> LintWaiverFault | None:
    """Return the reason why ``waiver`` cannot waive any finding, or None."""
    rule, source, at = waiver.rule, waiver.source, waiver.at
    if rule in PAGES or rule in UNWAIVABLE:
        kind = "a defect of a file" if rule in PAGES else "about waivers themselves"
        message = f"'{rule}' is {kind}: it cannot be waived"
        return LintWaiverFault(
            "waiver-rule-unknown", message, source, (*at, "rule") if at else at, "fix it, and remove this waiver"
        )
    if rule not in rule_ids:
        return LintWaiverFault(
            "waiver-rule-unknown", f"there is no rule '{rule}'", source, (*at, "rule") if at else at, named=rule
        )
    problem = without_reason(rule, waiver.reason)
    if problem is not None:
        fix = "say why, so that the next reader can assess it"
        if not at:
            fix = f"# babelreg: allow {rule} -- why it is acceptable here"
        return LintWaiverFault("waiver-reason-missing", problem, source, (*at, "reason") if at else at, fix)
    return None
