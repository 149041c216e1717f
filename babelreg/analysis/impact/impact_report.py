"""Report of an impact: the findings of ``breaking`` with the recorded messages that each would have refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from babelreg.analysis.impact.evidence import VersionExpectation, is_promised, version_expectations
from babelreg.analysis.impact.impact_counts import (
    GroupCounts,
    ImpactCounts,
    RefusedMessage,
    Rescue,
    Sender,
    UnexplainedPlace,
)
from babelreg.analysis.sketch.window import Window
from babelreg.finding import Finding
from babelreg.model import Registry

Masked = Callable[[str, RefusedMessage], "MaskedSample"]
"""Returns a sample of a URN without its values."""


@dataclass(frozen=True, slots=True)
class MaskedSample:
    """One message as a line without values, and the pointer to what is refused, both safe to publish."""

    text: str
    pointer: str


@dataclass(frozen=True, slots=True)
class MessageGroup:
    """``count`` of the ``seen`` messages of some URNs: their senders, times, and one of them."""

    count: int
    seen: int
    producers: tuple[tuple[str, int], ...] = ()
    first_ms: int | None = None
    newest_ms: int | None = None
    sample: MaskedSample | None = None

    @property
    def share(self) -> Fraction | None:
        """The share of the messages; None where there are none."""
        return Fraction(self.count, self.seen) if self.seen else None


@dataclass(frozen=True, slots=True)
class FindingImpact:
    """A finding, and the messages that it would have refused.

    ``accepted``: a waiver accepts it. It is not ``judged`` by recorded messages where it is about what producers do not
    send yet.
    """

    finding: Finding
    group: MessageGroup
    accepted: bool = False
    judged: bool = True


class Evidence(NamedTuple):
    """Number of the valid messages for which an expectation ``held``; ``promised``: the schema allows no others."""

    held: int
    valid: int
    promised: bool


@dataclass(frozen=True, slots=True)
class ExpectationImpact:
    """What a service expects of a message, and the messages for which it held.

    ``before`` and ``after`` are by the published and the present registry; None where it does not stand there.
    """

    urn: str
    service: str
    path: str
    schema: Any
    before: Evidence | None
    after: Evidence | None


@dataclass(frozen=True)
class ImpactReport:
    """Impact of a change.

    ``matrix`` counts messages by the reasons before and after, None for a good one; the sum is ``total``. ``seen`` and
    ``hurt`` are counts by URN. ``silent`` are the declared producers, by URN, of which the window has no message.
    """

    window: Window | None
    total: int
    earlier: int
    later: int
    undated: int
    first_ms: int | None
    newest_ms: int | None
    matrix: tuple[tuple[str | None, str | None, int], ...]
    seen: Mapping[str, int]
    hurt: Mapping[str, int]
    findings: tuple[FindingImpact, ...]
    unexplained: tuple[tuple[UnexplainedPlace, MessageGroup], ...]
    rescued: tuple[tuple[Rescue, MessageGroup], ...]
    silent: tuple[tuple[str, tuple[str, ...]], ...]
    expectations: tuple[ExpectationImpact, ...]

    @property
    def refused_now(self) -> int:
        """The number of messages that were good and are refused."""
        return sum(count for before, after, count in self.matrix if before is None and after is not None)

    @property
    def rescued_now(self) -> int:
        """The number of messages that were refused and are good."""
        return sum(count for before, after, count in self.matrix if before is not None and after is None)

    def shares_above(self, threshold: Fraction) -> list[str]:
        """Return the URNs of which a larger share than ``threshold`` is refused now, by what no waiver accepts."""
        return sorted(urn for urn, count in self.hurt.items() if count and Fraction(count, self.seen[urn]) > threshold)


def impact_report(
    counts: ImpactCounts,
    findings: Sequence[FindingImpact],
    before: Registry,
    after: Registry,
    window: Window | None,
    masked: Masked,
) -> ImpactReport:
    """Return the report on ``counts``; ``findings`` come without messages, in the order of their numbers."""
    seen: Counter[str] = Counter()
    matrix: Counter[tuple[str | None, str | None]] = Counter()
    senders: dict[str, Counter[Sender]] = {}
    for (urn, producer, old, new), count in counts.cells.items():
        matrix[old, new] += count
        if urn:
            seen[urn] += count
            senders.setdefault(urn, Counter())[producer] += count
    grouping = _Grouping(seen, before, after, masked)
    keys = counts.groups
    unexplained = sorted(key for key in keys if isinstance(key, UnexplainedPlace))
    rescued = sorted(key for key in keys if isinstance(key, Rescue))
    return ImpactReport(
        window,
        counts.total,
        counts.earlier,
        counts.later,
        counts.undated,
        counts.first_ms,
        counts.newest_ms,
        tuple((*verdicts, count) for verdicts, count in sorted(matrix.items(), key=_matrix_order)),
        dict(sorted(seen.items())),
        dict(sorted(counts.hurt.items())),
        tuple(
            FindingImpact(each.finding, grouping.of(_urns(each.finding), keys.get(n)), each.accepted, each.judged)
            for n, each in enumerate(findings)
        ),
        tuple((key, grouping.of([key.urn], keys[key])) for key in unexplained),
        tuple((key, grouping.of([key.urn], keys[key])) for key in rescued),
        tuple(_silent(after, senders)),
        tuple(_expectations(before, after, counts)),
    )


def _urns(finding: Finding) -> list[str]:
    return [finding.urn] if finding.urn else sorted({use.urn for use in finding.messages})


def _matrix_order(item: tuple[tuple[str | None, str | None], int]) -> tuple[bool, bool, int, str, str]:
    (old, new), count = item
    return old is not None, new is not None, -count, old or "", new or ""


class _Grouping:
    def __init__(self, seen: Mapping[str, int], before: Registry, after: Registry, masked: Masked) -> None:
        self._seen = seen
        self._registries = (after, before)
        self._masked = masked

    def of(self, urns: Sequence[str], counts: GroupCounts | None) -> MessageGroup:
        """Return the messages of a group, among those of ``urns``."""
        seen = sum(self._seen.get(urn, 0) for urn in urns)
        if counts is None:
            return MessageGroup(0, seen)
        by_name: Counter[str] = Counter()
        for producer, count in counts.producers.items():
            by_name[self._name(urns, producer)] += count
        producers = tuple(sorted(by_name.items(), key=lambda item: (-item[1], item[0])))
        sample = None if counts.sample is None else self._masked(self._urn_of(urns, counts.sample), counts.sample)
        return MessageGroup(counts.count, seen, producers, counts.first_ms, counts.newest_ms, sample)

    def _urn_of(self, urns: Sequence[str], sample: RefusedMessage) -> str:
        names = [str(sample.document.get("job", "")), *urns]
        resolved = (registry.resolve(name) for name in names for registry in self._registries)
        return next((urn for urn in resolved if any(urn in each.schemas for each in self._registries)), "")

    def _name(self, urns: Sequence[str], producer: Sender) -> str:
        """Return the only declared producer in this language, else language and queue."""
        services = {
            name
            for registry in self._registries
            for urn in urns
            if urn in registry.by_urn
            for name in registry.by_urn[urn].producers
            if producer.lang is not None and _lang(registry, name) == producer.lang
        }
        if len(services) == 1:
            return services.pop()
        queue = f"queue {producer.queue}" if producer.queue else "another queue"
        return f"{producer.lang or 'another language'}, {queue}"


def _lang(registry: Registry, service: str) -> str | None:
    declared = registry.services.get(service)
    return declared.lang if declared else None


def _silent(registry: Registry, senders: Mapping[str, Counter[Sender]]) -> list[tuple[str, tuple[str, ...]]]:
    """Return the declared producers of published messages that sent none, by URN.

    A producer whose language is not declared has sent some where any message of the URN was seen: nothing tells.
    """
    result = []
    for urn, message in sorted(registry.by_urn.items()):
        languages = {producer.lang for producer in senders.get(urn, ())}
        silent = tuple(
            name
            for name in message.producers
            if not languages or ((lang := _lang(registry, name)) is not None and lang not in languages)
        )
        if silent and message.published:
            result.append((urn, silent))
    return result


def _expectations(before: Registry, after: Registry, counts: ImpactCounts) -> list[ExpectationImpact]:
    rows: dict[tuple[str, str, str, str], list[Evidence | None]] = {}
    known: dict[tuple[str, str, str, str], VersionExpectation] = {}
    for number, each in enumerate(version_expectations(before, after)):
        key = (each.urn, each.service, each.path, repr(each.schema))
        known[key] = each
        promised = is_promised(after if each.version else before, each)
        evidence = Evidence(counts.held[number], counts.expected[number], promised)
        rows.setdefault(key, [None, None])[each.version] = evidence
    return [
        ExpectationImpact(known[key].urn, known[key].service, known[key].path, known[key].schema, *rows[key])
        for key in sorted(rows)
    ]
