"""Largest accepted shares of quarantined messages in a batch, as percentages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

__all__ = ["EACH", "TOTAL", "Thresholds"]

TOTAL = "total"
EACH = "each"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Percentages by scope. ``percents`` is ``{"total" | "each" | URN: percent}``; a missing scope has no limit.

    ``total`` is the share of all messages of a batch, a URN's that of its own messages, and ``each`` that of every URN
    without an entry.
    """

    percents: Mapping[str, Decimal] = field(default_factory=dict)

    @classmethod
    def of(cls, value: str | Mapping[str, str] | None) -> Thresholds:
        """Return the thresholds that ``value`` states: '5%' for the total, or a mapping of scopes to such shares.

        The value has the shape that the JSON Schema of ``babelreg.yaml`` describes.
        """
        shares = {TOTAL: value} if isinstance(value, str) else value or {}
        return cls({scope: Decimal(share.removesuffix("%")) for scope, share in shares.items()})

    def replaced_by(self, other: Thresholds) -> Thresholds:
        """Return these thresholds with those of ``other`` in place of the ones for the same scope."""
        return Thresholds({**self.percents, **other.percents})

    @property
    def total(self) -> Decimal | None:
        """The limit of all messages of a batch."""
        return self.percents.get(TOTAL)

    @property
    def urns(self) -> Mapping[str, Decimal]:
        """The limits of single URNs."""
        return {scope: percent for scope, percent in self.percents.items() if scope not in (TOTAL, EACH)}

    def limit(self, urn: str) -> Decimal | None:
        """Return the limit of the messages of one URN."""
        return self.percents.get(urn, self.percents.get(EACH))
