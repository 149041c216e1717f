"""Largest accepted shares of quarantined messages in a batch, as percentages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import NamedTuple, TypeAlias

from babelreg.errors import UsageError
from babelreg.lazy_pattern import LazyPattern

TOTAL = "total"
EACH = "each"
_SHARE = LazyPattern(r"(100|[0-9]{1,2}(\.[0-9]{1,6})?)%")


class Thresholds(NamedTuple):
    """Percentages by scope. ``percents`` is ``{"total" | "each" | URN: percent}``; a missing scope has no limit.

    ``total`` is the share of all messages of a batch, a URN's that of its own messages, and ``each`` that of every URN
    without an entry.
    """

    percents: Mapping[str, Decimal] = {}

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


ThresholdsLike: TypeAlias = Thresholds | str | Mapping[str, str] | Iterable[str] | None
"""Thresholds: '5%', a mapping of scopes to shares, or texts 'SCOPE=SHARE'."""


def parsed(value: ThresholdsLike, name: str) -> Thresholds:
    """Return the thresholds of the option ``name``: '5%', a mapping of scopes to shares, or texts 'SCOPE=SHARE'.

    Raises UsageError for a share that is not a percentage, and for a scope that is given twice.
    """
    if isinstance(value, Thresholds):
        return value
    pairs: list[tuple[str, str]]
    if isinstance(value, Mapping):
        pairs = [(scope, str(share)) for scope, share in value.items()]
    else:
        texts = [value] if isinstance(value, str) else value or ()
        pairs = [(scope or TOTAL, share) for scope, _, share in (text.rpartition("=") for text in texts)]
    for scope, share in pairs:
        if not _SHARE.fullmatch(share):
            fix = f"write a share from 0% to 100%: {'' if scope == TOTAL else f'{scope}='}5%"
            raise UsageError(f"{name}: '{share}' is not a percentage", fix=fix)
    if repeated := next((scope for at, (scope, _) in enumerate(pairs) if scope in dict(pairs[:at])), None):
        raise UsageError(f"{name}: '{repeated}' has two thresholds", fix="give one")
    return Thresholds.of(dict(pairs))
