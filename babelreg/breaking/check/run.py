"""A registry against its published version: what breaks, for whom, and the way out."""

from __future__ import annotations

import shlex
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace

from babelreg.breaking.baseline.versions import Notes, Published
from babelreg.breaking.changes.change_id import bound, of_versions
from babelreg.breaking.changes.pairs import Pair, pairs
from babelreg.breaking.changes.waivers import BreakingWaivers
from babelreg.breaking.check import impact
from babelreg.breaking.check import known_breaks as history
from babelreg.breaking.check.decisions import Decided, Decisions, question
from babelreg.breaking.check.fork_pool import each, processors
from babelreg.breaking.check.fragment import brought_in, told_within
from babelreg.breaking.check.grouping import by_importance, merged
from babelreg.breaking.check.union_variants import regrouped
from babelreg.breaking.containment.prover import Prover
from babelreg.breaking.containment.prover import prover as shared
from babelreg.breaking.rules import CONTRACT, NAMING, NOTING, SEVERITIES, UNKNOWN, WAIVING
from babelreg.breaking.rules.rule import Change, Shown
from babelreg.finding import NOTHING, Finding, FragmentUse, Place
from babelreg.model import Message, Registry
from babelreg.schema.pointer import Pointer, parse, text

__all__ = ["check"]

MOST_PROCESSES = 4
WORTH_A_PROCESS = 48  # pairs that are not evident: about as long as a copy and its prover take to start
_FIRST = {"backward": "producers", "forward": "consumers"}


def check(
    old: Registry,
    new: Registry,
    *,
    prover: Prover | None = None,
    past: Published | None = None,
    waivers: BreakingWaivers | None = None,
) -> list[Finding]:
    """Everything that breaks between the published registry ``old`` and ``new``: errors first, each in order of files.

    Places are in ``new``, ``against`` in ``old``. Reader and direction are what the new registry says of the context.
    A message that differs from its version in ``old`` is held against those that ``past`` knows, too. What ``waivers``
    accept is left out, and what is wrong with them added.
    """
    waivers = waivers or BreakingWaivers()
    every = _of_all(list(pairs(old, new, past)), prover, past)
    left = [finding for finding in (*every, *_unread(old, new)) if not waivers.hides(finding)]
    about = [finding for module in WAIVING.values() for finding in module.check(waivers)]
    return by_importance([*merged(left), *about])


def _of_all(every: Sequence[Pair], prover: Prover | None, past: Published | None) -> list[Finding]:
    """What breaks in any of the pairs. Where this takes long, every processor has its share of them."""

    decisions = Decisions(prover)

    def judged(numbers: Sequence[int]) -> list[tuple[list[Finding], Notes]]:
        return [_with_notes(every[number], decisions, past) for number in numbers]

    groups = _alike(every)
    hard = sum(every[group[0]].data_changed and not every[group[0]].evident for group in groups)
    processes = 1 if prover is not None else min(processors(), MOST_PROCESSES, 1 + hard // WORTH_A_PROCESS)
    if processes > 1:
        shared().stop()  # a copy would have it by half
    elif hard and prover is None:
        shared().start()
    found = each(groups, judged, processes, lambda: shared().stop())
    by_number = {n: one for group, ones in zip(groups, found, strict=True) for n, one in zip(group, ones, strict=True)}
    done = [by_number[number] for number in range(len(every))]
    if past:
        past.note((pair.urn, notes) for pair, (_, notes) in zip(every, done, strict=True))
    return [finding for findings, _ in done for finding in findings]


def _alike(every: Sequence[Pair]) -> list[list[int]]:
    """The numbers of the pairs, those of which containment says the same in one group: one process answers for them."""
    groups: dict[Hashable, list[int]] = {}
    for number, pair in enumerate(every):
        groups.setdefault(question(pair) or number, []).append(number)
    return list(groups.values())


def _with_notes(pair: Pair, decisions: Decisions, past: Published | None) -> tuple[list[Finding], Notes]:
    known = len(past.passed_over) if past else 0
    return list(_of_versions(pair, decisions, past)), past.notes(pair.urn, known) if past else ((), ())


def _of_versions(pair: Pair, decisions: Decisions, past: Published | None) -> Iterator[Finding]:
    """What breaks the newest version, then what breaks an older one only: v1 -> v2 -> v3 may pass, and v1 -> v3 not.

    What the newest version had broken of an older one already is history, and nobody is asked about it again.
    """
    said = set()
    for finding in bound(pair, _of_pair(pair, decisions)):
        said.add(_question(finding))
        yield finding
    for earlier in pair.earlier(past) if past else ():
        for finding in bound(earlier, _of_earlier(earlier, decisions)):
            if _question(finding) not in said:
                said.add(_question(finding))
                yield replace(finding, message=f"{finding.message}, as {(earlier.commit or '')[:8]} published it")


def _question(finding: Finding) -> tuple[str, Place, str | None]:
    return finding.rule, finding.place, finding.direction


def _of_earlier(earlier: Pair, decisions: Decisions) -> list[Finding]:
    verdicts = decisions.of(earlier)
    named = list(_contained(earlier, verdicts))
    known = {history.kind(*one) for one in _published(earlier, decisions)} if named else set()
    shown = [_shown_finding(earlier, *one) for one in named if not history.repeats(earlier, known, *one)]
    order = impact.rollout(earlier, _first_sides(earlier, verdicts, (), decisions))
    return [replace(finding, rollout=order) for finding in (*shown, *_unknown(earlier, verdicts))]


def _published(earlier: Pair, decisions: Decisions) -> Iterator[tuple[str, Change, Shown]]:
    """What the newest published version breaks of an older one."""
    before = replace(earlier, new=earlier.newest, newest=None)
    return _contained(before, decisions.of(before))


def _unread(old: Registry, new: Registry) -> Iterator[Finding]:
    """Files of the baseline that could not be read, where the message may still be there."""
    read = {message.source.path for message in old.messages}
    for defect in old.defects:
        path = defect.place.path
        message = next((m for m in new.messages if m.source.path == path), None)
        if message is not None and path not in read:
            said = f"the published {path} cannot be read ({defect.message}), so nothing can be said about {message.urn}"
            unread = _finding(UNKNOWN, Place(path), said, message.urn, against=defect.place)
            yield replace(unread, change=of_versions(None, message))


def _of_pair(pair: Pair, decisions: Decisions) -> list[Finding]:
    verdicts = decisions.of(pair)
    contract = [(rule, change) for rule, module in CONTRACT.items() for change in module.check(pair)]
    shown: list[Finding] = []
    answered: dict[int, dict[str, Finding]] = {}
    for rule, change, example in _contained(pair, verdicts):
        owner = next((i for i, (_, decided) in enumerate(contract) if _answers(decided, change)), None)
        if owner is None:
            shown.append(_shown_finding(pair, rule, change, example))
        else:
            spoken = _shown_finding(pair, contract[owner][0], contract[owner][1], example)
            answered.setdefault(owner, {}).setdefault(example.direction, spoken)
    decided: list[Finding] = []
    for i, (rule, change) in enumerate(contract):
        decided += answered[i].values() if i in answered else [_decided_finding(pair, rule, change)]
    order = impact.rollout(pair, _first_sides(pair, verdicts, [change for _, change in contract], decisions))
    noted = [_placed(pair, rule, change) for rule, module in NOTING.items() for change in module.check(pair)]
    return [*(replace(f, rollout=order) for f in (*decided, *shown, *_unknown(pair, verdicts))), *noted]


def _first_sides(pair: Pair, verdicts: Sequence[Decided], decided: Sequence[Change], decisions: Decisions) -> set[str]:
    """The sides that may go first: producers where only new readers refuse, consumers where only published ones do."""
    sides = {change.first for change in decided if change.first}
    broken = [direction for direction, verdict, _ in verdicts if verdict.kind != "compatible"]
    if len(verdicts) == 1 and broken:
        # The order rests on the direction that nobody asked about, too.
        other = "forward" if broken == ["backward"] else "backward"
        broken += [other] if decisions.breaks(pair, other) else []
    return sides | {_FIRST[direction] for direction in broken}


def _answers(decided: Change, change: Change) -> bool:
    """True where a contract rule already speaks for what a naming rule names: the same property, or one it holds."""
    return decided.answers and any(
        field == mine or field.startswith((mine + ".", mine + "["))
        for field in change.fields
        for mine in decided.fields
        if field and mine
    )


def _contained(pair: Pair, verdicts: Sequence[Decided]) -> Iterator[tuple[str, Change, Shown]]:
    """What containment shows to break, each with the name of the first rule that has one for it."""
    for direction, _, witnesses in verdicts:
        known: set[tuple[Pointer, str | None]] = set()
        for witness in witnesses:
            example = regrouped(Shown(pair, direction, witness.document, witness.refusal))
            if example.refusal.point not in known:
                known.add(example.refusal.point)
                yield *_named(example), example


def _named(example: Shown) -> tuple[str, Change]:
    for rule, module in NAMING.items():
        change = module.name(example)
        if change is not None:
            return rule, change
    raise AssertionError("the last naming rule names everything")


def _unknown(pair: Pair, verdicts: Sequence[Decided]) -> Iterator[Finding]:
    for direction, verdict, _ in verdicts:
        if verdict.kind == "unknown" and pair.new is not None:
            question = "new readers take old data" if direction == "backward" else "published readers take new data"
            message = f"whether {question} is unknown: {verdict.reason}"
            yield replace(
                _finding(UNKNOWN, pair.new.place(parse(verdict.pointer or "")), message, pair.urn),
                direction=direction,
                against=pair.old.place(()),
                reason=verdict.reason,
                fix=f"write the change in simpler words, or run `{pair.mint}`",
            )


def _shown_finding(pair: Pair, rule: str, change: Change, example: Shown) -> Finding:
    hurts = impact.of_containment(pair, example.direction, example.document, change.fields, example.refusal.instance)
    return replace(
        _placed(pair, rule, change),
        direction=example.direction,
        witness=example.document,
        reason=example.refusal.message,
        hurts=hurts,
        breaks=impact.lines(hurts),
    )


def _decided_finding(pair: Pair, rule: str, change: Change) -> Finding:
    hurts = impact.of_contract(pair, change.fields)
    return replace(_placed(pair, rule, change), hurts=hurts, breaks=impact.lines(hurts))


def _placed(pair: Pair, rule: str, change: Change) -> Finding:
    place = Place(pair.old.source.path) if pair.new is None else _place(pair.new, change.new, change)
    against = _place(pair.old, change.old, change)
    shared = None if pair.new is None or change.in_file else brought_in(pair.new, change.new)
    told = told_within(change, shared) if shared else change
    fix = told.keep
    if change.mint:
        published = shared if shared in pair.old_registry.fragments else None
        mint = pair.minting(f"--fragment {shlex.quote(published)}") if published else pair.mint
        fix = f"{fix}, or run `{mint}`" if fix else f"run `{mint}`"
    return replace(
        _finding(rule, place, told.message, pair.urn, against=against),
        fix=fix,
        pointer=_pointer(pair.new, change) if pair.new is not None else None,
        messages=tuple(FragmentUse(pair.urn, field) for field in change.fields[-1:]) if shared else (),
    )


def _pointer(message: Message, change: Change) -> str:
    """The pointer into the file that the finding is placed in: that of the message, or a fragment."""
    if change.in_file:
        return text(change.new)
    brought_in = len(change.new) > 1 and change.new[0] == "$defs" and str(change.new[1]) in message.origins
    return text(change.new[2:] if brought_in else ("data", *change.new))


def _place(message: Message, pointer: Pointer, change: Change) -> Place:
    if change.in_file:
        return message.source.place(pointer, key=change.key)
    return message.place(pointer, key=change.key)


def _finding(rule: str, place: Place, message: str, urn: str, *, against: Place | None = None) -> Finding:
    return Finding(rule, SEVERITIES[rule], message, place, urn=urn, against=against, witness=NOTHING)
