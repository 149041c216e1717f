"""Comparison of a batch with thresholds: the share of quarantined messages, of all and of each URN.

Every entry point to the tables compares its own counts, before it commits. A message whose URN cannot be read,
or is not in the registry, counts for the total alone.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from decimal import ROUND_UP, Decimal

from babelreg.errors import UsageError
from babelreg.model import Registry, Thresholds
from babelreg.model.thresholds import EACH, TOTAL, ThresholdsLike, parsed
from babelreg.suggest import closest

LEAST_MESSAGES = 100
"""Number of messages from which a share counts."""
OTHER = "other"
"""Key of the messages without a URN of the registry."""


@dataclass(frozen=True, slots=True)
class UrnCounts:
    """Messages of a batch by URN. ``refused`` counts the quarantined ones by URN (or :data:`OTHER`) and reason."""

    accepted: Mapping[str, int] = field(default_factory=dict)
    duplicates: Mapping[str, int] = field(default_factory=dict)
    refused: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def urns(self) -> list[str]:
        """The URNs of the registry that occur."""
        return sorted({*self.accepted, *self.duplicates, *self.refused} - {OTHER})

    def read(self, urn: str | None = None) -> int:
        """Return how many messages there were, of one URN or of all."""
        refused = sum(self.reasons(urn).values())
        if urn is None:
            return refused + sum(self.accepted.values()) + sum(self.duplicates.values())
        return refused + self.accepted.get(urn, 0) + self.duplicates.get(urn, 0)

    def reasons(self, urn: str | None = None) -> dict[str, int]:
        """Return the quarantined messages by reason, the most frequent first."""
        reasons: dict[str, int] = {}
        for counts in [self.refused.get(urn, {})] if urn else self.refused.values():
            for reason, count in counts.items():
                reasons[reason] = reasons.get(reason, 0) + count
        return dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))


@dataclass(frozen=True, slots=True)
class ExceededThreshold:
    """One threshold, and the messages that exceed it. ``scope`` is 'total' or a URN; shares are texts such as '5%'."""

    scope: str
    limit: str
    share: str
    read: int
    quarantined: int
    reasons: Mapping[str, int]


def exceeded(thresholds: Thresholds, counts: UrnCounts) -> tuple[ExceededThreshold, ...]:
    """Return the thresholds that the batch exceeds: the total first, then by URN."""
    scopes = [(TOTAL, None, thresholds.total), *((urn, urn, thresholds.limit(urn)) for urn in counts.urns)]
    result = []
    for scope, urn, limit in scopes:
        read, reasons = counts.read(urn), counts.reasons(urn)
        quarantined = sum(reasons.values())
        if limit is not None and read >= LEAST_MESSAGES and quarantined * 100 > limit * read:
            result.append(
                ExceededThreshold(scope, f"{limit:f}%", _share(quarantined, read), read, quarantined, reasons)
            )
    return tuple(result)


def check_known(thresholds: Thresholds, urns: Collection[str], name: str) -> None:
    """Raise UsageError for a threshold of a URN that is not among ``urns``: it would never hold anything back."""
    for urn in thresholds.urns:
        if urn not in urns:
            near = closest(urn, [*urns, TOTAL, EACH])
            fix = f"did you mean '{near}'?" if near else "use a URN of the registry, 'total' or 'each'"
            raise UsageError(f"{name} limits '{urn}', which is not in the registry", fix=fix)


def thresholds_of(
    registry: Registry, fail_above: ThresholdsLike, hold_above: ThresholdsLike
) -> tuple[Thresholds, Thresholds]:
    """Return the thresholds of a run to fail and to hold: those of the settings, replaced by those given.

    Raises UsageError.
    """
    spark = registry.settings.spark
    both = []
    for name, setting, given in (
        ("fail_above", spark.fail_above, fail_above),
        ("hold_above", spark.hold_above, hold_above),
    ):
        thresholds = setting.replaced_by(parsed(given, name))
        check_known(thresholds, registry.by_urn, name)
        both.append(thresholds)
    return both[0], both[1]


def _share(part: int, whole: int) -> str:
    """Return the percentage with two decimals at most, rounded up: above a limit, it reads so."""
    percent = (Decimal(100 * part) / whole).quantize(Decimal("0.01"), ROUND_UP)
    return f"{percent.normalize():f}%"
