"""Counts as rectangles: what a template draws, in units that it scales to the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 1000, 100
_GAP = 0.18
_LEAST = 2.0
"""Least height of a column that is not empty, so that one message among a million is visible."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle in a picture of WIDTH x HEIGHT. ``title`` describes it; ``empty``: nothing is drawn."""

    x: float
    y: float
    width: float
    height: float
    title: str = ""
    marked: bool = False

    @property
    def empty(self) -> bool:
        """True for a bar of no size."""
        return self.height == 0 or self.width == 0


def columns(
    values: Sequence[float], titles: Sequence[str] = (), *, marked: int | None = None, least: int = 1
) -> list[Bar]:
    """Return a column for each of ``values``, from left to right; the highest is as high as the picture.

    There is room for ``least`` columns, and the picture is filled where there are more.
    """
    most = max(values, default=0)
    step = WIDTH / max(len(values), least)
    bars = []
    for place, value in enumerate(values):
        height = 0.0 if value <= 0 else max(_LEAST, HEIGHT * value / most)
        bars.append(
            Bar(
                round(place * step + step * _GAP / 2, 2),
                round(HEIGHT - height, 2),
                round(step * (1 - _GAP), 2),
                round(height, 2),
                titles[place] if titles else "",
                place == marked,
            )
        )
    return bars


def segments(values: Sequence[float]) -> list[Bar]:
    """Return ``values`` as parts of one bar from left to right; a part that is not empty is wide enough to be seen."""
    total = sum(values)
    widths = [0.0 if value <= 0 else max(6.0, WIDTH * value / total) for value in values]
    if not total:
        return [Bar(0, 0, 0, 0) for _ in values]
    widest = widths.index(max(widths))
    widths[widest] -= sum(widths) - WIDTH
    bars, x = [], 0.0
    for width in widths:
        bars.append(Bar(round(x, 2), 0, round(width, 2), HEIGHT if width else 0))
        x += width
    return bars
