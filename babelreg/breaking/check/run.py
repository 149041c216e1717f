"""The breaking check: a registry compared with its published versions, as findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from babelreg.breaking.baseline.versions import Notes, PublishedVersions
from babelreg.breaking.changes.pairs import Pair, pairs
from babelreg.breaking.changes.waivers import BreakingWaivers, with_change_ids
from babelreg.breaking.check import impact
from babelreg.breaking.check.earlier_versions import NewestVersion
from babelreg.breaking.check.edit_groups import Reported, by_edit, without_waived
from babelreg.breaking.check.edited_keyword import at_edit
from babelreg.breaking.check.expectations import expectation_findings
from babelreg.breaking.check.findings import (
    contract_finding,
    naming_finding,
    placed_finding,
    unreadable_findings,
)
from babelreg.breaking.check.fork_pool import cpu_count, map_forked
from babelreg.breaking.check.grouping import by_importance, by_object, merged
from babelreg.breaking.check.overlap import Break, answered_by, both_ways, with_side_effects, without_repeats
from babelreg.breaking.check.report_gaps import PairGaps, ReportGaps
from babelreg.breaking.check.unknown import unknown_findings, without_history
from babelreg.breaking.check.verdicts import DirectionResult, Verdicts
from babelreg.breaking.rules import CONTRACT, NAMING, NOTING, WAIVING
from babelreg.breaking.rules.rule import Change, RefusedDocument
from babelreg.containment.second_validator import SecondValidator
from babelreg.containment.second_validator import second_validator as shared_validator
from babelreg.containment.witness import Point
from babelreg.finding import Finding, Place
from babelreg.model import Registry

MAX_PROCESSES = 4
PAIRS_PER_PROCESS = 48
"""Pairs that need a proof or a search; comparing so many takes as long as starting two processes."""
_FIRST = {"backward": "producers", "forward": "consumers"}


def check(
    old: Registry,
    new: Registry,
    *,
    second_validator: SecondValidator | None = None,
    past: PublishedVersions | None = None,
    waivers: BreakingWaivers | None = None,
    gaps: ReportGaps | None = None,
) -> list[Finding]:
    """Return everything that breaks between the published registry ``old`` and ``new``, in the order of the report.

    Places are in ``new``, ``against`` in ``old``. Reader and direction are those that the new registry sets for the
    context. A message that differs from its version in ``old`` is also compared with the versions in ``past``. Findings
    that ``waivers`` accept are left out; findings about the waivers themselves are added. ``gaps`` takes up what the
    findings do not tell.
    """
    waivers = waivers or BreakingWaivers()
    findings = _findings_of_all(list(pairs(old, new, past)), second_validator, past, gaps)
    every = (without_waived(finding, waivers.hides) for finding in (*findings, *unreadable_findings(old, new)))
    reported = [finding for finding in every if finding is not None]
    about_waivers = [finding for module in WAIVING.values() for finding in module.check(waivers)]
    return by_importance([*by_object(merged(reported)), *about_waivers])


def _findings_of_all(
    all_pairs: Sequence[Pair],
    second_validator: SecondValidator | None,
    past: PublishedVersions | None,
    gaps: ReportGaps | None,
) -> list[Finding]:
    """Return the findings of all pairs. Where that takes long, the pairs are distributed over the processors."""
    verdicts = Verdicts(second_validator)

    def check_pair(pair: Pair) -> tuple[list[Finding], Notes, PairGaps]:
        return _with_notes(pair, verdicts, past)

    hard = sum(pair.data_changed and not pair.evidently_compatible for pair in all_pairs)
    processes = 1 if second_validator is not None else min(cpu_count(), MAX_PROCESSES, 1 + hard // PAIRS_PER_PROCESS)
    if processes > 1:
        shared_validator().stop()  # a forked process cannot share it
    elif hard and second_validator is None:
        shared_validator().start()
    results = map_forked(all_pairs, check_pair, processes, lambda: shared_validator().stop())
    if past:
        past.note((pair.urn, notes) for pair, (_, notes, _) in zip(all_pairs, results, strict=True))
    if gaps is not None:
        for pair, (_, _, of_pair) in zip(all_pairs, results, strict=True):
            gaps.add(pair.urn, of_pair)
    return [finding for findings, _, _ in results for finding in findings]


def _with_notes(
    pair: Pair, verdicts: Verdicts, past: PublishedVersions | None
) -> tuple[list[Finding], Notes, PairGaps]:
    unreadable_before = len(past.unreadable) if past else 0
    findings = list(_findings_of_versions(pair, verdicts, past))
    notes = past.notes(pair.urn, unreadable_before) if past else ((), ())
    return findings, notes, PairGaps.of(verdicts.of(pair))


def _findings_of_versions(pair: Pair, verdicts: Verdicts, past: PublishedVersions | None) -> Iterator[Finding]:
    """Yield the breaks of the newest version, then those of older versions only: v1 -> v2 -> v3 may pass, v1 -> v3 not.

    A break of an older version that was published with the newest one is not reported again.
    """
    reported = set()
    for finding in with_change_ids(pair, _findings_of_pair(pair, verdicts)):
        reported.add(_identity(finding))
        yield finding
    earlier_pairs = pair.earlier(past) if past else ()
    newest = NewestVersion(pair, verdicts.of(pair)) if earlier_pairs else None
    for earlier in earlier_pairs:
        assert newest is not None
        for finding in with_change_ids(earlier, _findings_of_earlier(earlier, newest, verdicts)):
            if _identity(finding) not in reported:
                reported.add(_identity(finding))
                yield _of_commit(finding, (earlier.commit or "")[:8])


def _of_commit(finding: Finding, commit: str) -> Finding:
    """Return ``finding`` with the commit in its message that published the other version."""
    end, listed = f", as {commit} published it", finding.properties
    properties = listed and listed._replace(message=f"{listed.message}{end}")
    return replace(finding, message=f"{finding.message}{end}", properties=properties)


def _identity(finding: Finding) -> tuple[str, Place, str | None]:
    return finding.rule, finding.place, finding.direction


def _findings_of_pair(pair: Pair, verdicts: Verdicts) -> list[Finding]:
    results = verdicts.of(pair)
    breaks = both_ways(list(_breaks(pair, results)))
    every = [(rule, change) for rule, module in CONTRACT.items() for change in module.check(pair)]
    contract = without_repeats(pair, every, breaks)
    from_naming: list[Reported] = []
    with_witness: dict[int, dict[str, Reported]] = {}
    for rule, change, example in with_side_effects(every, breaks):
        owner = answered_by(contract, change)
        if owner is None:
            from_naming.append(Reported(naming_finding(pair, rule, change, example), change, example))
        else:
            finding = naming_finding(pair, *contract[owner], example)
            owned = Reported(finding, contract[owner][1], example)
            with_witness.setdefault(owner, {}).setdefault(example.direction, owned)
    from_contract: list[Reported] = []
    for i, (rule, change) in enumerate(contract):
        alone = Reported(contract_finding(pair, rule, change), change)
        from_contract += with_witness[i].values() if i in with_witness else [alone]
    order = impact.rollout(pair, _first_sides(pair, results, [change for _, change in every], verdicts))
    notes = [placed_finding(pair, rule, change) for rule, module in NOTING.items() for change in module.check(pair)]
    unknown = unknown_findings(pair, results, [change for _, change, _ in breaks])
    errors = (*by_edit(pair, (*from_contract, *from_naming)), *unknown)
    expected = expectation_findings(pair, verdicts.second_validator)
    return [*(replace(finding, rollout=order) for finding in errors), *expected, *notes]


def _findings_of_earlier(earlier: Pair, newest: NewestVersion, verdicts: Verdicts) -> list[Finding]:
    results = [
        (direction, verdict, [witness for witness in witnesses if not newest.explains(direction, witness)])
        for direction, verdict, witnesses in without_history(earlier, verdicts.of(earlier), verdicts)
    ]
    reported = [Reported(naming_finding(earlier, *each), *each[1:]) for each in _breaks(earlier, results)]
    findings = by_edit(earlier, reported)
    order = impact.rollout(earlier, _first_sides(earlier, results, (), verdicts))
    return [replace(finding, rollout=order) for finding in (*findings, *unknown_findings(earlier, results))]


def _breaks(pair: Pair, results: Sequence[DirectionResult]) -> Iterator[Break]:
    """Yield what containment shows to break, each with the first rule that has a name for it."""
    for direction, _, witnesses in results:
        reported: set[Point] = set()
        for witness in witnesses:
            example = at_edit(RefusedDocument(pair, direction, witness.document, witness.refusal))
            found = example.refusal is witness.refusal
            point = witness.point if found else (*example.refusal.point, False)
            if point not in reported:
                reported.add(point)
                yield *_named(example), example


def _named(example: RefusedDocument) -> tuple[str, Change]:
    for rule, module in NAMING.items():
        change = module.name(example)
        if change is not None:
            return rule, change
    raise AssertionError("the last naming rule names everything")


def _first_sides(
    pair: Pair, results: Sequence[DirectionResult], contract: Sequence[Change], verdicts: Verdicts
) -> set[str]:
    """Return the sides that may go first: producers where only new readers refuse, else consumers, or both."""
    sides = {change.first for change in contract if change.first}
    broken = [direction for direction, verdict, _ in results if verdict.kind != "compatible"]
    if len(results) == 1 and broken:
        # The order also depends on the direction that is not checked.
        other = "forward" if broken == ["backward"] else "backward"
        broken += [other] if verdicts.breaks(pair, other) else []
    return sides | {_FIRST[direction] for direction in broken}
