"""The breaking check: a registry compared with its published versions, as findings."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from babelreg.breaking.baseline.versions import Notes, PublishedVersions
from babelreg.breaking.changes.pairs import Pair, pairs
from babelreg.breaking.changes.waivers import BreakingWaivers, with_change_ids
from babelreg.breaking.check import impact
from babelreg.breaking.check.findings import (
    contract_finding,
    naming_finding,
    placed_finding,
    unknown_findings,
    unreadable_findings,
)
from babelreg.breaking.check.fork_pool import cpu_count, map_forked
from babelreg.breaking.check.grouping import by_importance, merged
from babelreg.breaking.check.verdicts import DirectionResult, Verdicts
from babelreg.breaking.containment.fields import schemas_at
from babelreg.breaking.containment.prover import Prover
from babelreg.breaking.containment.prover import prover as shared_prover
from babelreg.breaking.rules import CONTRACT, NAMING, NOTING, WAIVING
from babelreg.breaking.rules.rule import Change, RefusedDocument, at_union
from babelreg.finding import Finding, Place
from babelreg.model import Registry
from babelreg.schema.keywords import DEFINITIONS
from babelreg.schema.pointer import Pointer
from babelreg.schema.simplify import without_annotations
from babelreg.schema.values import identical

__all__ = ["check"]

MAX_PROCESSES = 4
PAIRS_PER_PROCESS = 48
"""Pairs that need a proof or a search; comparing so many takes about as long as starting a process and its prover."""
_FIRST = {"backward": "producers", "forward": "consumers"}
_ABOUT_SEVERAL_FIELDS = frozenset({"union-changed", "property-names-changed", "data-incompatible"})

_Break = tuple[str, Change, RefusedDocument]
_BreakKey = tuple[str, str, Pointer, str]
"""Rule, direction, pointer into the older version, message."""


def check(
    old: Registry,
    new: Registry,
    *,
    prover: Prover | None = None,
    past: PublishedVersions | None = None,
    waivers: BreakingWaivers | None = None,
) -> list[Finding]:
    """Return everything that breaks between the published registry ``old`` and ``new``, in the order of the report.

    Places are in ``new``, ``against`` in ``old``. Reader and direction are those that the new registry sets for the
    context. A message that differs from its version in ``old`` is also compared with the versions in ``past``. Findings
    that ``waivers`` accept are left out; findings about the waivers themselves are added.
    """
    waivers = waivers or BreakingWaivers()
    findings = _findings_of_all(list(pairs(old, new, past)), prover, past)
    reported = [finding for finding in (*findings, *unreadable_findings(old, new)) if not waivers.hides(finding)]
    about_waivers = [finding for module in WAIVING.values() for finding in module.check(waivers)]
    return by_importance([*merged(reported), *about_waivers])


def _findings_of_all(all_pairs: Sequence[Pair], prover: Prover | None, past: PublishedVersions | None) -> list[Finding]:
    """Return the findings of all pairs. Where that takes long, the pairs are distributed over the processors."""
    verdicts = Verdicts(prover)

    def check_pair(pair: Pair) -> tuple[list[Finding], Notes]:
        return _with_notes(pair, verdicts, past)

    hard = sum(pair.data_changed and not pair.evidently_compatible for pair in all_pairs)
    processes = 1 if prover is not None else min(cpu_count(), MAX_PROCESSES, 1 + hard // PAIRS_PER_PROCESS)
    if processes > 1:
        shared_prover().stop()  # a forked process cannot share it
    elif hard and prover is None:
        shared_prover().start()
    results = map_forked(all_pairs, check_pair, processes, lambda: shared_prover().stop())
    if past:
        past.note((pair.urn, notes) for pair, (_, notes) in zip(all_pairs, results, strict=True))
    return [finding for findings, _ in results for finding in findings]


def _with_notes(pair: Pair, verdicts: Verdicts, past: PublishedVersions | None) -> tuple[list[Finding], Notes]:
    unreadable_before = len(past.unreadable) if past else 0
    findings = list(_findings_of_versions(pair, verdicts, past))
    return findings, past.notes(pair.urn, unreadable_before) if past else ((), ())


def _findings_of_versions(pair: Pair, verdicts: Verdicts, past: PublishedVersions | None) -> Iterator[Finding]:
    """Yield the breaks of the newest version, then those of older versions only: v1 -> v2 -> v3 may pass, v1 -> v3 not.

    A break of an older version that was published with the newest one is not reported again.
    """
    reported = set()
    for finding in with_change_ids(pair, _findings_of_pair(pair, verdicts)):
        reported.add(_identity(finding))
        yield finding
    for earlier in pair.earlier(past) if past else ():
        for finding in with_change_ids(earlier, _findings_of_earlier(earlier, verdicts)):
            if _identity(finding) not in reported:
                reported.add(_identity(finding))
                yield replace(finding, message=f"{finding.message}, as {(earlier.commit or '')[:8]} published it")


def _identity(finding: Finding) -> tuple[str, Place, str | None]:
    return finding.rule, finding.place, finding.direction


def _findings_of_pair(pair: Pair, verdicts: Verdicts) -> list[Finding]:
    results = verdicts.of(pair)
    contract = [(rule, change) for rule, module in CONTRACT.items() for change in module.check(pair)]
    from_naming: list[Finding] = []
    with_witness: dict[int, dict[str, Finding]] = {}
    for rule, change, example in _breaks(pair, results):
        owner = next((i for i, (_, owning) in enumerate(contract) if _covers(owning, change)), None)
        if owner is None:
            from_naming.append(naming_finding(pair, rule, change, example))
        else:
            finding = naming_finding(pair, *contract[owner], example)
            with_witness.setdefault(owner, {}).setdefault(example.direction, finding)
    from_contract: list[Finding] = []
    for i, (rule, change) in enumerate(contract):
        from_contract += with_witness[i].values() if i in with_witness else [contract_finding(pair, rule, change)]
    order = impact.rollout(pair, _first_sides(pair, results, [change for _, change in contract], verdicts))
    notes = [placed_finding(pair, rule, change) for rule, module in NOTING.items() for change in module.check(pair)]
    errors = (*from_contract, *from_naming, *unknown_findings(pair, results))
    return [*(replace(finding, rollout=order) for finding in errors), *notes]


def _findings_of_earlier(earlier: Pair, verdicts: Verdicts) -> list[Finding]:
    results = verdicts.of(earlier)
    breaks = list(_breaks(earlier, results))
    known = {_break_key(*each) for each in _published_breaks(earlier, verdicts)} if breaks else set()
    findings = [naming_finding(earlier, *each) for each in breaks if not _is_known(earlier, known, *each)]
    order = impact.rollout(earlier, _first_sides(earlier, results, (), verdicts))
    return [replace(finding, rollout=order) for finding in (*findings, *unknown_findings(earlier, results))]


def _breaks(pair: Pair, results: Sequence[DirectionResult]) -> Iterator[_Break]:
    """Yield what containment shows to break, each with the first rule that has a name for it."""
    for direction, _, witnesses in results:
        reported: set[tuple[Pointer, str | None]] = set()
        for witness in witnesses:
            example = at_union(RefusedDocument(pair, direction, witness.document, witness.refusal))
            if example.refusal.point not in reported:
                reported.add(example.refusal.point)
                yield *_named(example), example


def _named(example: RefusedDocument) -> tuple[str, Change]:
    for rule, module in NAMING.items():
        change = module.name(example)
        if change is not None:
            return rule, change
    raise AssertionError("the last naming rule names everything")


def _covers(owning: Change, change: Change) -> bool:
    """Return True where a contract rule already reports the field that a naming rule names, or a parent of it."""
    return owning.answers and any(
        field == mine or field.startswith((mine + ".", mine + "["))
        for field in change.fields
        for mine in owning.fields
        if field and mine
    )


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


# A break of an older version that was published with the newest one was accepted then, and is not reported with every
# later edit. It has the same rule, direction, pointer into the older version and message, which quotes both schemas.
#
# No new break hides behind a known one: what the newest version accepts and the present one refuses is a break of the
# newest version itself, unless the document has a property that the newest version does not list. Such a property was
# dropped and comes back with another meaning; the break is reported at that property. Only a rule about several
# properties could report it in the words of another break, so for these rules the schemas must be equal, too.


def _published_breaks(earlier: Pair, verdicts: Verdicts) -> Iterator[_Break]:
    """Yield what the newest published version breaks of an older one."""
    published = replace(earlier, new=earlier.newest, newest=None)
    return _breaks(published, verdicts.of(published))


def _break_key(rule: str, change: Change, example: RefusedDocument) -> _BreakKey:
    return rule, example.direction, change.old, change.message


def _is_known(earlier: Pair, known: Collection[_BreakKey], rule: str, change: Change, example: RefusedDocument) -> bool:
    """Return True where the break of ``earlier`` is among the ``known`` breaks of the newest version."""
    if _break_key(rule, change, example) not in known:
        return False
    return rule not in _ABOUT_SEVERAL_FIELDS or _same_schemas(earlier, example)


def _same_schemas(earlier: Pair, example: RefusedDocument) -> bool:
    """Return True where the newest version and the present one have equal schemas for the refused value."""
    messages = [message for message in (earlier.newest, earlier.new) if message is not None]
    newest, present = (_schemas_for(message.schema, example) for message in messages)
    return identical(newest, present)


def _schemas_for(schema: Any, example: RefusedDocument) -> list[Any]:
    bare = without_annotations(schema, formats=True)
    schemas = [node.schema for node in schemas_at(bare, example.refusal.instance)]
    # Schemas that are referred to from further down are not among them.
    definitions = [bare.get(key) for key in DEFINITIONS] if isinstance(bare, dict) else []
    return [*schemas, *definitions] if '"$ref"' in json.dumps(schemas) else schemas
